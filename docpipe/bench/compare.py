"""Two results of one bench side by side: what changed, and whether it may be chance."""

from __future__ import annotations

import msgspec

from docpipe.bench.result import BenchResult, Row, score_names
from docpipe.bench.stats import bootstrap
from docpipe.errors import ConfigError


class FigureChange(msgspec.Struct, frozen=True):
    """A figure in both results. `low` and `high` bound the mean difference over the rows that both
    have (95 % paired bootstrap); None for figures that are no means, and for a single group."""

    figure: str
    before: float
    after: float
    low: float | None = None
    high: float | None = None

    @property
    def difference(self) -> float:
        return self.after - self.before

    @property
    def is_clear(self) -> bool:
        """Whether the bounds exclude no change at all."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


class RowChange(msgspec.Struct, frozen=True):
    name: str
    before: float
    after: float


class Comparison(msgspec.Struct, frozen=True):
    """`rows` are the items whose `row_figure` changed, the largest change first. `unpaired` are the
    names that one result lacks."""

    name: str
    figures: list[FigureChange]
    row_figure: str
    rows: list[RowChange]
    unpaired: list[str]


def compare(
    before: BenchResult, after: BenchResult, *, figure: str | None = None, seed: int = 0
) -> Comparison:
    """What `after` changed. `figure` is the one rows are compared by (default: the first mean).

    Raises ConfigError for results of different benches and for an unknown figure.
    """
    if before.name != after.name:
        raise ConfigError(f"results of different benches: {before.name} and {after.name}")
    means = score_names(after.documents)
    chosen = figure or next(iter(means), "")
    if figure and figure not in means:
        raise ConfigError(f"no figure {figure!r}", hint=f"known: {', '.join(means)}")
    old = {row.name: row for row in before.documents}
    new = {row.name: row for row in after.documents}
    pairs = [(old[name], row) for name, row in new.items() if name in old]
    return Comparison(
        name=after.name,
        figures=[
            _figure_change(name, before.summary[name], after.summary[name], pairs, seed)
            for name in after.summary
            if name in before.summary
        ],
        row_figure=chosen,
        rows=_row_changes(chosen, pairs),
        unpaired=sorted(set(old) ^ set(new)),
    )


def _figure_change(
    figure: str, before: float, after: float, pairs: list[tuple[Row, Row]], seed: int
) -> FigureChange:
    both = [pair for pair in pairs if all(figure in row.scores for row in pair)]
    if not both:
        return FigureChange(figure, before, after)
    differences = [new.scores[figure] - old.scores[figure] for old, new in both]
    groups = [new.group or new.name for _, new in both]
    interval = bootstrap(differences, groups, seed=seed)
    return FigureChange(figure, before, after, interval.low, interval.high)


def _row_changes(figure: str, pairs: list[tuple[Row, Row]]) -> list[RowChange]:
    changes = [
        RowChange(new.name, old.scores[figure], new.scores[figure])
        for old, new in pairs
        if figure in old.scores and figure in new.scores
    ]
    moved = [change for change in changes if change.before != change.after]
    return sorted(moved, key=lambda change: (-abs(change.after - change.before), change.name))
