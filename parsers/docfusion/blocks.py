"""Records from labelled boxes and what was read of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from docpipe.parsers.docfusion.reader import Block
from docpipe.parsers.docfusion.reading import Reading
from docpipe.parsers.docfusion.tabular import cells_of
from docpipe.parsers.native.lines import Line
from docpipe.parsers.native.markers import numbering_depth
from docpipe.records import Block as Record
from docpipe.records import Figure, Formula, Region, Role, Source, Table, TextBlock

Kind = Literal["text", "table", "formula", "figure"]

_ROLES: dict[str, Role] = {
    "Title": "title",
    "Section": "heading",
    "List": "list_item",
    "Cap": "caption",
    "Footnote": "footnote",
    "Header": "page_header",
    "Footer": "page_footer",
}
_KINDS: dict[str, Kind] = {"Table": "table", "Math": "formula", "Picture": "figure"}
_SMALLEST = 1.0  # point, of a side
_REPEATED = 0.7  # of the smaller box under the other


def kind_of(label: str) -> Kind:
    """What a label stands for; labels that are not known are text."""
    return _KINDS.get(label, "text")


def is_heading(label: str) -> bool:
    return _ROLES.get(label) in ("title", "heading")


def without_repeats(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that have an area, surest first where boxes of one kind lie over each other."""
    kept: list[Block] = []
    for block in sorted(blocks, key=lambda block: -block.confidence):
        if min(block.bbox.width, block.bbox.height) >= _SMALLEST and not any(
            _repeats(block, other) for other in kept
        ):
            kept.append(block)
    return sorted(kept, key=lambda block: (block.bbox.y0, block.bbox.x0))


def _repeats(block: Block, other: Block) -> bool:
    shared = block.bbox.intersection(other.bbox)
    alike = kind_of(block.label) == kind_of(other.label)
    smaller = min(block.bbox.area, other.bbox.area)
    larger = max(block.bbox.area, other.bbox.area)
    return shared > _REPEATED * (smaller if alike else larger)


def block_of(
    found: Block,
    page: int,
    number: int,
    stage: str,
    reading: Reading | None,
    lines: Sequence[Line] = (),
) -> Record | None:
    """The block of a box; text is that of `lines` where there are any, else what was read. None
    where nothing was; a table without cells is text.

    `number` makes ids unique until pages are composed. The confidence is that of box and reading
    together.
    """
    kind = kind_of(found.label)
    confidence = found.confidence * (1.0 if reading is None else reading.confidence)
    source = Source((Region(page, found.bbox),), stage, round(confidence, 3))
    id = f"p{page}/{kind}{number}"
    read = reading.text.strip() if reading else ""
    if kind == "figure":
        return Figure(id, source, description="\n".join(line.text for line in lines) or None)
    if kind == "table" and (cells := cells_of(read)):
        return Table(id, source, cells)
    if kind == "formula" and read:
        return Formula(id, source, read)
    texts = [line.text for line in lines] or read.splitlines()
    if not any(map(str.strip, texts)):
        return None
    return _text_block(id, source, [text.strip() for text in texts], found.label)


def _text_block(id: str, source: Source, lines: Sequence[str], label: str) -> TextBlock:
    text = " ".join(filter(None, lines))
    role = _ROLES.get(label, "paragraph")
    level = {"title": 1, "heading": numbering_depth(text) or 1}.get(role)
    raw = "\n".join(lines) if len(lines) > 1 else None
    return TextBlock(id, source, text, role, level, raw)
