"""What of a step's guesses is kept: by prefixes, in fixed blocks, or token by token.

A window is a run of positions that are not final yet: None where there is a mask.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from docpipe.errors import ConfigError


class Guess(NamedTuple):
    """The likeliest token of a position, and the logarithm of its probability."""

    id: int
    score: float


Window = list[Guess | None]


class Policy(Protocol):
    """`size` of a window; `causal` positions see those before them, else all of the window;
    `apart`: a window that is full is fed by itself before the next one begins."""

    size: int
    causal: bool
    apart: bool

    def advance(self, window: Window, guesses: Sequence[Guess]) -> Window:
        """The window after a step. It is final where no mask is left, however short."""
        ...


def checked_tau(tau: float) -> float:
    """Raises ConfigError for what no probability can be held against."""
    if not tau >= 0:  # nan is none either
        raise ConfigError(f"tau must be 0 or more, not {tau}", hint="0.95 is the paper's")
    return tau


class Prefixes:
    """Prefix-adaptive decoding: of `block` guesses the longest prefix of which all are as likely
    as `tau` is kept, at least `least`; the rest is forgotten and a whole window begins behind it.

    The paper tells the idea and its settings, tau 0.95 and block 32 [P]; the loop is a
    reconstruction [R]. With a tau above 1 it decodes step by step, whatever the block.
    """

    causal, apart = True, False

    def __init__(self, block: int = 32, tau: float = 0.95, least: int = 1) -> None:
        if block < 1 or not 1 <= least <= block:
            raise ConfigError("a window needs a position, and must keep 1 to all of them")
        self.size, self.tau, self.least = block, checked_tau(tau), least

    def advance(self, window: Window, guesses: Sequence[Guess]) -> Window:
        sure = next(
            (at for at, guess in enumerate(guesses) if math.exp(guess.score) < self.tau),
            len(guesses),
        )
        return list(guesses[: max(sure, self.least)])


class FixedBlocks:
    """Block by block, as other block-diffusion models decode [C]: a step keeps all guesses above
    `tau`, and the best block / steps where these are fewer (`steps` None: one at least).

    When a block is full, its clean tokens are fed once more: by themselves, or, not `apart`,
    together with the next block's first step [D].
    """

    def __init__(
        self,
        block: int = 32,
        tau: float = 0.95,
        *,
        causal: bool = True,
        apart: bool = True,
        steps: int | None = None,
    ) -> None:
        if block < 1 or (steps is not None and steps < 1):
            raise ConfigError("a block needs a position, and a step")
        self.size, self.tau, self.causal, self.apart = block, checked_tau(tau), causal, apart
        self._least = math.ceil(block / (steps or block))

    def advance(self, window: Window, guesses: Sequence[Guess]) -> Window:
        masked = [at for at, found in enumerate(window) if found is None]
        best = sorted(masked, key=lambda at: -guesses[at].score)
        sure = sum(math.exp(guesses[at].score) > self.tau for at in masked)
        taken = set(best[: max(sure, self._least)])
        return [guesses[at] if at in taken else found for at, found in enumerate(window)]


class NextToken:
    """Plain autoregressive decoding, of a model that predicts the token after each."""

    size, causal, apart = 0, True, False

    def advance(self, window: Window, guesses: Sequence[Guess]) -> Window:
        return list(guesses)
