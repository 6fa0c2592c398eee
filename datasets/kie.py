"""Labelled entities of documents: records, a JSONL format of docpipe's own, and splits.

One document a line; boxes [x0, y0, x1, y1] with the origin at the top left, in the unit of width
and height (pixels or points):

    {"key": "receipt-17",
     "pages": [{"width": 463, "height": 1013, "entities": [
        {"text": "TOTAL:", "box": [20, 400, 90, 415], "label": "other"},
        {"text": "9.00", "box": [380, 400, 440, 415], "label": "total"},
        {"text": "9.00", "box": [380, 430, 440, 445], "label": "other", "also": ["total"]}]}],
     "values": {"total": "9.00"}}

`also` names fields that the entity would be equally right for; `values` the field values of the
document as a reader would write them; `annotated` the fields that its source labels, where those
are not all: an entity labelled "other" may then be of any field that is not among them. A page may
have `links`, pairs of indices of its entities (a question and its answer), and a document `rows`,
the values of its `item.…` fields row by row. All of these may be left out.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from docpipe.errors import SchemaError
from docpipe.geometry import BBox

OTHER = "other"


class KieEntity(msgspec.Struct, frozen=True, omit_defaults=True):
    text: str
    box: BBox
    label: str = OTHER
    also: tuple[str, ...] = ()


class KiePage(msgspec.Struct, frozen=True, omit_defaults=True):
    """`entities` in reading order as far as the source has one; `links` are pairs of their indices,
    a question and its answer."""

    width: float
    height: float
    entities: tuple[KieEntity, ...]
    links: tuple[tuple[int, int], ...] = ()


class KieDocument(msgspec.Struct, frozen=True, omit_defaults=True):
    key: str
    pages: tuple[KiePage, ...]
    values: dict[str, str] = {}
    rows: tuple[dict[str, str], ...] = ()
    annotated: tuple[str, ...] = ()

    def entities(self) -> Iterator[KieEntity]:
        """The entities of all pages."""
        return (entity for page in self.pages for entity in page.entities)


class Problem(NamedTuple):
    """What is wrong in line `line` (from 1) of a file, and what to do about it."""

    line: int
    what: str
    fix: str


def read_jsonl(path: Path, labels: Collection[str] | None = None) -> list[KieDocument]:
    """The documents of a file in docpipe's own format. Raises SchemaError at the first problem.

    `labels` are the fields that may be used (OTHER always may); any if None.
    """
    problems = check_jsonl(path, labels)
    if problems:
        first, more = problems[0], len(problems) - 1
        rest = f" ({more} more problem{'s' * (more > 1)})" if more else ""
        raise SchemaError(
            f"{path}, line {first.line}: {first.what}{rest}", code="dataset", hint=first.fix
        )
    return [msgspec.json.decode(line, type=KieDocument) for _, line in _lines(path)]


def write_jsonl(path: Path, documents: Iterable[KieDocument]) -> None:
    """Write documents in docpipe's own format."""
    path.write_bytes(b"".join(msgspec.json.encode(document) + b"\n" for document in documents))


def check_jsonl(path: Path, labels: Collection[str] | None = None) -> list[Problem]:
    """All problems of a file in docpipe's own format, in the order of its lines."""
    problems: list[Problem] = []
    first_line: dict[str, int] = {}
    number = 0
    for number, line in _lines(path):
        try:
            raw = json.loads(line)
        except ValueError as error:
            fix = "write one JSON object a line, without line breaks inside"
            problems.append(Problem(number, f"not JSON: {error}", fix))
            continue
        found = list(_document_problems(raw, labels))
        problems += [Problem(number, what, fix) for what, fix in found]
        key = raw.get("key") if isinstance(raw, dict) else None
        if isinstance(key, str) and first_line.setdefault(key, number) != number:
            what = f"key {key!r} stands in line {first_line[key]}, too"
            problems.append(Problem(number, what, "give every document its own key"))
    if not number:
        problems.append(Problem(1, "the file has no documents", "write one document a line"))
    return problems


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SchemaError(
            f"{path} cannot be read: {error.strerror}", code="dataset", hint="check the path"
        ) from error
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _document_problems(raw: object, labels: Collection[str] | None) -> Iterator[tuple[str, str]]:
    boxes = list(_box_problems(raw))
    yield from boxes
    try:
        document = msgspec.convert(raw, KieDocument)
    except msgspec.ValidationError as error:
        if not boxes:
            yield str(error), "see the format at the top of docpipe/datasets/kie.py"
        return
    if not document.pages:
        yield "the document has no pages", "give it one page at least"
    for at, page in enumerate(document.pages):
        if page.width <= 0 or page.height <= 0:
            size = f"{page.width:g} x {page.height:g}"
            yield f"page {at} is {size}", "give width and height of the page, above 0"
    if labels is not None:
        known = {OTHER, *labels}
        used = {name for entity in document.entities() for name in (entity.label, *entity.also)}
        used |= set(document.annotated)
        for name in sorted(used - known):
            yield f"label {name!r} is no field", f"use one of {', '.join(sorted(known))}"


def _box_problems(raw: object) -> Iterator[tuple[str, str]]:
    pages = raw.get("pages") if isinstance(raw, dict) else None
    for p, page in enumerate(pages if isinstance(pages, list) else []):
        entities = page.get("entities") if isinstance(page, dict) else None
        for e, entity in enumerate(entities if isinstance(entities, list) else []):
            box = entity.get("box") if isinstance(entity, dict) else None
            if isinstance(box, list) and not _is_box(box):
                place = f"pages[{p}].entities[{e}]"
                fix = "write [x0, y0, x1, y1] with x0 <= x1 and y0 <= y1, origin at the top left"
                yield f"{place} has the box {json.dumps(box)}", fix


def _is_box(box: Sequence[object]) -> bool:
    try:
        msgspec.convert(box, BBox)
    except msgspec.ValidationError:
        return False
    return True


def split_by_key(
    documents: Sequence[KieDocument], share: float
) -> tuple[list[KieDocument], list[KieDocument]]:
    """The documents without, and with, about `share` of them chosen by a hash of their keys.

    A document is always on the same side, whatever else is in the set.
    """
    chosen = [_fraction(document.key) < share for document in documents]
    rest = [document for document, kept in zip(documents, chosen, strict=True) if not kept]
    return rest, [document for document, kept in zip(documents, chosen, strict=True) if kept]


def grouped_folds(
    documents: Sequence[KieDocument], folds: int, group: Callable[[KieDocument], str]
) -> list[list[KieDocument]]:
    """`folds` parts of about equal size, no group in two of them, as for templates unseen."""
    groups: dict[str, list[KieDocument]] = defaultdict(list)
    for document in documents:
        groups[group(document)].append(document)
    parts: list[list[KieDocument]] = [[] for _ in range(folds)]
    for _, members in sorted(groups.items(), key=lambda item: (-len(item[1]), _fraction(item[0]))):
        min(parts, key=len).extend(members)
    return parts


def company(document: KieDocument) -> str:
    """The company that issued a receipt, upper case, letters and digits only; the key if unknown.

    Receipts of one company share a template.
    """
    letters = "".join(char for char in document.values.get("company", "") if char.isalnum())
    return letters.upper() or document.key


def _fraction(text: str) -> float:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
