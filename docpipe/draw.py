"""Pictures that show what docpipe found on a page, and where an answer stands.

Drawn at twice the size and scaled down, so that arrows and labels are smooth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, get_args

from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFont

from docpipe.content import body_blocks, is_furniture, join_lines
from docpipe.errors import ConfigError
from docpipe.geometry import BBox, to_pixels
from docpipe.records import Block, Field, Figure, FormField, Formula, Page, Region, Table, TextBlock

Layer = Literal[
    "words",
    "lines",
    "blocks",
    "tables",
    "figures",
    "furniture",
    "forms",
    "annotations",
    "hidden",
    "fields",
    "order",
]
LAYERS: tuple[Layer, ...] = get_args(Layer)  # in the order they are drawn, the last on top
DEFAULT_LAYERS: tuple[Layer, ...] = ("blocks", "tables", "figures", "furniture", "hidden", "order")

COLORS = {
    "title": "#b0003a",
    "heading": "#e65100",
    "paragraph": "#1565c0",
    "list_item": "#00838f",
    "caption": "#7b1fa2",
    "footnote": "#6d4c41",
    "code": "#37474f",
    "reference": "#827717",
    "formula": "#d81b9a",
    "table": "#2e7d32",
    "header_cell": "#66bb6a",
    "figure": "#c79100",
    "page_header": "#757575",
    "page_footer": "#757575",
    "form_field": "#5e35b1",
    "box_on": "#00897b",
    "box_off": "#9e9e9e",
    "field": "#1b5e20",
    "field_noted": "#bf360c",
    "annotation": "#ef6c00",
    "link": "#0277bd",
    "hidden": "#ff1744",
    "word": "#78909c",
    "line": "#26a69a",
    "order": "#212121",
}
_UNLABELLED = {"paragraph", "list_item"}  # frequent, and their label would cover text
_SMOOTHING = 2
_LABEL = 6.5  # points


def draw_page(
    image: Image.Image,
    page: Page,
    *,
    dpi: float,
    layers: Sequence[str] = DEFAULT_LAYERS,
    form_fields: Sequence[FormField] = (),
    fields: Sequence[Field] = (),
) -> Image.Image:
    """A copy of the page's `image` (rendered at `dpi`) with `layers` on it and a legend below.

    `form_fields` are the document's, for the layer `forms`, and `fields` for the layer of that
    name. Raises ConfigError for a layer that is not in LAYERS.
    """
    unknown = [layer for layer in layers if layer not in LAYERS]
    if unknown:
        raise ConfigError(f"unknown layer {unknown[0]!r}", hint=f"known: {', '.join(LAYERS)}")
    canvas = _Canvas(image.size, dpi)
    for layer in LAYERS:
        if layer in layers and layer == "forms":
            _forms(canvas, page, form_fields)
        elif layer in layers and layer == "fields":
            _fields(canvas, page, fields)
        elif layer in layers:
            _DRAWERS[layer](canvas, page)
    return _with_legend(canvas.over(image), canvas.used, dpi)


def highlight(image: Image.Image, regions: Iterable[Region], *, dpi: float) -> Image.Image:
    """A copy of a page's `image` with `regions` of that page marked as by a highlighter pen."""
    pen = Image.new("RGB", image.size, "white")
    draw = ImageDraw.Draw(pen)
    for region in regions:
        box = to_pixels(region.bbox.expand(1.5), dpi)
        draw.rectangle(box, fill="#ffe45c", outline="#e69500", width=max(1, round(dpi / 90)))
    return ImageChops.multiply(image.convert("RGB"), pen)


# ── Layers ──────────────────────────────────────────────────────────────────────────────────────


def _words(canvas: _Canvas, page: Page) -> None:
    for word in page.words:
        canvas.box(word.bbox, "word", width=0.5)


def _lines(canvas: _Canvas, page: Page) -> None:
    for region in join_lines([(page.number, word.bbox) for word in page.words]):
        canvas.box(region.bbox, "line", width=0.6, fill=30)


def _blocks(canvas: _Canvas, page: Page) -> None:
    for block in body_blocks(page):
        if isinstance(block, TextBlock | Formula):
            _outline(canvas, page, block)


def _figures(canvas: _Canvas, page: Page) -> None:
    for block in page.blocks:
        if isinstance(block, Figure):
            _outline(canvas, page, block)


def _furniture(canvas: _Canvas, page: Page) -> None:
    for block in filter(is_furniture, page.blocks):
        _outline(canvas, page, block)


def _tables(canvas: _Canvas, page: Page) -> None:
    for block in page.blocks:
        if not isinstance(block, Table):
            continue
        for cell in block.cells:
            if cell.region is None or cell.region.page != page.number:
                continue
            kind = "header_cell" if cell.is_header else "table"
            canvas.box(cell.region.bbox, kind, width=0.6, fill=70 if cell.is_header else 25)
            if cell.row_span > 1 or cell.column_span > 1:
                spans = f"{cell.row_span}×{cell.column_span}"
                canvas.label(cell.region.bbox.x0, cell.region.bbox.y0, spans, "table", size=5.5)
        _outline(canvas, page, block, fill=0)


