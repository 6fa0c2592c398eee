"""The agent of MM-Doc-R1 (arXiv 2604.13579): plan, search and read in turns, answer with evidence.

    question ─► policy ─► Search │ Read │ Look │ Calculate ─► tools ─► observation ─┐
                  ▲                                                                 │
                  └──────────────────────── State ◄─────────────────────────────────┘
                  └─► Finish ─► answerer: the pages read, and nothing else ─► verifier ─► Answer

The policy decides, the agent acts: it keeps the budget and turns every failing tool into an
observation. Planner and seeker are a policy's own (`seeker`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from docpipe import registry
from docpipe.agents.extractive import ExtractiveReader
from docpipe.agents.metering import Spent, metered
from docpipe.agents.mmdocr1 import observations
from docpipe.agents.mmdocr1.answerer import answer
from docpipe.agents.mmdocr1.state import Budget, Decision, Policy, State, keys_of
from docpipe.agents.notes import Note
from docpipe.agents.question import analyse
from docpipe.agents.tools import PageKey, Tools
from docpipe.errors import ConfigError, DocpipeError, ModelError
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
        return self.act(state, Decision(Finish(reason)) if reason else self._decide(state))

    def _decide(self, state: State) -> Decision:
        """What the policy decides. A model that refuses a prompt, as it does when one grows too
        long, ends a search that has read something."""
        try:
            return self.policy.decide(state)
        except ModelError as error:
            if error.code != "model_request" or not state.read:
                raise
            return Decision(Finish(f"the model takes no more: {error}"))

    def act(self, state: State, decision: Decision) -> Step:
        """Carry out a decision, wherever it comes from. The step has the action as it was carried
        out: pages that were not read are left out."""
        state.spent += Spent(decision.tokens, decision.cost)
        action = decision.action
        evidence: tuple[Evidence, ...] = ()
        with metered() as spent:
            try:
                observation, evidence = self._observe(state, action)
            except DocpipeError as error:
                if error.code.startswith("model_"):  # a model that is down is no observation
                    raise
                observation = f"not done: {error}"
        state.spent = sum(spent, state.spent)
        if isinstance(action, Read):
            action = _done(state, action)
        step = Step(
            action, observation, decision.thought, decision.messages, decision.response, evidence
        )
        state.steps.append(step)
        return step

    def finish(self, state: State) -> Trajectory:
        """The trajectory with the answer to what was read."""
        parts = [state.question, type(self.policy).__qualname__, *state.documents]
        id = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
        with metered() as spent:
            given = msgspec.structs.replace(answer(state, self.reader), trajectory=id)
        total = sum(spent, state.spent)
        last = state.steps[-1]
        if isinstance(last.action, Finish):
            action = Finish("; ".join(part for part in (last.action.reason, _why(given)) if part))
            state.steps[-1] = msgspec.structs.replace(last, action=action)
        steps = tuple(state.steps)
        return Trajectory(id, state.question, steps, given, tokens=total.tokens, cost=total.cost)

    def _observe(self, state: State, action: Action) -> tuple[str, tuple[Evidence, ...]]:
        match action:
            case Search(queries=queries, documents=within):
                found = state.tools.search(queries, within)
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
        wanted, told = self._affordable(state, requests)
        evidence: list[Evidence] = []
        for request in wanted:
            contents = state.tools.read(request)
            state.read |= dict(zip(keys_of(contents), contents, strict=True))
            reading = self.reader.read(contents, state.question, request.question)
            state.readings.append(reading)
            told.append(observations.of_reading(request, reading, state.documents))
            told += observations.of_tables(contents, state.documents)
            evidence += reading.evidence
        told.append(f"pages that may still be read: {state.pages_left}")
        return "\n".join(told), tuple(evidence)

    @staticmethod
    def _affordable(
        state: State, requests: Sequence[PageRequest]
    ) -> tuple[list[PageRequest], list[str]]:
        """The requests without pages over the budget of the run and of a turn, and without those
        that do not exist; what is said of these."""
        new: set[PageKey] = set()
        kept: list[PageRequest] = []
        told: list[str] = []
        places = state.budget.pages_at_once
        for request in requests:
            pages: list[int] = []
            for page in dict.fromkeys(request.pages):
                key = (request.document, page)
                known = key in state.read or key in new
                if places == 0 or (len(new) >= state.pages_left and not known):
                    continue
                places -= 1
                if problem := _missing(state, key):
                    told.append(f"not done: {problem}")
                    continue
                pages.append(page)
                new |= set() if known else {key}
            if pages:
                kept.append(msgspec.structs.replace(request, pages=tuple(pages)))
        return kept, told

    def _look(self, state: State, look: Look) -> str:
        """What a reader that sees says of the region; the region's words, where none does."""
        describe = getattr(self.reader, "describe", None)
        sees = describe is not None and bool(getattr(self.reader, "images", True))
        if describe is not None and sees:
            said = str(describe(state.tools.look(look.document, look.region), look.question))
        else:
            words = state.tools.words_in(look.document, look.region)
            said = f"words there: {words or 'none'}"
        evidence = state.tools.blocks_in(look.document, look.region)
        state.looks.append(Note(f"looked: {said}", evidence, seen=sees))
        return said


def _done(state: State, read: Read) -> Read:
    """What of a Read was done: the pages that are read now."""
    kept = [
        msgspec.structs.replace(request, pages=pages)
        for request in read.requests
        if (pages := tuple(p for p in request.pages if (request.document, p) in state.read))
    ]
    return Read(tuple(kept))


def _missing(state: State, key: PageKey) -> str:
    """Why a page cannot be read; "" where it can."""
    try:
        state.tools.read(PageRequest(key[0], (key[1],), ""))
    except ConfigError as error:
        return str(error)
    return ""


def _why(given: Answer) -> str:
    if given.answerable:
        return f"answered with confidence {given.confidence:.2f}"
    return f"refused: {given.text}"
