"""A language model's policy: what is scored is what was sampled, token by token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from docpipe.agents.mmdocr1.history import Rendering
from docpipe.agents.mmdocr1.seeker import seeker_prompt
from docpipe.agents.mmdocr1.state import Decision
from docpipe.agents.models import chat_prompt
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.records import Finish, Malformed, PageRequest, Read, Search
from docpipe.training.docfusion.settings import LoraSettings
from docpipe.training.rl.chats import Chats
from docpipe.training.rl.env import DocEnv, EnvSettings
from docpipe.training.rl.language import LanguagePolicy, TokenChoices, chained, response_mask
from docpipe.training.rl.lockstep import Lockstep
from docpipe.training.rl.parts import language_policy, load_model
from docpipe.training.rl.rolling import Job, jobs, roll_out
from docpipe.training.rl.runs import Rollout
from docpipe.training.rl.toy import toy_model, toy_questions
from docpipe.training.rl.updates import swapped

LIBRARY, QUESTIONS = toy_questions(4)
QUESTION = QUESTIONS[0]


def env() -> DocEnv:
    return DocEnv(LIBRARY, EnvSettings(turns=3, reader="fake"))


@pytest.fixture(scope="module")
def made() -> tuple[Any, Any]:
    return toy_model(env(), QUESTIONS)


@pytest.fixture
def policy(made: tuple[Any, Any]) -> LanguagePolicy:
    return LanguagePolicy(*made, max_tokens=12, temperature=0.8)


def run(policy: LanguagePolicy, seed: int = 5, question: GoldQuestion = QUESTION) -> Rollout:
    return roll_out(policy, env(), Job(question, 0, seed))


def choices_of(rollout: Rollout) -> list[TokenChoices]:
    return [turn.choices for turn in rollout.turns if isinstance(turn.choices, TokenChoices)]


@pytest.mark.parametrize("history", ["chat", "steps"])
def test_scores_are_those_of_sampling(made: tuple[Any, Any], history: Rendering) -> None:
    policy = LanguagePolicy(*made, history=history, max_tokens=12, temperature=0.8)
    choices = choices_of(run(policy)) + choices_of(run(policy, 6, QUESTIONS[1]))
    scores = policy.score(choices)
    for row, one in enumerate(choices):
        count = len(one.response)
        assert scores.mask[row].tolist() == [at < count for at in range(scores.mask.shape[1])]
        assert scores.logp[row, :count].tolist() == pytest.approx(one.logp, abs=1e-4)
    assert (scores.entropy[scores.mask] > 0).all()


def test_a_prompt_goes_on_with_the_very_tokens_written(policy: LanguagePolicy) -> None:
    first, second, third = choices_of(run(policy))
    assert second.prompt[: len(first.prompt + first.response)] == first.prompt + first.response
    assert third.prompt[: len(second.prompt + second.response)] == second.prompt + second.response
    assert chained([first, second, third, first]) == [[0, 1, 2], [3]]


@pytest.mark.parametrize("ended", [True, False])
def test_a_chat_template_closes_a_reply_once(
    made: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    _, tokenizer = made
    template = (
        "{% for m in messages %}[{{ m.role }}]{{ m.content }}<end>\n{% endfor %}"
        "{% if add_generation_prompt %}[assistant]{% endif %}"
    )
    monkeypatch.setattr(tokenizer, "chat_template", template)
    chats, running = Chats(tokenizer), env()
    state = running.reset(QUESTION)
    first = chats.prompt(state, seeker_prompt(state, "chat", brief=True))
    reply = chats.response("<search>[1]</search>")
    reply = reply if ended else reply[:-1]  # cut at the bound
    chats.wrote(state, first, reply)
    running.step(chats.text(reply))
    messages = seeker_prompt(state, "chat", brief=True)
    second = chats.prompt(state, messages)
    assert second[: len(first + reply)] == first + reply
    assert tokenizer.decode(list(second)) == chat_prompt(tokenizer, messages)


def test_one_pass_over_a_chat_scores_as_a_pass_for_each_turn(policy: LanguagePolicy) -> None:
    choices = choices_of(run(policy))
    together = policy.score(choices)
    for row, one in enumerate(choices):
        alone = policy.score([one])
        count = len(one.response)
        assert torch.allclose(together.logp[row, :count], alone.logp[0, :count], atol=1e-5)


def test_only_what_the_policy_wrote_gets_a_gradient(
    policy: LanguagePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = choices_of(run(policy))
    kept: list[torch.Tensor] = []
    forward = type(policy.model).forward

    def watched(self: Any, *arguments: Any, **options: Any) -> Any:
        output = forward(self, *arguments, **options)
        output.logits.retain_grad()
        kept.append(output.logits)
        return output

    monkeypatch.setattr(type(policy.model), "forward", watched)
    scores = policy.score(choices)
    scores.logp.sum().backward()
    gradient = kept[0].grad
    assert gradient is not None
    ids, wrote = response_mask(choices)
    assert len(ids) == len(wrote) == gradient.shape[1]
    moved = gradient[0].abs().sum(-1) > 0
    # the logits before a token are what it is drawn from
    assert moved.tolist() == [*wrote[1:], False]
    assert 0 < sum(wrote) == sum(len(one.response) for one in choices) < len(ids)


def test_the_same_seed_writes_the_same(policy: LanguagePolicy) -> None:
    assert choices_of(run(policy, 1)) == choices_of(run(policy, 1))
    assert choices_of(run(policy, 1)) != choices_of(run(policy, 2))


def test_runs_side_by_side_are_those_of_runs_alone(policy: LanguagePolicy) -> None:
    wanted = jobs(QUESTIONS[:3], 2, "seed")
    alone = [roll_out(policy, env(), job) for job in wanted]
    for size in (2, 4):
        together = list(Lockstep(policy, env, size).roll(wanted))
        for one, other in zip(alone, together, strict=True):
            assert (one.question, one.number) == (other.question, other.number)
            assert one.trajectory == other.trajectory
            for mine, theirs in zip(choices_of(one), choices_of(other), strict=True):
                assert (mine.prompt, mine.response) == (theirs.prompt, theirs.response)
                assert mine.logp == pytest.approx(theirs.logp, abs=1e-4)


def test_no_room_ends_the_run_without_a_choice(made: tuple[Any, Any]) -> None:
    policy = LanguagePolicy(*made, max_tokens=12, context=20)
    rollout = run(policy)
    assert rollout.turns == ()
    last = rollout.trajectory.steps[-1].action
    assert isinstance(last, Finish)
    assert "tokens" in last.reason


def test_demonstrations_are_written_as_they_will_be_read(policy: LanguagePolicy) -> None:
    made, decisions = (
        env(),
        [
            Decision(Search((QUESTION.question,))),
            Decision(Read((PageRequest(QUESTION.documents[0], (2, 3), QUESTION.question),))),
            Decision(Finish()),
        ],
    )
    policy = LanguagePolicy(policy.model, policy._tokenizer, max_tokens=64)
    state, choices = made.reset(QUESTION), []
    for decision in decisions:
        shown = policy.demonstrate(state, decision)
        assert shown is not None
        choices.append(shown)
        text = policy._chats.text(shown.response)
        step = made.step(text).step
        assert type(step.action) is type(decision.action)
        if isinstance(step.action, Read):
            assert step.action.requests == decision.action.requests  # type: ignore[union-attr]
    assert chained(choices) == [[0, 1, 2]]
    assert choices[1].response[-1] == policy._tokenizer.eos_token_id


def test_nonsense_and_what_is_too_long_are_not_imitated(policy: LanguagePolicy) -> None:
    state = env().reset(QUESTION)
    assert policy.demonstrate(state, Decision(Malformed("?"))) is None
    assert policy.demonstrate(state, Decision(Search(("many words " * 20,)))) is None


def test_checkpointing_changes_no_gradient(made: tuple[Any, Any]) -> None:
    found = []
    for checkpointing in (False, True):
        model, tokenizer = toy_model(env(), QUESTIONS)
        policy = LanguagePolicy(model, tokenizer, max_tokens=6, checkpointing=checkpointing)
        policy.score(choices_of(run(policy))).logp.sum().backward()
        found.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    assert torch.allclose(found[0], found[1], atol=1e-5)


def test_adapters_alone_are_trained_and_merged_when_saved(tmp_path: Path) -> None:
    policy = language_policy("toy", env(), QUESTIONS, LoraSettings(rank=2), seed=0, max_tokens=6)
    trained = [p for p in policy.model.parameters() if p.requires_grad]
    assert 0 < sum(p.numel() for p in trained) < 5000
    choices = choices_of(run(policy))
    start = policy.score(choices).logp.detach()
    reference = [p.detach().clone() for p in trained]
    for parameter in trained:
        parameter.data += 0.1
    moved = policy.score(choices).logp.detach()
    assert not torch.allclose(start, moved)
    with swapped(trained, reference):
        assert torch.equal(policy.score(choices).logp, start)
    policy.save(tmp_path)
    loaded = LanguagePolicy(*load_model(tmp_path), max_tokens=6)
    assert torch.allclose(loaded.score(choices).logp, moved, atol=1e-4)
