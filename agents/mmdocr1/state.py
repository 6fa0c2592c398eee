"""What a policy sees of a run, what it decides, and the bounds that no policy can lift."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import msgspec

from docpipe.agents.calculator import Calculation
from docpipe.agents.metering import Spent
from docpipe.agents.notes import Note
from docpipe.agents.question import Question
from docpipe.agents.tools import Found, PageFound, PageKey, Tools
from docpipe.records import (
    Action,
    Finish,
    Message,
    Read,
    Reading,
    Search,
    Step,
    Trajectory,
)
from docpipe.stages import PageContent


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of one run: turns, pages read (each counted once) and in one turn, tokens of the
    language model in turns and readings, seconds. None is no bound; without `seconds` a run repeats
    itself. Tokens and seconds end the search: the turn under way and the answer come on top."""

    turns: int = 12
    pages: int = 12
    pages_at_once: int = 3
    tokens: int | None = None
    seconds: float | None = None


class Decision(msgspec.Struct, frozen=True):
    """A policy's next action; of a language model also its thought, what it was sent and wrote,
    and what that took."""

    action: Action
    thought: str = ""
    messages: tuple[Message, ...] = ()
    response: str = ""
    tokens: int = 0
    cost: float = 0.0


class State:
    """A run so far. Policies read it; the agent alone changes it, but for `plan`, which belongs to
    the policy that makes one.

    `searches` and `readings` are what the tools gave, `read` the pages read in that order,
    `worked` the calculations, `looks` what was seen of regions, `documents` the ids of those in
    scope, `spent` what language models took.
    """

    def __init__(self, question: str, asked: Question, tools: Tools, budget: Budget) -> None:
        self.question = question
        self.asked = asked
        self.tools = tools
        self.budget = budget
        self.documents = tools.documents()
        self.steps: list[Step] = []
        self.searches: list[Found] = []
        self.readings: list[Reading] = []
        self.read: dict[PageKey, PageContent] = {}
        self.worked: list[tuple[str, Calculation]] = []
        self.looks: list[Note] = []
        self.plan = ""
        self.spent = Spent()
        self._started = time.monotonic()

    @property
    def pages_left(self) -> int:
        return max(0, self.budget.pages - len(self.read))

    @property
    def finished(self) -> bool:
        return bool(self.steps) and isinstance(self.steps[-1].action, Finish)

    @property
    def queries(self) -> set[str]:
        """The queries searched for so far."""
        return {
            query
            for step in self.steps
            if isinstance(step.action, Search)
            for query in step.action.queries
        }

    def unread(self) -> list[PageFound]:
        """The pages found and not read, those of the first query first."""
        found = (page for search in self.searches for page in search.pages)
        return list({page.key: page for page in found if page.key not in self.read}.values())

    def exhausted(self) -> str:
        """Which bound is reached, in words; "" while none is."""
        budget = self.budget
        if len(self.steps) >= budget.turns:
            return f"the limit of {budget.turns} turns is reached"
        if budget.tokens is not None and self.spent.tokens >= budget.tokens:
            return f"the limit of {budget.tokens} tokens is reached"
        if budget.seconds is not None and time.monotonic() - self._started >= budget.seconds:
            return f"the limit of {budget.seconds:g} seconds is reached"
        return ""


@runtime_checkable
class Policy(Protocol):
    """What decides the next action: a language model, rules, or a trained model of State's
    features. A policy keeps no state of a run between calls, so one serves many runs."""

    def decide(self, state: State) -> Decision: ...


def keys_of(contents: Sequence[PageContent]) -> list[PageKey]:
    return [(content.document.id, content.page.number) for content in contents]


def pages_read(trajectory: Trajectory) -> list[PageKey]:
    """The pages that a run has read, in order, each once."""
    reads = (step.action for step in trajectory.steps if isinstance(step.action, Read))
    requests = (request for read in reads for request in read.requests)
    return list(dict.fromkeys((r.document, page) for r in requests for page in r.pages))
