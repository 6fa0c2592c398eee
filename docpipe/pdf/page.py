"""One page of a PDF as a `stages.PageView`.

PyMuPDF gives most boxes in the page's unrotated system: they go through the page's rotation matrix
here, and nowhere else. The words and spans of text outside the page are given too, with boxes
outside `(0, 0, width, height)`: what is hidden is for a parser to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from docpipe.geometry import BBox
from docpipe.pdf.annotations import covered, read_annotations
from docpipe.pdf.render import capped_dpi
from docpipe.pdf.text import clean
from docpipe.pdf.widgets import form_field, is_password, read_apart
from docpipe.records import Annotation, FormField, Issue, Link, Region, Word
from docpipe.stages import Drawing, PlacedImage, TextSpan

if TYPE_CHECKING:
    from PIL import Image

MAX_DRAWINGS = 50_000
_FAR = 1e6  # points; no page is that large
_MAX_HEIGHT = 2.0  # of a line's box, in font sizes
_FILLED_OR_STROKED = 16 | 32  # MuPDF's FZ_STEXT_FILLED, FZ_STEXT_STROKED
_CLIPPED = 64
# Weights and slants that the font's flags often leave out: they are in its name.
_BOLD_NAME = re.compile(r"bold|black|heavy|demi(?!ng)|[-,]medi$|^cm(?:ss)?bx|^sfbx", re.IGNORECASE)
_ITALIC_NAME = re.compile(r"ital|obli|^cmti|^cmsl|^sfti", re.IGNORECASE)


class PdfPageView:
    """A page of an open PDF; usable only while its document is open."""

    def __init__(self, page: Any, number: int, label: str, issues: Sequence[Issue] = ()) -> None:
        self._page = page
        self._matrix = tuple(page.rotation_matrix)
        self._turned = page.rotation != 0
        self.number = number
        self.label = label
        self._issues = list(issues)
        self.width = round(float(page.rect.width), 2)
        self.height = round(float(page.rect.height), 2)
        self.rotation = int(page.rotation) % 360

    @property
    def handle(self) -> Any:
        """The PyMuPDF page, for a model that reads it by itself."""
        return self._page

    @cached_property
    def _text_page(self) -> Any:
        return self._read_text()

    @cached_property
    def _field_text_page(self) -> Any:
        """What the fields of a form show, read by itself: else it runs into the text beside it."""
        return self._read_text(fields=True) if self._widgets else None

    def _read_text(self, *, fields: bool = False) -> Any:
        import pymupdf

        # Not ActualText: the glyphs count, not what a file claims they say. Not COLLECT_STYLES: it
        # takes seconds on pages with many drawings.
        flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_IGNORE_ACTUALTEXT
        if self._widgets:
            return read_apart(self._page, flags, fields=fields)
        return self._page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=flags)

    def words(self) -> list[Word]:
        """Words in the order the PDF library reads them, then those that form fields show."""
        found = self._text_page.extractWORDS()
        heights = self._heights
        printed = [
            self._word(item, heights.get((item[5], item[6]), (item[1], item[3]))) for item in found
        ]
        return [word for word in printed if word is not None] + self._field_words

    def field_words(self) -> list[Word]:
        """Those of the words that form fields show: their values, captions of buttons."""
        return self._field_words

    @cached_property
    def _field_words(self) -> list[Word]:
        if self._field_text_page is None:
            return []
        found = self._field_text_page.extractWORDS()
        words = [
            self._word(item, (item[1], item[3])) for item in found if self._is_in_field(item[:4])
        ]
        return [word for word in words if word is not None]

    def _is_in_field(self, box: Sequence[float]) -> bool:
        """Whether the centre of a box is in a form field: what runs out of one is clipped.
        Fields for passwords are left out."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in self._field_rects)

    @cached_property
    def _field_rects(self) -> list[tuple[float, ...]]:
        return [tuple(widget.rect) for widget in self._widgets if not is_password(widget)]

    def _word(self, item: Sequence[Any], heights: tuple[float, float]) -> Word | None:
        text, box = clean(item[4]).strip(), self._box(item[0], heights[0], item[2], heights[1])
        return Word(text, box) if text and box is not None else None

    def off_layer_words(self) -> list[Word]:
        """Words of layers (optional content) that are switched off, and so in no other list."""
        from pymupdf import mupdf

        pdf = mupdf.pdf_document_from_fz_document(self._page.parent.this)
        layers = range(mupdf.pdf_count_layers(pdf))
        off = [layer for layer in layers if not mupdf.pdf_layer_is_enabled(pdf, layer)]
        if not off:
            return []
        shown = {tuple(word[:5]) for word in self._text_page.extractWORDS()}
        try:
            for layer in off:
                mupdf.pdf_enable_layer(pdf, layer, 1)
            everything = self._read_text().extractWORDS()
        finally:
            for layer in off:
                mupdf.pdf_enable_layer(pdf, layer, 0)
        added = [(word[4], self._box(*word[:4])) for word in everything if word[:5] not in shown]
        return [Word(clean(text), box) for text, box in added if box is not None and clean(text)]

    @cached_property
    def _blocks(self) -> list[dict[str, Any]]:
        return list(self._text_page.extractDICT()["blocks"])

    @cached_property
    def _heights(self) -> dict[tuple[int, int], tuple[float, float]]:
        """Top and bottom of the level lines whose font claims an absurd height."""
        found: dict[tuple[int, int], tuple[float, float]] = {}
        for block_number, block in enumerate(self._blocks):
            for line_number, line in enumerate(block.get("lines", ())):
                boxes = [_sane(span) for span in line["spans"]]
                if line["dir"] == (1.0, 0.0) and any(_is_too_tall(s) for s in line["spans"]):
                    y0, y1 = min(box[1] for box in boxes), max(box[3] for box in boxes)
                    found[block_number, line_number] = y0, y1
        return found

    def spans(self) -> list[TextSpan]:
        return self._spans

    @cached_property
    def _spans(self) -> list[TextSpan]:
        spans = self._spans_of(self._blocks)
        if self._field_words:
            blocks = self._field_text_page.extractDICT()["blocks"]
            inside = [block for block in blocks if any(map(self._is_in_field, _line_boxes(block)))]
            spans += self._spans_of(inside, len(self._blocks))
        return spans

    def _spans_of(self, blocks: Sequence[dict[str, Any]], start: int = 0) -> list[TextSpan]:
        spans: list[TextSpan] = []
        for block_number, block in enumerate(blocks, start):
            for line_number, line in enumerate(block.get("lines", ())):
                direction = self._direction(line["dir"])
                for span in line["spans"]:
                    level = min(map(abs, line["dir"])) < 0.02
                    box = _sane(span) if level else _slanted(span, line["dir"])
                    made = self._span(span, box, direction, block_number, line_number)
                    if made is not None:
                        spans.append(made)
        return spans

    def _span(
        self,
        span: dict[str, Any],
        corners: tuple[float, float, float, float],
        direction: tuple[float, float],
        block: int,
        line: int,
    ) -> TextSpan | None:
        box = self._box(*corners)
        text = clean(span["text"])
        if box is None or not text:
            return None
        flags, font = span["flags"], clean(span["font"])
        return TextSpan(
            text=text,
            bbox=box,
            font=font,
            size=round(span["size"], 2),
            bold=bool(flags & 16) or _BOLD_NAME.search(font) is not None,
            italic=bool(flags & 2) or _ITALIC_NAME.search(font) is not None,
            color=span["color"] & 0xFFFFFF,
            alpha=round(span["alpha"] / 255, 3),
            direction=direction,
            block=block,
            line=line,
            render_mode=_render_mode(span["char_flags"]),
        )

    def drawings(self) -> list[Drawing]:
        """The segments of vector paths, at most MAX_DRAWINGS of them."""
        return self._drawings

    @cached_property
    def _drawings(self) -> list[Drawing]:
        found: list[Drawing] = []
        for path in self._page.get_cdrawings():
            found += self._segments(path)
            if len(found) >= MAX_DRAWINGS:
                break
        return found[:MAX_DRAWINGS]

    def _segments(self, path: dict[str, Any]) -> Iterator[Drawing]:
        stroke, fill = _rgb(path.get("color")), _rgb(path.get("fill"))
        width = float(path.get("width") or 0.0)
        for kind, points in map(_outline, path.get("items", ())):
            xs, ys = zip(*points, strict=True)
            box = self._box(min(xs), min(ys), max(xs), max(ys))
            if box is not None:
                yield Drawing(kind, box, stroke, fill, width)

    def images(self) -> list[PlacedImage]:
        return self._images

    @cached_property
    def _images(self) -> list[PlacedImage]:
        found: list[PlacedImage] = []
        for info in self._page.get_image_info():
            box = self._box(*info["bbox"])
            if box is not None:
                found.append(PlacedImage(box, (info["width"], info["height"])))
        return found

    def links(self) -> list[Link]:
        """The page's links; targets are data, nothing follows them."""
        found: list[Link] = []
        for link in self._page.get_links():
            rect, target = link.get("from"), _target(link)
            box = _checked_box(*rect) if rect else None  # links come rotated already
            if box is not None and target:
                found.append(Link(Region(self.number, box), target))
        return found

    def widgets(self) -> list[FormField]:
        return [form_field(widget, self._region(widget.rect)) for widget in self._widgets]

    @cached_property
    def _widgets(self) -> list[Any]:
        try:
            return list(self._page.widgets())
        except Exception:  # damaged fields cost the fields only
            return []

    def annotations(self) -> list[Annotation]:
        """Comments and marks of a reader; for a file attached to the page, its name."""
        found = read_annotations(self._page)
        words = self._text_page.extractWORDS() if any(note.quads for note in found) else []
        return [
            Annotation(region, note.kind, clean(note.text), covered(words, note.quads))
            for note in found
            if (region := self._region(note.rect)) is not None
        ]

    def issues(self) -> list[Issue]:
        return list(self._issues)

    def render(self, dpi: float, clip: BBox | None = None) -> Image.Image:
        """The page as displayed. Above 25 megapixels the resolution is lowered to that: it is
        image width / box width."""
        import pymupdf
        from PIL import Image

        shown = clip or BBox(0.0, 0.0, self.width, self.height)
        zoom = capped_dpi(dpi, shown.width, shown.height) / 72.0
        pixmap = self._page.get_pixmap(
            matrix=pymupdf.Matrix(zoom, zoom),
            clip=pymupdf.Rect(shown.x0, shown.y0, shown.x1, shown.y1) if clip else None,
            colorspace=pymupdf.csRGB,
            alpha=False,
        )
        return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)

    def _region(self, rect: Any) -> Region | None:
        box = self._box(*rect)
        return None if box is None else Region(self.number, box)

    def _box(self, x0: float, y0: float, x1: float, y1: float) -> BBox | None:
        if self._turned:
            a, b, c, d, e, f = self._matrix
            x0, y0, x1, y1 = (
                a * x0 + c * y0 + e,
                b * x0 + d * y0 + f,
                a * x1 + c * y1 + e,
                b * x1 + d * y1 + f,
            )
        return _checked_box(x0, y0, x1, y1)

    def _direction(self, direction: tuple[float, float]) -> tuple[float, float]:
        x, y = direction
        if self._turned:
            a, b, c, d, _, _ = self._matrix
            x, y = a * x + c * y, b * x + d * y
        return round(x, 3) + 0.0, round(y, 3) + 0.0


