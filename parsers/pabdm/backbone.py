"""What training and decoding ask of a model, the small one or a large one.

Shapes: R rows, T tokens, s positions, d width, V tokens.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor


class Backbone(Protocol):
    """A decoder that is told who sees whom; masked positions predict their own token."""

    @property
    def mask_id(self) -> int: ...
    def embed(self, ids: Tensor, index: Tensor) -> Tensor:
        """(R, T) to (R, T, d); `index` (R, T) counts an answer's tokens from 0, what stands before
        it has -1. Models that need no positions but those of `states` have no use for it."""
        ...

    def states(self, x: Tensor, places: Tensor, allowed: Tensor) -> Tensor:
        """States (R, T, d) of embeddings `x` at positions `places` (R, T), of which row q sees
        column k where `allowed` (R, T, T) is true."""
        ...

    def scores(self, states: Tensor) -> Tensor:
        """Logits (…, V) of states (…, d)."""
        ...


class Context(Protocol):
    """What some answers are decoded behind: images and prompts but for the prompts' last token."""

    @property
    def length(self) -> int:
        """Positions that are stored before the first step, of every row."""
        ...

    @property
    def last(self) -> list[int]:
        """The last token of each row's prompt, which the first step has to feed."""
        ...

    @property
    def mask_id(self) -> int: ...
    @property
    def end_id(self) -> int: ...
    def step(self, ids: Tensor, kept: Tensor, seen: Tensor) -> Tensor:
        """Logits (R, T, V) of tokens `ids` (R, T) at positions kept, kept + 1, … where `kept` (R,)
        is the number of positions that are kept of what was fed before; the token at t sees all
        below `seen` (R, T)."""
        ...

    def select(self, rows: list[int]) -> None:
        """Go on with these rows alone."""
        ...
