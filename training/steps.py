"""How far a run of transformers' Trainer is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback


class Steps(TrainerCallback):  # type: ignore[misc]
    """Tells `report` after each step how many are done, and how many there are."""

    def __init__(self, report: Callable[[int, int], None]) -> None:
        self._report = report

    def on_step_end(self, _: Any, state: Any, control: Any, **__: Any) -> None:
        self._report(state.global_step, state.max_steps)