def _forms(canvas: _Canvas, page: Page, fields: Sequence[FormField]) -> None:
    """Form fields; boxes and buttons in another colour where they are on."""
    for field in fields:
        if field.region is not None and field.region.page == page.number:
            boxed = field.kind in ("checkbox", "radio")
            kind = f"box_{field.state}" if boxed else "form_field"
            canvas.box(field.region.bbox, kind, fill=60 if field.state != "off" else 0, width=1.2)


def _fields(canvas: _Canvas, page: Page, fields: Sequence[Field]) -> None:
    """Fields with name and score, where their names cover least; in another colour where a note is
    to be looked at."""
    taken = [word.bbox for word in page.words]
    for field in fields:
        kind = "field_noted" if field.value is None or field.notes else "field"
        boxes = [region.bbox for region in field.source.regions if region.page == page.number]
        for box in boxes:
            canvas.box(box.expand(1.0), kind, fill=40)
        if boxes:
            name = (
                field.name if field.row is None else f"{field.name.partition('.')[2]} {field.row}"
            )
            text = f"{name} {field.score:.2f}"
            place = _least_covering(boxes[0], canvas.label_size(text), taken, page)
            taken.append(place)
            canvas.label(place.x0, place.y1, text, kind)


def _least_covering(
    box: BBox, size: tuple[float, float], taken: Sequence[BBox], page: Page
) -> BBox:
    """The place for a label of this size, right, left, above or below a box, that covers least."""
    width, height = size
    middle = (box.y0 + box.y1 + height) / 2
    corners = (
        (box.x1 + 4, middle),
        (box.x0 - width - 4, middle),
        (box.x0, box.y0 - 1),
        (box.x0, box.y1 + height + 1),
    )
    places = [BBox.of(x, y - height, x + width, y) for x, y in corners]
    inside = [p for p in places if p.x0 >= 0 and p.x1 <= page.width and p.y0 >= 0]
    covered = [sum(place.intersection(other) for other in taken) for place in inside or places]
    return (inside or places)[covered.index(min(covered))]


def _annotations(canvas: _Canvas, page: Page) -> None:
    """What readers left on the page, and links."""
    for link in page.links:
        canvas.box(link.region.bbox, "link", width=0.6, fill=25)
    for note in page.annotations:
        box = note.region.bbox
        canvas.box(box, "annotation", fill=40)
        canvas.label(box.x0, box.y0, note.kind, "annotation")


def _hidden(canvas: _Canvas, page: Page) -> None:
    for hidden in page.hidden:
        box = hidden.region.bbox
        canvas.box(box, "hidden", fill=40)
        canvas.label(box.x0, box.y1, f"hidden: {hidden.reason}", "hidden", below=True)


def _order(canvas: _Canvas, page: Page) -> None:
    """Numbers of blocks beside each of their boxes, joined by arrows."""
    stops = [
        (number, box)
        for number, block in enumerate(body_blocks(page), start=1)
        for box in _boxes(block, page)
    ]
    for (_, before), (_, after) in pairwise(stops):
        canvas.arrow(_stop(before, before.y1), _stop(after, after.y0), "order")
    for number, box in stops:
        canvas.disc(*_stop(box, box.y0), str(number), "order")


def _stop(box: BBox, edge: float) -> tuple[float, float]:
    """The place left of the box, near its upper or lower `edge`, where arrows start and end."""
    inset = min(box.height / 2, _LABEL)
    return max(box.x0 - _LABEL, _LABEL), edge + (inset if edge == box.y0 else -inset)


def _outline(canvas: _Canvas, page: Page, block: Block, fill: int = 28) -> None:
    kind = _kind(block)
    level = f" {block.level}" if isinstance(block, TextBlock) and block.level else ""
    for box in _boxes(block, page):
        canvas.box(box, kind, fill=fill)
        if kind not in _UNLABELLED:
            canvas.label(box.x1, box.y0, f"{kind.replace('_', ' ')}{level}", kind, right=True)


def _kind(block: Block) -> str:
    match block:
        case TextBlock():
            return block.role
        case Table():
            return "table"
        case Formula():
            return "formula"
        case Figure():
            return "figure"


def _boxes(block: Block, page: Page) -> Iterator[BBox]:
    return (region.bbox for region in block.source.regions if region.page == page.number)


_DRAWERS: dict[Layer, Callable[[_Canvas, Page], None]] = {
    "words": _words,
    "lines": _lines,
    "blocks": _blocks,
    "tables": _tables,
    "figures": _figures,
    "furniture": _furniture,
    "annotations": _annotations,
    "hidden": _hidden,
    "order": _order,
}


# ── The sheet they are drawn on ─────────────────────────────────────────────────────────────────


