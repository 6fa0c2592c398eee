"""An invoice and a till receipt."""

from __future__ import annotations

from docpipe.datasets.samples.flow import Book, TableCell, TableDesign, draw_table
from docpipe.datasets.samples.typeset import GREY, Align, Color, Sheet, Style

SANS = Style("sans", 9.5, leading=1.35)
BOLD = SANS._replace(font="sans-bold")
SMALL = Style("sans", 7.5, leading=1.35, color=GREY)
GREEN: Color = (0.10, 0.40, 0.32)

ITEMS = [
    ("1", "OS-1140", "Desk lamp Arc, LED, white", "6", "39.90", "239.40"),
    ("2", "OS-2205", "Copy paper A4 80 g, box of 5 reams", "24", "22.50", "540.00"),
    ("3", "OS-3310", "Filing cabinet, 4 drawers, lockable", "2", "189.00", "378.00"),
    ("4", "OS-4480", "Toner TN-3480, black, 8,000 pages", "5", "84.20", "421.00"),
    ("5", "OS-5012", "Whiteboard markers, set of 12 colours", "10", "9.75", "97.50"),
    ("6", "OS-9000", "Delivery to the 3rd floor", "1", "25.00", "25.00"),
]
TOTALS = [("Net amount", "1,700.90"), ("VAT 19%", "323.17"), ("Total in EUR", "2,024.07")]
DETAILS = [
    ("Invoice number", "2024-0871"),
    ("Invoice date", "12 June 2024"),
    ("Delivery date", "10 June 2024"),
    ("Customer number", "40117"),
    ("Your order", "PO 5563 of 3 June 2024"),
]
TERMS = """Payable without deduction by 12 July 2024. For payment within 10 days we grant a
discount of 2%: please transfer 1,983.59 EUR. The goods remain our property until they are paid for
in full."""
BANK = """Bank: Seebank Norden, IBAN: DE00 1234 5678 9012 3456 78, BIC: SEEBDE00XXX
Norden Office Supply GmbH, managing director: Petra Holm, HRB 00815, VAT ID: DE000000815"""


def invoice() -> bytes:
    """The PDF: one page."""
    book = Book()
    sheet = book.sheet(595, 842)
    left, width = 57.0, 481.0
    sheet.rect((left, 48, left + 26, 74), fill=GREEN)
    sheet.text(left + 4.5, 67, "NO", Style("sans-bold", 12, color=(1, 1, 1)))
    sheet.text(left + 34, 61, "Norden Office Supply", Style("sans-bold", 15, color=GREEN))
    sheet.text(left + 34, 73, "Everything for the desk", SMALL)
    address = "Norden Office Supply GmbH\nHafenweg 12, 24999 Norden\nservice@norden-office.example"
    sheet.paragraph(left, 48, address, SMALL._replace(align="right"), width)
    sheet.text(left, 128, "Norden Office Supply GmbH, Hafenweg 12, 24999 Norden", SMALL)
    recipient = "Lindmoor Water\nAccounts department\nValley works, Gate 2\nLindmoor LM2 1AA"
    sheet.paragraph(left, 136, recipient, SANS, 220)
    for row, (name, value) in enumerate(DETAILS):
        sheet.text(left + 278, 147 + 14 * row, name, SANS._replace(color=GREY))
        sheet.text(left + 370, 147 + 14 * row, value, SANS)
    sheet.text(left, 262, "Invoice", Style("sans-bold", 20))
    y = draw_table(sheet, left, 282, _item_rows(), _ITEM_DESIGN) + 10
    for name, value in TOTALS:
        style = BOLD if name.startswith("Total") else SANS
        sheet.text(left + 300, y + 10, name, style)
        sheet.text(left, y + 10, value, style._replace(align="right"), width - 4)
        y += 17
    sheet.rule(left + 296, y - 2, left + width, 1.0)
    sheet.rule(left + 296, y + 0.5, left + width, 0.5)
    sheet.paragraph(left, y + 32, " ".join(TERMS.split()), SANS, width)
    sheet.paragraph(left, y + 84, "Thank you for your order.", SANS, width)
    sheet.rule(left, 776, left + width, 0.5, GREY)
    sheet.paragraph(left, 782, BANK, SMALL, width)
    return book.finish("Invoice 2024-0871", "Norden Office Supply GmbH", "20240612")


