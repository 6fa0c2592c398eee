"""Charts drawn with lines and rectangles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docpipe.datasets.samples.typeset import GREY, Color, Sheet, Style

LABEL = Style("sans", 7, color=(0.2, 0.2, 0.2))
BLUE: Color = (0.16, 0.42, 0.62)
ORANGE: Color = (0.85, 0.45, 0.10)
Box = tuple[float, float, float, float]


def bar_chart(
    sheet: Sheet, box: Box, labels: Sequence[str], values: Sequence[float], step: float
) -> None:
    """Bars with their value above, and axis lines every `step`, in a box."""
    plot = _axes(sheet, box, 0, max(values), step)
    slot = (plot[2] - plot[0]) / len(values)
    for number, (label, value) in enumerate(zip(labels, values, strict=True)):
        left = plot[0] + slot * (number + 0.2)
        top = plot[3] - (plot[3] - plot[1]) * value / _ceiling(max(values), step)
        sheet.rect((left, top, left + 0.6 * slot, plot[3]), fill=BLUE)
        centred = LABEL._replace(align="center")
        sheet.text(left, top - 2.5, f"{value:g}", centred, 0.6 * slot)
        sheet.text(left, plot[3] + 9, label, centred, 0.6 * slot)


def line_chart(
    sheet: Sheet,
    box: Box,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    low: float,
    step: float,
) -> None:
    """One line a series, named at the top left; the axis starts at `low`."""
    top_value = max(max(values) for values in series.values())
    plot = _axes(sheet, box, low, top_value, step)
    slot = (plot[2] - plot[0]) / len(labels)
    scale = (plot[3] - plot[1]) / (_ceiling(top_value, step) - low)
    for place, (name, values) in enumerate(series.items()):
        color = (ORANGE, BLUE)[place]
        points = [
            (plot[0] + slot * (number + 0.5), plot[3] - (value - low) * scale)
            for number, value in enumerate(values)
        ]
        sheet.line(points, 1.2, color)
        x, y = plot[0] + 8, plot[1] + 10 + 10 * place
        sheet.line([(x, y), (x + 14, y)], 1.2, color)
        sheet.text(x + 18, y + 2.5, name, LABEL)
    for number, label in enumerate(labels):
        sheet.text(
            plot[0] + slot * number, plot[3] + 9, label, LABEL._replace(align="center"), slot
        )


def _ceiling(value: float, step: float) -> float:
    return step * -(-value // step)


def _axes(sheet: Sheet, box: Box, low: float, high: float, step: float) -> Box:
    """Draw horizontal lines with their values; returns the box of the plot."""
    plot = (box[0] + 22, box[1] + 12, box[2], box[3] - 14)
    top = _ceiling(high, step)
    value = low
    while value <= top:
        y = plot[3] - (plot[3] - plot[1]) * (value - low) / (top - low)
        sheet.rule(plot[0], y, plot[2], 0.3, (0.8, 0.8, 0.8) if value > low else GREY)
        sheet.text(box[0], y + 2.5, f"{value:g}", LABEL._replace(align="right"), 18)
        value += step
    return plot
