"""How much memory the workers of an ingest may use."""

from __future__ import annotations

import pytest

from docpipe.config import Limits, StageConfig
from docpipe.ingest.run import memory_of

LIMITS = Limits(parse_memory=500, ocr_memory=900, model_memory=2000)


@pytest.mark.parametrize(
    ("name", "usual", "expected"),
    [("native", 500, 500), ("ocr", 900, 900), ("docfusion", 500, 2000), ("elements", 3000, 3000)],
)
def test_parsers_with_a_model_may_use_more(name: str, usual: int, expected: int) -> None:
    assert memory_of(StageConfig(name), usual, LIMITS) == expected
