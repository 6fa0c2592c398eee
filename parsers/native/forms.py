"""Form fields and check boxes in the text of a page.

A value is read after its printed label, and a box stands as ☒ or ☐ beside its own. What fields show
is taken as drawn where it is the value; a value that nothing shows yet (no appearance, one letter a
box, a list with the chosen line lit up) is set into the field's place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import msgspec

from docpipe.geometry import BBox
from docpipe.parsers.native.form_entries import (
    MARKED,
    VALUED,
    Entry,
    chained,
    in_order,
    without_grids,
)
from docpipe.parsers.native.marks import Mark, find_marks
from docpipe.parsers.native.nearby import Nearby, gap, phrase
from docpipe.records import FormField, HiddenText, Region, Word
from docpipe.stages import PageView

ON, OFF = "☒", "☐"
_FAR = 220.0  # points between a label and the field right of it
_LINE = 24.0  # points: the first line of a field with several
_OFF_LEVEL = 0.18  # share of a word's height on the level of its field
_LONGEST = 14  # words of a label
_UNREAD = "\ufffd"
_SIZE = 10.0  # points: of values that nothing shows


class Forms(msgspec.Struct, frozen=True):
    """All words of a page, those of values and marks among them, and its fields."""

    words: tuple[Word, ...]
    entries: tuple[Entry, ...]
    fields: tuple[FormField, ...]


@runtime_checkable
class _WithFields(Protocol):
    """A page that tells what its fields show."""

    def field_words(self) -> list[Word]: ...


def read_forms(page: PageView, words: Sequence[Word]) -> Forms:
    """The fields of a page, drawn check boxes among them. `words` are its visible words."""
    fields = page.widgets()
    drawn = set(page.field_words()) if fields and isinstance(page, _WithFields) else set()
    printed = [word for word in words if word not in drawn]
    boxes = [field.region.bbox for field in fields if field.region]
    marks = find_marks(page, printed, boxes)
    if not fields and not marks:
        return Forms(tuple(words), (), ())
    replaced = {word for mark in marks for word in mark.drawn}
    printed = [rest for word in printed for rest in _without_glyph(word, replaced)]
    reader = _Reader(printed, drawn.intersection(words), drawn, [*boxes, *(m.box for m in marks)])
    entries = [entry for field in fields if (entry := reader.entry(field))]
    entries += [reader.mark(mark, page.number) for mark in marks]
    named = {id(entry.field): _labelled(entry) for entry in entries}
    entries = chained(without_grids(entries))
    return Forms(
        tuple(in_order([*printed, *reader.captions(fields)], entries)),
        tuple(entries),
        (
            *(named.get(id(field), field) for field in fields),
            *(named[id(entry.field)] for entry in entries[len(entries) - len(marks) :]),
        ),
    )


def without_options(hidden: Sequence[HiddenText], fields: Sequence[FormField]) -> list[HiddenText]:
    """`hidden` without the options of lists: the chosen one lies under its highlight."""
    boxes = [f.region.bbox for f in fields if f.kind == "choice" and f.region]
    return [
        piece
        for piece in hidden
        if not any(box.contains_point(*piece.region.bbox.center) for box in boxes)
    ]


def _without_glyph(word: Word, replaced: set[Word]) -> list[Word]:
    """The word, or what follows the box glyph that it starts with."""
    if word not in replaced:
        return [word]
    rest = word.text[1:].strip()
    if not rest:
        return []
    box = word.bbox
    start = min(box.x0 + 0.8 * box.height, box.center[0])
    return [msgspec.structs.replace(word, text=rest, bbox=BBox(start, box.y0, box.x1, box.y1))]


def _labelled(entry: Entry) -> FormField:
    field = entry.field
    label = field.label or " ".join(word.text for word in entry.label).strip(" :") or None
    name = field.name or (label or "" if field.kind == "checkbox" else "")
    return msgspec.structs.replace(field, label=label, name=name)


class _Reader:
    """Makes entries of the fields of one page.

    `shown` are the words that fields show, `drawn` those together with hidden ones.
    """

    def __init__(
        self,
        printed: Sequence[Word],
        shown: set[Word],
        drawn: set[Word],
        boxes: Sequence[BBox],
    ) -> None:
        self._near = Nearby(printed)
        self._shown = Nearby(list(shown))
        self._drawn = Nearby(list(drawn))
        self._boxes = boxes

    def entry(self, field: FormField) -> Entry | None:
        """The entry of an interactive field, None for buttons and what the page does not show."""
        if field.region is None or field.kind not in (*MARKED, *VALUED):
            return None
        box = field.region.bbox
        if field.kind in MARKED:
            return self._marked(field, box, ())
        words = self._value(field, box)
        side, label = self._label(box)
        apart = bool(words and label) and self._stands_apart(box, side)
        return Entry(field, box, words, label, side, apart)

    def mark(self, mark: Mark, page: int) -> Entry:
        """The entry of a printed check box."""
        state = "on" if mark.on else "off"
        value = "Yes" if mark.on else "Off"
        field = FormField("", "checkbox", value, state, Region(page, mark.box))
        return self._marked(field, mark.box, mark.drawn)

    def _marked(self, field: FormField, box: BBox, without: Sequence[Word]) -> Entry:
        label = self._near.beside(box, without, self._others(box))
        place = box
        if label and label[0].bbox.y_overlap(box) > 0:  # as high as its line: boxes are often more
            place = BBox(box.x0, label[0].bbox.y0, box.x1, label[0].bbox.y1)
        word = Word(ON if field.state == "on" else OFF, place)
        right = bool(label) and label[0].bbox.x0 > box.center[0]
        return Entry(field, box, (word,), label, ("right" if right else "left") if label else "")

    def captions(self, fields: Sequence[FormField]) -> list[Word]:
        """What fields show that is no value: captions of buttons, signatures."""
        valued = [f.region.bbox for f in fields if f.region and f.kind in (*MARKED, *VALUED)]
        taken = {word for box in valued for word in self._shown.inside(box.expand(1.0))}
        everything = self._shown.between(float("-inf"), float("inf"))
        return [word for word in everything if word not in taken]

    def _value(self, field: FormField, box: BBox) -> tuple[Word, ...]:
        """The words of a value: as shown, or set into the field's box."""
        shown = self._shown.inside(box.expand(1.0))
        if not shown:
            hidden = self._drawn.inside(box.expand(1.0))
            return () if hidden or not field.value else tuple(_set(field.value, box))
        shown = [word for row in _rows(shown) for word in row]
        lettered = len(shown) > len(field.value.split()) and _key(shown) == _squeezed(field.value)
        options = field.kind == "choice" and self._lists(field.value, box)
        if lettered or options or (_UNREAD in _key(shown) and _UNREAD not in field.value):
            return tuple(_set(field.value, box, shown))
        return tuple(shown)

    def _lists(self, value: str, box: BBox) -> bool:
        """Whether a value is one of several lines that a field shows: the others are not chosen."""
        rows = _rows(self._drawn.inside(box.expand(1.0)))
        return len(rows) > 1 and bool(value)

    def _label(self, box: BBox) -> tuple[Literal["left", "above", ""], tuple[Word, ...]]:
        """The printed label of a field: left of it, or above."""
        left = self._left(box)
        above = self._above(box)
        near = left and gap(left[-1].bbox, box) < 1.5 * left[-1].bbox.height
        if left and (near or not above or left[-1].text.endswith(":")):
            return "left", left
        return ("above", above) if above else ("", ())

    def _left(self, box: BBox) -> tuple[Word, ...]:
        line = BBox(box.x0, box.y0, box.x1, min(box.y1, box.y0 + _LINE))
        row = [w for w in self._near.row(line, _OFF_LEVEL) if w.bbox.x1 <= box.x0 + 3]
        if row:  # of two rows at its height, the one more on its level
            level = max(word.bbox.y_overlap(line) for word in row)
            row = [word for word in row if word.bbox.y_overlap(line) > 0.6 * level]
        reach = _FAR / row[-1].bbox.height if row and row[-1].bbox.height else 0.0
        return _as_label(phrase(row[::-1], line, self._others(line), reach)[::-1])

    def _others(self, box: BBox) -> list[BBox]:
        """The other fields and boxes that a label at the height of this one ends at."""
        level = (other for other in self._boxes if other.y_overlap(box) > -_LINE)
        return [other for other in level if not other.contains_point(*box.center)]

    def _above(self, box: BBox) -> tuple[Word, ...]:
        row = [
            word
            for word in self._near.between(box.y0 - _LINE, box.y0 + 3.0)
            if -0.7 * word.bbox.height < box.y0 - word.bbox.y1 < 0.9 * word.bbox.height
        ]
        own = sorted(
            (w for w in row if box.x0 - 3 <= w.bbox.center[0] <= box.x1 + 3),
            key=lambda word: word.bbox.x0,
        )
        if not own or abs(own[0].bbox.x0 - box.x0) > 0.5 * box.width:
            return ()
        outside = [w for w in row if w not in own and gap(w.bbox, own[0].bbox) < w.bbox.height / 2]
        return () if outside or self._is_column(box) else _as_label(own)

    def _is_column(self, box: BBox) -> bool:
        """Whether more fields follow right below: the words above are a column's head."""
        return any(
            abs(other.x0 - box.x0) < 3
            and abs(other.x1 - box.x1) < 3
            and -2 < other.y0 - box.y1 < 0.35 * box.height
            for other in self._boxes
        )

    def _stands_apart(self, box: BBox, side: str) -> bool:
        """Whether no text runs on right of a field."""
        row = [word for word in self._near.row(box) if word.bbox.x0 > box.center[0]]
        return side == "above" or not row or gap(box, row[0].bbox) > 1.2 * row[0].bbox.height


