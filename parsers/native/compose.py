"""Pages of facts made one document: see compose_pages."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.records import OutlineEntry, Page
from docpipe.stages import PageFacts


def compose_pages(facts: Sequence[PageFacts], outline: Sequence[OutlineEntry]) -> list[Page]:
    """The pages of a document, from facts of any parser, in linear time."""
    return [
        Page(
            number=page.number,
            label=page.label,
            width=page.width,
            height=page.height,
            rotation=page.rotation,
            words=page.words,
            blocks=tuple(draft.block for draft in page.drafts),
            quality=page.quality,
            links=page.links,
            annotations=page.annotations,
            hidden=page.hidden,
        )
        for page in facts
    ]
