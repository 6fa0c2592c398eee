"""What a run spends on language models, whoever of it calls them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from docpipe.records import Message, TextPart
from docpipe.stages import Completion

_LETTERS = 4  # in a token, about, where a server reports no counts


class Spent(msgspec.Struct, frozen=True):
    """Tokens, sent and written, and what they cost where prices are known."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.cost + other.cost)


_meter: ContextVar[list[Spent] | None] = ContextVar("spent", default=None)


@contextmanager
def metered() -> Iterator[list[Spent]]:
    """Collects what the calls that readers make inside have spent."""
    spent: list[Spent] = []
    before = _meter.set(spent)
    try:
        yield spent
    finally:
        _meter.reset(before)


def spend(sent: Sequence[Message], completion: Completion) -> None:
    """Put a call down to the run it belongs to, if any."""
    if (spent := _meter.get()) is not None:
        spent.append(spent_on(sent, completion))


def spent_on(sent: Sequence[Message], completion: Completion) -> Spent:
    """The tokens of a call as the server counts them, or about as many where it does not."""
    counted = completion.prompt_tokens + completion.completion_tokens
    if not counted:
        texts = [part.text for m in sent for part in m.parts if isinstance(part, TextPart)]
        counted = sum(map(len, [*texts, completion.text])) // _LETTERS
    return Spent(counted, completion.cost)
