"""The agent of MM-Doc-R1 (arXiv 2604.13579): plan, search and read in turns, answer with evidence.

    question ─► policy ─► Search │ Read │ Look │ Calculate ─► tools ─► observation ─┐
                  ▲                                                                 │
                  └──────────────────────── State ◄─────────────────────────────────┘
                  └─► Finish ─► answerer: the pages read, and nothing else ─► verifier ─► Answer

The policy decides, the agent acts: it keeps the budget, reads no page twice for nothing, and turns
every failing tool into an observation. Planner and seeker are a policy's own (`seeker`).
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from docpipe import registry
from docpipe.agents.extractive import ExtractiveReader
from docpipe.agents.mmdocr1 import observations
from docpipe.agents.mmdocr1.answerer import answer
from docpipe.agents.mmdocr1.state import Budget, Decision, Policy, State, keys_of
from docpipe.agents.question import analyse
from docpipe.agents.tools import Tools
from docpipe.errors import DocpipeError
from docpipe.records import (
    Action,
    Answer,
    Calculate,
    Evidence,
    Finish,
    Look,
    Malformed,
    PageRequest,
    Read,
    Search,
    Step,
    Trajectory,
)
from docpipe.stages import LanguageModel, LibraryView, PageReader


class DocumentAgent:
    """Answers questions over the documents of a library.

    `policy` names what decides: "offline" needs no model, "seeker" is the language model, "auto"
    the model where one is configured; `policy_options` go to its constructor. `depth` pages are
    found for a query. The other numbers are the `Budget`. To ask only some documents, pass a
    `Scope` of the library. Every quote is verified before the answer is given.
    """

    def __init__(
        self,
        reader: PageReader | None = None,
        model: LanguageModel | None = None,
        *,
        policy: str = "auto",
        policy_options: dict[str, Any] | None = None,
        depth: int = 10,
        turns: int = 12,
        pages: int = 12,
        pages_at_once: int = 3,
        tokens: int | None = None,
        seconds: float | None = None,
    ) -> None:
        self.reader = reader or ExtractiveReader()
        self.budget = Budget(
            turns=turns, pages=pages, pages_at_once=pages_at_once, tokens=tokens, seconds=seconds
        )
        self.depth = depth
        name = policy if policy != "auto" else "seeker" if model else "offline"
        self.policy: Policy = registry.build("policy", name, policy_options, {"model": model})

    @classmethod
    def of(cls, policy: Policy, reader: PageReader | None = None, **options: Any) -> DocumentAgent:
        """An agent with a policy that is at hand."""
        agent = cls(reader, policy="one_pass", **options)
        agent.policy = policy
        return agent

    def run(self, question: str, library: LibraryView) -> Trajectory:
        state = self.start(question, library)
        while not state.finished:
            self.step(state)
        return self.finish(state)

    def start(self, question: str, library: LibraryView) -> State:
        """The state before the first turn."""
        return State(question, analyse(question), Tools(library, depth=self.depth), self.budget)

    def step(self, state: State) -> Step:
        """One turn: ask the policy, act, keep what came back. At a bound it is a Finish."""
        reason = state.exhausted()
        decision = Decision(Finish(reason)) if reason else self.policy.decide(state)
        return self.act(state, decision)

    def act(self, state: State, decision: Decision) -> Step:
        """Carry out a decision, wherever it comes from. The step has the action as it was carried
        out: pages over the budget are left out."""
        state.tokens += decision.tokens
        action = decision.action
        evidence: tuple[Evidence, ...] = ()
        try:
            if isinstance(action, Read):
                action = self._affordable(state, action)
            observation, evidence = self._observe(state, action)
        except DocpipeError as error:
            if error.code.startswith("model_"):  # a model that is down is no observation
                raise
            observation = f"not done: {error}"
        step = Step(
            action, observation, decision.thought, decision.messages, decision.response, evidence
        )
        state.steps.append(step)
        return step

    def finish(self, state: State) -> Trajectory:
        """The trajectory with the answer to what was read."""
        id = hashlib.sha256(state.question.encode()).hexdigest()[:16]
        given = msgspec.structs.replace(answer(state, self.reader), trajectory=id)
        last = state.steps[-1]
        if isinstance(last.action, Finish):
            action = Finish("; ".join(part for part in (last.action.reason, _why(given)) if part))
            state.steps[-1] = msgspec.structs.replace(last, action=action)
        return Trajectory(id, state.question, tuple(state.steps), given)

    def _observe(self, state: State, action: Action) -> tuple[str, tuple[Evidence, ...]]:
        match action:
            case Search(queries=queries):
                found = state.tools.search(queries)
                state.searches += found
                return observations.of_search(found, state.documents), ()
            case Read(requests=requests):
                return self._read(state, requests)
            case Look() as look:
                return self._look(state, look), ()
            case Calculate(expression=expression):
                documents = list(dict.fromkeys(document for document, _ in state.read))
                result = state.tools.calculate(expression, documents)
                state.worked.append((expression, result))
                return observations.of_calculation(expression, result), result.evidence
            case Malformed(problem=problem):
                return f"no action was taken: {problem}", ()
            case Finish():
                return "", ()

    def _read(
        self, state: State, requests: tuple[PageRequest, ...]
    ) -> tuple[str, tuple[Evidence, ...]]:
        told: list[str] = []
        evidence: list[Evidence] = []
        for request in requests:
            contents = state.tools.read(request)
            state.read |= dict(zip(keys_of(contents), contents, strict=True))
            reading = self.reader.read(contents, state.question, request.question)
            state.readings.append(reading)
            told.append(observations.of_reading(request, reading, state.documents))
            evidence += reading.evidence
        told.append(f"pages that may still be read: {state.pages_left}")
        return "\n".join(told), tuple(evidence)

    @staticmethod
    def _affordable(state: State, read: Read) -> Read:
        """The requests without pages over the budget: those at a time, and those that are left."""
        left = state.pages_left
        kept: list[PageRequest] = []
        for request in read.requests:
            pages: list[int] = []
            for page in dict.fromkeys(request.pages):
                new = (request.document, page) not in state.read
                if len(pages) < state.budget.pages_at_once and (left > 0 or not new):
                    pages.append(page)
                    left -= new
            if pages:
                kept.append(msgspec.structs.replace(request, pages=tuple(pages)))
        return Read(tuple(kept))

    def _look(self, state: State, look: Look) -> str:
        """What a reader that sees says of the region; the region's words, where none does."""
        describe = getattr(self.reader, "describe", None)
        if describe is not None:
            return str(describe(state.tools.look(look.document, look.region), look.question))
        return f"words there: {state.tools.words_in(look.document, look.region) or 'none'}"


def _why(given: Answer) -> str:
    if given.answerable:
        return f"answered with confidence {given.confidence:.2f}"
    return f"refused: {given.text}"
