"""A long manual: outline, roman and arabic page labels, contents, cross references, index."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pymupdf

from docpipe.datasets.samples import manual_data as data
from docpipe.datasets.samples.flow import Book, Flow, Frame, TableCell, TableDesign, table_height
from docpipe.datasets.samples.manual_drawings import base_unit, site_plan, station, terminals
from docpipe.datasets.samples.manual_text import ABOUT, APPENDICES, BODY, GLOSSARY, INDEX
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
class Manual:
    """One pass over the manual. `known` are the anchors of the pass before, for references and
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
                    _PLACED[kind[1:]](self) if kind[1:] in _PLACED else self.table(kind[1:])
                case _ if re.fullmatch(r"\d+\.", kind):
                    self.flow.item(kind, self.resolved(rest), TEXT, indent=4, hang=16)
                case _:
                    self.flow.paragraph(self.resolved(block), TEXT, after=7)

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

    def table(self, name: str) -> None:
        caption, widths, rows = data.TABLES[name]
        self.rows(caption, [row.split("; ") for row in rows], widths)

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

    # ── Parts ───────────────────────────────────────────────────────────────────────────────────

    def front_matter(self) -> None:
        sheet = self.book.sheet(WIDTH, HEIGHT)
        sheet.rect((0, 0, WIDTH, 12), fill=(0.13, 0.30, 0.45))
        sheet.text(MARGIN, 90, "Heron Instruments", Style("sans", 11, color=GREY))
        sheet.text(MARGIN, 132, "Heron 300", Style("sans-bold", 34))
        sheet.text(MARGIN, 160, "Weather station", Style("sans", 18))
        station(sheet, WIDTH / 2, 500)
        sheet.text(MARGIN, 545, "Installation and operating manual", Style("sans", 11))
        sheet.text(MARGIN, 545, "Edition 7", Style("sans", 11, align="right"), INNER)
        self.new_page()
        self.flow.frame.y = 360
        for text in _IMPRINT:
            self.flow.paragraph(text, CAPTION, after=6)
        self.contents()
        self.new_page()
        self.flow.paragraph("About this manual", CHAPTER, after=14)
        self.markup(ABOUT)
        self.front_pages = len(self.book.sheets)

    def contents(self) -> None:
        self.new_page()
        self.flow.paragraph("Contents", CHAPTER, after=14)
        for anchor in self.known.values():
            style = TEXT if anchor.level > 1 else TEXT._replace(font="serif-bold")
            if anchor.level == 1:
                self.flow.skip(5)
            self.flow.need(style.line_height)
            frame = self.flow.frame
            indent = 16.0 * (anchor.level - 1)
            box = pymupdf.Rect(frame.x, frame.y, frame.x + INNER, frame.y + style.line_height)
            _leader(frame, anchor.number, anchor.title, self.known_label(anchor), style, indent)
            self.links.append((len(self.book.sheets) - 1, box, anchor.page))

    def back_matter(self) -> None:
        self.plain_chapter("glossary", "Glossary")
        for word, meaning in GLOSSARY:
            self.flow.need(2 * TEXT.line_height)
            self.flow.paragraph(word, ENTRY)
            self.flow.paragraph(meaning, TEXT, after=6)
        self.columns = 2
        self.plain_chapter("index", "Index")
        for number, (word, labels) in enumerate(self.words.items()):
            if number == (len(self.words) + 1) // 2:
                self.flow.next_frame()
            self.flow.paragraph(f"{word}, {', '.join(labels)}", TEXT, after=2)

    def plain_chapter(self, key: str, title: str) -> None:
        self.running = title
        self.new_page()
        self.anchors[key] = Anchor(1, "", title, len(self.book.sheets) - 1)
        self.flow.paragraph(title, CHAPTER, after=14)


_IMPRINT = [
    "Heron 300, installation and operating manual. Edition 7, May 2024. Document H3-900-EN.",
    "This manual applies to firmware 4.2 and later. The maker may change the product without "
    "notice.",
    "Heron Instruments, Beacon Street 4, Lindmoor LM5 8TT. Service by telephone: 0555 017 300, "
    "Monday to Friday from 8:00 to 16:30.",
    "Old appliances do not belong in the household waste. Return the station free of charge.",
]


def _beaufort(manual: Manual) -> None:
    speeds = [speed for _, speed in data.BEAUFORT] + [math.inf]
    rows = [["Force", "Name", "m/s", "km/h"]]
    for force, (name, low) in enumerate(data.BEAUFORT):
        high = speeds[force + 1]
        if math.isinf(high):
            rows.append([str(force), name, f"from {low}", f"from {low * 3.6:.0f}"])
        else:
            kmh = f"{low * 3.6:.0f} to {(high - 0.1) * 3.6:.0f}"
            rows.append([str(force), name, f"{low} to {high - 0.1:.1f}", kmh])
    manual.rows("The Beaufort scale", rows, [50, 120, 80, 80])


def _fahrenheit(manual: Manual) -> None:
    rows = [["°C", "°F", "°C", "°F", "°C", "°F"]]
    for start in range(-40, -18):
        values = (start, start + 22, start + 44)
        rows.append([text for c in values for text in (f"{c}", f"{c * 1.8 + 32:.1f}")])
    manual.rows("Degrees Celsius and Fahrenheit", rows, [55.0] * 6)


