"""Pages and blocks of the manual: chapters, sections, lists, warnings, tables, figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pymupdf

from docpipe.datasets.samples.flow import Book, Flow, Frame, TableCell, TableDesign, table_height
from docpipe.datasets.samples.typeset import GREY, Align, Sheet, Style

WIDTH, HEIGHT, MARGIN = 420.0, 595.0, 45.0
INNER = WIDTH - 2 * MARGIN
TEXT = Style("serif", 10, leading=1.35)
CHAPTER = Style("sans-bold", 19, leading=1.25)
SECTION = Style("sans-bold", 12, leading=1.3)
ENTRY = Style("sans-bold", 10, leading=1.35)
CELL = Style("sans", 8.5, leading=1.3)
CAPTION = Style("sans", 8.5, leading=1.35, color=(0.25, 0.25, 0.25))
RUNNING = Style("sans", 8, color=GREY)
MONO = Style("mono", 8.5, leading=1.35)
SHADE = (0.91, 0.93, 0.95)


@dataclass(frozen=True)
class Anchor:
    """A chapter or section: `number` is "3", "3.5" or "A"; `page` counts from 0."""

    level: int
    number: str
    title: str
    page: int

    @property
    def name(self) -> str:
        kind = "Section" if "." in self.number else "Chapter"
        return f"{'Appendix' if self.number.isalpha() else kind} {self.number}"


@dataclass
class Setter:
    """Sets one pass of a manual. `known` are the anchors of the pass before, for references and
    the contents; `front` is its number of pages with roman numbers."""

    known: dict[str, Anchor] = field(default_factory=dict)
    front: int = 0
    words: dict[str, list[str]] = field(default_factory=dict)  # of the index, with page labels
    anchors: dict[str, Anchor] = field(default_factory=dict)
    tables: int = 0
    figures: int = 0
    running: str = ""

    def __post_init__(self) -> None:
        self.book = Book()
        self.body = False
        self.columns = 1
        self.links: list[tuple[int, pymupdf.Rect, int]] = []  # page, place, target page
        self.front_pages = 0
        self.chapter_number = self.section_number = 0

    # ── Pages ───────────────────────────────────────────────────────────────────────────────────

    def frames(self) -> list[Frame]:
        sheet = self.book.sheet(WIDTH, HEIGHT)
        page = len(self.book.sheets) - 1
        if self.body and self.running:
            side: Align = "right" if page % 2 else "left"
            sheet.text(MARGIN, 32, self.running, RUNNING._replace(align=side), INNER)
            sheet.rule(MARGIN, 37, WIDTH - MARGIN, 0.4, GREY)
        label = self.label(page)
        sheet.text(MARGIN, HEIGHT - 28, label, RUNNING._replace(align="center"), INNER)
        width = INNER if self.columns == 1 else (INNER - 20) / 2
        starts = [MARGIN + column * (width + 20) for column in range(self.columns)]
        return [Frame(sheet, x, 54 if x == MARGIN else 92, width, HEIGHT - 50) for x in starts]

    def label(self, page: int) -> str:
        """The printed number of a page."""
        front = self.front_pages if self.body else len(self.book.sheets)
        return str(page - front + 1) if self.body else _roman(page + 1)

    def known_label(self, anchor: Anchor) -> str:
        return str(anchor.page - self.front + 1)

    def new_page(self) -> None:
        self.flow = Flow(self.frames)

    # ── Blocks ──────────────────────────────────────────────────────────────────────────────────

    def markup(self, text: str, letters: bool = False) -> None:
        """Set text in the light markup of `manual_text`; `letters` for appendices."""
        blocks = list(_blocks(text))
        for block, following in zip(blocks, [*blocks[1:], ""], strict=True):
            kind, _, rest = block.partition(" ")
            match kind:
                case "#":
                    key, title = rest.split(" | ")
                    self.chapter(key, title, letters)
                case "##":
                    key, title = rest.split(" | ")
                    self.section(key, title, room=200 if following.startswith("@") else 70)
                case "!":
                    self.warning(self.resolved(rest))
                case "*":
                    self.flow.item("•", self.resolved(rest), TEXT, indent=8, hang=12)
                case _ if kind[0] == "@":
                    self.place(kind[1:])
                case _ if re.fullmatch(r"\d+\.", kind):
                    self.flow.item(kind, self.resolved(rest), TEXT, indent=4, hang=16)
                case _:
                    self.flow.paragraph(self.resolved(block), TEXT, after=7)

    def place(self, name: str) -> None:
        """Put the table or drawing called `name` here."""
        raise NotImplementedError

    def resolved(self, text: str) -> str:
        def reference(match: re.Match[str]) -> str:
            anchor = self.known.get(match[1], Anchor(1, "0", "", 0))
            return f"{anchor.name} on page {self.known_label(anchor)}"

        return re.sub(r"\{(\w+)\}", reference, text)

    def chapter(self, key: str, title: str, letters: bool) -> None:
        self.chapter_number += 1
        self.section_number = 0
        number = chr(64 + self.chapter_number) if letters else str(self.chapter_number)
        self.running = title
        self.new_page()
        page = len(self.book.sheets) - 1
        self.anchors[key] = Anchor(1, number, title, page)
        name = f"Appendix {number}" if letters else f"Chapter {number}"
        self.flow.frame.y += 14
        self.flow.paragraph(name, Style("sans", 10, color=GREY))
        self.flow.paragraph(title, CHAPTER, after=16)

    def section(self, key: str, title: str, room: float) -> None:
        self.section_number += 1
        chapter = next(reversed([a for a in self.anchors.values() if a.level == 1]))
        number = f"{chapter.number}.{self.section_number}"
        self.flow.skip(10)
        self.flow.need(room)
        self.anchors[key] = Anchor(2, number, title, len(self.book.sheets) - 1)
        self.flow.paragraph(f"{number}  {title}", SECTION, after=4)

    def warning(self, text: str) -> None:
        design = TableDesign([62, INNER - 62], TEXT._replace(font="sans", size=9), 0, pad=6)
        rows = [[TableCell("Warning", bold=True), TableCell(text)]]
        self.flow.skip(3)
        self.flow.need(70)
        frame = self.flow.frame
        y = frame.y
        self.flow.table(rows, design, after=0)
        frame.sheet.page.draw_rect(
            (frame.x, y, frame.x + INNER, frame.y),
            fill=(0.92, 0.92, 0.92),
            color=None,
            overlay=False,
        )
        self.flow.skip(8)

    def rows(self, caption: str, rows: list[list[str]], widths: list[float]) -> None:
        """A numbered table, continued on the next page with its header where it is too long."""
        self.tables += 1
        design = TableDesign(widths, CELL, grid=True, shade=SHADE, pad=3.5)
        head, rest = rows[0], rows[1:]
        self.flow.skip(4)
        self.flow.need(min(len(rows), 8) * 20 + 20)
        self.flow.paragraph(f"Table {self.tables}. {caption}", CAPTION, after=3)
        while rest:
            fit = len(rest)
            while table_height([head, *rest[:fit]], design) > self.flow.room and fit > 1:
                fit -= 1
            self.flow.table([head, *rest[:fit]], design, after=12)
            rest = rest[fit:]
            if rest:
                self.flow.next_frame()

    def figure(
        self, caption: str, height: float, draw: Callable[[Sheet, float, float, float], None]
    ) -> None:
        self.figures += 1
        self.flow.skip(4)
        self.flow.need(height + 30)
        self.flow.drawing(height, draw)
        self.flow.paragraph(f"Figure {self.figures}. {caption}", CAPTION, after=12)

    def entries(self, rows: list[str], labels: tuple[str, ...]) -> None:
        """Entries with a heading of their own: name, then the other fields with labels."""
        for row in rows:
            name, *fields = row.split("; ", len(labels))
            *short, text = fields
            self.flow.need(ENTRY.line_height + 4 * TEXT.line_height)
            self.flow.paragraph(name, ENTRY, after=1)
            facts = " · ".join(
                f"{label}: {value}" for label, value in zip(labels, short, strict=False)
            )
            if facts:
                self.flow.paragraph(facts, CAPTION, after=1)
            prefix = f"{labels[-1]}: " if labels[-1] else ""
            self.flow.paragraph(prefix + text, TEXT, after=9)

    def code(self, text: str) -> None:
        lines = text.split("\n")
        height = len(lines) * MONO.line_height + 10

        def draw(sheet: Sheet, x: float, y: float, width: float) -> None:
            sheet.rect((x, y, x + width, y + height), fill=(0.95, 0.95, 0.95))
            for number, line in enumerate(lines):
                sheet.text(x + 6, y + 14 + number * MONO.line_height, line, MONO)

        self.flow.drawing(height, draw)
        self.flow.skip(10)


def _blocks(text: str) -> Iterator[str]:
    """Headings, items and paragraphs of the markup, each on one line."""
    current = ""
    for line in [*text.split("\n"), ""]:
        starts = re.match(r"(#+|\*|!|\d+\.) |@", line)
        if (starts or not line.strip()) and current:
            yield current
            current = ""
        current = f"{current} {line.strip()}".strip()
    if current:
        yield current


def _roman(number: int) -> str:
    numerals = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
    return "x" * (number // 10) + numerals[number % 10]
