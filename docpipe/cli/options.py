"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docpipe.errors import ConfigError

if TYPE_CHECKING:
    from docpipe.config import Config

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
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="One setting, such as --set ocr.dpi=200; may be repeated.",
    ),
]
Ocr = Annotated[
    str | None,
    typer.Option("--ocr", help="auto (pages that need it), off, or force (every page)."),
]
Layout = Annotated[
    str | None,
    typer.Option(
        "--layout",
        help="Where a layout model looks for tables: fast (nowhere), auto (where the rules are "
        "unsure), or model (every page).",
    ),
]
Schema = Annotated[
    str | None,
    typer.Option(
        "--schema", "-s", help="The fields: receipt, invoice, id, form, or a TOML file of your own."
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option("--weights", help="Folder of a trained model: needed for a schema of your own."),
]
Password = Annotated[str | None, typer.Option("--password", help="Password of encrypted files.")]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--password-file", help="A file of passwords to try, one a line: safer than --password."
    ),
]
PageTimeout = Annotated[
    float | None, typer.Option("--page-timeout", help="Seconds a page may take.")
]
DocumentTimeout = Annotated[
    float | None, typer.Option("--document-timeout", help="Seconds a document may take.")
]


def configuration(
    file: Path | None,
    settings: list[str] | None,
    *,
    ocr: str | None = None,
    layout: str | None = None,
    page_timeout: float | None = None,
    document_timeout: float | None = None,
    schema: str | None = None,
    weights: Path | None = None,
    locale: str | None = None,
    per_page: bool = False,
) -> Config:
    """The configuration of a file, settings and the options that stand for settings."""
    from docpipe.config import load

    chosen = {
        "ocr_mode": ocr,
        "parser.layout": layout,
        "limits.page_timeout": page_timeout,
        "limits.document_timeout": document_timeout,
        "entities.schema": schema,
        "entities.weights": weights,
        "entities.locale": locale,
        "entities.scope": "page" if per_page else None,
    }
    given = [f"{key}={_as_toml(value)}" for key, value in chosen.items() if value is not None]
    return load(file, [*(settings or ()), *given])


def _as_toml(value: object) -> str:
    """A value as TOML writes it: a path may look like a number or a date."""
    import json

    return str(value) if isinstance(value, float) else json.dumps(str(value), ensure_ascii=False)


def text(given: str) -> str:
    """A question or query as valid Unicode. Raises ConfigError when it is blank."""
    if not given.strip():
        raise ConfigError("the question is empty", code="empty_question")
    return given.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def passwords(password: str | None, file: Path | None) -> tuple[str, ...]:
    """The passwords to try, from the option and the file. Raises ConfigError."""
    found = [password] if password is not None else []
    if file is not None:
        try:
            found += [line for line in file.read_text("utf-8").splitlines() if line]
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"the password file cannot be read: {error}") from error
    return tuple(found)
