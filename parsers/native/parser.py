"""The parser itself: the steps from a page to its facts, and from facts to pages."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.geometry import BBox
from docpipe.parsers.native.blocks import drafts_from_lines
from docpipe.parsers.native.compose import compose_pages
from docpipe.parsers.native.figures import find_figures
from docpipe.parsers.native.form_text import beside_labels, is_form, join_mark_rows, paired
from docpipe.parsers.native.forms import Forms, read_forms, without_options
from docpipe.parsers.native.hidden import split_hidden
from docpipe.parsers.native.lines import Line, lines_from_words
from docpipe.parsers.native.quality import assess
from docpipe.parsers.native.tables import find_tables
from docpipe.parsers.native.words import StyledWord, drop_duplicates, style_words
from docpipe.records import Figure, OutlineEntry, Page, Region, Source, Table
from docpipe.stages import Draft, PageFacts, PageView

STAGE = "native"


class NativeParser:
    """Reads the text layer: no model, no network, some hundredths of a second a page."""

    def read_page(self, page: PageView) -> PageFacts:
        words, hidden = split_hidden(page, drop_duplicates(page.words()))
        forms = read_forms(page, words)
        hidden = without_options(hidden, forms.fields)
        styled = style_words(forms.words, page.spans())
        tables = _tables(page, forms)
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
        )

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        return compose_pages(facts, outline)


def _tables(page: PageView, forms: Forms) -> list[Table]:
    tables = find_tables(page, forms.words)
    return [table for table in tables if not is_form(table, forms.entries, forms.words)]


def _outside(words: Sequence[StyledWord], tables: Sequence[Table]) -> list[StyledWord]:
    """The words that are in no table."""
    boxes = [table.source.regions[0].bbox for table in tables]
    return [
        word
        for word in words
        if not any(box.contains_point(*word.word.bbox.center) for box in boxes)
    ]


def _figures(
    page: PageView, lines: list[Line], tables: Sequence[Table]
) -> tuple[list[Figure], list[Line]]:
    """The page's figures, and the lines that are in none of them."""
    areas = find_figures(
        page.images(),
        page.drawings(),
        lines,
        [table.source.regions[0].bbox for table in tables],
        BBox(0.0, 0.0, page.width, page.height),
    )
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
