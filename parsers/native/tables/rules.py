"""Rules (drawn lines) of a page, from its vector paths.

Documents draw the lines of a table as strokes, as thin filled rectangles, as rows of dots, or not
at all but as the edges of filled cells. All of these become `Rule`s here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from docpipe.stages import Drawing

THIN = 2.6  # a filled rectangle thinner than this is a line
DOT_GAP = 3.6  # largest gap between the dashes of one line
SHORTEST = 7.0  # a line shorter than this rules no table
OFFSET = 1.3  # segments nearer than this across are one line
INSET = 8.0  # a fill ends nearer than this to the lines around its cell
STRIPE_GAP = 45.0  # largest height of a row without shade between shaded ones
BREAK = 9.0  # a vertical rule may stop so far from the rules across and go on below them
FEWEST_BREAKS = 4  # pieces of such a rule
NESTING = 24  # fills looked back at for one that contains the next
MOST_DRAWINGS = 40_000  # maps and plans: no tables in there that rules could tell
MOST_RULES = 1_500
WHITE = 0xFFFFFF


class Rule(NamedTuple):
    """A straight line: `at` is its y when horizontal (x when vertical), `start` to `end` its run.

    `drawn` is False for the edge of a filled area, which need not be meant as a line.
    """

    at: float
    start: float
    end: float
    drawn: bool = True

    @property
    def length(self) -> float:
        return self.end - self.start


class Rules(NamedTuple):
    horizontal: list[Rule]
    vertical: list[Rule]


def find_rules(drawings: Sequence[Drawing]) -> Rules:
    """The horizontal and vertical rules of a page, collinear pieces joined, sorted by position."""
    if len(drawings) > MOST_DRAWINGS:
        return Rules([], [])
    horizontal: list[Rule] = []
    vertical: list[Rule] = []
    for drawing in _without_nested(drawings):
        for across, rule in _pieces(drawing):
            (horizontal if across else vertical).append(rule)
    flat = _without_insets(_joined(horizontal))
    rules = Rules(flat, _bridged(_without_insets(_joined(vertical, STRIPE_GAP)), flat))
    if max(len(rules.horizontal), len(rules.vertical)) > MOST_RULES:
        return Rules([], [])
    return rules


def _without_nested(drawings: Sequence[Drawing]) -> Iterator[Drawing]:
    """Drawings without fills that lie on a just drawn fill of the same colour: the shading of a
    paragraph inside a shaded cell is no cell."""
    recent: dict[int, list[Drawing]] = {}
    for drawing in drawings:
        if drawing.kind == "rect" and drawing.fill is not None and drawing.stroke is None:
            before = recent.setdefault(drawing.fill, [])
            if any(fill.bbox.contains(drawing.bbox, 0.5) for fill in before[-NESTING:]):
                continue
            before.append(drawing)
        yield drawing


def _pieces(drawing: Drawing) -> Iterator[tuple[bool, Rule]]:
    """Straight pieces of a path, with True for the horizontal ones."""
    x0, y0, x1, y1 = drawing.bbox.x0, drawing.bbox.y0, drawing.bbox.x1, drawing.bbox.y1
    if drawing.kind == "curve" or (drawing.stroke is None and drawing.fill is None):
        return
    wide, high = x1 - x0 > THIN, y1 - y0 > THIN
    if wide and high:
        if drawing.kind == "rect":
            drawn = drawing.stroke is not None and drawing.stroke != WHITE
            if drawn or drawing.fill not in (None, WHITE):
                yield from _edges(x0, y0, x1, y1, drawn)
        return
    if not high:
        yield True, Rule((y0 + y1) / 2, x0, x1)
    if not wide:
        yield False, Rule((x0 + x1) / 2, y0, y1)


def _edges(x0: float, y0: float, x1: float, y1: float, drawn: bool) -> Iterable[tuple[bool, Rule]]:
    return (
        (True, Rule(y0, x0, x1, drawn)),
        (True, Rule(y1, x0, x1, drawn)),
        (False, Rule(x0, y0, y1, drawn)),
        (False, Rule(x1, y0, y1, drawn)),
    )


def _joined(pieces: list[Rule], stripe_gap: float = 0.0) -> list[Rule]:
    """Collinear pieces that touch or nearly touch become one rule; dots and specks are dropped.

    Edges of fills are joined over gaps of up to `stripe_gap`: every other row is shaded.
    """
    rules = [
        rule
        for track in _tracks(pieces)
        for rule in _runs(sorted(track, key=lambda rule: rule.start), stripe_gap)
        if rule.length >= SHORTEST
    ]
    return sorted(rules)


def _bridged(pieces: list[Rule], across: Sequence[Rule]) -> list[Rule]:
    """Vertical rules with those joined that break off shortly above every rule across and go on
    shortly below it."""
    bridged: list[Rule] = []
    for track in _tracks(pieces):
        runs: list[list[Rule]] = []
        for piece in sorted(track, key=lambda rule: rule.start):
            gap = piece.start - runs[-1][-1].end if runs else BREAK
            if 0 <= gap < BREAK and _crossing(across, piece.at, piece.start - gap, piece.start):
                runs[-1].append(piece)
            else:
                runs.append([piece])
        for run in runs:
            bridged += [_reaching(run, across)] if len(run) >= FEWEST_BREAKS else run
    return sorted(bridged)


def _reaching(run: Sequence[Rule], across: Sequence[Rule]) -> Rule:
    """Pieces of a vertical rule as one, from the rule above them to the one below."""
    at, start, end = run[0].at, run[0].start, run[-1].end
    top = _crossing(across, at, start - BREAK / 2, start)
    bottom = _crossing(across, at, end, end + BREAK / 2)
    return Rule(at, top.at if top else start, bottom.at if bottom else end)


def _crossing(across: Sequence[Rule], x: float, top: float, bottom: float) -> Rule | None:
    """A rule between two heights that runs through `x`."""
    first = bisect_left(across, top - 0.5, key=lambda rule: rule.at)
    last = bisect_left(across, bottom + 0.5, key=lambda rule: rule.at)
    return next((rule for rule in across[first:last] if rule.start < x < rule.end), None)


def _without_insets(rules: list[Rule]) -> list[Rule]:
    """Rules without the edges of fills that end just short of a drawn line."""
    drawn = [rule for rule in rules if rule.drawn]
    ats = [rule.at for rule in drawn]

    def is_inset(rule: Rule) -> bool:
        near = drawn[bisect_left(ats, rule.at - INSET) : bisect_left(ats, rule.at + INSET)]
        return any(
            min(r.end, rule.end) - max(r.start, rule.start) > 0.8 * rule.length for r in near
        )

    return [rule for rule in rules if rule.drawn or not is_inset(rule)]


def _tracks(pieces: list[Rule]) -> Iterator[list[Rule]]:
    """Pieces at (nearly) the same position across."""
    track: list[Rule] = []
    for piece in sorted(pieces):
        if track and piece.at - track[0].at > OFFSET:
            yield track
            track = []
        track.append(piece)
    if track:
        yield track


def _runs(track: list[Rule], stripe_gap: float) -> Iterator[Rule]:
    run = track[0]
    for piece in track[1:]:
        stripes = not run.drawn and not piece.drawn
        limit = min(stripe_gap, 1.6 * piece.length) if stripes else 0.0
        if piece.start - run.end <= max(DOT_GAP, limit):
            at = run.at if run.length >= piece.length else piece.at
            run = Rule(at, run.start, max(run.end, piece.end), run.drawn or piece.drawn)
        else:
            yield run
            run = piece
    yield run
