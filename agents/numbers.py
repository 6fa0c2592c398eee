"""No number is answered that the evidence does not say, or that does not follow from it.

A calculation counts when it rests on cells, or when every number in it stands in the evidence; one
that is a constant of the model's own proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from docpipe.agents.calculator import Calculation
from docpipe.agents.passages import sentences
from docpipe.agents.values import Found, find_numbers, scale_of
from docpipe.content import block_text
from docpipe.records import Answer, Block, Document, Evidence, Page, Table, TextBlock, Value

INVENTED = "Not answerable: the number {} of the answer stands in no passage that it cites."

_PLAIN = re.compile(r"\d[\d,]*(?:\.\d+)?")
_UNITS = frozenset({100.0, 1e3, 1e6})  # what turns shares into percent, and units into others
_TOLD_ONLY = 0.5


def supported(
    answer: Answer,
    told: Sequence[str],
    question: str,
    worked: Sequence[Calculation] = (),
    *,
    counted: bool = False,
    seen: Sequence[str] = (),
) -> Answer:
    """The answer with the cells of the calculations it gives, or a refusal that names the number.

    Numbers of the value, of each member of a list and of the text must stand in `told` or be
    results of `worked`; sentences of the text with others are left out, but for those of the
    question. What is `counted` need not be written down, and what a model has `seen` is no text:
    both halve the confidence.
    """
    if not answer.answerable:
        return answer
    known = set(_numbers_in(told))
    good = [item for item in worked if _follows(item, known)]
    said = find_numbers(_spoken(answer.value, answer.text))
    loose = [found for found in said if not _stands(found, known, good)]
    looked = set(_numbers_in(seen))
    unseen = [found for found in loose if not _stands(found, looked, ())]
    if unseen and not counted:
        return Answer(INVENTED.format(unseen[0].text), None, "none", False, (), 0.0)
    text = _kept(answer, known | looked | set(_numbers_in([question, *_texts(loose)])), good)
    used = [
        item.evidence
        for item in good
        if any(not _stands(found, known, ()) and _is(found, item.value) for found in said)
    ]
    evidence = dict.fromkeys([*answer.evidence, *(cell for cells in used for cell in cells)])
    sure = answer.confidence * (_TOLD_ONLY if loose else 1.0)
    return msgspec.structs.replace(answer, text=text, evidence=tuple(evidence), confidence=sure)


def told_by(evidence: Iterable[Evidence], document: Callable[[str], Document]) -> list[str]:
    """The quotes, with the captions, headers and headings that they stand under."""
    told = []
    for item in evidence:
        told.append(item.quote)
        for page in document(item.document).pages:
            if page.number == item.page:
                told += _over(page, item.block)
    return told


def _over(page: Page, cited: str) -> Iterator[str]:
    for block in page.blocks:
        if block.id == cited and isinstance(block, Table):
            yield block.caption or ""
            yield from (cell.text for cell in block.cells if cell.is_header or cell.row == 0)
        elif _is_heading(block):
            yield block_text(block)


def _is_heading(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.role in ("title", "heading", "caption")


def _spoken(value: Value, text: str) -> str:
    """The value as text; the text where there is none."""
    if value is None:
        return text
    return " ; ".join(map(str, value)) if isinstance(value, list) else str(value)


def _kept(answer: Answer, known: set[float], good: Sequence[Calculation]) -> str:
    """The text without sentences whose numbers nothing bears out; the value, if none is left."""
    parts = [answer.text[start:end].strip() for start, end in sentences(answer.text)]
    kept = [
        part for part in parts if all(_stands(found, known, good) for found in find_numbers(part))
    ]
    if len(kept) == len(parts):
        return answer.text
    return " ".join(kept) or _spoken(answer.value, "")


def _texts(found: Iterable[Found]) -> list[str]:
    return [item.text for item in found]


def _follows(calculation: Calculation, known: set[float]) -> bool:
    foreign = [abs(number) for number in calculation.operands if abs(number) not in known]
    own = len(calculation.operands) - len(foreign)
    return bool(calculation.evidence or own) and len(foreign) <= 1 and _UNITS.issuperset(foreign)


def _stands(found: Found, known: set[float], worked: Sequence[Calculation]) -> bool:
    number = abs(found.number or 0.0)
    if number in known or number * _scale(found) in known:
        return True
    return any(_is(found, item.value) for item in worked)


def _is(found: Found, value: float) -> bool:
    """Whether a number is a value, as far as it is written out."""
    digits = len(found.text.partition(".")[2].rstrip("% ")) if "." in found.text else 0
    number = (found.number or 0.0) * _scale(found)
    if (found.percent or digits) and abs(number) == abs(
        round(100 * value, digits)
    ):  # a share, in percent
        return True
    return abs(number) == abs(round(value, digits)) or abs(abs(number) - abs(value)) < 1e-9


def _scale(found: Found) -> float:
    return scale_of(found.text.rpartition(" ")[2])


def _numbers_in(texts: Iterable[str]) -> Iterator[float]:
    """The numbers of texts, also those that are labels, and with their words of scale."""
    for text in texts:
        yield from (float(m.group().replace(",", "")) for m in _PLAIN.finditer(text))
        for found in find_numbers(text):
            yield abs(found.number or 0.0)
            yield abs(found.number or 0.0) * _scale(found)