class _Canvas:
    """Transparent sheets over a page: fills below, lines and labels above. Sizes in points."""

    def __init__(self, size: tuple[int, int], dpi: float) -> None:
        self.dpi = dpi
        self.scale = dpi / 72 * _SMOOTHING
        self.fills = Image.new("RGBA", size)
        self.strokes = Image.new("RGBA", (size[0] * _SMOOTHING, size[1] * _SMOOTHING))
        self.draw = ImageDraw.Draw(self.strokes)
        self.used: set[str] = set()

    def over(self, image: Image.Image) -> Image.Image:
        strokes = self.strokes.resize(image.size, Image.Resampling.BOX)
        filled = Image.alpha_composite(image.convert("RGBA"), self.fills)
        return Image.alpha_composite(filled, strokes).convert("RGB")

    def box(self, box: BBox, kind: str, *, fill: int = 0, width: float = 1.0) -> None:
        """A rectangle in the colour of `kind`; `fill` is the opacity inside, 0 to 255."""
        self.used.add(kind)
        color = ImageColor.getrgb(COLORS[kind])
        if fill:
            ImageDraw.Draw(self.fills).rectangle(to_pixels(box, self.dpi), fill=(*color, fill))
        corners = [value * self.scale for value in (box.x0, box.y0, box.x1, box.y1)]
        self.draw.rectangle(corners, outline=color, width=self._thick(width))

    def label(
        self,
        x: float,
        y: float,
        text: str,
        kind: str,
        *,
        size: float = _LABEL,
        right: bool = False,
        below: bool = False,
    ) -> None:
        """White text on the colour of `kind`, sitting above (x, y); `right` aligns its end to x."""
        size = self._readable(size)
        font = ImageFont.load_default(size * self.scale)
        width, height = self.draw.textlength(text, font), size * self.scale * 1.25
        left = x * self.scale - (width if right else 0)
        top = max(0.0, y * self.scale - (0 if below else height))
        pad = size * self.scale * 0.25
        self.draw.rectangle((left - 2 * pad, top, left + width, top + height), fill=COLORS[kind])
        self.draw.text((left - pad, top + height / 2), text, "white", font, anchor="lm")

    def label_size(self, text: str, size: float = _LABEL) -> tuple[float, float]:
        """Width and height of a label."""
        font = ImageFont.load_default(self._readable(size) * self.scale)
        return self.draw.textlength(text, font) / self.scale + 4, self._readable(size) * 1.25

    def _readable(self, size: float) -> float:
        return max(size, 9 * 72 / self.dpi)  # below 9 pixels nothing can be read

    def disc(self, x: float, y: float, text: str, kind: str) -> None:
        """A filled circle with a number."""
        x, y, radius = x * self.scale, y * self.scale, _LABEL * self.scale * 0.75
        self.draw.circle((x, y), radius, fill=COLORS[kind], outline="white")
        font = ImageFont.load_default(_LABEL * self.scale * (0.95 if len(text) < 3 else 0.7))
        self.draw.text((x, y), text, "white", font, anchor="mm")

    def arrow(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
        """A thin line with a head at `end`."""
        x0, y0, x1, y1 = (value * self.scale for value in (*start, *end))
        color = (*ImageColor.getrgb(COLORS[kind]), 140)
        self.draw.line((x0, y0, x1, y1), fill=color, width=self._thick(0.8))
        back = math.atan2(y0 - y1, x0 - x1)
        length = 5 * self.scale  # of the head, and its distance from the number it points at
        tip = (x1 + length * math.cos(back), y1 + length * math.sin(back))
        wings = [
            (tip[0] + length * math.cos(back + turn), tip[1] + length * math.sin(back + turn))
            for turn in (0.45, -0.45)
        ]
        self.draw.polygon([tip, *wings], fill=color)

    def _thick(self, width: float) -> int:
        return max(1, round(width * self.scale))


def _with_legend(picture: Image.Image, used: set[str], dpi: float) -> Image.Image:
    """`picture` with a strip below that names the colours in use."""
    size = 9 * dpi / 72
    font = ImageFont.load_default(size)
    places: list[tuple[float, float, str]] = []
    x, y = size, size
    for kind in (kind for kind in COLORS if kind in used):
        width = font.getlength(kind.replace("_", " ")) + 3 * size
        if x + width > picture.width and x > size:
            x, y = size, y + 1.8 * size
        places.append((x, y, kind))
        x += width
    height = math.ceil(y + 2 * size) if places else 0
    whole = Image.new("RGB", (picture.width, picture.height + height), "white")
    whole.paste(picture, (0, 0))
    draw = ImageDraw.Draw(whole)
    for x, y, kind in places:
        top = picture.height + y
        draw.rectangle((x, top, x + size, top + size), fill=COLORS[kind])
        name = kind.replace("_", " ")
        draw.text((x + 1.4 * size, top + size / 2), name, "#212121", font, anchor="lm")
    return whole
