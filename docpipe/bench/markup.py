"""Tables in Markdown, written with pipes or as HTML, brought to one form."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from docpipe.errors import ConfigError
from docpipe.registry import missing_extra_hint

if TYPE_CHECKING:
    from bs4 import Tag


def with_html_tables(text: str) -> str:
    """The text with every pipe table replaced by an HTML table on one line.

    A pipe table is a row, a rule (`|---|---|`), and rows up to the next line without a pipe. An
    empty header row, which the syntax forces on tables without one, is dropped.
    """
    lines = text.splitlines()
    done: list[str] = []
    at = 0
    while at < len(lines):
        header = _cells(lines[at])
        rule = _cells(lines[at + 1]) if header and at + 1 < len(lines) else []
        if not header or not _is_rule(rule):
            done.append(lines[at])
            at += 1
            continue
        rows = [header]
        at += 2
        while at < len(lines) and (cells := _cells(lines[at])):
            rows.append(cells)
            at += 1
        done.append(_html_table(rows, width=max(len(header), len(rule))))
    return "\n".join(done)


def html_tables(text: str) -> list[Tag]:
    """Every table of a Markdown text as an HTML element, in order."""
    try:
        from bs4 import BeautifulSoup
    except ImportError as error:
        raise ConfigError("table scores need bs4", hint=missing_extra_hint(error)) from error
    return list(BeautifulSoup(with_html_tables(text), "lxml").find_all("table"))


def _cells(line: str) -> list[str]:
    """The cells of a line of a pipe table; none for a line without a pipe."""
    line = line.strip()
    if "|" not in line:
        return []
    inner = line.removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in inner.split("|")]


def _is_rule(cells: list[str]) -> bool:
    return bool(cells) and all(
        squeezed and set(squeezed) <= {"-", ":"}
        for squeezed in (cell.replace(" ", "") for cell in cells)
    )


def _html_table(rows: list[list[str]], width: int) -> str:
    rows = [(cells + [""] * width)[:width] for cells in rows]
    if len(rows) > 1 and not any(rows[0]):
        rows = rows[1:]
    head = _html_row(rows[0], "th")
    return f"<table>{head}{''.join(_html_row(cells, 'td') for cells in rows[1:])}</table>"


def _html_row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
