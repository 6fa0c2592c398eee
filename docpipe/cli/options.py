"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docpipe.errors import ConfigError

LibraryDir = Annotated[
    Path,
    typer.Option(
        "--library",
        "-L",
        envvar="DOCPIPE_LIBRARY",
        help="The library's folder.",
        show_default=True,
    ),
]
DEFAULT_LIBRARY = Path("docpipe-library")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", "-c", envvar="DOCPIPE_CONFIG", help="A TOML file of settings."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="One setting, such as --set ocr.dpi=200; may be repeated."),
]
Ocr = Annotated[
    str | None,
    typer.Option("--ocr", help="auto (pages that need it), off, or force (every page)."),
]
Password = Annotated[
    str | None, typer.Option("--password", help="Password of encrypted files (see it in `ps`).")
]
PasswordFile = Annotated[
    Path | None,
    typer.Option("--password-file", help="A file of passwords to try, one a line."),
]
Pages = Annotated[str | None, typer.Option("--pages", help="Page ranges, such as 1-3,7.")]


def passwords(password: str | None, file: Path | None) -> tuple[str, ...]:
    """The passwords to try, from the option and the file. Raises ConfigError."""
    found = [password] if password is not None else []
    if file is not None:
        try:
            found += [line for line in file.read_text("utf-8").splitlines() if line]
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"the password file cannot be read: {error}") from error
    return tuple(found)
