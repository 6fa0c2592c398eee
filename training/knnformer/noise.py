"""Documents as a reader of pictures may give them: wrong characters, lines cut and joined.

Gold entities are whole and right; in use they come from docpipe's own parser and OCR. All of it is
docpipe's own design [D].
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

import msgspec

from docpipe.datasets.kie import OTHER, KieDocument, KieEntity, KiePage
from docpipe.geometry import BBox, union_all

JOINED, CUT, MISREAD = 0.08, 0.08, 0.25  # shares of entities
_WRONG = 0.08  # of the characters of a misread entity
_WIDEST_GAP = 3.0  # heights between entities that may be joined

_LOOKALIKES = ("0OoQ", "1lI|!", "5S$", "8B", "2Zz", "6G", "rn", "ceo", ".,:", "-~", "vV", "uU")
_INSTEAD = {char: group.replace(char, "") for group in _LOOKALIKES for char in group}


def with_noise(
    documents: Sequence[KieDocument], share: float, ones: Collection[str], seed: int
) -> list[KieDocument]:
    """The documents, a share of them made noisy. An entity of a field in `ones`, which stands
    once, is not cut."""
    noisy = []
    for document in documents:
        chance = random.Random(f"{seed}/{document.key}")
        if chance.random() < share:
            pages = tuple(_noisy_page(page, ones, chance) for page in document.pages)
            document = msgspec.structs.replace(document, pages=pages)
        noisy.append(document)
    return noisy


def _noisy_page(page: KiePage, ones: Collection[str], chance: random.Random) -> KiePage:
    cut = [
        part
        for entity in _joined(page.entities, chance)
        for part in (_halves(entity, chance) if entity.label not in ones else [entity])
    ]
    misread = tuple(_misread(e, chance) if chance.random() < MISREAD else e for e in cut)
    return msgspec.structs.replace(page, entities=misread, links=())


def _joined(entities: Sequence[KieEntity], chance: random.Random) -> list[KieEntity]:
    """Some neighbours on one line as one entity, which has the label of the one that has any."""
    found: list[KieEntity] = []
    for entity in entities:
        last = found[-1] if found else None
        if last is not None and _may_join(last, entity) and chance.random() < JOINED:
            label = last.label if entity.label == OTHER else entity.label
            also = tuple(name for name in (*last.also, *entity.also) if name != label)
            text, box = f"{last.text} {entity.text}", union_all((last.box, entity.box))
            found[-1] = KieEntity(text, box, label, also)
        else:
            found.append(entity)
    return found


def _may_join(left: KieEntity, right: KieEntity) -> bool:
    height = min(left.box.height, right.box.height)
    level = left.box.y_overlap(right.box) > 0.5 * height
    gap = right.box.x0 - left.box.x1
    alike = left.label == right.label or OTHER in (left.label, right.label)
    return level and alike and 0 <= gap <= _WIDEST_GAP * height


def _halves(entity: KieEntity, chance: random.Random) -> list[KieEntity]:
    words = entity.text.split()
    if len(words) < 2 or chance.random() >= CUT:
        return [entity]
    at = chance.randrange(1, len(words))
    first, second = " ".join(words[:at]), " ".join(words[at:])
    box = entity.box
    middle = box.x0 + box.width * (len(first) + 0.5) / (len(first) + len(second) + 1)
    return [
        msgspec.structs.replace(entity, text=first, box=BBox(box.x0, box.y0, middle, box.y1)),
        msgspec.structs.replace(entity, text=second, box=BBox(middle, box.y0, box.x1, box.y1)),
    ]


def _misread(entity: KieEntity, chance: random.Random) -> KieEntity:
    text = "".join(
        _wrong(char, chance) if chance.random() < _WRONG else char for char in entity.text
    )
    return msgspec.structs.replace(entity, text=text)


def _wrong(char: str, chance: random.Random) -> str:
    """A lookalike; of a character without one, nothing or itself twice."""
    if char in _INSTEAD:
        return chance.choice(_INSTEAD[char])
    return chance.choice(("", char * 2)) if char.isalpha() else char
