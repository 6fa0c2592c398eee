"""The research flow from the configuration that ships, and with one stage exchanged at a time."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from docpipe.config import Config, StageConfig, load
from docpipe.library import Library
from docpipe.records import Document

RECEIPT = Path(__file__).parents[1] / "datasets" / "samples" / "receipt.pdf"
RESEARCH = Path("research.toml")
# All that takes time, so that what is exchanged is all that is tried.
QUICK = ["parser.base=native", "parser.recognizer=fake", "dense=false", "entities.schema=receipt"]


def read(folder: Path, config: Config) -> tuple[Library, Document]:
    library = Library.create(folder / "library", config=config)
    [line] = library.ingest(RECEIPT, jobs=1).lines
    assert line.status == "ok", line.message
    return library, library.document(line.document or "")


def stages(document: Document) -> set[str]:
    return {block.source.stage for page in document.pages for block in page.blocks}


def test_it_is_found_by_its_name_and_changed_by_settings() -> None:
    config = load(RESEARCH)
    assert config.parser.name == "elements"
    assert config.parser.options["recognizer"] == "docfusion"
    assert config.entities is not None
    changed = load(RESEARCH, ["parser.recognizer=pabdm", "parser.options.weights=FOLDER"])
    assert changed.parser.options | {"recognizer": "docfusion"} == config.parser.options | {
        "options": {"weights": "FOLDER"}
    }


@pytest.mark.slow
def test_it_reads_indexes_and_answers_with_the_weights_that_ship(tmp_path: Path) -> None:
    library, document = read(tmp_path, load(RESEARCH, ["entities.schema=receipt"]))
    assert "docfusion" in stages(document)
    assert document.pages[0].words
    assert document.fields
    trajectory = library.run("What is the total?")
    assert trajectory.steps
    assert trajectory.answer is not None
    for evidence in trajectory.answer.evidence:
        assert evidence.document == document.id
        assert evidence.regions


@pytest.mark.slow
@pytest.mark.parametrize(
    "exchanged",
    [
        pytest.param(["parser.recognizer=docfusion"], id="recogniser"),
        pytest.param(["dense=true"], id="hybrid retriever"),
        pytest.param(["visual.name=fake", "retriever=visual"], id="visual retriever"),
        pytest.param(["visual.name=fake", "retriever=fused"], id="fused retriever"),
        pytest.param(["agent.policy=one_pass"], id="policy"),
        pytest.param(["agent.policy=auto", "language_model.name=fake"], id="language model"),
        pytest.param(["reader.name=fake"], id="reader"),
        pytest.param(["entities.name=fake"], id="classifier"),
    ],
)
def test_each_stage_is_exchanged_by_a_setting(tmp_path: Path, exchanged: list[str]) -> None:
    library, document = read(tmp_path, load(RESEARCH, [*QUICK, *exchanged]))
    assert document.pages[0].words
    assert library.run("What is the total?").answer is not None


@pytest.mark.slow
def test_pabdm_reads_in_place_of_docfusion(tmp_path: Path) -> None:
    from docpipe.parsers.pabdm.weights import save
    from tests.parsers.pabdm.models import small_model

    save(tmp_path / "weights", small_model(longest=20), "causal")
    own = ["parser.recognizer=pabdm", f"parser.options.weights={tmp_path / 'weights'}"]
    read(tmp_path, load(RESEARCH, [*QUICK, *own, "parser.least=0"]))


@pytest.mark.slow
def test_it_goes_without_fields_and_with_stages_of_others(tmp_path: Path) -> None:
    agent = StageConfig("tests.server.agents:QuotingAgent")
    config = msgspec.structs.replace(load(RESEARCH, QUICK), entities=None, agent=agent)
    library, document = read(tmp_path, config)
    assert not document.fields
    answer = library.ask("What is the total?")
    assert answer.evidence
