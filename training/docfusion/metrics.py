"""How near a prediction is to what should have been read; task by task.

Scores of one sample are in [0, 1] and averaged over samples; `pooled` are figures of all samples
together, as the paper has them.

text      `ned` edit distance over the longer text, line breaks as blanks; `exact`
formula   `exact` LaTeX but for blanks; `ned` of it; `draws` mathtext can set it; `looks` it is then
          the same picture (None is left out where it does not draw)
table     `cell_f1` of cell texts wherever they stand, `grid_f1` of cells with place and span;
          `parses` it has cells
layout    `f1_50`, `f1_75`, `f1_90` of boxes with the right label at these overlaps (IoU)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from docpipe.datasets.docfusion.latex import normalise
from docpipe.datasets.docfusion.samples import LayoutBox, Sample, Task
from docpipe.geometry import BBox
from docpipe.records import Cell

OVERLAPS = (0.5, 0.75, 0.9)


class Prediction(NamedTuple):
    """What was read off an image: text or LaTeX, or boxes in its pixels. `cells` of a table may be
    given by readers that write no LaTeX."""

    text: str = ""
    boxes: tuple[LayoutBox, ...] = ()
    cells: tuple[Cell, ...] | None = None


class Matched(NamedTuple):
    """Boxes of a page: found and right, found, and to be found; `offset` is the mean distance of
    the sides of those that are right, in thousandths of the page's width or height."""

    right: int
    found: int
    wanted: int
    offset: float

    @property
    def f1(self) -> float:
        return (
            2 * self.right / max(self.found + self.wanted, 1)
            if self.wanted
            else float(not self.found)
        )


def sample_scores(sample: Sample, prediction: Prediction) -> dict[str, float]:
    match sample.task:
        case "text":
            return text_scores(sample.text, prediction.text)
        case "formula":
            return formula_scores(sample.text, prediction.text)
        case "table":
            return table_scores(gold_cells(sample), read_cells(prediction))
        case "layout":
            size = sample.image.size
            return {
                f"f1_{round(overlap * 100)}": matched(
                    sample.boxes, prediction.boxes, size, overlap
                ).f1
                for overlap in OVERLAPS
            }


def pooled(task: Task, pairs: Sequence[tuple[Sample, Prediction]]) -> dict[str, float]:
    """Figures of samples of one task that are no means over samples."""
    if not pairs:
        return {}
    if task == "layout":
        return _pooled_layout(pairs)
    if task == "text":
        gold, read = [s.text for s, _ in pairs], [r.text for _, r in pairs]
        return {"cer": character_errors(gold, read), "bleu": bleu(gold, read)}
    return {}


def text_scores(gold: str, read: str) -> dict[str, float]:
    gold, read = _one_line(gold), _one_line(read)
    return {"ned": edit_distance(gold, read), "exact": float(gold == read)}


