"""How much of a run is done: of its steps, or of its minutes; and what it has seen."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path

from docpipe.datasets.docfusion.samples import Task
from docpipe.training.docfusion.settings import TrainingSettings

NO_END = 10_000_000  # steps of a run that ends with its minutes
_FILE = "progress.json"


class Progress:
    """Follows a run. Of a run by minutes the time counts that this and the runs it resumes took;
    `clock` gives seconds."""

    def __init__(
        self, settings: TrainingSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings, self._clock = settings, clock
        self._started: float | None = None
        self._before = 0.0
        self.samples: dict[str, int] = {}

    def saw(self, task: Task, count: int) -> None:
        """Count samples trained on."""
        self.samples[task] = self.samples.get(task, 0) + count

    @property
    def steps(self) -> int:
        """The most steps that the run may take."""
        return self._settings.steps or NO_END

    @property
    def minutes(self) -> float:
        """Spent so far, from `start` on and in the runs before."""
        running = 0.0 if self._started is None else self._clock() - self._started
        return self._before + running / 60

    def start(self) -> None:
        self._started = self._clock()

    def at(self, step: int) -> float:
        """The share done after `step` steps, 0..1."""
        if self._settings.minutes:
            return min(1.0, self.minutes / self._settings.minutes)
        return min(1.0, step / self._settings.steps)

    def rate(self, step: int) -> float:
        """The learning rate as a share of its peak: a linear warm-up, then half a cosine."""
        done, warmup, last = self.at(step), self._settings.warmup, self._settings.last_rate
        if done < warmup:
            return max(done / warmup, 0.01)
        falling = (done - warmup) / max(1.0 - warmup, 1e-9)
        return last + (1.0 - last) * 0.5 * (1.0 + math.cos(math.pi * falling))

    def save(self, folder: Path) -> None:
        state = {"minutes": self.minutes, "samples": self.samples}
        (folder / _FILE).write_text(json.dumps(state), "utf-8")

    def load(self, folder: Path) -> None:
        path = folder / _FILE
        if path.exists():
            state = json.loads(path.read_text("utf-8"))
            self._before, self.samples = state["minutes"], state["samples"]
