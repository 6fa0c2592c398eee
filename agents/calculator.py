"""Arithmetic over numbers and table cells, worked out on the syntax tree: nothing is executed.

    (1,234.5 - 1_100) / 1_100            numbers, + - * / and parentheses
    sum(12, 30, 4)                       sum mean min max count abs round
    cell("p3/table2", "Rent", "2021")    the number in the row and column so called
    sum(column("p3/table2", "2021"))     the numbers of a column, without rows of totals
    count(column("p3/table2", "Name"))   of a column of words, its filled cells

A table is named by its block id, of several documents with the document's number before it
("2:p3/table2"); the cells a result rests on are its evidence. Brackets make a cell negative, and
words of scale ("1.2 million") count. A name that fits several rows or columns is refused, not
guessed; so is a comma that may part thousands or arguments.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import msgspec

from docpipe.agents.terms import words
from docpipe.agents.values import number_of
from docpipe.agents.verifier import cite
from docpipe.content import CELL_SEPARATOR, table_rows
from docpipe.errors import ConfigError
from docpipe.records import Cell, Document, Evidence, Page, Table

_Key = TypeVar("_Key", bound=Hashable)
_LONGEST = 500
_LARGEST = 1e18
_MOST_CITED = 8
_PARTS = re.compile(
    r"(?P<quoted>\"[^\"]*\"|'[^']*')|(?P<call>(?<=\w)\(|\[)|(?P<bracket>\()|(?P<end>[)\]])"
    r"|(?P<thousands>(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\w))"
)
_DIGIT = re.compile(r"\d")
_TABLE = re.compile(r"(?:(?P<document>\d{1,4}):)?(?P<block>.+)")
_SUMS = frozenset(words("total totals sum subtotal overall average mean"))
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum,
    "mean": lambda values: math.fsum(values) / len(values),
    "min": min,
    "max": max,
    "count": len,
    "abs": lambda values: abs(_only(values)),
    "round": lambda values: round(values[0], int(values[1]) if len(values) > 1 else 0),
}


class Calculation(msgspec.Struct, frozen=True):
    """A result, the table cells it rests on (of many the first and the last) and the numbers that
    the expression itself says."""

    value: float
    evidence: tuple[Evidence, ...] = ()
    operands: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """The value as people write it, whole where it is whole."""
        return f"{self.value:,.6g}" if abs(self.value) < 1e6 else f"{self.value:,.15g}"


def calculate(expression: str, documents: Mapping[int, Document] | None = None) -> Calculation:
    """The value of an expression; its tables are those of `documents`, by their number.

    Raises ConfigError (`calculation`) for whatever is not such arithmetic, for unknown tables, rows
    and columns, for names that fit several, and for division by zero.
    """
    if len(expression) > _LONGEST:
        raise _error(f"longer than {_LONGEST} characters")
    try:
        tree = ast.parse(_without_commas(expression.strip()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _error("it cannot be read") from error
    work = _Work(documents or {})
    try:
        values = work.values(tree.body)
    except ZeroDivisionError as error:
        raise _error("division by zero") from error
    except (OverflowError, RecursionError, ValueError, IndexError) as error:
        raise _error(str(error) or "out of range") from error
    return Calculation(_checked(_only(values)), tuple(work.evidence), tuple(work.operands))


def _without_commas(expression: str) -> str:
    """An expression without thousands separators; among arguments they cannot be told from the
    commas between two."""
    open_calls: list[bool] = []
    plain, at = "", 0
    for part in _PARTS.finditer(expression):
        if part["call"] or part["bracket"]:
            open_calls.append(bool(part["call"]))
        elif part["end"] and open_calls:
            open_calls.pop()
        elif part["thousands"]:
            if any(open_calls):
                raise _error(f"{part.group()!r} may be one number or two: no commas in numbers")
            plain += expression[at : part.start()] + part.group().replace(",", "")
            at = part.end()
    return plain + expression[at:]


class _Work:
    """A calculation under way, with the cells it has used."""

    def __init__(self, documents: Mapping[int, Document]) -> None:
        self.documents = documents
        self.evidence: list[Evidence] = []
        self.operands: list[float] = []

    def values(self, node: ast.expr) -> list[float]:
        """The value of a node; of a column several."""
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                self.operands.append(_checked(float(number)))
                return [float(number)]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return [-_only(self.values(operand))]
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.values(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
                first, second = _only(self.values(left)), _only(self.values(right))
                return [_checked(_OPERATIONS[type(op)](first, second))]
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [value for item in items for value in self.values(item)]
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
            case _:
                raise _error(f"{ast.unparse(node)!r} is no arithmetic")

    def _call(self, name: str, arguments: list[ast.expr]) -> list[float]:
        if name in ("cell", "column"):
            texts = [_text(argument) for argument in arguments]
            if len(texts) != (3 if name == "cell" else 2):
                raise _error(
                    f"{name} takes a table" + (", a row" * (name == "cell")) + ", a column"
                )
            return self._cell(*texts) if name == "cell" else self._column(*texts)
        if name not in _FUNCTIONS:
            raise _error(f"no function {name!r}; known: {', '.join(_FUNCTIONS)}, cell, column")
        if name == "round" and len(arguments) == 2:  # how many digits is no operand
            digits = arguments.pop()
            kept = len(self.operands)
            places = _only(self.values(digits))
            del self.operands[kept:]
            return [round(_only(self.values(arguments[0])), int(places))]
        values = [
            value
            for argument in arguments
            for value in (self._counted(argument) if name == "count" else self.values(argument))
        ]
        if not values and name != "count":
            raise _error(f"{name} of nothing")
        return [_checked(float(_FUNCTIONS[name](values)))]

    def _cell(self, table: str, row: str, column: str) -> list[float]:
        document, page, block = self._table(table)
        rows = {cells[0].row: cells[0].text for cells in table_rows(block) if cells}
        of_column = [cell for cell in _column_cells(block, column) if cell.text.strip()]
        keys = {cell.row: rows.get(cell.row, "") for cell in of_column}
        called = _called(keys, row)
        if len(called) != 1:
            raise _error(_which(f"{table} has", "row", row, [keys[number] for number in called]))
        (found,) = (cell for cell in of_column if cell.row == called[0])
        number = number_of(found.text)
        if number is None:
            raise _error(f"{found.text!r} in {table} is no number")
        self._cite(document, page, block, [found])
        return [number]

    def _column(self, table: str, column: str) -> list[float]:
        document, page, block = self._table(table)
        numbers = {id(cell): number_of(cell.text) for cell in _items(block, column)}
        cells = [cell for cell in _items(block, column) if numbers[id(cell)] is not None]
        if not cells:
            raise _error(f"column {column!r} of {table} holds words, which can only be counted")
        unread = [
            cell.text
            for cell in _items(block, column)
            if numbers[id(cell)] is None and _DIGIT.search(cell.text)
        ]
        if unread:
            raise _error(f"in {column!r} of {table} these are no numbers: {', '.join(unread[:4])}")
        self._cite(document, page, block, cells)
        return [number for number in numbers.values() if number is not None]

    def _counted(self, node: ast.expr) -> list[float]:
        """One for each filled cell of a column, whatever it says; of others their values."""
        match node:
            case ast.Call(func=ast.Name(id="column"), args=[first, second], keywords=[]):
                document, page, block = self._table(_text(first))
                cells = _items(block, _text(second))
                self._cite(document, page, block, cells)
                return [1.0] * len(cells)
            case _:
                return self.values(node)

    def _table(self, name: str) -> tuple[Document, Page, Table]:
        named = _TABLE.fullmatch(name.strip())
        number, id = (named["document"], named["block"]) if named else (None, name)
        found = [
            (at, document, page, block)
            for at, document in self.documents.items()
            if number is None or at == int(number)
            for page in document.pages
            for block in page.blocks
            if block.id == id and isinstance(block, Table)
        ]
        if len(found) != 1:
            choices = ", ".join(f"{at}:{id}" for at, *_ in found)
            raise _error(f"there is no table {name!r}" if not found else f"which of {choices}?")
        return found[0][1:]

    def _cite(self, document: Document, page: Page, block: Table, cells: Sequence[Cell]) -> None:
        ranges = cell_ranges(block)
        for cell in cells if len(cells) <= _MOST_CITED else [*cells[: _MOST_CITED - 1], cells[-1]]:
            self.evidence.append(cite(document, page, block, *ranges[id(cell)], 1.0))


def cell_ranges(table: Table) -> dict[int, tuple[int, int]]:
    """Where each cell's text stands in the text of its table (`content.block_text`), by the cell's
    identity."""
    position = len(table.caption) + 1 if table.caption else 0
    found = {}
    for row in table_rows(table):
        for cell in row:
            found[id(cell)] = position, position + len(cell.text)
            position += len(cell.text) + len(CELL_SEPARATOR)
        position += 1 - (len(CELL_SEPARATOR) if row else 0)
    return found


def _items(table: Table, column: str) -> list[Cell]:
    """The filled cells of a column, without those of totals."""
    keys = {cells[0].row: cells[0].text for cells in table_rows(table) if cells}
    return [
        cell
        for cell in _column_cells(table, column)
        if cell.text.strip() and not _SUMS & set(words(keys.get(cell.row, "")))
    ]


def _column_cells(table: Table, name: str) -> list[Cell]:
    """The cells below the header called `name`; a column's number from 1 names it, too."""
    heads: dict[int, list[str]] = {}
    for cell in table.cells:
        if cell.is_header or cell.row == 0:
            heads.setdefault(cell.column, []).append(cell.text)
    texts = {(column, at): text for column, said in heads.items() for at, text in enumerate(said)}
    called = list(dict.fromkeys(column for column, _ in _called(texts, name)))
    if not called and name.strip().isdigit() and 1 <= int(name) <= table.shape[1]:
        called = [int(name) - 1]
    if len(called) != 1:
        choices = [f"{' '.join(heads[column])} (number {column + 1})" for column in called]
        raise _error(_which(f"{table.id} has", "column", name, choices))
    return [
        cell
        for cell in table.cells
        if cell.column == called[0] and not cell.is_header and not _is_head(cell, name)
    ]


