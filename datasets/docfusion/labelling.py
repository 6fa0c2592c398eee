"""Training data out of any folder of born-digital PDFs, labelled by a parser.

Of each page with a text layer to trust: its image with a box for each block, crops of its lines in
pieces with their text, crops of its tables with their cells and of its formulas. The parser decides
what the labels are worth: look at some before training on them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from docpipe.datasets.docfusion.latex import normalise, tabular
from docpipe.datasets.docfusion.printed import fold, page_pieces
from docpipe.datasets.docfusion.samples import LayoutBox, Sample, top_down
from docpipe.datasets.docfusion.stored import StoredRow, write_index, write_samples
from docpipe.errors import ConfigError, DocpipeError
from docpipe.geometry import BBox, to_pixels
from docpipe.records import Block, Document, Figure, Formula, Page, Region, Table, TextBlock

if TYPE_CHECKING:
    from PIL import Image

_ROLES = {
    "title": "Title",
    "heading": "Section",
    "paragraph": "Text",
    "list_item": "List",
    "caption": "Cap",
    "footnote": "Footnote",
    "page_header": "Header",
    "page_footer": "Footer",
    "code": "Text",
    "reference": "Text",
}
_MARGIN = 3.0  # points around a table or formula
REPORT = "report.json"


class DocumentParser(Protocol):
    """What reads a PDF; docpipe.pipeline.Pipeline is one."""

    def parse(self, path: Path) -> Document: ...


class Labelling(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken: `pages` of a document and `lines` of a page at most, drawn with `seed`; `most`
    characters of a piece of a line, `table` and `formula` of LaTeX; pages are rendered at a
    resolution out of `dpi`."""

    pages: int = 20
    lines: int = 40
    most: int = 46
    table: int = 1000
    formula: int = 300
    dpi: tuple[float, float] = (100.0, 200.0)
    seed: int = 0


class LabellingReport(msgspec.Struct, frozen=True):
    """`samples` by task; `failed` are files that gave none, with the reason."""

    documents: int
    samples: dict[str, int]
    failed: dict[str, str]


DEFAULT = Labelling()


def label_folder(
    folder: Path,
    out: Path,
    parser: DocumentParser,
    options: Labelling = DEFAULT,
    *,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LabellingReport:
    """Label the PDFs below `folder` into `out`, which StoredSamples reads; at most `limit` of them.

    Raises ConfigError where there is no PDF. The same files and options give the same bytes.
    """
    paths = sorted(folder.rglob("*.pdf"))[:limit]
    if not paths:
        raise ConfigError(f"no PDF in {folder}")
    out.mkdir(parents=True, exist_ok=True)
    rows: list[StoredRow] = []
    failed: dict[str, str] = {}
    for number, path in enumerate(paths, 1):
        name = path.relative_to(folder).as_posix()
        try:
            made = write_samples(label_document(path, parser.parse(path), options), out)
        except DocpipeError as error:
            failed[name] = error.code
        else:
            rows += made
            if not made:
                failed[name] = "nothing_to_label"
        if progress is not None:
            progress(number, len(paths))
    write_index(rows, out)
    counts = Counter(row.task for row in rows)
    report = LabellingReport(len(paths), dict(sorted(counts.items())), failed)
    (out / REPORT).write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2))
    return report


def label_document(
    path: Path, document: Document, options: Labelling = DEFAULT
) -> Iterator[Sample]:
    """The samples of a document that has been parsed. Raises InputError, StageError."""
    from docpipe.pdf import open_document

    chance = random.Random(f"{options.seed}/{document.id}")
    trusted = [page for page in document.pages if is_trusted(page)]
    picked = chance.sample(trusted, min(options.pages, len(trusted)))
    with open_document(path) as opened:
        for page in sorted(picked, key=lambda page: page.number):
            dpi = round(chance.uniform(*options.dpi), 1)
            view = opened.page(page.number)
            name = f"{document.id}/p{page.number}"
            yield from _of_blocks(page, view.render(dpi), dpi, name, options)
            pieces = page_pieces(view, options.most, dpi, name)
            kept = chance.sample(range(len(pieces)), min(options.lines, len(pieces)))
            yield from (pieces[number] for number in sorted(kept))


def is_trusted(page: Page) -> bool:
    """Whether the labels of a page are worth learning: text layer without doubts, and blocks."""
    quality = page.quality
    return bool(page.blocks) and quality.verdict == "ok" and quality.route == "text_layer"


def _of_blocks(
    page: Page, image: Image.Image, dpi: float, name: str, options: Labelling
) -> Iterator[Sample]:
    group = name.partition("/")[0]
    boxes = top_down([item for block in page.blocks for item in _boxes(block, page, dpi)])
    yield Sample(task="layout", image=image, boxes=boxes, name=name, group=group)
    for number, block in enumerate(page.blocks):
        regions, _ = parts_of(block)
        if len(regions) != 1 or not isinstance(block, Table | Formula):
            continue
        box = regions[0].bbox.expand(_MARGIN).clip(page.width, page.height)
        crop = image.crop(to_pixels(box, dpi))
        where = f"{name}/block{number}"
        if isinstance(block, Table):
            cells = tuple(
                msgspec.structs.replace(cell, text=fold(cell.text), region=None)
                for cell in block.cells
            )
            latex = tabular(cells, "l" * block.shape[1])
            if cells and len(latex) <= options.table:
                yield Sample(
                    task="table", image=crop, text=latex, cells=cells, name=where, group=group
                )
        elif 0 < len(latex := normalise(block.latex)) <= options.formula:
            yield Sample(task="formula", image=crop, text=latex, name=where, group=group)


def _boxes(block: Block, page: Page, dpi: float) -> Iterator[LayoutBox]:
    """A box in pixels for each region of the block on this page, and for its caption's."""
    regions, captions = parts_of(block)
    labelled = [(label_of(block), region) for region in regions]
    labelled += [("Cap", region) for region in captions]
    for label, region in labelled:
        box = region.bbox.clip(page.width, page.height)
        if region.page == page.number and box.area > 0:
            scale = dpi / 72
            pixels = BBox.of(box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale)
            yield LayoutBox(label, pixels)


def parts_of(block: Block) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
    """The regions of a block, and those of its caption: of a table or figure with a caption the
    second region, where it has one."""
    regions = block.source.regions
    if isinstance(block, Table | Figure) and block.caption and len(regions) > 1:
        return (regions[0], *regions[2:]), (regions[1],)
    return regions, ()


def label_of(block: Block) -> str:
    """The layout label of a block."""
    match block:
        case TextBlock():
            return _ROLES[block.role]
        case Table():
            return "Table"
        case Formula():
            return "Math"
        case Figure():
            return "Picture"
