"""The entries of a form: fields, what stands for them on the page, their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from docpipe.geometry import BBox
from docpipe.records import FormField, Word

MARKED = ("checkbox", "radio")
VALUED = ("text", "choice")
_ROWS = 3  # fields one below another, side by side with others: a table
_CHAIN = 30.0  # points between the fields of one number


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A field, the words that stand for it on the page and those of its printed label.

    `apart`: label and value stand for themselves, in no running text.
    """

    field: FormField
    box: BBox
    words: tuple[Word, ...]
    label: tuple[Word, ...]
    side: Literal["left", "right", "above", ""]
    apart: bool = False


def without_grids(entries: Sequence[Entry]) -> list[Entry]:
    """Entries, those in the columns of a table without their label: it is the row's."""
    columns: dict[tuple[int, int], list[int]] = {}
    for index, entry in enumerate(entries):
        if entry.field.kind in VALUED and entry.side != "above":
            edges = round(entry.box.x0 / 3), round(entry.box.x1 / 3)
            columns.setdefault(edges, []).append(index)
    stacks = [stack for stack in columns.values() if len(stack) >= _ROWS]
    if len(stacks) < 2:
        return list(entries)
    gridded = {index for stack in stacks for index in stack}
    return [
        msgspec.structs.replace(entry, label=(), side="", apart=False)
        if index in gridded
        else entry
        for index, entry in enumerate(entries)
    ]


def chained(entries: Sequence[Entry]) -> list[Entry]:
    """Values without a label that follow a labelled one closely, as the parts of a number or a
    date do, made part of it."""
    found = list(entries)
    for index in sorted(range(len(entries)), key=lambda index: entries[index].box.x0):
        entry = entries[index]
        if entry.field.kind not in VALUED or entry.label or not entry.words:
            continue
        at = next((at for at, head in enumerate(found) if _goes_on(head, entry.box)), None)
        if at is not None:
            head = found[at]
            words, box = (*head.words, *entry.words), head.box.union(entry.box)
            found[at] = msgspec.structs.replace(head, words=words, box=box)
            found[index] = msgspec.structs.replace(entry, words=())
    return found


def _goes_on(head: Entry, box: BBox) -> bool:
    """Whether a field stands right behind one whose label and value stand apart."""
    return (
        head.apart
        and -1.0 <= box.x0 - head.box.x1 < _CHAIN
        and head.box.y_overlap(box) > 0.7 * box.height
    )


def in_order(words: Sequence[Word], entries: Sequence[Entry]) -> list[Word]:
    """The words with those of each entry after its label, or before it where the label follows;
    those without a label come last."""
    before: dict[Word, list[Word]] = {}
    after: dict[Word, list[Word]] = {}
    last: list[Word] = []
    for entry in entries:
        if not entry.label:
            last += entry.words
        elif entry.side == "right":
            before.setdefault(entry.label[0], []).extend(entry.words)
        else:
            after.setdefault(entry.label[-1], []).extend(entry.words)
    placed = [
        each for word in words for each in (*before.get(word, ()), word, *after.get(word, ()))
    ]
    return [*placed, *last]
