"""A long manual: outline, roman and arabic page labels, contents, cross references, index."""

from __future__ import annotations

import re

import pymupdf

from docpipe.datasets.samples.flow import Frame
from docpipe.datasets.samples.manual_drawings import station
from docpipe.datasets.samples.manual_placed import place
from docpipe.datasets.samples.manual_setter import (
    CAPTION,
    CHAPTER,
    ENTRY,
    HEIGHT,
    INNER,
    MARGIN,
    TEXT,
    WIDTH,
    Anchor,
    Setter,
)
from docpipe.datasets.samples.manual_text import ABOUT, APPENDICES, BODY, GLOSSARY, INDEX
from docpipe.datasets.samples.typeset import GREY, Style

_IMPRINT = [
    "Heron 300, installation and operating manual. Edition 7, May 2024. Document H3-900-EN.",
    "This manual applies to firmware 4.2 and later. The maker may change the product without "
    "notice.",
    "Heron Instruments, Beacon Street 4, Lindmoor LM5 8TT. Service by telephone: 0555 017 300, "
    "Monday to Friday from 8:00 to 16:30.",
    "Old appliances do not belong in the household waste. Return the station free of charge.",
]


class Manual(Setter):
    """The parts of the manual."""

    def place(self, name: str) -> None:
        place(self, name)

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
