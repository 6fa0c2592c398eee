"""The record of a run in its folder: a row of metrics for every step, and the rollouts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from docpipe.records import Record, Trajectory
from docpipe.training.rl.policy import Choices
from docpipe.training.rl.runs import Rollout
from docpipe.training.run_folder import METRICS, write_lines

ROLLOUTS = "rollouts"

Row = dict[str, float]


class Line(Record, frozen=True):
    """A rollout as a line of JSON: for people, and for whoever trains with something else.
    `choices` has of every turn of the policy what numbers it keeps, such as token ids."""

    step: int
    question: str
    number: int
    trajectory: Trajectory
    choices: tuple[dict[str, tuple[float, ...]], ...]


class Log:
    """Writes metrics.jsonl and rollouts/STEP.jsonl, with `tensorboard` also tensorboard/."""

    def __init__(self, folder: Path, *, tensorboard: bool = False) -> None:
        self._folder = folder
        self._tensorboard = tensorboard
        self.rows: list[Row] = []
        self._board: Any = None

    def begin(self, step: int) -> None:
        """Go on after `step` steps: rows of later ones, of a run that was stopped, are dropped."""
        path = self._folder / METRICS
        if step and path.exists():
            rows = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
            self.rows = [row for row in rows if row["step"] <= step]
        (self._folder / ROLLOUTS).mkdir(parents=True, exist_ok=True)
        write_lines(path, self.rows)
        if self._tensorboard:
            from torch.utils.tensorboard import SummaryWriter

            board = self._folder / "tensorboard"
            self._board = SummaryWriter(str(board), purge_step=step + 1)

    def add(self, row: Row) -> None:
        self.rows.append(row)
        with (self._folder / METRICS).open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")
        if self._board is not None:
            for name, value in row.items():
                self._board.add_scalar(name, value, int(row["step"]))
            self._board.flush()

    def before(self, names: Iterable[str]) -> Row:
        """The figures of these names before the first step."""
        first = self.rows[0] if self.rows else {}
        return {name: first[name] for name in names if name in first}

    def keep(self, step: int, rollouts: Iterable[Rollout]) -> None:
        """Write the rollouts of a step."""
        path = self._folder / ROLLOUTS / f"{step:06d}.jsonl"
        write_lines(path, (line_of(step, rollout) for rollout in rollouts))


def line_of(step: int, rollout: Rollout) -> Line:
    return Line(
        step,
        rollout.question,
        rollout.number,
        rollout.trajectory,
        tuple(_numbers(turn.choices) for turn in rollout.turns),
    )


def _numbers(choices: Choices) -> dict[str, tuple[float, ...]]:
    values = {name: getattr(choices, name) for name in choices.__struct_fields__}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, tuple) and all(isinstance(item, int | float) for item in value)
    }
