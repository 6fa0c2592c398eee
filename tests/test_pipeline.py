"""From a file to a Document, in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docpipe
from docpipe import codec
from docpipe.config import from_mapping
from docpipe.content import page_text
from docpipe.errors import ConfigError, InputError, StageError
from docpipe.pipeline import Pipeline, page_numbers
from docpipe.records import Document
from docpipe.testing import FakeParser
from tests.hostile import HostileOcr, HostileParser
from tests.pdfs import write_pdf


def texts(document: Document) -> list[str]:
    return [page_text(page) for page in document.pages]


def hostile() -> Pipeline:
    return Pipeline(parser=HostileParser(), ocr=HostileOcr())


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "mixed.pdf", ["one", "FAIL here", "SCAN three", "SCANFAIL four"])


def test_parse_reads_a_pdf(tmp_path: Path) -> None:
    document = docpipe.parse(write_pdf(tmp_path / "a.pdf", ["Hello, world", "Second page"]))
    assert texts(document) == ["Hello, world", "Second page"]
    assert document.name == "a.pdf"
    assert [page.number for page in document.pages] == [1, 2]
    assert codec.decode_document(codec.encode(document)) == document


def test_equal_bytes_give_equal_documents(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["Hello"])
    assert codec.encode(docpipe.parse(path)) == codec.encode(docpipe.parse(str(path)))


def test_a_failing_page_leaves_the_others(mixed: Path) -> None:
    document = hostile().parse(mixed)
    assert texts(document) == ["one", "", "SCAN three", "SCANFAIL four"]
    assert [page.quality.route for page in document.pages] == [
        "text_layer",
        "none",
        "ocr",
        "none",
    ]
    assert document.pages[1].quality.reasons == ("internal",)
    assert (document.pages[1].width, document.pages[1].height) == (300, 200)
    assert [(issue.stage, issue.page) for issue in document.issues] == [("parse", 2), ("ocr", 4)]


def test_strict_raises(mixed: Path) -> None:
    with pytest.raises(StageError, match="page 2") as caught:
        hostile().parse(mixed, strict=True)
    assert (caught.value.page, caught.value.code) == (2, "internal")


@pytest.mark.parametrize(
    ("mode", "routes"),
    [("off", ["text_layer", "none"]), ("auto", ["text_layer", "ocr"]), ("force", ["ocr", "ocr"])],
)
def test_ocr_modes(tmp_path: Path, mode: Any, routes: list[str]) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["text", "SCAN"])
    document = hostile().parse(path, ocr=mode)
    assert [page.quality.route for page in document.pages] == routes


def test_a_page_read_by_ocr_says_why(tmp_path: Path) -> None:
    [page] = hostile().parse(write_pdf(tmp_path / "a.pdf", ["SCAN"])).pages
    assert (page.quality.verdict, page.quality.reasons) == ("ok", ("no_text_layer",))


def test_without_an_ocr_engine_the_text_layer_stays(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["SCAN one", "two"])
    config = from_mapping({"ocr": {"name": "no_such_module:Ocr"}})
    document = Pipeline(config, parser=HostileParser()).parse(path)
    assert texts(document) == ["SCAN one", "two"]
    [issue] = document.issues
    assert (issue.stage, issue.code, issue.page) == ("ocr", "config", 1)


def test_wrong_options_of_ocr_are_told_before_a_page_needs_it(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["a page that needs no OCR"])
    pipeline = Pipeline(from_mapping({"ocr": {"engine": "nope"}}), parser=HostileParser())
    with pytest.raises(ConfigError, match="engine"):
        pipeline.parse(path)
    assert pipeline.parse(path, ocr="off").pages


def test_ocr_that_finds_nothing_does_not_replace_text(tmp_path: Path) -> None:
    class Blind(FakeParser):
        def read_page(self, page: Any) -> Any:
            from docpipe.testing import FakePage

            return super().read_page(FakePage((), page.number))

    path = write_pdf(tmp_path / "a.pdf", ["SCAN one"])
    assert texts(Pipeline(parser=HostileParser(), ocr=Blind()).parse(path)) == ["SCAN one"]


def test_a_compose_that_fails_leaves_pages_as_read(tmp_path: Path) -> None:
    class Uncomposing(FakeParser):
        def compose(self, facts: Any, outline: Any) -> Any:
            raise ValueError("no")

    path = write_pdf(tmp_path / "a.pdf", ["one", "two"])
    document = Pipeline(parser=Uncomposing()).parse(path, ocr="off")
    assert texts(document) == ["one", "two"]
    assert [issue.stage for issue in document.issues] == ["compose"]


def test_pages_are_chosen(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", [f"This is page {name}." for name in "abcdefgh"])
    assert [text[-2] for text in texts(docpipe.parse(path, pages="1-3,7"))] == list("abcg")
    assert [text[-2] for text in texts(docpipe.parse(path, pages=[8, 2]))] == list("bh")


@pytest.mark.parametrize("pages", ["", "x", "3-1", "0", "9", "2-9", "1,,2", "-3", [0], []])
def test_pages_that_do_not_exist_are_refused(pages: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        page_numbers(pages, 8)
    assert caught.value.code == "pages"


@given(st.sets(st.integers(1, 40), min_size=1))
def test_page_lists_come_back(numbers: set[int]) -> None:
    text = ",".join(map(str, numbers))
    assert page_numbers(text, 40) == sorted(numbers) == page_numbers(numbers, 40)


def test_an_open_range_goes_to_the_end() -> None:
    assert page_numbers("6-", 8) == [6, 7, 8]


def test_passwords(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["secret"], password="sesame")
    for password, code in ((None, "needs_password"), (["x", "y"], "wrong_password")):
        with pytest.raises(InputError) as caught:
            docpipe.parse(path, password=password)
        assert caught.value.code == code
    assert texts(docpipe.parse(path, password="sesame")) == ["secret"]
    assert texts(docpipe.parse(path, password=["x", "sesame"])) == ["secret"]


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        docpipe.parse(tmp_path / "nothing.pdf")
    assert caught.value.code == "source_missing"
