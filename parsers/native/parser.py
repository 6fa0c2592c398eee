"""The parser itself: the steps from a page to its facts, and from facts to pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from docpipe.errors import ModelError
from docpipe.geometry import BBox
from docpipe.parsers.native.blocks import drafts_from_lines
from docpipe.parsers.native.captioned import is_diagram, joined_by_captions
from docpipe.parsers.native.compose import compose_pages
from docpipe.parsers.native.figure_labels import with_labels
from docpipe.parsers.native.figures import find_figures
from docpipe.parsers.native.form_text import beside_labels, is_form, join_mark_rows, paired
from docpipe.parsers.native.forms import Forms, read_forms, without_options
from docpipe.parsers.native.hidden import split_hidden
from docpipe.parsers.native.layout import LayoutModel, is_doubtful, judged_tables
from docpipe.parsers.native.lines import Line, body_size, lines_from_words
from docpipe.parsers.native.quality import assess
from docpipe.parsers.native.tables import find_tables
from docpipe.parsers.native.words import StyledWord, drop_duplicates, style_words
from docpipe.records import Figure, Issue, OutlineEntry, Page, Region, Source, Table, Word
from docpipe.stages import Draft, PageFacts, PageView

STAGE = "native"


Layout = Literal["fast", "auto", "model"]


class NativeParser:
    """Reads the text layer: no network, some hundredths of a second a page.

    `layout` says where a packaged layout model has a say in the page's tables, for about 0.3 CPU
    seconds a page: nowhere ("fast"), on every page ("model"), or on those whose tables the rules
    are unsure of ("auto"; it is loaded with the first of them).
    """

    def __init__(self, layout: Layout = "fast") -> None:
        self._layout = layout
        if layout == "model":
            _ = self._model

    @cached_property
    def _model(self) -> LayoutModel:
        return LayoutModel()

    def read_page(self, page: PageView) -> PageFacts:
        words, hidden = split_hidden(page, drop_duplicates(page.words()))
        forms = read_forms(page, words)
        hidden = without_options(hidden, forms.fields)
        styled = style_words(forms.words, page.spans())
        found = _no_forms(find_tables(page, forms.words), forms)
        found = [table for table in found if not is_diagram(table, forms.words)]
        tables, issues = self._judged(page, found, forms.words)
        tables = _no_forms(tables, forms)
        pairs, outside = paired(forms.entries, _outside(styled, tables), page.number, STAGE)
        lines = lines_from_words(beside_labels(outside, forms.entries))
        lines = join_mark_rows(lines, forms.entries, page.width)
        figures, lines = _figures(page, lines, tables)
        drafts = drafts_from_lines(
            lines,
            page=page.number,
            width=page.width,
            height=page.height,
            stage=STAGE,
            placed=[*map(Draft, tables), *map(Draft, figures), *pairs],
        )
        return PageFacts(
            number=page.number,
            label=page.label,
            width=page.width,
            height=page.height,
            rotation=page.rotation,
            words=forms.words,
            drafts=tuple(drafts),
            quality=assess(page, forms.words, hidden),
            hidden=tuple(hidden),
            links=tuple(page.links()),
            annotations=tuple(page.annotations()),
            form_fields=forms.fields,
            issues=issues,
        )

    def _judged(
        self, page: PageView, tables: list[Table], words: Sequence[Word]
    ) -> tuple[list[Table], tuple[Issue, ...]]:
        """The tables, after a look by the model where it is to have one, and its failure."""
        if self._layout == "fast" or (self._layout == "auto" and not is_doubtful(tables, words)):
            return tables, ()
        try:
            regions = self._model.regions(page)
        except ModelError as error:
            return tables, (Issue(STAGE, error.code, error.message, page.number),)
        return judged_tables(page, tables, words, regions), ()

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        return compose_pages(facts, outline)


def _no_forms(tables: Sequence[Table], forms: Forms) -> list[Table]:
    return [table for table in tables if not is_form(table, forms.entries, forms.words)]


def _outside(words: Sequence[StyledWord], tables: Sequence[Table]) -> list[StyledWord]:
    """The words that are in no table."""
    boxes = [table.source.regions[0].bbox for table in tables]
    return [
        word
        for word in words
        if not any(box.contains_point(*word.word.bbox.center) for box in boxes)
    ]


def _is_in(inner: BBox, boxes: Sequence[BBox]) -> bool:
    return any(box.contains_point(*inner.center) for box in boxes)


def _figures(
    page: PageView, lines: list[Line], tables: Sequence[Table]
) -> tuple[list[Figure], list[Line]]:
    """The page's figures, and the lines that are in none of them."""
    images, drawings = page.images(), page.drawings()
    taken = [table.source.regions[0].bbox for table in tables]
    em = body_size(lines)
    sheet = BBox(0.0, 0.0, page.width, page.height)
    areas = with_labels(find_figures(images, drawings, lines, taken, sheet, em), lines, em)
    boxes = [*(image.bbox for image in images), *(drawing.bbox for drawing in drawings)]
    marks = [box for box in boxes if not _is_in(box, taken)]
    areas = joined_by_captions(areas, lines, marks, em)
    inside = {id(line) for area in areas for line in area.lines}
    figures = [
        Figure(
            id=f"p{page.number}/figure{number}",
            source=Source((Region(page.number, area.box),), STAGE),
            description="\n".join(line.text for line in area.lines) or None,
        )
        for number, area in enumerate(areas, 1)
    ]
    return figures, [line for line in lines if id(line) not in inside]
