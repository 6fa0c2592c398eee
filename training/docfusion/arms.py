"""What studies share that train several arms alike: equal steps, and means over seeds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from docpipe.training.docfusion.settings import DataSettings

D = TypeVar("D", bound=DataSettings)

_TIMED_STEPS = 12
_STEPS_FILE = "steps.json"


def with_steps(settings: D, steps: int) -> D:
    """For a run of so many steps that is evaluated at its end alone."""
    training = msgspec.structs.replace(
        settings.training, steps=steps, minutes=0.0, evaluations=0, checkpoints=0
    )
    return msgspec.structs.replace(settings, training=training)


def affordable(
    train: Callable[[D, Path], object], settings: D, folder: Path, minutes: float
) -> int:
    """Steps of a run of so many minutes, its evaluation included; those that a study in `folder`
    already goes by, if it is there."""
    path = folder / _STEPS_FILE
    if path.exists():
        return int(msgspec.json.decode(path.read_bytes()))
    started = time.perf_counter()
    train(with_steps(settings, 1), folder / "timing")
    fixed = time.perf_counter() - started
    train(with_steps(settings, 1 + _TIMED_STEPS), folder / "timing")
    per_step = (time.perf_counter() - started - 2 * fixed) / _TIMED_STEPS
    steps = max(1, int((60 * minutes - fixed) / max(per_step, 1e-3)))
    path.write_bytes(msgspec.json.encode(steps))
    return steps


def spread(values: Sequence[float]) -> str:
    """Mean ± standard deviation."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.3f} ± {deviation:.3f}"
