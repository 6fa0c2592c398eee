from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from docpipe.bench import BenchResult, Options, run_bench
from docpipe.bench import advantages as bench
from docpipe.bench.advantages import Setting, measure, plain, predicted_variance
from docpipe.errors import ConfigError
from docpipe.training.rl.tabular import TreeShape, draw_forest


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few settings of few batches."""
    settings = (
        Setting("all", "plain", ("rloo", "spo_near", "spo_far", "kriging")),
        Setting("forks", "4-1-1-2", ("rloo_turns", "known_values"), forks=(4, 1, 1, 2)),
    )
    monkeypatch.setattr(bench, "SETTINGS", settings)
    monkeypatch.setattr(bench, "LEARNERS", (Setting("learning", "plain", ("rloo",)),))
    monkeypatch.setattr(bench, "STEPS", 8)


@pytest.mark.usefixtures("small")
def test_the_bench_needs_no_data_and_repeats_itself() -> None:
    first, again = (run_bench("advantages", None, Options(limit=2)).summary for _ in range(2))
    assert first == again
    assert first["all/plain/rloo/scale"] == pytest.approx(1, abs=0.1)
    assert first["all/plain/rloo/variance"] == 1
    assert first["all/plain/spo_far/bias"] > 1
    assert 0 < first["learning/plain/rloo/closed mean"] < 1
    assert first["learning/plain/rloo/gain"] == 0
    other = run_bench("advantages", None, Options(limit=2, seed=5)).summary
    assert other != first


def test_other_benches_ask_for_their_data() -> None:
    with pytest.raises(ConfigError, match="parse needs --data"):
        run_bench("parse", None, Options())


def test_forks_pay_where_the_ending_is_uncertain() -> None:
    forked = Setting("forks", "4-1-1-4", ("rloo_turns",), forks=(4, 1, 1, 4))
    key = "forks/4-1-1-4/rloo_turns/variance"
    assert np.mean([measure(forked, seed)[key] for seed in range(3)]) < 0.85


def test_averaging_answers_pays_more_than_the_best_baseline() -> None:
    averaged = Setting("answers", "4 answers", ("rloo",), answers=4)
    once = Setting("answers", "1 answers", ("known_values",))
    few = [measure(averaged, seed)["answers/4 answers/rloo/variance"] for seed in range(3)]
    best = [measure(once, seed)["answers/1 answers/known_values/variance"] for seed in range(3)]
    assert np.mean(few) < 0.75 * np.mean(best)


def test_prediction_is_exact_where_only_the_ending_matters() -> None:
    """No difference between actions: a coin at the end, sampled n times for T gradients."""
    forest = draw_forest(np.random.default_rng(0), TreeShape(effect=0.0, difficulty=0.0), 2)
    assert predicted_variance(forest, plain(8, 4)) == pytest.approx(4 * 0.25 / 8)
    assert predicted_variance(forest, (2, 1, 1, 3)) == pytest.approx(4 * 0.25 / 6)


def test_pictures_of_a_whole_result(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from docpipe.bench.advantage_plots import draw

    parts = [
        (f"{setting.experiment}/{setting.name}/{name}", setting.experiment == "learning")
        for setting in (*bench.SETTINGS, *bench.LEARNERS)
        for name in setting.contestants
    ]
    summary = {
        f"{start}/{measure}": 0.5
        for start, learned in parts
        for measure in (("closed 5", "closed 40") if learned else ("variance",))
    }
    result = BenchResult(name="advantages", summary=summary, intervals={}, documents=[])
    for path in draw(result, tmp_path):
        assert path.read_bytes().startswith(b"\x89PNG")
