"""Forms: answers find their questions, and what the file says of its fields is certain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from docpipe.geometry import BBox
from docpipe.parsers.entities.schema import find_schema
from docpipe.parsers.entities.values.fields import fields_of
from docpipe.parsers.entities.values.links import link
from docpipe.records import Document, Entity, Field, FormField, Page, Region
from tests.parsers.entities.values.page import entity

FORM = find_schema("form")


def form(*entities: Entity, own: tuple[FormField, ...] = ()) -> list[Field]:
    document = Document(id="0" * 16, name="a.pdf", pages=(Page(1, "1", 595, 842),), form_fields=own)
    return list(fields_of(document, entities, FORM))


def values(*entities: Entity, own: tuple[FormField, ...] = ()) -> dict[str, object]:
    return {field.name: field.value for field in form(*entities, own=own)}


def test_answers_at_the_right_and_below() -> None:
    found = values(
        entity("question", "Name:", 40, 20),
        entity("answer", "Anna Keller", 90, 20),
        entity("question", "Town", 240, 20),
        entity("answer", "Aldern", 290, 20),
        entity("question", "Remarks", 40, 60),
        entity("answer", "none so far", 44, 74),
        entity("question", "Fax:", 240, 60),
    )
    assert found == {"Name": "Anna Keller", "Town": "Aldern", "Remarks": "none so far", "Fax": None}


def test_an_answer_of_several_lines_and_a_column_of_answers() -> None:
    found = values(
        entity("question", "Address:", 40, 20),
        entity("answer", "Mill Street 9", 100, 20),
        entity("answer", "Lindmoor", 100, 32),
        entity("question", "Weight", 300, 20),
        entity("answer", "12", 304, 60),
        entity("answer", "15", 304, 110),
    )
    assert found == {"Address": "Mill Street 9 Lindmoor", "Weight": ["12", "15"]}


def test_text_in_between_parts_an_answer_from_a_question() -> None:
    first, second = entity("question", "Weight", 40, 20), entity("question", "Height", 40, 60)
    [found] = link([first, second], [entity("answer", "180", 40, 90)])
    assert found.question is second
    assert 0.5 < found.score <= 1.0
    assert link([first], [entity("answer", "far away", 400, 800)]) == []
    assert link([], [entity("answer", "alone", 40, 90)]) == []
    assert link([first], [entity("answer", "elsewhere", 40, 32, page=2)]) == []


def test_ticked_boxes_are_the_answer() -> None:
    found = values(
        entity("question", "Gender", 40, 20),
        entity("answer", "☐ Male ☒ Female", 100, 20),
        entity("question", "Consent", 40, 60),
        entity("answer", "☐ Yes", 100, 60),
    )
    assert found == {"Gender": "Female", "Consent": None}


def widget(name: str, kind: str, value: str, y: float, **more: str) -> FormField:
    return FormField(name, kind, value, region=Region(1, BBox(100, y, 200, y + 12)), **more)


def test_fields_of_the_file_are_certain_and_come_once() -> None:
    found = form(
        entity("question", "Family name", 20, 20),
        entity("answer", "Okafor", 104, 21),
        entity("question", "Office use", 20, 60),
        entity("answer", "Lindmoor", 104, 90),
        own=(
            widget("name", "text", "Okafor", 20, label="Family name"),
            widget("paid", "checkbox", "Yes", 120, state="on"),
            widget("size", "radio", "Off", 140, state="off"),
            widget("size", "radio", "large", 160, state="on"),
            widget("send", "button", "", 180),
            widget("note", "text", "", 200),
        ),
    )
    assert [(field.name, field.value, field.score) for field in found[:4]] == [
        ("Family name", "Okafor", 1.0),
        ("paid", "on", 1.0),
        ("size", "large", 1.0),
        ("note", None, 1.0),
    ]
    assert [field.name for field in found[4:]] == ["Office use"]
    assert found[0].source.regions == (Region(1, BBox(100, 20, 200, 32)),)


@pytest.mark.data
def test_links_on_real_forms() -> None:
    import json

    folder = Path(os.environ["DOCPIPE_DATA"]) / "kie/funsd/testing_data/annotations"
    hits = found = wanted = 0
    for path in sorted(folder.glob("*.json"))[:40]:
        parts = {part["id"]: part for part in json.loads(path.read_text("utf-8"))["form"]}
        entities = {id: entity(part["label"], part["text"], 0, 0) for id, part in parts.items()}
        gold = {
            (a, b)
            for part in parts.values()
            for pair in part["linking"]
            for a, b in (pair, pair[::-1])
            if parts[a]["label"] == "question" and parts[b]["label"] == "answer"
        }
        placed = {
            id: _placed(entities[id], parts[id]["box"], id) for id in parts if parts[id]["text"]
        }
        some = {
            label: [each for each in placed.values() if each.label == label]
            for label in ("question", "answer", "header", "other")
        }
        links = link(some["question"], some["answer"], [*some["header"], *some["other"]])
        predicted = {(int(each.question.id), int(each.answer.id)) for each in links}
        hits, found, wanted = (
            hits + len(predicted & gold),
            found + len(predicted),
            wanted + len(gold),
        )
    assert 2 * hits / (found + wanted) > 0.8


def _placed(some: Entity, box: list[int], id: int) -> Entity:
    import msgspec

    region = Region(1, BBox(*map(float, box)))
    source = msgspec.structs.replace(some.source, regions=(region,))
    return msgspec.structs.replace(some, id=str(id), source=source)
