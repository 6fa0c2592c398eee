"""Running a bench by name, its result as a file, and the comparison of two results."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import docpipe.bench
from docpipe.bench import (
    BENCHES,
    WITHOUT_DATA,
    BenchResult,
    Measured,
    Options,
    Row,
    compare,
    comparison_sheets,
    load_result,
    result_sheets,
    run_bench,
)
from docpipe.bench.task import chosen
from docpipe.errors import ConfigError, SchemaError


def sample_bench(data: Path, options: Options) -> Measured:
    """Scores that files of the folder hold."""
    rows = [
        Row(path.name, {"score": float(path.read_text())}, {"size": 1})
        for path in chosen(sorted(data.iterdir()), options)
    ]
    return Measured(list(options.track(rows)), {"files": float(len(rows))}, ("a remark",))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(docpipe.bench.BENCHES, "sample", f"{__name__}:sample_bench")
    data = tmp_path / "data"
    data.mkdir()
    for number in range(8):
        (data / f"{number}.txt").write_text(str(number / 10))
    return data


def measured(folder: Path, **options: int) -> BenchResult:
    return run_bench("sample", folder, Options(**options), command="docpipe bench sample")


class TestRun:
    def test_the_summary_is_the_mean_of_the_rows_with_bounds(self, folder: Path) -> None:
        result = measured(folder)
        assert result.summary == {"score": 0.35, "files": 8.0}
        low, high = result.intervals["score"]
        assert 0.1 < low < 0.35 < high < 0.6
        assert result.notes == ("a remark",)

    def test_it_says_how_it_was_measured(self, folder: Path) -> None:
        result = measured(folder)
        assert result.command == "docpipe bench sample"
        assert {"python", "pymupdf"} <= set(result.versions)
        assert "cores" in result.machine

    def test_a_limit_draws_the_same_part_again(self, folder: Path) -> None:
        parts = [[row.name for row in measured(folder, limit=3).documents] for _ in range(2)]
        assert parts[0] == parts[1] == sorted(parts[0])
        assert len(parts[0]) == 3
        assert parts[0] != [row.name for row in measured(folder, limit=3, seed=1).documents]

    def test_progress_is_told(self, folder: Path) -> None:
        told: list[tuple[int, int]] = []
        options = Options(limit=2, progress=lambda done, total: told.append((done, total)))
        run_bench("sample", folder, options)
        assert told == [(1, 2), (2, 2)]

    def test_unknown_bench_and_missing_data_say_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="unknown bench 'nope'") as unknown:
            run_bench("nope", tmp_path, Options())
        assert "parse" in unknown.value.hint
        with pytest.raises(ConfigError, match="no such data folder"):
            run_bench("parse", tmp_path / "missing", Options())

    @pytest.mark.parametrize("name", sorted(BENCHES.keys() - WITHOUT_DATA))
    def test_every_bench_is_there_and_refuses_a_folder_without_its_data(
        self, name: str, tmp_path: Path
    ) -> None:
        with pytest.raises(ConfigError):
            run_bench(name, tmp_path, Options())


class TestFile:
    def test_a_result_comes_back_from_its_json(self, folder: Path, tmp_path: Path) -> None:
        result = measured(folder)
        path = tmp_path / "result.json"
        path.write_bytes(msgspec.json.encode(result))
        assert load_result(path) == result

    def test_what_is_no_result_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x.json").write_text("{}")
        with pytest.raises(SchemaError, match="no bench result"):
            load_result(tmp_path / "x.json")
        with pytest.raises(ConfigError, match="cannot be read"):
            load_result(tmp_path / "absent.json")


def result_of(scores: dict[str, float], name: str = "sample") -> BenchResult:
    rows = [Row(row, {"score": score}) for row, score in scores.items()]
    mean = sum(scores.values()) / len(scores)
    return BenchResult(
        name=name,
        summary={"score": mean, "seconds": 2.0},
        intervals={"score": (0.0, 1.0)},
        documents=rows,
    )


class TestCompare:
    def test_an_even_gain_is_clear(self) -> None:
        before = {str(number): number / 20 for number in range(10)}
        after = {name: score + 0.05 for name, score in before.items()}
        change = compare(result_of(before), result_of(after)).figures[0]
        assert change.difference == pytest.approx(0.05)
        assert change.is_clear
        assert change.low == pytest.approx(0.05)

    def test_gains_and_losses_that_cancel_are_not(self) -> None:
        before = {str(number): 0.5 for number in range(10)}
        after = {str(number): 0.3 + 0.4 * (number % 2) for number in range(10)}
        comparison = compare(result_of(before), result_of(after))
        assert not comparison.figures[0].is_clear
        assert len(comparison.rows) == 10

    def test_rows_are_listed_by_the_size_of_their_change(self) -> None:
        comparison = compare(
            result_of({"a": 0.5, "b": 0.5, "c": 0.5}), result_of({"a": 0.6, "b": 0.1, "c": 0.5})
        )
        assert [change.name for change in comparison.rows] == ["b", "a"]

    def test_rows_of_one_result_only_are_named_and_left_out(self) -> None:
        comparison = compare(result_of({"a": 0.5, "b": 0.1}), result_of({"a": 0.6, "c": 0.9}))
        assert comparison.unpaired == ["b", "c"]
        assert [change.name for change in comparison.rows] == ["a"]

    def test_one_row_alone_is_never_clear(self) -> None:
        assert not compare(result_of({"a": 0.5}), result_of({"a": 0.9})).figures[0].is_clear

    def test_other_benches_and_unknown_figures_are_refused(self) -> None:
        result = result_of({"a": 0.5})
        with pytest.raises(ConfigError, match="different benches"):
            compare(result, result_of({"a": 0.5}, name="other"))
        with pytest.raises(ConfigError, match="no figure"):
            compare(result, result, figure="nope")


def test_sheets_show_figures_intervals_and_the_lowest_rows(folder: Path) -> None:
    figures, lowest = result_sheets(measured(folder))
    assert figures.rows[0][:2] == ("score", "0.3500")
    assert figures.rows[1] == ("files", "8", "")
    assert lowest.rows[0] == ("0.txt", "score 0.0000", "size 1")
    before, after = result_of({"a": 0.5}), result_of({"a": 0.75})
    summary, changes = comparison_sheets(compare(before, after))
    assert summary.rows[0] == ("score", "0.5000", "0.7500", "+0.2500", "", "")
    assert summary.rows[1] == ("seconds", "2", "2", "+0.0000", "", "")
    assert changes.rows == [("a", "0.5000", "0.7500", "+0.2500")]
