"""Arithmetic over numbers and table cells, worked out on the syntax tree: nothing is executed.

    (1,234.5 - 1_100) / 1_100            numbers, + - * / and parentheses
    sum(12, 30, 4)                       sum mean min max count abs round
    cell("p3/table2", "Rent", "2021")    the number in the row and column so called
    sum(column("p3/table2", "2021"))     the numbers of a column, without rows of totals
    count(column("p3/table2", "Name"))   of a column of words, its filled cells

A table is named by its block id; the cells a result rests on are its evidence.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator

import msgspec

from docpipe.agents.terms import words
from docpipe.agents.values import find_numbers
from docpipe.agents.verifier import cite
from docpipe.content import CELL_SEPARATOR, table_rows
from docpipe.errors import ConfigError
from docpipe.records import Cell, Document, Evidence, Page, Table

_LONGEST = 500
_LARGEST = 1e18
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])")
_OPEN_CALL = re.compile(r"\w\((?:[^()]|\([^()]*\))*$")
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
    """A result and the table cells it rests on."""

    value: float
    evidence: tuple[Evidence, ...] = ()

    @property
    def text(self) -> str:
        """The value as people write it, whole where it is whole."""
        return f"{self.value:,.6g}" if abs(self.value) < 1e6 else f"{self.value:,.15g}"


def calculate(expression: str, document: Document | None = None) -> Calculation:
    """The value of an expression; its tables are those of `document`.

    Raises ConfigError (`calculation`) for whatever is not such arithmetic, for unknown tables, rows
    and columns, and for division by zero.
    """
    if len(expression) > _LONGEST:
        raise _error(f"longer than {_LONGEST} characters")
    plain = _THOUSANDS.sub(_joined, expression.strip())
    try:
        tree = ast.parse(plain, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _error("it cannot be read") from error
    work = _Work(document)
    try:
        values = work.values(tree.body)
    except ZeroDivisionError as error:
        raise _error("division by zero") from error
    except (OverflowError, RecursionError, ValueError, IndexError) as error:
        raise _error(str(error) or "out of range") from error
    return Calculation(_checked(_only(values)), tuple(work.evidence))


def _joined(match: re.Match[str]) -> str:
    """A number without its commas; among the arguments of a function they part two."""
    if _OPEN_CALL.search(match.string[: match.start()]):
        return match.group()
    return match.group().replace(",", "")


class _Work:
    """A calculation under way, with the cells it has used."""

    def __init__(self, document: Document | None) -> None:
        self.document = document
        self.evidence: list[Evidence] = []

    def values(self, node: ast.expr) -> list[float]:
        """The value of a node; of a column several."""
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return [_checked(float(number))]
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
        values = [value for argument in arguments for value in self.values(argument)]
        if not values and name != "count":
            raise _error(f"{name} of nothing")
        return [_checked(float(_FUNCTIONS[name](values)))]

    def _cell(self, table: str, row: str, column: str) -> list[float]:
        page, block = self._table(table)
        of_column = _column_cells(block, column)
        keys = {cells[0].row: cells[0].text for cells in table_rows(block) if cells}
        found = [cell for cell in of_column if _says(keys.get(cell.row, ""), row)]
        if not found:
            raise _error(f"{table} has no row {row!r}")
        numbers = find_numbers(found[0].text)
        if not numbers or numbers[0].number is None:
            raise _error(f"{found[0].text!r} in {table} is no number")
        self._cite(page, block, found[0])
        return [numbers[0].number]

    def _column(self, table: str, column: str) -> list[float]:
        page, block = self._table(table)
        keys = {cells[0].row: cells[0].text for cells in table_rows(block) if cells}
        filled = [
            cell
            for cell in _column_cells(block, column)
            if cell.text.strip() and not _SUMS & set(words(keys.get(cell.row, "")))
        ]
        for cell in filled:
            self._cite(page, block, cell)
        numbers = [find_numbers(cell.text)[:1] for cell in filled]
        if not any(numbers):
            return [1.0] * len(filled)  # words: they can only be counted
        return [found[0].number or 0.0 for found in numbers if found]

    def _table(self, id: str) -> tuple[Page, Table]:
        for page in self.document.pages if self.document else ():
            for block in page.blocks:
                if block.id == id and isinstance(block, Table):
                    return page, block
        raise _error(f"there is no table {id!r}")

    def _cite(self, page: Page, block: Table, cell: Cell) -> None:
        assert self.document is not None
        start, end = cell_range(block, cell)
        self.evidence.append(cite(self.document, page, block, start, end, 1.0))


def cell_range(table: Table, cell: Cell) -> tuple[int, int]:
    """Where a cell's text stands in the text of its table (`content.block_text`)."""
    position = len(table.caption) + 1 if table.caption else 0
    for row in table_rows(table):
        for other in row:
            if other is cell:
                return position, position + len(cell.text)
            position += len(other.text) + len(CELL_SEPARATOR)
        position += 1 - (len(CELL_SEPARATOR) if row else 0)
    raise ValueError("not a cell of this table")


def _column_cells(table: Table, name: str) -> list[Cell]:
    """The cells below the first header that says `name`; a column's number from 1 names it, too."""
    for column in _columns_called(table, name):
        return [
            cell
            for cell in table.cells
            if cell.column == column and not cell.is_header and not _is_head(cell, table, name)
        ]
    raise _error(f"{table.id} has no column {name!r}")


def _columns_called(table: Table, name: str) -> Iterator[int]:
    heads = [cell for cell in table.cells if cell.is_header or cell.row == 0]
    yield from (cell.column for cell in heads if _says(cell.text, name))
    if name.strip().isdigit() and 1 <= int(name) <= table.shape[1]:
        yield int(name) - 1


def _is_head(cell: Cell, table: Table, name: str) -> bool:
    return cell.row == 0 and _says(cell.text, name)


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
