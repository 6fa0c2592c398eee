"""Captions stand in Markdown on the side of the table where they stand on the page."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from docpipe.export import to_markdown
from docpipe.geometry import BBox
from docpipe.records import Document, Region, Source, Table


@pytest.mark.parametrize(("y", "first"), [(80.0, "Table 1"), (310.0, "| A |")])
def test_a_caption_stays_above_or_below_its_table(
    y: float, first: str, document: Callable[..., Document], table: Callable[..., Table]
) -> None:
    box, caption = BBox(50.0, 100.0, 400.0, 300.0), BBox(50.0, y, 400.0, y + 12)
    source = Source((Region(1, box), Region(1, caption)), "native")
    block = table(["A"], ["1"], caption="Table 1. Sizes")
    markdown = to_markdown(document(msgspec.structs.replace(block, source=source)))
    assert markdown.lstrip().startswith(first)
    assert markdown.count("Table 1. Sizes") == 1
