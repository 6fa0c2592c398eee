"""What studies share that train several arms alike: equal steps, runs that are done once, means
over seeds, and the command."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from docpipe.errors import ConfigError, DocpipeError
from docpipe.training.docfusion.settings import DataSettings
from docpipe.training.run_folder import CARD

D = TypeVar("D", bound=DataSettings)
R = TypeVar("R", bound=msgspec.Struct)

_TIMED_STEPS = 12
_STEPS_FILE = "steps.json"
_RUN_FILE = "run.json"


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
    already goes by, if it is there. Raises ConfigError where that one is of other settings."""
    path, timing = folder / _STEPS_FILE, folder / "timing"
    longer = with_steps(settings, 1 + _TIMED_STEPS)
    if path.exists():
        is_done(timing, longer)
        return int(msgspec.json.decode(path.read_bytes()))
    started = time.perf_counter()
    train(with_steps(settings, 1), timing)
    fixed = time.perf_counter() - started
    train(longer, timing)
    per_step = (time.perf_counter() - started - 2 * fixed) / _TIMED_STEPS
    steps = max(1, int((60 * minutes - fixed) / max(per_step, 1e-3)))
    path.write_bytes(msgspec.json.encode(steps))
    return steps


def is_done(folder: Path, settings: DataSettings) -> bool:
    """Whether `folder` has a finished training. Raises ConfigError for one of other settings, which
    must not be taken for it."""
    path = folder / CARD
    if not path.exists():
        return False
    stored = msgspec.json.decode(path.read_bytes())["settings"]
    if stored != msgspec.json.decode(msgspec.json.encode(settings)):
        raise ConfigError(
            f"{folder} was trained with other settings",
            hint="name another folder for this study, or remove that one",
        )
    return True


def run_once(folder: Path, settings: DataSettings, kind: type[R], run: Callable[[], R]) -> R:
    """The run in `folder`; where it is not done yet, `run` does it. Raises ConfigError."""
    path = folder / _RUN_FILE
    if is_done(folder, settings) and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=kind)
    done = run()
    path.write_bytes(msgspec.json.encode(done))
    return done


def write_study(folder: Path, runs: Sequence[msgspec.Struct], table: str) -> None:
    text = msgspec.json.format(msgspec.json.encode(runs), indent=1)
    (folder / "study.json").write_bytes(text + b"\n")
    (folder / "study.md").write_text(table, "utf-8")


def means(
    heads: Sequence[str],
    groups: Mapping[tuple[str, ...], Sequence[Mapping[str, float]]],
    figures: Sequence[str],
) -> str:
    """Mean ± standard deviation over seeds as Markdown: a row for each group, with its name in
    columns of these heads, and a column for each of the figures that the runs have."""
    found = {name for runs in groups.values() for run in runs for name in run}
    shown = [name for name in figures if name in found]
    titles = [*heads, "seeds", *(name.removeprefix("eval_") for name in shown)]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for group, runs in groups.items():
        cells = [*group, str(len(runs)), *(spread([run[name] for run in runs]) for name in shown)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def spread(values: Sequence[float]) -> str:
    """Mean ± standard deviation."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.3f} ± {deviation:.3f}"


def study_parser(description: str, arms: Iterable[str]) -> argparse.ArgumentParser:
    """The arguments that every study has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("config", type=Path, help="TOML file, see training/configs")
    parser.add_argument("out", type=Path, help="folder for the runs and the comparison")
    parser.add_argument("--minutes", type=float, required=True, help="for all runs together")
    parser.add_argument("--arms", nargs="+", choices=list(arms), default=list(arms))
    return parser


def study_command(
    parser: argparse.ArgumentParser,
    run: Callable[[Any], str],
    arguments: Sequence[str] | None,
) -> int:
    """Print the table of `run`, which gets the parsed arguments; returns the exit code."""
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    try:
        print(run(given))
    except DocpipeError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
