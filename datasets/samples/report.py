"""A two-column report: tables (one with a spanning header), charts, footnotes, running heads."""

from __future__ import annotations

from docpipe.datasets.samples.charts import bar_chart, line_chart
from docpipe.datasets.samples.flow import Book, Flow, Frame, TableCell, TableDesign, draw_table
from docpipe.datasets.samples.report_text import (
    ABOUT,
    ABSTRACT,
    BURST_RATE,
    BURSTS,
    CUSTOMERS,
    DEMAND,
    DEMAND_SERIES,
    ENERGY,
    INVESTMENT,
    LEAKAGE,
    MONTHS,
    NOTES,
    OUTLOOK,
    PROMISES,
    QUALITY,
    REFERENCES,
    REMEDIES,
    STAFF,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    YEARS,
    hyphenated,
)
from docpipe.datasets.samples.typeset import GREY, Sheet, Style

WIDTH, HEIGHT, MARGIN, GUTTER = 595.0, 842.0, 54.0, 18.0
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2
BODY = Style("serif", 9.6, align="justify", leading=1.27)
SMALL = Style("serif", 8, leading=1.2)
HEAD = Style("sans-bold", 12, leading=1.3)
SUBHEAD = Style("sans-bold", 10, leading=1.3)
CAPTION = Style("sans", 8, leading=1.25, color=(0.25, 0.25, 0.25))
RUNNING = Style("sans", 7.5, color=GREY)
SHADE = (0.90, 0.94, 0.97)


class _Report:
    def __init__(self) -> None:
        self.book = Book()
        self.flow = Flow(self.frames)

    def frames(self) -> list[Frame]:
        sheet = self.book.sheet(WIDTH, HEIGHT)
        number = len(self.book.sheets)
        top = self.masthead(sheet) if number == 1 else self.running_head(sheet)
        if number == 2:
            top = self.wide_table(sheet, top)
        centred = RUNNING._replace(align="center")
        sheet.text(MARGIN, HEIGHT - 34, str(number), centred, WIDTH - 2 * MARGIN)
        return [
            Frame(sheet, MARGIN + i * (COLUMN + GUTTER), top, COLUMN, HEIGHT - 58) for i in (0, 1)
        ]

    def running_head(self, sheet: Sheet) -> float:
        sheet.text(MARGIN, 40, "Lindmoor Water", RUNNING)
        right = RUNNING._replace(align="right")
        sheet.text(MARGIN, 40, "Annual Report 2024", right, WIDTH - 2 * MARGIN)
        sheet.rule(MARGIN, 45, WIDTH - MARGIN, 0.4, GREY)
        return 62

    def masthead(self, sheet: Sheet) -> float:
        width = WIDTH - 2 * MARGIN
        sheet.rect((MARGIN, 54, MARGIN + 46, 58), fill=(0.16, 0.42, 0.62))
        title = Style("sans-bold", 21, leading=1.2)
        y = sheet.paragraph(
            MARGIN, 66, "Drinking Water and Network\nAnnual Report 2024", title, width
        )
        byline = Style("sans", 9, color=GREY)
        y = sheet.paragraph(
            MARGIN, y + 6, "Lindmoor Water, Department of Operations", byline, width
        )
        abstract = BODY._replace(font="serif-italic", size=10)
        y = sheet.paragraph(MARGIN + 24, y + 14, hyphenated(ABSTRACT), abstract, width - 48)
        return y + 18

    def wide_table(self, sheet: Sheet, y: float) -> float:
        text = "Table 2. Water put into supply and share lost, by district. Ml/d: megalitres a day."
        y = sheet.paragraph(MARGIN, y, text, CAPTION, WIDTH - 2 * MARGIN) + 4
        widths = [107.0, 76, 76, 76, 76, 76]
        design = TableDesign(widths, Style("sans", 8.5, leading=1.25), head=2, pad=3.5)
        return draw_table(sheet, MARGIN, y, TABLE_2, design) + 18

    def heading(self, text: str, style: Style = HEAD) -> None:
        self.flow.skip(9)
        self.flow.need(style.line_height + 4 * BODY.line_height)
        self.flow.paragraph(text, style, after=3)

    def prose(self, paragraphs: list[str]) -> None:
        for paragraph in paragraphs:
            self.flow.paragraph(hyphenated(paragraph), BODY, after=5)

    def table(
        self, caption: str, rows: list[list[TableCell]], widths: list[float], grid: bool
    ) -> None:
        self.flow.skip(4)
        self.flow.need(130)
        self.flow.paragraph(caption, CAPTION, after=3)
        style = Style("sans", 8, leading=1.25)
        self.flow.table(rows, TableDesign(widths, style, grid=grid, shade=SHADE), after=10)

    def bars(self) -> None:
        self.flow.skip(4)
        self.flow.drawing(
            140, lambda s, x, y, w: bar_chart(s, (x, y, x + w, y + 138), YEARS, BURST_RATE, 4)
        )
        self.flow.paragraph("Figure 1. Bursts per 100 km of main and year.", CAPTION, after=8)

    def lines(self) -> None:
        self.flow.skip(4)
        self.flow.drawing(
            140,
            lambda s, x, y, w: line_chart(s, (x, y, x + w, y + 138), MONTHS, DEMAND_SERIES, 75, 5),
        )
        text = "Figure 2. Average daily demand by month, in megalitres. The axis starts at 75."
        self.flow.paragraph(text, CAPTION, after=8)


def report() -> bytes:
    """The PDF: three pages."""
    made = _Report()
    made.heading("1 The company and its network")
    made.prose(ABOUT)
    made.heading("2 Water quality")
    made.heading("2.1 Results by district", SUBHEAD)
    made.flow.footnote(NOTES[0], SMALL)
    made.prose(QUALITY)
    caption = "Table 1. Samples at the tap in 2024."
    made.table(caption, TABLE_1, [64.0, 50, 50, COLUMN - 164], grid=True)
    made.heading("2.2 Failures and remedies", SUBHEAD)
    made.prose(REMEDIES)
    made.heading("3 The network")
    made.heading("3.1 Bursts", SUBHEAD)
    made.flow.footnote(NOTES[1], SMALL)
    made.prose(BURSTS)
    made.bars()
    made.heading("3.2 Leakage", SUBHEAD)
    made.prose(LEAKAGE)
    made.heading("4 Demand")
    made.prose(DEMAND)
    made.lines()
    made.heading("5 Investment")
    made.prose(INVESTMENT)
    made.table(
        "Table 3. The largest projects of 2024.", TABLE_3, [COLUMN - 100, 50, 50], grid=False
    )
    made.heading("6 Customers")
    made.prose(CUSTOMERS)
    for promise in PROMISES:
        made.flow.item("•", promise, BODY._replace(align="left"), indent=6, hang=10)
    made.heading("7 Energy and climate")
    made.prose(ENERGY)
    made.heading("8 Staff and safety")
    made.prose(STAFF)
    made.heading("9 Outlook")
    made.prose(OUTLOOK)
    made.heading("References", SUBHEAD)
    for reference in REFERENCES:
        made.flow.paragraph(reference, SMALL, after=3)
    return made.book.finish(
        "Drinking Water and Network: Annual Report 2024",
        "Lindmoor Water",
        "20250314",
    )
