"""Floors under the measured quality, on real documents: a change that falls through one is a bug.

The figures themselves are in docs/results; these are lower, to leave room for small trades.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from docpipe.bench import BenchResult, Options, run_bench
from docpipe.config import from_mapping
from docpipe.library import Library

pytestmark = pytest.mark.data

TEXT_LAYER_ONLY = from_mapping({"ocr_mode": "off"})
PAPERS = ("2023.acl-long.386.pdf", "2310.05634v2.pdf", "STEPBACK.pdf", "Independents-Report.pdf")


@pytest.fixture(scope="module")
def library(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three papers and a report, ingested."""
    root = tmp_path_factory.mktemp("floors") / "library"
    documents = data / "mmlongbench" / "documents"
    report = Library.create(root, config=TEXT_LAYER_ONLY).ingest([documents / n for n in PAPERS])
    assert report.all_good
    return root


def bench(
    name: str, folder: Path, library: Path | None = None, limit: int | None = None
) -> BenchResult:
    options = Options(limit=limit, seed=3, library=library, config=TEXT_LAYER_ONLY)
    return run_bench(name, folder, options)


def test_parsing_of_single_pages(data: Path) -> None:
    summary = bench("parse", data / "parsebench" / "opendataloader", limit=40).summary
    assert summary["overall"] > 0.87
    assert summary["nid"] > 0.90
    assert summary["false_tables"] <= 1


def test_structure_of_tables(data: Path) -> None:
    assert bench("parse", data / "parsebench" / "icdar2013", limit=20).summary["teds"] > 0.75


def test_pages_are_found(data: Path, library: Path, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    for name in PAPERS:
        (tmp_path / "documents" / name).symlink_to(data / "mmlongbench" / "documents" / name)
    (tmp_path / "samples.json").symlink_to(data / "mmlongbench" / "samples.json")
    summary = bench("retrieval", tmp_path, library).summary
    assert summary["recall_at_5"] > 0.74