def _dew_point(manual: Manual) -> None:
    humidities = range(30, 101, 10)
    rows = [["°C", *(f"{humidity} %" for humidity in humidities)]]
    for degrees in range(-2, 41, 2):
        rows.append([str(degrees), *(f"{_dew(degrees, humidity):.1f}" for humidity in humidities)])
    manual.rows("Dew point in °C", rows, [42.0, *([36.0] * 8)])


def _dew(degrees: float, humidity: float) -> float:
    """The dew point by Magnus' formula."""
    gamma = math.log(humidity / 100) + 17.62 * degrees / (243.12 + degrees)
    return 243.12 * gamma / (17.62 - gamma) + 0.0


def _log(manual: Manual) -> None:
    for _ in range(2):
        rows = [
            ["Date", "Work", "Readings before and after", "Name"],
            *([" "] * 4 for _ in range(18)),
        ]
        manual.rows("Inspections", rows, [55, 110, 105, 60])


_PLACED: dict[str, Callable[[Manual], None]] = {
    "site": lambda m: m.figure("Distance from an obstacle of height h.", 120, site_plan),
    "terminals": lambda m: m.figure("Terminals of the base unit.", 90, terminals),
    "display": lambda m: m.figure("The front of the base unit.", 130, base_unit),
    "settings": lambda m: m.entries(data.SETTINGS, ("Standard", "Range", "")),
    "codes": lambda m: m.entries(data.CODES, ("Meaning", "Remedy")),
    "commands": lambda m: m.entries(data.COMMANDS, ("Use", "Answer")),
    "sample": lambda m: m.code(data.SAMPLE),
    "beaufort": _beaufort,
    "fahrenheit": _fahrenheit,
    "dewpoint": _dew_point,
    "log": _log,
}


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


def _leader(frame: Frame, number: str, title: str, label: str, style: Style, indent: float) -> None:
    """A line of the contents: number, title, dots, page."""
    y = frame.y + style.size + 2
    hang = 26.0 if number else 0.0
    frame.sheet.text(frame.x + indent, y, number, style)
    frame.sheet.text(frame.x + indent + hang, y, title, style)
    start = indent + hang + style.width(title) + 4
    end = INNER - style.width(label) - 4
    count = int((end - start) / style.width(" ."))
    dots = " ." * max(count, 0)
    frame.sheet.text(frame.x, y, dots, style._replace(align="right"), end)
    frame.sheet.text(frame.x, y, label, style._replace(align="right"), INNER)
    frame.y += style.line_height


def _roman(number: int) -> str:
    numerals = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
    return "x" * (number // 10) + numerals[number % 10]


def _pass(known: dict[str, Anchor], front: int, words: dict[str, list[str]]) -> Manual:
    manual = Manual(known, front, words)
    manual.front_matter()
    manual.body = True
    manual.markup(BODY)
    manual.chapter_number = 0
    manual.markup(APPENDICES, letters=True)
    manual.back_matter()
    return manual


def _index(manual: Manual) -> dict[str, list[str]]:
    """The words of the index with the labels of the pages that mention them."""
    manual.book.flush()
    last = manual.anchors["glossary"].page
    texts = [manual.book.document[page].get_text().casefold() for page in range(last)]
    found = {
        word: [manual.label(page) for page in range(manual.front_pages, last) if key in texts[page]]
        for word, key in INDEX.items()
    }
    return {word: labels[:8] for word, labels in found.items() if labels}


def _link(manual: Manual) -> None:
    """Links from the contents, and from "Section 3.5 on page 14", to the section."""
    links = list(manual.links)
    names = {anchor.name: anchor.page for anchor in manual.anchors.values() if anchor.number}
    for page in manual.book.document.pages(manual.front_pages - 1, manual.anchors["glossary"].page):
        found = re.findall(r"((?:Chapter|Section) [\d.]+) on page", _folded(page))
        for name in sorted(set(found)):
            links += [(page.number, box, names[name]) for box in page.search_for(name)]
    for number, box, target in links:
        link = {"kind": pymupdf.LINK_GOTO, "page": target, "from": box}
        manual.book.document[number].insert_link(link)


def _folded(page: pymupdf.Page) -> str:
    return " ".join(page.get_text().split())


def manual() -> bytes:
    """The PDF: about fifty pages."""
    made = _pass({}, 0, {})
    for _ in range(3):  # until contents, references and index agree with the pages they name
        made = _pass(made.anchors, made.front_pages, _index(made))
    document = made.book.document
    document.set_toc(
        [
            [1, "Contents", 3],
            *(
                [a.level, f"{a.number} {a.title}".strip(), a.page + 1]
                for a in made.anchors.values()
            ),
        ]
    )
    document.set_page_labels(
        [
            {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
            {"startpage": made.front_pages, "prefix": "", "style": "D", "firstpagenum": 1},
        ]
    )
    _link(made)
    return made.book.finish(
        "Heron 300: Installation and operating manual", "Heron Instruments", "20240521"
    )