def _checked_box(x0: float, y0: float, x1: float, y1: float) -> BBox | None:
    """None for the NaN, infinite and absurd boxes of damaged files."""
    if not (-_FAR < x0 < _FAR and -_FAR < y0 < _FAR and -_FAR < x1 < _FAR and -_FAR < y1 < _FAR):
        return None
    return BBox.of(x0, y0, x1, y1)


def _line_boxes(block: dict[str, Any]) -> list[tuple[float, float, float, float]]:
    return [line["bbox"] for line in block.get("lines", ())]


def _is_too_tall(span: dict[str, Any]) -> bool:
    x0, y0, x1, y1 = span["bbox"]
    return bool(min(x1 - x0, y1 - y0) > _MAX_HEIGHT * span["size"])


def _sane(span: dict[str, Any]) -> tuple[float, float, float, float]:
    """The span's box, cut to usual proportions where the font's ascent and descent are absurd:
    such boxes would overlap the lines above and below."""
    x0, y0, x1, y1 = span["bbox"]
    baseline, size = span["origin"][1], span["size"]
    if not (_is_too_tall(span) and y0 < baseline <= y1):
        return x0, y0, x1, y1
    return x0, max(y0, baseline - size), x1, min(y1, baseline + 0.3 * size)


def _slanted(
    span: dict[str, Any], direction: tuple[float, float]
) -> tuple[float, float, float, float]:
    """The box of text on a slanted baseline, which MuPDF gives as if it were level."""
    (x, y), length, size = span["origin"], span["bbox"][2] - span["bbox"][0], span["size"]
    end_x, end_y = x + direction[0] * length, y + direction[1] * length
    x0, x1, y0, y1 = min(x, end_x), max(x, end_x), min(y, end_y), max(y, end_y)
    return x0 - size, y0 - size, x1 + 0.3 * size, y1 + 0.3 * size


