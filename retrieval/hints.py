"""Places that a question names: pages, slides, figures, tables, sections.

Pages carry names such as `page 12`, `page -1` (the last), `label iv`, `table 4`, `section 2.1`;
those that a question names are looked up among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docpipe.content import block_text, is_furniture, page_text
from docpipe.records import Block, Document, Figure, Page, Table, TextBlock
from docpipe.retrieval.finance import statements_on

# Longer ranges of pages name no place.
MAX_RANGE = 30

# What is numbered in documents, with the forms in use.
_FORMS = {
    "page": "page pages pg pp slide slides",
    "figure": "figure figures fig figs",
    "table": "table tables tab",
    "section": "section sections sec §",
    "equation": "equation equations eq",
    "appendix": "appendix appendices",
}
_REGULAR = """algorithm annex article box chapter chart clause diagram example exhibit exercise
graph item lesson map module note part question schedule step unit"""
_FORMS |= {kind: f"{kind} {kind}s" for kind in _REGULAR.split()}
_KIND_OF = {form: kind for kind, forms in _FORMS.items() for form in forms.split()}
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
_KIND = rf"(?:(?:{'|'.join(form for form in _KIND_OF if form.isalpha())})(?![a-z])|§)"
_NUMBER = r"(?:\d+(?:[.\-–]\d+)*(?:[a-z](?![a-z]))?|[ivxlc]+(?![a-z])|[a-z](?![a-z'’]))"

_ASKED = re.compile(
    rf"(?<![^\W_])(?P<kind>{_KIND})\.?\s*(?:(?:no\.?|number|#)(?![a-z])\s*)?(?P<numbers>{_NUMBER}"
    rf"(?:(?:\s*(?:,|and|&|or|to|through|[-–]))+\s*(?:(?P=kind)\.?\s*)?{_NUMBER})*)"
)
_ASKED_IN_ORDER = re.compile(
    rf"\b(?P<nth>{'|'.join(_ORDINALS)}|last|final)"
    rf"(?P<back>[\s-]+(?:to[\s-]+(?:the[\s-]+)?)?last)?\s+(?P<kind>{_KIND})\b"
)
_RANGE = re.compile(rf"\b(\d{{1,6}})\s*(?:to|through|[-–])\s*(?:{_KIND}\s*)?(\d{{1,6}})\b")
_HYPHENATED = re.compile(r"\d[-–]\d")
_LIST = re.compile(r"\[[^\]]*\]")
_NAME = re.compile(
    rf"\W{{0,3}}(?P<kind>{_KIND})\.?\s*(?P<number>{_NUMBER})\s*(?P<after>[.:|–—-]|$)?"
)
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2})*|[a-z](?:\.\d{1,2})+)[.)]?\s+\S")
_INTEGER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d,]|\.\d)")
_BARE_INTEGER = re.compile(r"\W*(?:page\s*)?(\d{1,4})\W*", re.IGNORECASE)
_KIND_NAMES: dict[type[Block], str] = {Table: "has table", Figure: "has figure"}
_ASKED_KINDS = {
    "has table": re.compile(r"\btables?\b(?! of contents)", re.IGNORECASE),
    "has figure": re.compile(
        r"\b(?:figure|chart|graph|diagram|map|picture|image|photo|photograph|logo|plot|icon|pie"
        r"|illustration|drawing|screenshot)s?\b",
        re.IGNORECASE,
    ),
    "page 1": re.compile(
        r"\b(?:title|names?|authors?|publishers?|publication|date|year|version|number|created?|wrote"
        r"|written|published|issued|prepared|presented)\b.{0,40}\b(?:this|the)\s+(?:document|report"
        r"|presentation|slides|deck|paper|article|guide|guidebook|manual|brochure|handbook|book)\b",
        re.IGNORECASE,
    ),
}


def asked_names(question: str) -> list[str]:
    """The names of places in a question: `page 12` and `label 12` for "on page 12".

    Those in square brackets are examples of what an answer may look like.
    """
    text = _LIST.sub(" ", question.lower())
    found: list[str] = []
    for match in _ASKED.finditer(text):
        kind = _KIND_OF[match["kind"]]
        for number in _numbers(kind, match["numbers"]):
            found += _name(kind, number)
    for match in _ASKED_IN_ORDER.finditer(text):
        kind = _KIND_OF[match["kind"]]
        nth = _ORDINALS.index(match["nth"]) + 1 if match["nth"] in _ORDINALS else 1
        last = match["back"] or match["nth"] in ("last", "final")
        if kind == "page" or not last:
            found.append(f"{kind} {-nth if last else nth}")
    return list(dict.fromkeys(found))


def asked_kinds(question: str) -> list[str]:
    """The kinds of page that a question is about, without naming one.

    `has table` and `has figure` for tables and pictures of any kind, `page 1` for what title pages
    tell of a document: title, authors, date.
    """
    return [name for name, pattern in _ASKED_KINDS.items() if pattern.search(question)]


def page_names(document: Document) -> list[list[str]]:
    """The names of each page of a document."""
    printed = _printed_numbers(document)
    count = len(document.pages)
    return [
        [
            f"page {page.number}",
            f"page {page.number - count - 1}",
            *dict.fromkeys(f"label {label}" for label in (page.label.lower(), *numbers) if label),
            *dict.fromkeys(name for block in page.blocks for name in _block_names(block)),
            *statements_on(page_text(page)),
            *sorted(
                {_KIND_NAMES[type(block)] for block in page.blocks if type(block) in _KIND_NAMES}
            ),
        ]
        for page, numbers in zip(document.pages, printed, strict=True)
    ]


def _name(kind: str, number: str) -> list[str]:
    if kind == "page":
        return [f"page {number}", f"label {number}"]
    whole = re.fullmatch(r"(\d.*\d|\d)[a-z]", number)  # figure 3a is in figure 3
    return [f"{kind} {number}"] + ([f"{kind} {whole[1]}"] if whole else [])


def _numbers(kind: str, text: str) -> Iterator[str]:
    """The numbers in "3, 5 and 7" or "3 to 6"; "3-6" is a range of pages but a table's name."""
    ranges = _RANGE.finditer(text) if kind == "page" or not _HYPHENATED.search(text) else ()
    for match in ranges:
        first, last = int(match[1]), int(match[2])
        if first < last <= first + MAX_RANGE:
            yield from map(str, range(first, last))
    pattern = r"\d+" if kind == "page" and text[0].isdigit() else _NUMBER
    yield from re.findall(rf"(?<![a-z]){pattern}", text)


