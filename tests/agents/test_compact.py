"""The compact policy: what it is offered, what it is told, and what its picks become."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from docpipe.agents.mmdocr1.agent import DocumentAgent
from docpipe.agents.mmdocr1.compact import CompactPolicy, load_network, save_network, scores
from docpipe.agents.mmdocr1.compact_facts import Memory
from docpipe.agents.mmdocr1.compact_features import (
    ENOUGH,
    OPTION_FEATURES,
    RUN_FEATURES,
    Scene,
)
from docpipe.agents.mmdocr1.compact_network import CompactNetwork
from docpipe.agents.mmdocr1.compact_options import (
    Candidate,
    Enough,
    Query,
    decision_of,
    follow,
    options,
    picks_of,
)
from docpipe.agents.mmdocr1.offline import OfflinePolicy
from docpipe.agents.mmdocr1.state import Decision, State, pages_read
from docpipe.errors import ModelError
from docpipe.records import Block, Finish, PageRequest, Read, Search
from docpipe.testing import FakeLibrary
from docpipe.testing.fakes import FakeEmbedder
from tests.agents.documents import document, table, text

QUESTION = "How many people did the mill of Ardle employ?"
OUTPUT = table(5, 2, [["Mill", "Output"], ["Upper", "1,380"]], "Output of the mill")


def library() -> FakeLibrary:
    found: dict[int, Sequence[Block]] = {
        3: [text(3, 1, "The mill of Ardle", "title"), text(3, 2, "The mill employed 37 people.")],
        5: [text(5, 1, "Output of the mill", "heading"), OUTPUT],
    }
    return FakeLibrary(
        [document(*(found.get(n, [text(n, 1, f"Nothing of note {n}.")]) for n in range(1, 9)))]
    )


def agent() -> DocumentAgent:
    return DocumentAgent.of(OfflinePolicy())


def searched(*more: Decision) -> State:
    run = agent()
    state = run.start(QUESTION, library())
    run.act(state, Decision(Search((QUESTION,))))
    for decision in more:
        run.act(state, decision)
    return state


def read(state: State, *pages: int) -> Decision:
    return Decision(Read((PageRequest(state.documents[0], pages, QUESTION),)))


def test_before_a_search_only_queries_are_allowed() -> None:
    state = agent().start(QUESTION, library())
    offered = options(state)
    allowed = [offered[at] for at in follow([], offered, state)]
    assert allowed
    assert all(isinstance(option, Query) for option in allowed)
    assert QUESTION in [option.text for option in allowed if isinstance(option, Query)]


def test_pages_found_and_those_beside_are_offered_until_they_are_read() -> None:
    state = searched()
    first = [o.key[1] for o in options(state) if isinstance(o, Candidate)]
    assert {2, 3, 4, 5} <= set(first)
    state = searched(read(state, 3))
    after = [o.key[1] for o in options(state) if isinstance(o, Candidate)]
    assert 3 not in after
    assert QUESTION not in [o.text for o in options(state) if isinstance(o, Query)]


def test_a_turn_takes_picks_of_one_kind_up_to_its_bound() -> None:
    state = searched()
    offered = options(state)
    pages = [option for option in offered if isinstance(option, Candidate)]
    after_one = [offered[at] for at in follow(pages[:1], offered, state)]
    assert pages[0] not in after_one
    assert {type(option) for option in after_one} == {Candidate, Enough}
    assert follow(pages[:3], offered, state) == []
    assert follow([Enough()], offered, state) == []


def test_no_page_is_offered_when_the_budget_is_spent() -> None:
    run = DocumentAgent.of(OfflinePolicy(), pages=1)
    state = run.start(QUESTION, library())
    run.act(state, Decision(Search((QUESTION,))))
    run.act(state, read(state, 3))
    assert not any(isinstance(option, Candidate) for option in options(state))


@pytest.mark.parametrize("kind", ["search", "read", "finish"])
def test_picks_make_the_decision_that_they_are_taken_from(kind: str) -> None:
    state = searched() if kind != "search" else agent().start(QUESTION, library())
    wanted = {
        "search": Decision(Search((QUESTION,))),
        "read": read(state, 3, 5),
        "finish": Decision(Finish("done")),
    }[kind]
    picks = picks_of(wanted, options(state), state)
    assert picks is not None
    made = decision_of(picks, state).action
    assert type(made) is type(wanted.action)
    if kind != "finish":
        assert made == wanted.action


def test_decisions_that_are_not_offered_have_no_picks() -> None:
    state = searched()
    assert picks_of(Decision(Search(("barges",))), options(state), state) is None
    assert picks_of(read(state, 99), options(state), state) is None


def test_features_have_their_shape_and_tell_of_picks() -> None:
    scene = Scene(searched(), Memory(FakeEmbedder(16)))
    first = scene.situation([])
    assert first.features.shape == (len(scene.offered), OPTION_FEATURES)
    assert first.run.shape == (RUN_FEATURES,)
    assert first.vectors.shape == (len(scene.offered), 16)
    assert np.isfinite(first.features).all()
    assert [float(row[ENOUGH]) for row in first.features] == [
        float(option == Enough()) for option in scene.offered
    ]
    pick = next(option for option in scene.offered if isinstance(option, Candidate))
    after = scene.situation([pick])
    assert not np.array_equal(after.run, first.run)


def test_features_do_not_depend_on_what_was_remembered() -> None:
    memory = Memory(FakeEmbedder(16))
    Scene(searched(), memory).situation([])
    warm = Scene(searched(), memory).situation([])
    cold = Scene(searched(), Memory(FakeEmbedder(16))).situation([])
    for a, b in zip(warm, cold, strict=True):
        assert np.array_equal(a, b)


def test_memory_keeps_few_texts() -> None:
    memory = Memory(FakeEmbedder(16), texts=2)
    rows = memory.vectors(["a", "", "b", "c"])
    assert not rows[1].any()
    assert np.array_equal(memory.vectors(["a"])[0], rows[0])


def network() -> CompactNetwork:
    torch.manual_seed(3)
    return CompactNetwork(16, width=8, vectors=4)


def test_scores_do_not_depend_on_padding_or_other_rows() -> None:
    memory = Memory(FakeEmbedder(16))
    small = Scene(agent().start(QUESTION, library()), memory).situation([])
    large = Scene(searched(), memory).situation([])
    allowed = [list(range(len(small.features))), list(range(len(large.features)))]
    both = scores(network(), [small, large], allowed)
    alone = scores(network(), [small], allowed[:1])
    torch.testing.assert_close(both[0, : len(small.features)], alone[0])
    assert torch.isinf(both[0, len(small.features) :]).all()


def saved(folder: Path) -> Path:
    save_network(network(), folder)
    return folder


def policy(folder: Path, eagerness: float = 0.0) -> CompactPolicy:
    return CompactPolicy(
        saved(folder), embedder="tests.agents.test_compact:few_dimensions", eagerness=eagerness
    )


def few_dimensions() -> FakeEmbedder:
    return FakeEmbedder(16)


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    loaded = load_network(saved(tmp_path))
    for name, value in network().state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], value)


def test_weights_that_are_missing_or_damaged_are_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="compact"):
        load_network(tmp_path)
    (tmp_path / "compact.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelError):
        load_network(tmp_path)


def test_an_embedder_of_other_vectors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="vectors of 16 numbers"):
        CompactPolicy(saved(tmp_path), embedder="fake")


def test_a_run_keeps_the_budget_and_ends(tmp_path: Path) -> None:
    trajectory = DocumentAgent.of(policy(tmp_path)).run(QUESTION, library())
    assert isinstance(trajectory.steps[0].action, Search)
    assert isinstance(trajectory.steps[-1].action, Finish)
    assert len(pages_read(trajectory)) <= 12


def test_eagerness_ends_a_run_with_fewer_pages(tmp_path: Path) -> None:
    eager = DocumentAgent.of(policy(tmp_path, eagerness=50.0)).run(QUESTION, library())
    never = DocumentAgent.of(policy(tmp_path, eagerness=-50.0)).run(QUESTION, library())
    assert len(pages_read(eager)) < len(pages_read(never))
    assert len(eager.steps) == 2


def test_over_several_documents_the_hand_written_policy_decides(tmp_path: Path) -> None:
    one = document([text(1, 1, "The mill employed 37 people.")])
    both = FakeLibrary([one, msgspec.structs.replace(one, id="f" * 16)])
    steps = DocumentAgent.of(policy(tmp_path)).run(QUESTION, both).steps
    by_hand = DocumentAgent.of(OfflinePolicy()).run(QUESTION, both).steps
    assert [step.action for step in steps] == [step.action for step in by_hand]
