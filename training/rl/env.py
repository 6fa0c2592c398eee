"""Questions over a library as an environment: reset, then step by step until it is done.

    env = DocEnv(library)
    state = env.reset(question)
    while not outcome.done:
        outcome = env.step(policy.decide(state))
    env.trajectory                                  # the run, with its rewards in parts

It is the agent of `docpipe ask`, with its tools, bounds and answerer, taken apart turn by turn;
rewards come on top.
"""

from __future__ import annotations

import msgspec

from docpipe import registry
from docpipe.agents.mmdocr1 import grammar
from docpipe.agents.mmdocr1.agent import DocumentAgent
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.agents.scope import Scope
from docpipe.agents.tools import PageKey
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.errors import ConfigError
from docpipe.records import Finish, Malformed, Step, Trajectory
from docpipe.stages import LibraryView, PageReader
from docpipe.training.rl.rewards import RewardSettings, answer_parts, gold_pages, summed


class EnvSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds of a run and what its tools give: `turns` of the policy, `pages` read in all and
    `pages_at_once`, `depth` pages found by a search. 4 turns, 10 pages by a search and 3 pages at
    once are the paper's. `reader` reads the pages and answers."""

    turns: int = 4
    pages: int = 12
    pages_at_once: int = 3
    depth: int = 10
    reader: str = "extractive"


class Outcome(msgspec.Struct, frozen=True):
    """What came of a decision: the step, the parts of the reward that it earned, and whether the
    run is over. The last decision of a run earns what the answer is worth."""

    step: Step
    rewards: dict[str, float]
    done: bool


class DocEnv:
    """One run at a time over the documents of a library, or of those that a question names."""

    def __init__(
        self,
        library: LibraryView,
        settings: EnvSettings | None = None,
        rewards: RewardSettings | None = None,
        *,
        reader: PageReader | None = None,
    ) -> None:
        self.library = library
        self.settings = settings or EnvSettings()
        self.rewards = rewards or RewardSettings()
        self._reader = reader or registry.build("reader", self.settings.reader)
        self._agent = DocumentAgent(
            self._reader,
            policy="one_pass",  # never asked: decisions come from outside
            turns=self.settings.turns,
            pages=self.settings.pages,
            pages_at_once=self.settings.pages_at_once,
            depth=self.settings.depth,
        )
        self._question: GoldQuestion | None = None
        self._state: State | None = None
        self._parts: list[dict[str, float]] = []
        self._trajectory: Trajectory | None = None

    def twin(self) -> DocEnv:
        """Another environment of the same kind, for a run beside this one's."""
        return DocEnv(self.library, self.settings, self.rewards, reader=self._reader)

    def reset(self, question: GoldQuestion) -> State:
        """Begin a run; its state before the first turn."""
        library = Scope(self.library, question.documents) if question.documents else self.library
        self._question, self._parts, self._trajectory = question, [], None
        self._state = self._agent.start(question.question, library)
        return self._state

    def step(self, decision: Decision | str) -> Outcome:
        """Carry out a decision, or what a model wrote (see `agents.mmdocr1.grammar`). Raises
        ConfigError before `reset` and after the end."""
        state, question = self._running()
        if isinstance(decision, str):
            turn = grammar.parse(decision, state.documents, state.question)
            decision = Decision(turn.action, turn.thought, response=decision)
        before = set(state.read)
        step = self._agent.act(state, decision)
        parts = self._turn_parts(question, state, step, before)
        if not (state.finished or state.exhausted()):
            self._parts.append(parts)
            return Outcome(step, parts, False)
        ended = self._end(state)
        parts = summed([parts, answer_parts(question, ended.answer, self.rewards)])
        self._trajectory = msgspec.structs.replace(ended, rewards=summed([*self._parts, parts]))
        return Outcome(step, parts, True)

    @property
    def trajectory(self) -> Trajectory:
        """The run that is over, with the parts of its reward. Raises ConfigError before."""
        if self._trajectory is None:
            raise ConfigError("the run is not over", hint="step until done")
        return self._trajectory

    def _turn_parts(
        self, question: GoldQuestion, state: State, step: Step, before: set[PageKey]
    ) -> dict[str, float]:
        gold, new = gold_pages(question), state.read.keys() - before
        parts = {"recall": len(gold & new) / len(gold)} if gold else {}
        malformed = isinstance(step.action, Malformed)
        return parts | {
            "format": -malformed / self.settings.turns,
            "cost": -len(new) / max(1, self.settings.pages),
        }

    def _end(self, state: State) -> Trajectory:
        if not state.finished:
            self._agent.act(state, Decision(Finish(state.exhausted())))
        return self._agent.finish(state)

    def _running(self) -> tuple[State, GoldQuestion]:
        if self._state is None or self._question is None or self._trajectory is not None:
            raise ConfigError("no run is under way", hint="call reset first")
        return self._state, self._question
