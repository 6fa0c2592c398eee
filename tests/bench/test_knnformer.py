"""The bench of KNN-former: what is pooled, and that finished trainings are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docpipe.bench.knnformer import PARTS, run, runs
from docpipe.bench.knnformer.plan import runs_of
from docpipe.bench.knnformer.runs import Marked, Outcome, Run, outcome, settings_of
from docpipe.bench.task import Options
from docpipe.errors import ConfigError
from docpipe.training.knnformer.toy import toy_documents

LABELS = ("other", "total", "address")


def marked(key: str, total: int, address: int) -> Marked:
    """A document with one total and 4 lines of address, and how many were found rightly."""
    counts = [[9, total, address], [9, 1, 4], [9, 1, 4]]
    return Marked(key, key, counts, counts, (1, 0), {"total": (total, 1, 1)})


def test_parts_and_seeds_are_pooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stored(each: Run, *_: object) -> Outcome:
        right = 1 if each.fold else 0
        return Outcome(LABELS, ("total",), [marked(f"{each.fold}", right, 2 + each.seed % 2)])

    monkeypatch.setattr("docpipe.bench.knnformer.outcome", stored)
    measured = run(tmp_path, Options(parts=("sroie",)))
    assert [row.name for row in measured.rows] == [f"sroie/knnformer seed {n}" for n in (1, 2, 3)]
    first = measured.rows[0].scores
    assert first["sroie/knnformer.matched.micro"] == pytest.approx((4 + 5 * 3) / 25)
    assert first["sroie/knnformer.matched.total"] == pytest.approx(0.8)
    assert first["sroie/knnformer.values.micro"] == pytest.approx(0.8)
    assert first["sroie/knnformer.argmax.violations"] == 5
    assert measured.figures["sroie/knnformer.matched.micro.sd"] > 0
    low = measured.figures["sroie/knnformer.matched.micro.low"]
    assert low < first["sroie/knnformer.matched.micro"]
    assert measured.notes[-1].startswith("| sroie/knnformer | 3 |")


def test_every_part_has_runs_with_valid_settings_of_their_own_names() -> None:
    everything = [each for part in PARTS for each in runs_of(part)]
    assert len({each.file for each in everything}) == len(everything)
    for each in everything:
        assert settings_of(each, 20).data.limit == 20
    with pytest.raises(ConfigError, match="no such part: 'flor'"):
        run(Path("."), Options(parts=("flor",)))


def test_a_finished_run_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kie" / "sroie"
    folder.mkdir(parents=True)
    monkeypatch.delenv("DOCPIPE_DATA", raising=False)
    rows = []
    for at, document in enumerate(toy_documents(60)):
        (page,) = document.pages
        lines = [
            {"text": e.text, "box": [e.box.x0, e.box.y0, e.box.x1, e.box.y1], "label": e.label}
            for e in page.entities
        ]
        values = {name: {"value": value} for name, value in document.values.items()}
        rows.append(
            {
                "key": document.key,
                "image_size": {"width": page.width, "height": page.height},
                "lines": lines,
                "fields": {**values, "company": {"value": f"Shop {at}"}},
            }
        )
    (folder / "entities_train.jsonl").write_text("\n".join(map(json.dumps, rows)))
    floor = Run("sroie/floor", "sroie", "floor", fold=0)
    found = outcome(floor, tmp_path / "work", None, tmp_path)
    assert len(found.documents) == 12
    assert all(document.values["total"][2] == 1 for document in found.documents)
    assert sum(d.matched[0][3] for d in found.documents) >= 6
    monkeypatch.setattr(runs, "_perform", None)
    assert outcome(floor, tmp_path / "work", None) == found
