"""Ways to set keys with their values, as they are found on all kinds of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from docpipe.datasets.synthetic_kie.sheet import GREY, PLAIN, Align, Mark, Sheet, Style
from docpipe.datasets.synthetic_kie.vocabulary import Chooser

PairLayout = Literal["column", "inline", "spread", "keys_right", "below", "grid", "row", "colons"]
LAYOUTS: tuple[PairLayout, ...] = get_args(PairLayout)


class Pair(NamedTuple):
    """A key and the lines of its value. `joint` marks an entity that holds both."""

    key: str
    values: tuple[str, ...]
    mark: Mark | str
    key_mark: Mark | str = PLAIN

    @property
    def value(self) -> str:
        return " ".join(self.values)


class PairDesign(NamedTuple):
    layout: PairLayout
    key_style: Style
    value_style: Style
    colon: str = ":"
    per_row: int = 3
    gap: float = 1.0  # between key and value, in font sizes
    leading: float = 1.0  # of the rows, as a factor


def pair_design(chance: Chooser, style: Style, layouts: Sequence[PairLayout]) -> PairDesign:
    """A look for keys and values around a style."""
    key, value = style, style
    match chance.randrange(6):
        case 0 | 1:
            key = style.bolder()
        case 2:
            value = style.bolder()
        case 3:
            key = style._replace(color=GREY)
        case 4:
            key = style.scaled(chance.one([0.75, 0.85]))
        case _:
            pass
    return PairDesign(
        chance.one(layouts),
        key,
        value,
        chance.one([":", ":", ":", "", "", " :"]),
        chance.one([2, 3, 3, 4, 5]),
        chance.one([0.5, 1.0, 1.6, 2.5, 4.0]),
        chance.one([1.0, 1.0, 1.0, 1.2, 1.5]),
    )


def set_pairs(
    sheet: Sheet, x: float, y: float, width: float, pairs: Sequence[Pair], design: PairDesign
) -> float:
    """Set keys and values in the area from the top `y`; returns its bottom."""
    if not pairs:
        return y
    match design.layout:
        case "column" | "keys_right" | "colons":
            return _columns(sheet, x, y, width, pairs, design)
        case "spread":
            return _spread(sheet, x, y, width, pairs, design)
        case "inline":
            return _inline(sheet, x, y, pairs, design)
        case "below":
            return _below(sheet, x, y, pairs, design)
        case "grid" | "row":
            return _grid(sheet, x, y, width, pairs, design)


def _columns(
    sheet: Sheet, x: float, y: float, width: float, pairs: Sequence[Pair], design: PairDesign
) -> float:
    key_style, style = design.key_style, design.value_style
    colon = "" if design.layout == "colons" else design.colon
    widest = max(key_style.width(pair.key + colon) for pair in pairs)
    start = x + min(widest, 0.6 * width) + design.gap * style.size
    for pair in pairs:
        align: Align = "right" if design.layout == "keys_right" else "left"
        baseline = y + style.size
        sheet.text(
            x,
            baseline,
            pair.key and pair.key + colon,
            key_style,
            pair.key_mark,
            align=align,
            width=widest,
        )
        before = ": " if design.layout == "colons" else ""
        for line in pair.values:
            sheet.text(start, y + style.size, before + line, style, pair.mark)
            y += style.line * design.leading
            before = ""
        if not pair.values:
            y += style.line * design.leading
    return y


def _spread(
    sheet: Sheet, x: float, y: float, width: float, pairs: Sequence[Pair], design: PairDesign
) -> float:
    style = design.value_style
    for pair in pairs:
        sheet.text(
            x, y + style.size, pair.key and pair.key + design.colon, design.key_style, pair.key_mark
        )
        for line in pair.values or ("",):
            sheet.text(x, y + style.size, line, style, pair.mark, align="right", width=width)
            y += style.line * design.leading
    return y


def _inline(sheet: Sheet, x: float, y: float, pairs: Sequence[Pair], design: PairDesign) -> float:
    style = design.value_style
    for pair in pairs:
        key = f"{pair.key}{design.colon} " if pair.key else ""
        first = f"{key}{pair.values[0] if pair.values else ''}"
        mark = pair.mark if pair.values else pair.key_mark
        y = sheet.lines(x, y, [(first, mark), *((v, pair.mark) for v in pair.values[1:])], style)
        y += style.line * (design.leading - 1)
    return y


def _below(sheet: Sheet, x: float, y: float, pairs: Sequence[Pair], design: PairDesign) -> float:
    for pair in pairs:
        y = sheet.lines(
            x, y, [(pair.key and pair.key + design.colon, pair.key_mark)], design.key_style
        )
        y = sheet.lines(x, y, [(value, pair.mark) for value in pair.values], design.value_style)
        y += 0.5 * design.value_style.line * design.leading
    return y


def _grid(
    sheet: Sheet, x: float, y: float, width: float, pairs: Sequence[Pair], design: PairDesign
) -> float:
    """Cells with the key above its value, ruled for "grid" and with one rule for "row"."""
    key, style, pad = design.key_style, design.value_style, 3.0
    widest = max(style.width(value) for pair in pairs for value in pair.values or ("",))
    per_row = max(min(design.per_row, int(width / (widest + 2 * pad + 2))), 1)
    for start in range(0, len(pairs), per_row):
        row = pairs[start : start + per_row]
        column = width / len(row)
        tallest = max(len(pair.values) for pair in row)
        bottom = y + key.line + max(tallest, 1) * style.line + 2 * pad
        for at, pair in enumerate(row):
            left, cell = x + at * column, sheet.next_cell()
            lines = wrap_key(pair.key, key, column - 2 * pad)
            sheet.text(left + pad, y + pad + key.size, lines, key, pair.key_mark, cell=cell)
            values = [(value, pair.mark) for value in pair.values]
            sheet.lines(left + pad, y + pad + key.line, values, style, cell=cell)
            if design.layout == "grid":
                sheet.box(left, y, left + column, bottom)
        if design.layout == "row":
            sheet.rule(x, y + key.line + pad, x + width)
        y = bottom
    return y


def wrap_key(key: str, style: Style, width: float) -> str:
    """As many words of a key as fit."""
    words = key.split()
    while len(words) > 1 and style.width(" ".join(words)) > width:
        words.pop()
    return " ".join(words)