def edit_distance(gold: str, read: str) -> float:
    """Characters to change over those of the longer text."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_distance(gold, read))


def character_errors(gold: Sequence[str], read: Sequence[str]) -> float:
    """Characters to change over those of all gold texts."""
    from rapidfuzz.distance import Levenshtein

    wrong = sum(
        Levenshtein.distance(_one_line(g), _one_line(r)) for g, r in zip(gold, read, strict=True)
    )
    return wrong / max(sum(len(_one_line(text)) for text in gold), 1)


def bleu(gold: Sequence[str], read: Sequence[str]) -> float:
    """Corpus BLEU of sacrebleu, 0..1."""
    from sacrebleu.metrics.bleu import BLEU

    texts = [_one_line(text) for text in read]
    return float(BLEU().corpus_score(texts, [[_one_line(text) for text in gold]]).score) / 100


def formula_scores(gold: str, read: str) -> dict[str, float]:
    gold, read = normalise(gold), normalise(read)
    same = gold == read
    wanted, found = drawn(gold), drawn(read)
    scores = {
        "exact": float(same),
        "ned": edit_distance(gold, read),
        "draws": float(found is not None),
    }
    if wanted is not None:
        scores["looks"] = float(same or wanted == found)
    return scores


def drawn(latex: str) -> bytes | None:
    """The picture of a formula as mathtext sets it, None where it cannot."""
    from docpipe.datasets.docfusion.formulas import formula_ink

    try:
        ink = formula_ink(latex, "dejavusans")
    except (ValueError, RuntimeError):
        return None
    return bytes(repr(ink.shape), "ascii") + ink.tobytes() if ink.any() else None


def table_scores(gold: Sequence[Cell], read: Sequence[Cell]) -> dict[str, float]:
    return {
        "cell_f1": _overlap([c.text for c in gold if c.text], [c.text for c in read if c.text]),
        "grid_f1": _overlap(map(_placed, gold), map(_placed, read)),
        "parses": float(bool(read)),
    }


def gold_cells(sample: Sample) -> tuple[Cell, ...]:
    from docpipe.parsers.docfusion.tabular import cells_of

    return sample.cells or cells_of(sample.text)


def read_cells(prediction: Prediction) -> tuple[Cell, ...]:
    from docpipe.parsers.docfusion.tabular import cells_of

    return prediction.cells if prediction.cells is not None else cells_of(prediction.text)


def _placed(cell: Cell) -> tuple[int, int, int, int, str]:
    return cell.row, cell.column, cell.row_span, cell.column_span, cell.text


def _overlap(gold: Iterable[object], read: Iterable[object]) -> float:
    """F1 of two bags."""
    wanted, found = Counter(gold), Counter(read)
    total = wanted.total() + found.total()
    return 2 * (wanted & found).total() / total if total else 1.0


def matched(
    gold: Sequence[LayoutBox],
    read: Sequence[LayoutBox],
    size: tuple[int, int],
    overlap: float,
) -> Matched:
    """Boxes of one page of `size` (width, height): each is matched at most once, with a box of its
    label, those that overlap most first."""
    candidates = sorted(
        (
            (value, w, f)
            for w, wanted in enumerate(gold)
            for f, found in enumerate(read)
            if wanted.label == found.label and (value := iou(wanted.box, found.box)) >= overlap
        ),
        reverse=True,
    )
    taken_gold: set[int] = set()
    taken_read: set[int] = set()
    offsets: list[float] = []
    for _, w, f in candidates:
        if w not in taken_gold and f not in taken_read:
            taken_gold.add(w)
            taken_read.add(f)
            offsets.append(_offset(gold[w].box, read[f].box, size))
    offset = sum(offsets) / max(len(offsets), 1)
    return Matched(len(offsets), len(read), len(gold), offset)


def iou(first: BBox, second: BBox) -> float:
    """Area that two boxes share over the area of both together."""
    shared = first.intersection(second)
    return shared / max(first.area + second.area - shared, 1e-9)


def _offset(gold: BBox, read: BBox, size: tuple[int, int]) -> float:
    width, height = size
    across = abs(gold.x0 - read.x0) + abs(gold.x1 - read.x1)
    down = abs(gold.y0 - read.y0) + abs(gold.y1 - read.y1)
    return 1000 * (across / width + down / height) / 4


def _pooled_layout(pairs: Sequence[tuple[Sample, Prediction]]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for overlap in OVERLAPS:
        pages = [matched(s.boxes, r.boxes, s.image.size, overlap) for s, r in pairs]
        right = sum(page.right for page in pages)
        name = f"{round(overlap * 100)}"
        figures[f"precision_{name}"] = right / max(sum(page.found for page in pages), 1)
        figures[f"recall_{name}"] = right / max(sum(page.wanted for page in pages), 1)
        if overlap == OVERLAPS[0]:
            figures["offset"] = sum(p.offset * p.right for p in pages) / max(right, 1)
    return figures


def _one_line(text: str) -> str:
    return " ".join(text.split())
