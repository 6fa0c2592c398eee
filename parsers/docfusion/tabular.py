r"""Tables as LaTeX `tabular` made cells, and cells made HTML.

Knows what the targets of table recognition have: `&`, `\\`, rules, `\multicolumn` and `\multirow`,
styles around text. Tolerant, for models write it: what is cut off or unbalanced is read as far as
it goes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docpipe.records import Cell

_OUTER = re.compile(r"\\(?:begin|end)\s*\{(?:tabular|array|tabularx|longtable)\*?\}")
_RULE = re.compile(
    r"\\(?:(?P<full>toprule|midrule|bottomrule|hline)(?:\[[^\]]*\])?"
    r"|(?:cmidrule|cline)(?:\([a-z]*\))?\s*\{[^{}]*\}|addlinespace(?:\[[^\]]*\])?)"
)
_BREAK = re.compile(r"^\*?\s*\[[^\]]*\]")  # of `\\[2pt]`
_SPAN = re.compile(r"\s*\\(multicolumn|multirow)\s*")
_STYLE = re.compile(
    r"\\(?:textbf|textit|texttt|textrm|textsf|textsc|emph|underline|mathrm|mathbf|makecell|text)"
    r"\s*(?=\{)"
)
_SWITCH = re.compile(
    r"\\(?:bfseries|itshape|centering|raggedright|small|footnotesize|scriptsize|tiny|bf|it|rm)\b\s*"
)
_CHARACTERS = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\ldots": "…",
    r"\\": " ",
    "~": " ",
} | {f"\\{char}": char for char in "&%$#_{}"}
_CHARACTER = re.compile("|".join(map(re.escape, sorted(_CHARACTERS, key=len, reverse=True))))
_MATH = re.compile(r"(?<!\\)\$(?:\\.|[^$\\])*\$")
_MOST = 500  # rows or columns a span may have: more is a slip of the model


class _Piece(NamedTuple):
    """A cell as written."""

    text: str
    rows: int
    columns: int


def cells_of(latex: str) -> tuple[Cell, ...]:
    r"""The cells of a table, row by row; none where there is no text.

    Rows above the first rule that has rows above it are the header. A place below a `\multirow` is
    part of it, not a cell of its own; other empty places are cells without text.
    """
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    row = head = 0
    for written, is_ruled in _rows(_body(latex)):
        if is_ruled and row and not head:
            head = row
        if not written.strip():
            continue
        column = 0
        for piece in map(_piece, _split(written, "&")):
            if (row, column) not in taken or piece.text:
                cells.append(Cell(row, column, piece.text, piece.rows, piece.columns))
                taken |= {
                    (row + down, column + across)
                    for down in range(piece.rows)
                    for across in range(piece.columns)
                }
            column += piece.columns
        row += 1
    header = head if head < row else 0
    return _fitted(cells, row, header) if any(cell.text for cell in cells) else ()


def to_html(cells: Sequence[Cell]) -> str:
    """The cells as one HTML table."""
    rows: dict[int, list[str]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        tag = "th" if cell.is_header else "td"
        spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
        spans += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
        rows.setdefault(cell.row, []).append(f"<{tag}{spans}>{html.escape(cell.text)}</{tag}>")
    body = "".join(
        f"<tr>{''.join(rows.get(row, []))}</tr>" for row in range(max(rows, default=-1) + 1)
    )
    return f"<table>{body}</table>"


def plain(latex: str) -> str:
    """Text of a cell without styles and escapes; mathematics stays LaTeX between dollars."""
    parts: list[str] = []
    at = 0
    for match in _MATH.finditer(latex):
        parts += [_unescaped(latex[at : match.start()]), match.group()]
        at = match.end()
    return " ".join("".join([*parts, _unescaped(latex[at:])]).split())


def _unescaped(text: str) -> str:
    text = _SWITCH.sub("", _STYLE.sub("", text))
    found: list[str] = []
    at = 0
    for match in _CHARACTER.finditer(text):
        found += [re.sub("[{}]", "", text[at : match.start()]), _CHARACTERS[match.group()]]
        at = match.end()
    return "".join([*found, re.sub("[{}]", "", text[at:])])


def _body(latex: str) -> str:
    """What stands between begin, with its column specification, and end."""
    begin = _OUTER.search(latex)
    if begin is None:
        return latex
    rest = latex[begin.end() :]
    if "begin" in begin.group():
        _, rest = _argument(rest)
    end = _OUTER.search(rest)
    return rest[: end.start()] if end else rest


def _rows(body: str) -> Iterator[tuple[str, bool]]:
    """Each row without its rules, and whether a whole rule stands above it."""
    for row in [*_split(body, r"\\"), ""]:
        row = _BREAK.sub("", row.lstrip())
        ruled = any(match["full"] for match in _RULE.finditer(row))
        yield _RULE.sub("", row), ruled


def _split(text: str, separator: str) -> list[str]:
    """Parts of `text` between separators that stand in no braces and are not escaped."""
    parts: list[str] = []
    depth = start = at = 0
    while at < len(text):
        if depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            at = start = at + len(separator)
            continue
        depth = max(0, depth + {"{": 1, "}": -1}.get(text[at], 0))
        at += 2 if text[at] == "\\" else 1
    return [*parts, text[start:]]


def _piece(written: str) -> _Piece:
    rows = columns = 1
    while match := _SPAN.match(written):
        count, rest = _argument(written[match.end() :])
        _, rest = _argument(rest)
        written, after = _argument(rest)
        written += after
        number = min(max(int(count), 1), _MOST) if count.strip().isdigit() else 1
        if match.group(1) == "multirow":
            rows = number
        else:
            columns = number
    return _Piece(plain(written), rows, columns)


def _argument(text: str) -> tuple[str, str]:
    """What stands in the braces (or up to a blank) that `text` begins with, and what follows."""
    text = re.sub(r"^\s*(?:\[[^\]]*\])?\s*", "", text)
    if not text.startswith("{"):
        return text[:1], text[1:]
    depth = at = 0
    while at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[1:at], text[at + 1 :]
        at += 2 if text[at] == "\\" else 1
    return text[1:], ""


def _fitted(cells: Sequence[Cell], rows: int, header: int) -> tuple[Cell, ...]:
    """The cells with spans that end with the table, those of the first `header` rows marked."""
    return tuple(
        Cell(
            cell.row,
            cell.column,
            cell.text,
            min(cell.row_span, rows - cell.row),
            cell.column_span,
            is_header=cell.row < header,
        )
        for cell in cells
    )
