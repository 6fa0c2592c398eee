"""Training the compact policy: choices are scored as they were drawn, runs side by side are those
made alone, and it learns to imitate and to do better than what it imitates."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from docpipe.agents.mmdocr1.agent import DocumentAgent
from docpipe.agents.mmdocr1.compact import load_network
from docpipe.agents.mmdocr1.offline import OfflinePolicy
from docpipe.agents.mmdocr1.state import Decision
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.records import Read, Search
from docpipe.testing import FakeLibrary, sample_document
from docpipe.testing.fakes import FakeEmbedder
from docpipe.training.rl.compact.policy import TrainableCompact
from docpipe.training.rl.compact.remembered import RememberedEnv, SilentReader
from docpipe.training.rl.env import EnvSettings
from docpipe.training.rl.imitation import demonstrations
from docpipe.training.rl.lockstep import Lockstep
from docpipe.training.rl.rewards import RewardSettings
from docpipe.training.rl.rolling import Job, jobs, roll_out
from docpipe.training.rl.settings import (
    DataSettings,
    ImitationSettings,
    PolicySettings,
    Settings,
    TrainingSettings,
)
from docpipe.training.rl.toy import toy_questions
from docpipe.training.train_agent import train

ID = "a" * 16
LIBRARY = FakeLibrary(
    [sample_document([["The mill employed 37 people."], ["Flour is white."], ["The end."]], ID)]
)
QUESTIONS = [
    GoldQuestion(
        id=f"q{page}",
        kind="test",
        question=question,
        answer="37",
        format="Int",
        how="given",
        documents=(ID,),
        pages=((ID, page),),
    )
    for page, question in enumerate(("How many people did the mill employ?", "Is flour white?"), 1)
]


def env() -> RememberedEnv:
    return RememberedEnv(LIBRARY, EnvSettings(turns=6, pages=2))


@pytest.fixture
def policy() -> TrainableCompact:
    torch.manual_seed(1)
    return TrainableCompact(FakeEmbedder(16), width=16, vectors=4)


def test_choices_are_scored_as_they_were_drawn(policy: TrainableCompact) -> None:
    rollout = roll_out(policy, env(), Job(QUESTIONS[0], 0, 5))
    choices = [turn.choices for turn in rollout.turns]
    scored = policy.score(choices)
    for row, made in enumerate(choices):
        count = len(made.logp)
        assert scored.mask[row].tolist() == [at < count for at in range(scored.mask.shape[1])]
        torch.testing.assert_close(scored.logp[row, :count], torch.tensor(made.logp))
        assert (scored.entropy[row, :count] >= 0).all()


def test_runs_side_by_side_are_those_made_alone(policy: TrainableCompact) -> None:
    wanted = jobs(QUESTIONS, 3, "salt")
    alone = [roll_out(policy, env(), job) for job in wanted]
    together = list(Lockstep(policy, env, 4).roll(wanted))
    assert [r.trajectory for r in together] == [r.trajectory for r in alone]
    assert [r.number for r in together] == [0, 1, 2, 0, 1, 2]


def test_demonstrated_decisions_become_the_picks_that_make_them(policy: TrainableCompact) -> None:
    made = env()
    state = made.reset(QUESTIONS[0])
    decision = OfflinePolicy().decide(state)
    picks = policy.demonstrate(state, decision)
    assert picks is not None
    assert picks.logp == ()
    assert all(at in allowed for at, allowed in zip(picks.taken, picks.allowed, strict=True))
    assert policy.demonstrate(state, Decision(Search(("barges of the north",)))) is None


def test_imitation_leads_to_the_runs_imitated(policy: TrainableCompact, tmp_path: Path) -> None:
    settings = ImitationSettings(source="offline")
    runs = demonstrations(policy, env(), QUESTIONS, settings)
    choices = [choice for run in runs for choice in run]
    optimizer = torch.optim.Adam(policy.model.parameters(), 0.02)
    for _ in range(60):
        optimizer.zero_grad()
        scored = policy.score(choices)
        (-scored.logp[scored.mask].mean()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    made = env()
    state, done = made.reset(QUESTIONS[0]), False
    while not done:
        done = made.step(OfflinePolicy().decide(state)).done
    learnt = roll_out(policy, env(), Job(QUESTIONS[0], 0, None)).trajectory
    assert [step.action for step in learnt.steps if isinstance(step.action, Read)] == [
        step.action for step in state.steps if isinstance(step.action, Read)
    ]
    policy.save(tmp_path)
    for name, value in load_network(tmp_path).state_dict().items():
        torch.testing.assert_close(policy.network.state_dict()[name], value)


def test_searches_are_made_once() -> None:
    made = env()
    for _ in range(2):
        made.reset(QUESTIONS[0])
        made.step(Decision(Search(("mill",))))
    assert len(made.found) == 1


def test_it_is_trained_by_the_command_and_used_by_the_agent(tmp_path: Path) -> None:
    settings = Settings(
        data=DataSettings(toy=4),
        policy=PolicySettings("compact", {"embedder": "fake", "width": 16, "vectors": 4}),
        env=EnvSettings(turns=6, pages=2, reader=f"{SilentReader.__module__}:SilentReader"),
        reward=RewardSettings(correctness=0.0, cost=0.25, without_pages="nothing"),
        imitation=ImitationSettings(steps=3, batch=4),
        training=TrainingSettings(steps=2, questions=4, group=2, rate=1e-3),
    )
    card = train(settings, tmp_path)
    assert 0.0 <= card.evaluation["eval_recall"] <= 1.0
    library, (question, *_) = toy_questions(4, settings.seed)
    agent = DocumentAgent(
        policy="compact", policy_options={"weights": str(tmp_path), "embedder": "fake"}
    )
    assert isinstance(agent.run(question.question, library).steps[0].action, Search)