def _render_mode(marks: int) -> int:
    """3, the PDF's invisible, for text neither filled nor stroked; 7 when it only clips."""
    if marks & _FILLED_OR_STROKED:
        return 0
    return 7 if marks & _CLIPPED else 3


def _outline(item: tuple[Any, ...]) -> tuple[Literal["line", "rect", "curve"], list[Any]]:
    """The kind and corner points of one item of a PyMuPDF path."""
    match item[0]:
        case "l":
            return "line", [item[1], item[2]]
        case "re":
            x0, y0, x1, y1 = item[1]
            return "rect", [(x0, y0), (x1, y1)]
        case "qu":
            return "rect", list(item[1])
        case _:
            return "curve", list(item[1:])


def _rgb(color: tuple[float, float, float] | None) -> int | None:
    if color is None:
        return None
    red, green, blue = (max(0, min(255, round(part * 255))) for part in color)
    return red << 16 | green << 8 | blue


def _target(link: dict[str, Any]) -> str:
    import pymupdf

    match link.get("kind"):
        case pymupdf.LINK_URI:
            return clean(link.get("uri") or "")
        case pymupdf.LINK_GOTO | pymupdf.LINK_NAMED if isinstance(link.get("page"), int):
            return f"#page={link['page'] + 1}" if link["page"] >= 0 else ""
        case _:
            return clean(str(link.get("file") or link.get("uri") or ""))
