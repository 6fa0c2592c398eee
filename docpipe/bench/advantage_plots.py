"""Pictures of a result of the bench `advantages`.

docpipe bench advantages -o RESULT.json
python -m docpipe.bench.advantage_plots RESULT.json docs/results/pictures
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docpipe.bench.result import BenchResult, load_result
from docpipe.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {
    "dr_grpo": ("Dr. GRPO", "#7f7f7f", ":"),
    "grpo": ("GRPO", "#7f7f7f", "--"),
    "rloo": ("RLOO", "#000000", "-"),
    "rloo_turns": ("RLOO by turn", "#e69f00", "-"),
    "spo_near": ("SPO, cosines .8 to 1", "#cc79a7", "-"),
    "spo_far": ("SPO, similarities 0 to 1", "#cc79a7", "--"),
    "spo_prefix": ("spo_prefix, equal states", "#d55e00", "-"),
    "spo_prefix_graded": ("spo_prefix, graded", "#d55e00", "--"),
    "gigpo": ("GiGPO", "#56b4e9", "--"),
    "kriging": ("kriging", "#0072b2", "-"),
    "kriging_forks": ("kriging", "#0072b2", "-"),
    "known_values": ("true values", "#009e73", "-."),
}
SWEEPS = (
    ("divergence", "actions", "actions in each state (3 turns)"),
    ("group", "rollouts", "rollouts of a question"),
    ("clear", "rollouts", "rollouts; 2 actions, certain endings"),
    ("depth", "turns", "turns"),
)
SWEPT = ("rloo", "spo_near", "spo_prefix", "spo_prefix_graded", "kriging", "known_values")
FORKED = ("rloo_turns", "kriging_forks", "known_values")
LEARNERS = (
    ("plain", "spo_far", 1.0),
    ("plain", "spo_near", 1.0),
    ("plain", "rloo", 1.0),
    ("plain", "known_values", 1.0),
    ("forks 4-1-2-2", "rloo_turns", 1.6),
    ("4 answers", "rloo", 2.2),
    ("0 answers", "kriging", 2.8),
)
ANSWERS = ("1 answers", "2 answers", "4 answers", "8 answers", "0 answers")


def draw(result: BenchResult, folder: Path) -> list[Path]:
    """Write the pictures of a result into `folder`. Raises ConfigError without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("pictures need matplotlib", hint="pip install matplotlib") from error

    sweeps = Figure(figsize=(11, 6.5), layout="constrained")
    for axes, (experiment, unit, label) in zip(sweeps.subplots(2, 2).flat, SWEEPS, strict=True):
        _sweep(axes, result, experiment, unit)
        axes.set(xlabel=label, ylabel="variance, RLOO with 8 rollouts = 1")
    handles, labels = sweeps.axes[0].get_legend_handles_labels()
    sweeps.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
    forks = Figure(figsize=(15, 4.4), layout="constrained")
    left, middle, right = forks.subplots(1, 3)
    _forks(left, result)
    _answers(middle, result)
    _learning(right, result)
    paths = [folder / "advantages-sweeps.png", folder / "advantages-forks.png"]
    for figure, path in zip((sweeps, forks), paths, strict=True):
        figure.savefig(path, dpi=110, metadata={"Software": None})
    return paths


def _sweep(axes: Axes, result: BenchResult, experiment: str, unit: str) -> None:
    keys = [key for key in result.summary if key.startswith(f"{experiment}/")]
    points = sorted({int(key.split("/")[1].split()[0]) for key in keys})
    for name in SWEPT:
        title, color, style = STYLES[name]
        found = [f"{experiment}/{point} {unit}/{name}/variance" for point in points]
        places = range(len(points))
        axes.plot(places, [result.summary[key] for key in found], style, color=color, label=title)
        low, high = zip(*(_bounds(result, key) for key in found), strict=True)
        axes.fill_between(places, low, high, color=color, alpha=0.15, linewidth=0)
    axes.set_xticks(range(len(points)), [str(point) for point in points])


def _forks(axes: Axes, result: BenchResult) -> None:
    shapes = list(dict.fromkeys(k.split("/")[1] for k in result.summary if k.startswith("forks/")))
    for number, name in enumerate(FORKED):
        title, color, _ = STYLES[name]
        keys = [f"forks/{shape}/{name}/variance" for shape in shapes]
        heights = [result.summary[key] for key in keys]
        places = [place + 0.27 * (number - 1) for place in range(len(shapes))]
        bounds = [_bounds(result, key) for key in keys]
        spread = [
            [height - low for height, (low, _) in zip(heights, bounds, strict=True)],
            [high - height for height, (_, high) in zip(heights, bounds, strict=True)],
        ]
        axes.bar(places, heights, 0.25, color=color, label=title, yerr=spread)
    axes.set_xticks(range(len(shapes)), shapes)
    axes.set(xlabel="turns sampled from each state, by turn", ylabel="variance for equal cost")
    axes.set_ylim(0, 1.25)
    axes.legend(frameon=False, loc="upper right", ncols=3)


def _answers(axes: Axes, result: BenchResult) -> None:
    for name in SWEPT:
        title, color, style = STYLES[name]
        heights = [result.summary[f"answers/{count}/{name}/variance"] for count in ANSWERS]
        axes.plot(range(len(ANSWERS)), heights, style, color=color, label=title)
    axes.set_xticks(range(len(ANSWERS)), ["1", "2", "4", "8", "expected"])
    axes.set(xlabel="answers averaged for a rollout", ylabel="variance of a batch", ylim=(0, None))
    axes.legend(frameon=False)


def _learning(axes: Axes, result: BenchResult) -> None:
    for rolled, name, width in LEARNERS:
        title, color, style = STYLES[name]
        start = f"learning/{rolled}/{name}/closed "
        ends = (key.removeprefix(start) for key in result.summary if key.startswith(start))
        points = sorted(int(end) for end in ends if end.isdigit())
        heights = [result.summary[f"{start}{point}"] for point in points]
        label = title if rolled == "plain" else f"{title}, {rolled.replace('0 a', 'expected a')}"
        axes.plot(points, heights, style, color=color, linewidth=width, label=label)
    axes.set(xlabel="updates", ylabel="share of the way learned")
    axes.set_ylim(-0.1, 1)
    axes.legend(frameon=False, loc="lower right", ncols=2, fontsize="small")


def _bounds(result: BenchResult, key: str) -> tuple[float, float]:
    value = result.summary[key]
    return result.intervals.get(key, (value, value))


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the result of the first path into the folder of the second."""
    source, folder = sys.argv[1:] if arguments is None else arguments
    for path in draw(load_result(Path(source)), Path(folder)):
        print(path)


if __name__ == "__main__":
    main()
