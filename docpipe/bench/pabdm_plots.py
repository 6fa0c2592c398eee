"""Pictures of a result of the bench `pabdm`.

docpipe bench pabdm --data PDFS --work RUNS -o RESULT.json
python -m docpipe.bench.pabdm_plots RESULT.json docs/results/pictures
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from docpipe.bench.result import BenchResult, load_result
from docpipe.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {"prefixes": "o-", "fixed": "s--", "fused": "^:", "next": "*", "stepwise": "x"}
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7f7f7f")
_COSTS = (("tpf", "tokens a forward"), ("tps_1", "tokens a second, one crop at a time"))


class Point(NamedTuple):
    """A way of decoding a model on a set; `kind` is its policy with the block."""

    set: str
    model: str
    kind: str
    tau: str
    figures: dict[str, float]


def draw(result: BenchResult, folder: Path) -> list[Path]:
    """Write quality against cost, and how many tokens forwards kept, into `folder`. Raises
    ConfigError without matplotlib, or for another bench's result."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("pictures need matplotlib", hint="pip install matplotlib") from error
    found = list(points(result))
    if not found:
        raise ConfigError(f"no ways of decoding in a result of the bench {result.name!r}")
    sets = list(dict.fromkeys(point.set for point in found))

    cost = Figure(figsize=(4.2 * len(sets), 7), layout="constrained")
    grid = cost.subplots(2, len(sets), squeeze=False)
    for column, name in enumerate(sets):
        own = [point for point in found if point.set == name]
        for axes, (key, label) in zip(grid[:, column], _COSTS, strict=True):
            _curves(axes, own, key)
            axes.set(xlabel=label, ylabel="edit distance" if not column else "")
        grid[0, column].set_title(name)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    cost.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8)

    lengths = Figure(figsize=(4.2 * len(sets), 3), layout="constrained")
    for axes, name in zip(lengths.subplots(1, len(sets), squeeze=False).flat, sets, strict=True):
        _lengths(axes, [point for point in found if point.set == name])
        axes.set(title=name, xlabel="tokens kept by a forward", ylabel="share of forwards")
    paths = [folder / "pabdm-cost.png", folder / "pabdm-lengths.png"]
    folder.mkdir(parents=True, exist_ok=True)
    for figure, path in zip((cost, lengths), paths, strict=True):
        figure.savefig(path, dpi=110, metadata={"Software": None})
    return paths


def points(result: BenchResult) -> Iterator[Point]:
    """The ways of decoding in a result."""
    grouped: defaultdict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for key, value in result.summary.items():
        parts = key.split("/")
        if len(parts) == 4:
            grouped[tuple(parts[:3])][parts[3]] = value
    for (name, model, way), figures in grouped.items():
        if "tpf" in figures:
            kind, _, tau = way.rpartition(" ")
            yield Point(name, model, kind or way, tau if kind else "", figures)


def _curves(axes: Axes, own: Sequence[Point], key: str) -> None:
    """A line for each model and policy, its points by threshold."""
    models = list(dict.fromkeys(point.model for point in own))
    for model, kind in dict.fromkeys((point.model, point.kind) for point in own):
        line = [point for point in own if (point.model, point.kind) == (model, kind)]
        line.sort(key=lambda point: point.tau)
        axes.plot(
            [point.figures[key] for point in line],
            [point.figures["ned"] for point in line],
            STYLES[kind.split()[0]],
            color=COLORS[models.index(model) % len(COLORS)],
            markersize=4,
            label=f"{model}, {kind}",
        )


def _lengths(axes: Axes, own: Sequence[Point]) -> None:
    """Of each model that decodes by prefixes, at the threshold nearest to 0.95."""
    models = list(dict.fromkeys(p.model for p in own if p.kind.startswith("prefixes")))
    for number, model in enumerate(models):
        found = [p for p in own if p.model == model and p.kind.startswith("prefixes")]
        point = min(found, key=lambda p: abs(float(p.tau) - 0.95))
        shares = {
            int(key.removeprefix("kept_")): value
            for key, value in point.figures.items()
            if key.startswith("kept_")
        }
        width = 0.8 / len(models)
        places = [length + width * (number - (len(models) - 1) / 2) for length in shares]
        axes.bar(places, list(shares.values()), width, label=f"{model}, tau {point.tau}")
    if models:
        axes.legend(frameon=False, fontsize=7)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the result of the first path into the folder of the second."""
    source, folder = sys.argv[1:] if arguments is None else arguments
    for path in draw(load_result(Path(source)), Path(folder)):
        print(path)


if __name__ == "__main__":
    main()