def _is_head(cell: Cell, name: str) -> bool:
    return cell.row == 0 and _says(cell.text, name)


def _called(texts: Mapping[_Key, str], name: str) -> list[_Key]:
    """The keys of the texts that are the name, or else of those that have all its words."""
    exact = [key for key, text in texts.items() if words(text) == words(name) != []]
    return exact or [key for key, text in texts.items() if _says(text, name)]


def _which(where: str, kind: str, name: str, choices: Sequence[str]) -> str:
    if not choices:
        return f"{where} no {kind} {name!r}"
    return f"{where} several {kind}s {name!r}: {', '.join(choices[:8])}"


def _says(text: str, name: str) -> bool:
    asked = words(name)
    return bool(asked) and set(asked) <= set(words(text))


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() | int() as value):
            return str(value)
        case _:
            raise _error("tables, rows and columns are named in quotes")


def _only(values: list[float]) -> float:
    if len(values) != 1:
        raise _error("one number is needed where there are several: sum, mean, min, max or count")
    return values[0]


def _checked(value: float) -> float:
    if not math.isfinite(value) or abs(value) > _LARGEST:
        raise _error("the numbers are too large")
    return value


def _error(problem: str) -> ConfigError:
    return ConfigError(
        f"this cannot be calculated: {problem}",
        code="calculation",
        hint='such as (3 + 4) / 2 or sum(column("p3/table2", "2021"))',
    )
