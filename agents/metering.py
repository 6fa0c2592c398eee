"""What a run spends on language models, whoever of it calls them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from docpipe.records import Message, TextPart
from docpipe.stages import Completion

_LETTERS = 4  # in a token, about, where a server reports no counts
_meter: ContextVar[list[int] | None] = ContextVar("tokens", default=None)


@contextmanager
def metered() -> Iterator[list[int]]:
    """Collects the tokens of the calls that readers make inside."""
    spent: list[int] = []
    before = _meter.set(spent)
    try:
        yield spent
    finally:
        _meter.reset(before)


def spend(sent: Sequence[Message], completion: Completion) -> None:
    """Put a call down to the run it belongs to, if any."""
    if (spent := _meter.get()) is not None:
        spent.append(cost(sent, completion))


def cost(sent: Sequence[Message], completion: Completion) -> int:
    """The tokens of a call as the server counts them, or about as many where it does not."""
    counted = completion.prompt_tokens + completion.completion_tokens
    if counted:
        return counted
    texts = [part.text for message in sent for part in message.parts if isinstance(part, TextPart)]
    return sum(map(len, [*texts, completion.text])) // _LETTERS