_ALIGNS: list[Align] = ["left", "left", "left", "right", "right", "right"]
_ITEM_DESIGN = TableDesign(
    [32.0, 58, 211, 50, 65, 65], SANS._replace(size=9), shade=(0.90, 0.95, 0.93), pad=4
)


def _item_rows() -> list[list[TableCell]]:
    head = ("Pos.", "Article", "Description", "Quantity", "Unit price", "Amount")
    return [
        [TableCell(text, align=align) for text, align in zip(row, _ALIGNS, strict=True)]
        for row in (head, *ITEMS)
    ]


RECEIPT = """
Sourdough bread 750 g          4.20 A
Whole milk 1 l
  2 x 1.35                     2.70 A
Apples Elstar
  1.246 kg x 2.99 EUR/kg       3.73 A
Olive oil 500 ml               8.95 A
Eggs free range 10             3.49 A
Dark chocolate 70%
  3 x 1.79                     5.37 A
Bottle deposit returned       -0.75
"""
RECEIPT_FOOT = """
VAT     net      tax     gross
A 7%    26.58    1.86    28.44
-  0%   -0.75    0.00    -0.75
"""


def receipt() -> bytes:
    """The PDF: one narrow page, as a till prints it."""
    book = Book()
    width, margin = 227.0, 14.0
    sheet = book.sheet(width, 405)
    mono = Style("mono", 8.6, leading=1.3)
    bold, center = mono._replace(font="mono-bold"), mono._replace(align="center")
    inner = width - 2 * margin
    sheet.text(margin, 40, "GREENLEAF MARKET", bold._replace(size=15, align="center"), inner)
    lines = "Alder Street 40, Lindmoor\nTel. 0555 017 900\nVAT no. LM 551 204"
    y = sheet.paragraph(margin, 48, lines, center, inner) + 8
    y = _dashes(sheet, margin, y, inner)
    y = _columns(sheet, margin, y, RECEIPT, mono)
    y = _dashes(sheet, margin, y, inner)
    sheet.text(margin, y + 12, "TOTAL EUR", bold._replace(size=12))
    sheet.text(margin, y + 12, "27.69", bold._replace(size=12, align="right"), inner)
    y += 20
    sheet.text(margin, y + mono.size, "Debit card", mono)
    sheet.text(margin, y + mono.size, "27.69", mono._replace(align="right"), inner)
    y += mono.line_height + 4
    y = _dashes(sheet, margin, y, inner)
    y = _columns(sheet, margin, y, RECEIPT_FOOT, mono)
    y = _dashes(sheet, margin, y, inner)
    y = _columns(sheet, margin, y, "21/06/2024 17:42   Till 3  No. 004518", mono)
    y = _columns(sheet, margin, y, "You were served by: Amira", mono) + 8
    text = "Greenleaf points earned: 27\nExchange within 14 days\nwith this receipt\n\nTHANK YOU!"
    sheet.paragraph(margin, y, text, center, inner)
    return book.finish("", "", "20240621")


def _columns(sheet: Sheet, x: float, y: float, text: str, style: Style) -> float:
    """Lines whose blanks are kept, as on a till."""
    for line in text.strip("\n").split("\n"):
        sheet.text(x, y + style.size, line, style)
        y += style.line_height
    return y


def _dashes(sheet: Sheet, x: float, y: float, width: float) -> float:
    sheet.page.draw_line((x, y + 3), (x + width, y + 3), width=0.6, dashes="[3 2] 0")
    return y + 8
