"""Retrievers for other frameworks, against the real packages."""

from __future__ import annotations

import importlib
import sys

import pytest

from docpipe.config import from_mapping
from docpipe.errors import ConfigError
from docpipe.library import Library
from tests.pdfs import write_pdf


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("library")
    write_pdf(folder / "in" / "mill.pdf", ["The old mill was built in 1871.", "Its owner is Ada."])
    library = Library.create(folder / "library", config=from_mapping({"ocr_mode": "off"}))
    library.ingest(folder / "in", jobs=1)
    return library


@pytest.mark.slow
def test_langchain_gets_chunks_with_places(library: Library) -> None:
    pytest.importorskip("langchain_core")
    from docpipe.integrations.langchain import DocpipeRetriever

    [found] = DocpipeRetriever(library=library, k=1).invoke("Who is the owner?")
    assert found.page_content == "Its owner is Ada."
    assert found.metadata["name"] == "mill.pdf"
    assert found.metadata["page"] == 2
    assert found.metadata["boxes"][0][0] == 2


@pytest.mark.slow
def test_llamaindex_gets_chunks_with_places(library: Library) -> None:
    pytest.importorskip("llama_index.core")
    from docpipe.integrations.llamaindex import DocpipeRetriever

    [found] = DocpipeRetriever(library, k=1).retrieve("When was the old mill built?")
    assert found.node.get_content() == "The old mill was built in 1871."
    assert (found.node.metadata["name"], found.node.metadata["page"]) == ("mill.pdf", 1)
    from llama_index.core.schema import MetadataMode

    shown = found.node.get_content(MetadataMode.LLM)
    assert "mill.pdf" in shown
    assert "boxes" not in shown


@pytest.mark.parametrize("name", ["langchain", "llamaindex"])
def test_a_framework_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in (
        "langchain_core",
        "langchain_core.callbacks",
        "llama_index.core",
        "llama_index.core.retrievers",
    ):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"docpipe.integrations.{name}", raising=False)
    with pytest.raises(ConfigError) as caught:
        importlib.import_module(f"docpipe.integrations.{name}")
    assert "docpipe[integrations]" in caught.value.hint
