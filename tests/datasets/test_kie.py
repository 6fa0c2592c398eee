"""Docpipe's own format of labelled entities, its messages, and splits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.datasets.kie import (
    KieDocument,
    KieEntity,
    KiePage,
    check_jsonl,
    company,
    grouped_folds,
    read_jsonl,
    split_by_key,
    write_jsonl,
)
from docpipe.errors import SchemaError
from docpipe.geometry import BBox


def raw(key: str = "a", **entity: Any) -> dict[str, Any]:
    filled = {"text": "9.00", "box": [1, 2, 3, 4], "label": "total"} | entity
    return {"key": key, "pages": [{"width": 100, "height": 200, "entities": [filled]}]}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "set.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return path


def document(key: str, name: str = "") -> KieDocument:
    return KieDocument(key, (), {"company": name} if name else {})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    entity = KieEntity("9.00", BBox(1, 2, 3, 4), "total", ("cash",))
    page = KiePage(100.0, 200.0, (entity, KieEntity("", BBox(0, 0, 0, 0))))
    documents = [KieDocument("a", (page,), {"total": "9.00"}), KieDocument("b", (page, page))]
    write_jsonl(tmp_path / "set.jsonl", documents)
    assert read_jsonl(tmp_path / "set.jsonl", ["total", "cash"]) == documents


def test_blank_lines_do_no_harm_and_lines_are_counted_right(tmp_path: Path) -> None:
    path = written(tmp_path, raw("a"), "", raw("b", box=[3, 0, 1, 0]))
    assert [problem.line for problem in check_jsonl(path)] == [3]


@pytest.mark.parametrize(
    ("line", "what", "fix"),
    [
        ("{'key': 1}", "not JSON", "one JSON object a line"),
        ("[]", "Expected `object`, got `array`", "see the format"),
        ({"key": "a"}, "missing required field `pages`", "see the format"),
        (raw(text=None), "$.pages[0].entities[0].text", "see the format"),
        (raw(box=[3, 2, 1, 4]), "pages[0].entities[0] has the box [3, 2, 1, 4]", "x0 <= x1"),
        (raw(box=[1, 2, 3]), "pages[0].entities[0] has the box [1, 2, 3]", "x0, y0, x1, y1"),
        (raw(label="totl"), "label 'totl' is no field", "use one of date, other, total"),
        (raw(also=["sum"]), "label 'sum' is no field", "use one of"),
        ({"key": "a", "pages": []}, "no pages", "one page at least"),
        (
            {"key": "a", "pages": [{"width": 0, "height": 9, "entities": []}]},
            "page 0 is 0 x 9",
            "above 0",
        ),
    ],
)
def test_a_problem_says_where_what_and_what_to_do(
    tmp_path: Path, line: object, what: str, fix: str
) -> None:
    path = written(tmp_path, raw("first"), line)
    (problem,) = check_jsonl(path, ["total", "date"])
    assert problem.line == 2
    assert what in problem.what
    assert fix in problem.fix
    with pytest.raises(SchemaError) as caught:
        read_jsonl(path, ["total", "date"])
    assert f"{path}, line 2" in str(caught.value)
    assert caught.value.hint == problem.fix


def test_keys_twice_empty_files_and_missing_files(tmp_path: Path) -> None:
    path = written(tmp_path, raw("a"), raw("b"), raw("a"), raw("a"))
    assert [problem.line for problem in check_jsonl(path)] == [3, 4]
    with pytest.raises(
        SchemaError, match=r"line 3: key 'a' stands in line 1, too \(1 more problem"
    ):
        read_jsonl(path)
    with pytest.raises(SchemaError, match="no documents"):
        read_jsonl(written(tmp_path, ""))
    with pytest.raises(SchemaError, match=r"none\.jsonl cannot be read"):
        read_jsonl(tmp_path / "none.jsonl")


def test_a_document_stays_on_its_side_of_a_split() -> None:
    documents = [document(f"receipt{at}") for at in range(400)]
    train, kept = split_by_key(documents, 0.1)
    assert len(train) + len(kept) == 400
    assert 20 <= len(kept) <= 60
    assert split_by_key(kept[:5] + train[:5], 0.1) == (train[:5], kept[:5])


@given(st.lists(st.integers(0, 6), max_size=40), st.integers(1, 5))
def test_no_company_is_in_two_folds(companies: list[int], folds: int) -> None:
    documents = [document(f"{at}", f"Shop {name}") for at, name in enumerate(companies)]
    parts = grouped_folds(documents, folds, company)
    assert sorted(d.key for part in parts for d in part) == sorted(d.key for d in documents)
    seen = [{company(d) for d in part} for part in parts]
    assert sum(map(len, seen)) == len(set().union(*seen))


def test_companies_are_told_apart_by_letters_and_digits() -> None:
    same = [document("a", "Book Ta .K Sdn. Bhd"), document("b", "BOOK TA.K SDN BHD")]
    assert company(same[0]) == company(same[1])
    assert company(document("c")) == "c"