def _as_label(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words if they can be a label: no sentence, no single letters one below another."""
    short = len(words) <= _LONGEST and any(len(word.text) > 1 for word in words)
    return tuple(words) if short else ()


def _key(words: Sequence[Word]) -> str:
    return "".join(word.text for word in words)


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words, sorted by height, line by line from left to right."""
    rows: list[list[Word]] = []
    for word in words:
        last = rows[-1][0].bbox if rows else None
        if last is not None and last.y_overlap(word.bbox) > 0.5 * word.bbox.height:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.bbox.x0) for row in rows]


def _set(value: str, box: BBox, shown: Sequence[Word] = ()) -> list[Word]:
    """The words of a value in a field's box, as high as what the field shows."""
    height = shown[0].bbox.height if shown else min(1.2 * _SIZE, box.height)
    lines = [line.split() for line in value.split("\n") if line.split()]
    single = len(lines) == 1 and box.height < 2.5 * height
    top = box.center[1] - height / 2 if single else box.y0 + 1.0
    advance = 0.42 * height
    words: list[Word] = []
    for line in lines:
        x = box.x0 + 2.0
        for text in line:
            width = len(text) * advance
            if x + width > box.x1 and x > box.x0 + 2.0 and not single:
                x, top = box.x0 + 2.0, top + height
            end = x + width if not single else min(x + width, max(box.x1, x + 1.0))
            words.append(Word(text, BBox.of(x, top, end, top + height)))
            x = end + advance if not single else x + width + advance
        top += height
    return words
