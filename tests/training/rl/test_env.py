"""The environment and its rewards, part by part."""

from __future__ import annotations

import msgspec
import pytest

from docpipe.agents.mmdocr1.agent import DocumentAgent
from docpipe.agents.mmdocr1.state import Decision, pages_read
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.errors import ConfigError
from docpipe.records import Finish, Malformed, PageRequest, Read
from docpipe.testing import FakeLibrary, sample_document
from docpipe.testing.policies import FakePolicy
from docpipe.training.rl.env import DocEnv, EnvSettings
from docpipe.training.rl.rewards import RewardSettings

MILL, OTHER = "a" * 16, "b" * 16
LIBRARY = FakeLibrary(
    [
        sample_document([["The mill employed 37 people."], ["Flour is white."], ["End."]], MILL),
        sample_document([["The mill of another document employed 99 people."]], OTHER),
    ]
)
QUESTION = GoldQuestion(
    id="q1",
    kind="test",
    question="How many people did the mill employ?",
    answer="37",
    format="Int",
    how="quote",
    documents=(MILL,),
    pages=((MILL, 1), (MILL, 2)),
)
UNANSWERABLE = msgspec.structs.replace(QUESTION, id="q2", answerable=False, answer="")


def read(*pages: int) -> Decision:
    return Decision(Read((PageRequest(MILL, pages, "?"),)))


def env(**rewards: object) -> DocEnv:
    return DocEnv(LIBRARY, EnvSettings(turns=4), RewardSettings(**rewards))  # type: ignore[arg-type]


def test_a_run_earns_recall_turn_by_turn_and_correctness_at_the_end() -> None:
    made = env()
    made.reset(QUESTION)
    searched = made.step('<search>["mill"]</search>')
    assert "page 1" in searched.step.observation
    assert searched.rewards["recall"] == 0.0
    assert made.step(read(1)).rewards["recall"] == 0.5
    assert made.step(read(1, 2)).rewards["recall"] == 0.5  # a page counts once
    ended = made.step(Decision(Finish()))
    assert ended.done
    assert ended.rewards["correctness"] == 1.0
    assert made.trajectory.rewards == {
        "recall": 1.0,
        "correctness": 1.0,
        "refusal": 0.0,
        "format": 0.0,
        "cost": -2 / 12,
    }
    assert RewardSettings().total(made.trajectory.rewards) == 2.0
    assert RewardSettings(cost=0.6).total(made.trajectory.rewards) == pytest.approx(1.9)


def test_it_is_the_agent_of_ask() -> None:
    policy = FakePolicy()
    agent = DocumentAgent.of(policy, turns=4)
    made = env()
    state, done = made.reset(msgspec.structs.replace(QUESTION, documents=())), False
    while not done:
        done = made.step(policy.decide(state)).done
    expected = agent.run(QUESTION.question, LIBRARY)
    assert made.trajectory.steps == expected.steps
    assert made.trajectory.answer.value == expected.answer.value


def test_only_the_documents_of_the_question_are_seen() -> None:
    state = env().reset(QUESTION)
    assert state.documents == [MILL]


def test_malformed_turns_cost_their_share_of_the_turns() -> None:
    made = env(format=1.0)
    made.reset(QUESTION)
    outcome = made.step("I would rather chat.")
    assert isinstance(outcome.step.action, Malformed)
    assert outcome.rewards["format"] == -0.25
    assert made.rewards.total(outcome.rewards) == -0.25


def test_a_bound_ends_the_run_with_the_last_turn() -> None:
    made = env()
    made.reset(QUESTION)
    outcomes = [made.step('<search>["mill"]</search>') for _ in range(4)]
    assert [outcome.done for outcome in outcomes] == [False, False, False, True]
    assert "correctness" in outcomes[-1].rewards
    last = made.trajectory.steps[-1].action
    assert isinstance(last, Finish)
    assert "limit of 4 turns" in last.reason
    with pytest.raises(ConfigError, match="no run is under way"):
        made.step(read(1))


@pytest.mark.parametrize(
    ("without_pages", "refuses", "expected"),
    [
        ("correctness", True, 2.0),  # correctness stands in for the recall there is none of
        ("correctness", False, 0.0),
        ("nothing", True, 1.0),
        ("nothing", False, 0.0),
    ],
)
def test_a_question_without_an_answer_has_no_recall(
    without_pages: str, refuses: bool, expected: float
) -> None:
    made = env(without_pages=without_pages)
    made.reset(UNANSWERABLE)
    if not refuses:
        assert "recall" not in made.step(read(1)).rewards
    made.step(Decision(Finish()))
    parts = made.trajectory.rewards
    assert made.rewards.total(parts) == expected
    assert parts["refusal"] == (1.0 if refuses else -1.0)


def test_an_answerable_question_without_gold_pages_keeps_its_range() -> None:
    made = env()
    made.reset(msgspec.structs.replace(QUESTION, pages=()))
    made.step(read(1))
    made.step(Decision(Finish()))
    assert made.rewards.total(made.trajectory.rewards) == 2.0
    assert pages_read(made.trajectory) == [(MILL, 1)]


def test_a_wrong_refusal_earns_nothing_for_refusing() -> None:
    made = env(refusal=1.0)
    made.reset(QUESTION)
    made.step(Decision(Finish()))
    assert made.rewards.total(made.trajectory.rewards) == 0.0


def test_before_the_end_there_is_no_trajectory() -> None:
    made = env()
    made.reset(QUESTION)
    with pytest.raises(ConfigError, match="not over"):
        _ = made.trajectory
