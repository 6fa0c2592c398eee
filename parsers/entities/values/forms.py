"""Fields of a form: named by its printed questions, or by what the file says of its own fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docpipe.geometry import BBox
from docpipe.parsers.entities.schema import ANSWER, QUESTION
from docpipe.parsers.entities.values.layout import blocks, place, raw_text, reading_order
from docpipe.parsers.entities.values.links import Link, link
from docpipe.records import Document, Entity, Field, FormField, Source, Value

STAGE = "form"
_ON = "☒☑"
_BOX = re.compile(rf"([{_ON}☐□])([^{_ON}☐□]*)")


def question_fields(entities: Sequence[Entity]) -> list[Field]:
    """A field for each question, with the value of its answers: of several places a list."""
    questions = reading_order([e for e in entities if e.label == QUESTION])
    answers = [e for e in entities if e.label == ANSWER]
    others = [e for e in entities if e.label not in (QUESTION, ANSWER)]
    links = link(questions, answers, others)
    return [
        _field(question, [each for each in links if each.question is question])
        for question in questions
    ]


def _field(question: Entity, links: Sequence[Link]) -> Field:
    answers = [each.answer for each in links]
    texts = [" ".join(raw_text(block).split()) for block in blocks(answers)]
    values = _ticked(" ".join(texts)) if _BOX.search(" ".join(texts)) else texts
    value: Value = values if len(values) > 1 else values[0] if values else None
    entities = (question, *reading_order(answers))
    return Field(
        name=question_name(question.text),
        value=value,
        raw=raw_text(answers),
        entities=tuple(entity.id for entity in entities),
        source=Source(tuple(r for each in entities for r in each.source.regions), STAGE),
        score=min([question.score, *(each.score * each.answer.score for each in links)]),
        notes=() if answers else ("no_answer",),
    )


def _ticked(text: str) -> list[str]:
    """The texts behind ticked boxes."""
    return [text.strip() for box, text in _BOX.findall(text) if box in _ON and text.strip()]


def question_name(text: str) -> str:
    """A question without the sign that its answer follows."""
    return " ".join(text.split()).rstrip(" :._…") or text.strip()


def file_fields(form_fields: Iterable[FormField]) -> list[Field]:
    """The fields that the file itself has: certain. Of radio buttons of one name, the one that is
    on; push buttons have no value."""
    fields: list[Field] = []
    radios: dict[str, int] = {}
    for form_field in form_fields:
        if form_field.kind == "button":
            continue
        if form_field.kind == "radio" and form_field.name in radios:
            at = radios[form_field.name]
            if form_field.state == "on":
                fields[at] = _certain(form_field)
            continue
        radios[form_field.name] = len(fields)
        fields.append(_certain(form_field))
    return fields


def merged(printed: Sequence[Field], document: Document, entities: Sequence[Entity]) -> list[Field]:
    """The file's own fields and the printed ones that are none of them: those whose answers do not
    stand in the box of a field of the file, and whose question is not its label."""
    own = file_fields(document.form_fields)
    boxes = [
        (field.region.page, field.region.bbox) for field in document.form_fields if field.region
    ]
    inside = {e.id for e in entities if e.label == ANSWER and _is_inside(e, boxes)}
    names = {field.name.casefold() for field in own}
    kept = [
        field
        for field in printed
        if not inside & set(field.entities)
        and not (field.value is None and field.name.casefold() in names)
    ]
    return [*own, *kept]


def _certain(field: FormField) -> Field:
    boxed = field.kind in ("checkbox", "radio", "signature")
    state = field.state if field.kind != "radio" else field.value if field.state == "on" else None
    value = state if boxed else field.value or None
    return Field(
        name=question_name(field.label or field.name),
        value=value,
        raw=field.value,
        entities=(),
        source=Source((field.region,) if field.region else (), STAGE),
        score=1.0,
        notes=() if value is not None else ("no_answer",),
    )


def _is_inside(entity: Entity, boxes: Sequence[tuple[int, BBox]]) -> bool:
    page, box = place(entity)
    return any(page == other and area.contains_point(*box.center) for other, area in boxes)
