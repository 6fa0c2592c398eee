"""Where the entries of a form stand among the lines, tables and blocks of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from docpipe.geometry import BBox, union_all
from docpipe.parsers.native.form_entries import VALUED, Entry
from docpipe.parsers.native.lines import Line, merge_lines
from docpipe.parsers.native.words import UPRIGHT, StyledWord
from docpipe.records import Region, Source, Table, TextBlock, Word
from docpipe.stages import Draft, Style

_FORM = 0.5  # share of a table's filled cells that are labels and entries: a form, no table
_CLOSE = 4.0  # in font sizes: boxes of one question
_APART = 0.5  # of the page's width: how far the boxes stand from the question they answer


def is_form(table: Table, entries: Sequence[Entry], words: Sequence[Word]) -> bool:
    """Whether a table is but the fields of a form side by side."""
    box = table.source.regions[0].bbox
    mine = [entry for entry in entries if box.contains_point(*entry.box.center)]
    if not mine:
        return False
    known = {word for entry in mine if entry.label for word in (*entry.words, *entry.label)}
    inside = [word for word in words if box.contains_point(*word.bbox.center)]
    marks = {word for entry in mine if entry.field.state for word in entry.words}
    if all(word in marks for word in inside):
        return True
    filled = formed = 0
    for cell in table.cells:
        if not cell.text or cell.region is None:
            continue
        own = [word for word in inside if cell.region.bbox.contains_point(*word.bbox.center)]
        filled += 1
        formed += bool(own) and all(word in known for word in own)
    return formed > _FORM * filled


def paired(
    entries: Sequence[Entry], words: Sequence[StyledWord], page: int, stage: str
) -> tuple[list[Draft], list[StyledWord]]:
    """Blocks of the values that stand apart with their labels, one for those on a row, and the
    words in none of them."""
    styles = {word.word: word for word in words}
    pairs: list[Entry] = []
    gone: set[Word] = set()
    for entry in entries:
        own = (*entry.label, *entry.words)
        if entry.apart and all(word in styles and word not in gone for word in own):
            pairs.append(entry)
            gone.update(own)
    rest = [word for word in words if word.word not in gone]
    drafts = [
        _pairs(row, styles[row[0].label[0]], page, stage, number)
        for number, row in enumerate(_on_rows(pairs, rest))
    ]
    return drafts, rest


def _on_rows(pairs: Sequence[Entry], others: Sequence[StyledWord]) -> list[list[Entry]]:
    """Pairs on one row together, left to right, where nothing else is between them."""
    rows: list[list[Entry]] = []
    for pair in sorted(pairs, key=lambda pair: (round(_box(pair).y0 / 3), pair.box.x0)):
        row = rows[-1] if rows else []
        box = union_all(map(_box, (*row, pair)))
        level = bool(row) and _level(_box(row[-1]), _box(pair))
        if level and not any(box.contains_point(*word.word.bbox.center) for word in others):
            row.append(pair)
        else:
            rows.append([pair])
    return rows


def _box(pair: Entry) -> BBox:
    return union_all([pair.box, *(word.bbox for word in (*pair.label, *pair.words))])


def _pairs(row: Sequence[Entry], label: StyledWord, page: int, stage: str, number: int) -> Draft:
    """A block with a line for each pair of a row."""
    lines = [" ".join(word.text for word in (*pair.label, *pair.words)) for pair in row]
    source = Source((Region(page, union_all(map(_box, row))),), stage)
    block = TextBlock(f"p{page}/field{number}", source, "\n".join(lines), "paragraph")
    return Draft(block, Style(label.size, font=label.font))


def beside_labels(words: Sequence[StyledWord], entries: Sequence[Entry]) -> list[StyledWord]:
    """`words` with each mark and value next to its label, as if it were drawn with it."""
    styles = {word.word: word for word in words}
    before: dict[Word, list[StyledWord]] = {}
    after: dict[Word, list[StyledWord]] = {}
    for entry in entries:
        own = [styles[word] for word in entry.words if word in styles]
        if not entry.label or entry.side == "above" or len(own) < len(entry.words):
            continue
        anchor = styles.get(entry.label[0 if entry.side == "right" else -1])
        if anchor is None or anchor.direction != UPRIGHT:
            continue
        side = before if entry.side == "right" else after
        side.setdefault(anchor.word, []).extend(_as(word, anchor, entry) for word in own)
    moved = {word.word for group in (*before.values(), *after.values()) for word in group}
    return [
        placed
        for word in words
        if word.word not in moved
        for placed in (*before.get(word.word, ()), word, *after.get(word.word, ()))
    ]


def _as(word: StyledWord, label: StyledWord, entry: Entry) -> StyledWord:
    """The word in the run of its label; a mark in its style, too."""
    if entry.field.kind in VALUED:
        return msgspec.structs.replace(word, run=label.run)
    return msgspec.structs.replace(label, word=word.word)


def join_mark_rows(lines: Sequence[Line], entries: Sequence[Entry], width: float) -> list[Line]:
    """`lines` with check boxes close together on one row, or right of the question that they
    answer, as one line. Boxes far apart with nothing left of them stand in columns."""
    marks = {word for entry in entries if entry.field.state for word in entry.words}
    if not marks:
        return list(lines)
    return [line for row in _rows(lines) for line in _joined(row, marks, width)]


def _rows(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines of one height, from left to right; what is not upright by itself."""
    row: list[Line] = []
    for line in lines:
        if row and (line.direction != UPRIGHT or not _level(row[0].bbox, line.bbox)):
            yield sorted(row, key=lambda line: line.bbox.x0)
            row = []
        row.append(line)
    if row:
        yield sorted(row, key=lambda line: line.bbox.x0)


def _level(one: BBox, other: BBox) -> bool:
    return one.y_overlap(other) > 0.55 * min(one.height, other.height)


def _joined(row: Sequence[Line], marks: set[Word], width: float) -> list[Line]:
    """The lines of one row, each run of boxes and the question before it made one."""
    several = sum(word in marks for line in row for word in line.words) > 1
    groups: list[list[Line]] = []
    for line in row:
        last = groups[-1] if groups else None
        if several and last and line.words[0] in marks and _answers(line, last, marks, width):
            last.append(line)
        else:
            groups.append([line])
    return [group[0] if len(group) == 1 else merge_lines(group) for group in groups]


def _answers(line: Line, group: Sequence[Line], marks: set[Word], width: float) -> bool:
    asks = group[0].words[0] not in marks
    distance = line.bbox.x0 - group[-1].bbox.x1
    return distance < (_APART * width if asks else _CLOSE * line.size)