def _block_names(block: Block) -> Iterator[str]:
    """What a block is called: by its caption, its heading's number, or its first words."""
    sure = not isinstance(block, TextBlock) or block.role in ("caption", "heading", "title")
    text = block.caption or "" if isinstance(block, Table | Figure) else block_text(block)
    start = text[:60].lower()
    match = _NAME.match(start)
    if match and (sure or match["after"] is not None):
        yield f"{_KIND_OF[match['kind']]} {match['number'].rstrip('.-–')}"
    if isinstance(block, TextBlock) and block.role in ("heading", "title"):
        numbered = _NUMBERED.match(start)
        if numbered:
            yield f"section {numbered['number']}"


def _printed_numbers(document: Document) -> list[list[str]]:
    """The page numbers printed on each page: those that count on from a neighbouring page.

    A step of two is a spread, two printed pages on one.
    """
    seen = [_candidates(page) for page in document.pages]
    padded = [set[int](), *seen, set[int]()]
    return [
        [
            str(number)
            for number in sorted(numbers)
            if {number - 1, number - 2} & padded[at] or {number + 1, number + 2} & padded[at + 2]
        ]
        for at, numbers in enumerate(seen)
    ]


def _candidates(page: Page) -> set[int]:
    found: set[int] = set()
    for block in page.blocks:
        if is_furniture(block):
            found.update(map(int, _INTEGER.findall(block_text(block))))
        elif isinstance(block, TextBlock) and (bare := _BARE_INTEGER.fullmatch(block.text)):
            found.add(int(bare[1]))
    return found
