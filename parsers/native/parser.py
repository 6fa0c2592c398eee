"""The parser itself: the steps from a page to its facts, and from facts to pages."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.parsers.native.blocks import drafts_from_lines
from docpipe.parsers.native.compose import compose_pages
from docpipe.parsers.native.lines import lines_from_words
from docpipe.parsers.native.words import drop_duplicates, style_words
from docpipe.records import OutlineEntry, Page
from docpipe.stages import PageFacts, PageView

STAGE = "native"


class NativeParser:
    """Reads the text layer: no model, no network, some hundredths of a second a page."""

    def read_page(self, page: PageView) -> PageFacts:
        words = drop_duplicates(page.words())
        lines = lines_from_words(style_words(words, page.spans()))
        drafts = drafts_from_lines(
            lines, page=page.number, width=page.width, height=page.height, stage=STAGE
        )
        return PageFacts(
            number=page.number,
            label=page.label,
            width=page.width,
            height=page.height,
            rotation=page.rotation,
            words=tuple(words),
            drafts=tuple(drafts),
            links=tuple(page.links()),
            annotations=tuple(page.annotations()),
            form_fields=tuple(page.widgets()),
        )

    def compose(self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
        return compose_pages(facts, outline)
