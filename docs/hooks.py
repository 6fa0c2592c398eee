"""Pages of the site that are made from what stands elsewhere: the README and its companions, the
commands, the Python interface."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path, PurePosixPath
from typing import Any

import typer.main
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
COMPANIONS = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
INTERFACE = {
    "Read and extract": ["docpipe.pipeline"],
    "Settings": [
        "docpipe.config.Config",
        "docpipe.config.EntitiesConfig",
        "docpipe.config.Limits",
        "docpipe.config.load",
    ],
    "Libraries": [
        "docpipe.library.Library",
        "docpipe.library.Entry",
        "docpipe.ingest.IngestReport",
    ],
    "Records": ["docpipe.records", "docpipe.geometry"],
    "Stages": ["docpipe.stages", "docpipe.registry", "docpipe.testing"],
    "Exports": ["docpipe.export", "docpipe.draw"],
    "Server": ["docpipe.server.settings", "docpipe.server.app"],
    "Errors": ["docpipe.errors"],
}
_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\((?!https?:|#|mailto:)([^)\s#]+)(?:#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, and the pages that the navigation does not name."""
    made = {page: _adapted(ROOT / name) for name, page in COMPANIONS.items()}
    made |= {"commands.md": _commands(), "python.md": _python()}
    for page, content in made.items():
        files.append(File.generated(config, page, content=content))
    others = sorted(
        f.src_uri for f in files.documentation_pages() if f.src_uri not in str(config.nav)
    )
    results = [page for page in others if page.startswith("results/")]
    rest = [page for page in others if page not in results]
    config.nav = [*(config.nav or []), {"Training and data": rest}, {"Results": results}]
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A link to a file that is no page of the site becomes its text; one that leads nowhere stays,
    and is reported."""
    present = {file.src_uri for file in files}
    folder = PurePosixPath(page.file.src_uri).parent

    def kept(match: re.Match[str]) -> str:
        place = posixpath.normpath(folder / match[2])
        elsewhere = (ROOT / "docs" / place).exists() or (ROOT / place).exists()
        return match[1] if place not in present and elsewhere else match[0]

    return _LINK.sub(kept, markdown)


def _adapted(path: Path) -> str:
    """A page of the root, its links as seen from docs/."""
    text = path.read_text("utf-8")
    for name, page in COMPANIONS.items():
        text = text.replace(f"]({name}", f"]({page}")
    return text.replace("](docs/", "](")


def _python() -> str:
    lines = ["# Python", "", "What is public, from the docstrings.", ""]
    for title, names in INTERFACE.items():
        lines += [f"## {title}", ""]
        lines += [f"::: {name}\n" for name in names]
    return "\n".join(lines)


def _commands() -> str:
    from docpipe.cli.app import app

    lines = [
        "# Commands",
        "",
        "Exit codes: 0 all good, 1 some input failed or has issues, 2 usage or",
    ]
    lines += ["configuration, 130 interrupted.", ""]
    lines += _command(typer.main.get_command(app), "docpipe", 1)
    return "\n".join(lines)


def _command(command: Any, name: str, level: int) -> list[str]:
    """A command with its options, then those below it."""
    lines: list[str] = []
    if level > 1:
        lines += [f"{'#' * min(level, 3)} {name}", "", command.help or "", ""]
    rows = [row for parameter in command.params if (row := _row(parameter))]
    if rows and level > 1:
        lines += ["| option | | |", "| --- | --- | --- |", *rows, ""]
    for each in getattr(command, "commands", {}).values():
        lines += _command(each, f"{name} {each.name}", level + 1)
    return lines


def _row(parameter: Any) -> str | None:
    if parameter.name == "help" or getattr(parameter, "hidden", False):
        return None
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    if parameter.param_type_name == "argument":
        names = (parameter.metavar or parameter.name).strip("[].")
    text = getattr(parameter, "help", None) or ""
    default = parameter.default
    shown = "" if default in (None, False, ()) or callable(default) else f"default {default}"
    cells = (f"`{names}`", text.replace("|", "\\|").replace("\n", " "), shown)
    return f"| {' | '.join(cells)} |"
