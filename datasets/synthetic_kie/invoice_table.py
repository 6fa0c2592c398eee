"""The table of an invoice's items, with columns in many orders and designs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from docpipe.datasets.synthetic_kie.invoice_facts import Item
from docpipe.datasets.synthetic_kie.sheet import PLAIN, Align, Mark, Style, wrap

if TYPE_CHECKING:
    from docpipe.datasets.synthetic_kie.invoice import Invoice

_ORDERS = (
    "pos description quantity price amount",
    "pos code description quantity unit price amount",
    "description quantity price amount",
    "quantity description price amount",
    "code description quantity price amount",
    "description amount",
    "pos description amount",
    "description quantity unit price vat_column amount",
    "pos description quantity unit price discount amount",
    "quantity code description price amount",
    "description price quantity amount",
    "code description quantity unit price vat_column amount",
    "quantity unit description price amount",
    "pos description quantity price vat_column amount",
    "description vat_column quantity price amount",
    "code quantity description price discount amount",
    "quantity description amount",
)
_WIDTHS = {"pos": 26.0, "code": 56.0, "quantity": 46.0, "unit": 34.0, "price": 68.0}
_WIDTHS |= {"amount": 74.0, "discount": 44.0, "vat_column": 40.0}
_LABELS = {
    "description": "item.description",
    "quantity": "item.quantity",
    "price": "item.unit_price",
    "amount": "item.amount",
}
_PAD = 4.0


class Column(NamedTuple):
    name: str
    head: str
    x: float
    width: float
    align: Align


def set_items(invoice: Invoice, y: float) -> float:
    """Set the table from the top `y`, on as many pages as it needs; returns its bottom."""
    columns = _columns(invoice)
    design = _Design(invoice)
    y = design.head(columns, y)
    rows = []
    for number, item in enumerate(invoice.facts.items, start=1):
        if y > invoice.sheet.height - 120:
            design.end(columns, y)
            y = invoice.next_page()
            y = design.head(columns, y) if invoice.chance.chance(0.8) else y
        y = design.row(columns, y, number, item)
        rows.append(_values(columns, item))
    invoice.rows = tuple(rows)
    return design.end(columns, y)


def _values(columns: list[Column], item: Item) -> dict[str, str]:
    printed = {column.name for column in columns}
    values = {"item.description": item.description}
    if "quantity" in printed:
        values["item.quantity"] = item.quantity.replace(",", ".")
    if "price" in printed:
        values["item.unit_price"] = f"{item.price / 100:.2f}"
    values["item.amount"] = f"{item.amount / 100:.2f}"
    return values


def _columns(invoice: Invoice) -> list[Column]:
    chance, look, facts = invoice.chance, invoice.look, invoice.facts
    order = chance.one(_ORDERS).split()
    if not any(item.discount for item in facts.items):
        order = [name for name in order if name != "discount"]
    scale = look.body.size / 8.5 * (1.25 if look.body.family == "mono" else 1.0)
    widths = {name: _WIDTHS.get(name, 0.0) * scale for name in order}
    if chance.chance(0.3):  # so near that number and text are one entity
        widths["pos"] = 14.0 * scale
    widths = {name: width for name, width in widths.items() if name in order}
    for name, values in (
        ("price", [i.price for i in facts.items]),
        ("amount", [i.amount for i in facts.items]),
    ):
        if name in widths:
            widest = max(look.body.width(look.money(value)) for value in values)
            widths[name] = max(widths[name], widest + 2 * _PAD + look.body.size)
    widths["description"] = max(look.width - sum(widths.values()), 90.0)
    squeeze = min(look.width / sum(widths.values()), 1.0)
    columns: list[Column] = []
    x = look.left
    numbers: Align = chance.one(["right", "right", "right", "left", "center"])
    for name in order:
        width = widths[name] * squeeze
        text = name in ("description", "code", "pos", "unit")
        align: Align = "left" if text else ("right" if name == "amount" else numbers)
        if text and columns and columns[-1].align == "right":
            x, width = x + 10, width - 10  # or a number would run into the text after it
        head = invoice.term(name)
        if look.body.width(head) > width - 2 * _PAD:
            head = head.split()[0]
        columns.append(Column(name, head, x, width, align))
        x += width
    return columns


class _Design:
    """How the rows of one table look."""

    def __init__(self, invoice: Invoice) -> None:
        chance = invoice.chance
        self.invoice = invoice
        self.rules = chance.one(["grid", "rows", "head", "head", "none", "none", "columns"])
        self.shaded = chance.chance(0.35)
        self.capitals = chance.chance(0.2)
        self.head_style = invoice.look.body._replace(bold=chance.chance(0.75))
        self.space = chance.one([1.0, 2.0, 4.0, 7.0])
        self.codes_below = chance.chance(0.1)
        self.unit_with_quantity = chance.chance(0.3)
        self.top = 0.0

    def head(self, columns: list[Column], y: float) -> float:
        sheet, look = self.invoice.sheet, self.invoice.look
        self.top = y
        bottom = y + self.head_style.line + 2 * _PAD
        if self.shaded:
            sheet.fill(look.left, y, look.right, bottom, (0.88, 0.9, 0.93))
        for column in columns:
            head = column.head.upper() if self.capitals else column.head
            self._put(column, y + _PAD, [(head, PLAIN)], self.head_style)
        if self.rules != "none":
            sheet.rule(look.left, y, look.right)
            sheet.rule(look.left, bottom, look.right)
        return bottom

    def row(self, columns: list[Column], y: float, number: int, item: Item) -> float:
        bottom = y + self.invoice.look.body.line
        for column in columns:
            bottom = max(bottom, self._cell(column, y + self.space, number, item))
        bottom += self.space
        if self.rules in ("grid", "rows"):
            self.invoice.sheet.rule(self.invoice.look.left, bottom, self.invoice.look.right, 0.4)
        return bottom

    def end(self, columns: list[Column], y: float) -> float:
        sheet, look = self.invoice.sheet, self.invoice.look
        if self.rules in ("grid", "columns"):
            for column in columns[1:]:
                sheet.upright(column.x, self.top, y)
            sheet.box(look.left, self.top, look.right, y)
        elif self.rules != "none":
            sheet.rule(look.left, y, look.right)
        return y

    def _cell(self, column: Column, y: float, number: int, item: Item) -> float:
        look = self.invoice.look
        style = look.body
        label = _LABELS.get(column.name)
        if column.name == "description":
            lines = [(t, label) for t in wrap(item.description, style, column.width - 2 * _PAD)]
            lines += [(t, label) for t in wrap(item.detail, style, column.width - 2 * _PAD)]
            if self.codes_below:
                lines.append((item.code, None))
            return self._put(column, y, [(t, mark or PLAIN) for t, mark in lines], style)
        unit = f" {item.unit}" if self.unit_with_quantity else ""
        text = {
            "pos": str(number),
            "code": item.code,
            "quantity": item.quantity + unit,
            "unit": item.unit,
            "price": look.money(item.price),
            "amount": look.money(item.amount),
            "discount": item.discount,
            "vat_column": item.vat,
        }[column.name]
        return self._put(column, y, [(text, label or PLAIN)], style)

    def _put(
        self, column: Column, y: float, lines: list[tuple[str, Mark | str]], style: Style
    ) -> float:
        width = column.width - 2 * _PAD
        cell = int(column.x) + 1 if self.rules in ("grid", "columns") else 0
        sheet = self.invoice.sheet
        return sheet.lines(
            column.x + _PAD, y, lines, style, align=column.align, width=width, cell=cell
        )
