"""Results as tables of text, for people."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from docpipe.bench.compare import Comparison
from docpipe.bench.result import BenchResult, Row, score_names

_ROWS_SHOWN = 15


class Sheet(msgspec.Struct, frozen=True):
    """A table of text: title, column heads, rows of as many cells."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


def result_sheets(result: BenchResult) -> list[Sheet]:
    """The figures with their intervals, and the rows with the lowest first score."""
    sheets = [
        Sheet(
            f"{result.name}: {len(result.documents)} rows in {result.seconds:.0f} s",
            ("figure", "value", "95 % interval"),
            [
                (figure, _number(value), _bounds(*result.intervals.get(figure, (None, None))))
                for figure, value in result.summary.items()
            ],
        )
    ]
    figure = next(iter(score_names(result.documents)), None)
    if figure is not None:
        sheets.append(_lowest(figure, result.documents))
    return sheets


def comparison_sheets(comparison: Comparison) -> list[Sheet]:
    """The figures of two results, and the rows that changed most."""
    return [
        Sheet(
            f"{comparison.name}: before and after",
            ("figure", "before", "after", "difference", "95 % interval", ""),
            [
                (
                    change.figure,
                    _number(change.before),
                    _number(change.after),
                    f"{change.difference:+.4f}",
                    _bounds(change.low, change.high),
                    "clear" if change.is_clear else "",
                )
                for change in comparison.figures
            ],
        ),
        Sheet(
            f"rows whose {comparison.row_figure} changed most ({len(comparison.rows)} changed)",
            ("row", "before", "after", "difference"),
            [
                (
                    change.name,
                    _number(change.before),
                    _number(change.after),
                    f"{change.after - change.before:+.4f}",
                )
                for change in comparison.rows[:_ROWS_SHOWN]
            ],
        ),
    ]


def _lowest(figure: str, rows: Iterable[Row]) -> Sheet:
    scored = sorted((row.scores[figure], row.name, row) for row in rows if figure in row.scores)
    return Sheet(
        f"lowest {figure}",
        ("row", "scores", "remarks"),
        [(name, _scores(row), _remarks(row)) for _, name, row in scored[:_ROWS_SHOWN]],
    )


def _scores(row: Row) -> str:
    return "  ".join(
        f"{figure.rpartition('.')[2]} {_number(score)}" for figure, score in row.scores.items()
    )


def _remarks(row: Row) -> str:
    return "  ".join(f"{key} {value}" for key, value in row.info.items())


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) > 1 else f"{value:.4f}"


def _bounds(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.4f} to {high:.4f}"
