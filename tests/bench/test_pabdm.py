"""The bench pabdm: what is decoded in which ways, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from docpipe.bench.pabdm import Tried, at_equal_quality, find_models, make_sets, run
from docpipe.bench.pabdm_plots import draw, points
from docpipe.bench.pabdm_ways import Way, kept, ways_of
from docpipe.bench.result import BenchResult, build_result
from docpipe.bench.task import Options
from docpipe.errors import ConfigError
from docpipe.parsers.pabdm.decode import Decoded, Generated
from docpipe.parsers.pabdm.policies import FixedBlocks, Prefixes
from docpipe.parsers.pabdm.weights import save
from tests.parsers.pabdm.models import small_model


@pytest.fixture
def work(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    for mode in ("causal", "bidirectional", "next"):
        save(tmp_path / f"{mode}-seed1", small_model(longest=12, sharp=30.0), mode)  # type: ignore[arg-type]
    return tmp_path


def test_every_model_is_decoded_in_every_way_that_fits_it(work: Path, tmp_path: Path) -> None:
    measured = run(work, Options(limit=2, work=work, parts=("random",)))
    result = build_result("pabdm", measured, command="", seconds=1.0, seed=0)
    ways = {tuple(key.split("/")[1:3]) for key in result.summary if key.count("/") == 3}
    assert ("next-seed1", "next") in ways
    assert ("causal-seed1", "stepwise") in ways
    assert ("causal-seed1", "prefixes 4 0.95") in ways
    assert ("causal-seed1", "fixed 4 0.7") in ways
    assert ("bidirectional-seed1", "fixed 4 0.99") in ways
    assert len(ways) == 1 + (1 + 2 * 4) + 2 * 4
    prefix = "random/causal-seed1/stepwise"
    assert 0 <= result.summary[f"{prefix}/ned"] <= 1
    assert result.summary[f"{prefix}/tpf"] <= 1
    assert result.summary[f"{prefix}/tps_1"] > 0
    shares = [v for k, v in result.summary.items() if k.startswith(f"{prefix}/kept_")]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert result.notes == ("samples: random 2",)

    paths = draw(result, tmp_path / "pictures")
    assert all(path.stat().st_size > 5000 for path in paths)
    taus = {p.tau for p in points(result) if (p.model, p.kind) == ("causal-seed1", "prefixes 4")}
    assert taus == {"0.7", "0.9", "0.95", "0.99"}
    nothing = BenchResult(name="ocr", summary={"ned": 0.1}, intervals={}, documents=[])
    with pytest.raises(ConfigError, match="no ways of decoding"):
        draw(nothing, tmp_path)


def test_a_full_run_has_smaller_blocks_and_more_thresholds() -> None:
    model = small_model(block=16)
    names = {way.name for way in ways_of(model, full=True)}
    assert {"prefixes 8 0.5", "fixed 16 0.98", "fused 8 0.7", "stepwise"} <= names
    assert "prefixes 32 0.95" not in names


def test_the_fastest_way_of_equal_quality() -> None:
    def tried(model: str, way: Way, ned: float, tpf: float) -> Tried:
        figures = {"ned": ned, "tpf": tpf, "fed": 2.0, "tps_1": 9.0, "tps_16": 9.0}
        return Tried("text", model, way, figures)

    prefixes = [Way("prefixes", Prefixes(8, tau)) for tau in (0.5, 0.9, 0.99)]
    stepwise = Way("stepwise", Prefixes(1, 2.0))
    found = at_equal_quality(
        [
            tried("a", stepwise, 0.10, 1.0),
            tried("a", prefixes[0], 0.20, 6.0),
            tried("a", prefixes[1], 0.104, 3.0),
            tried("a", prefixes[2], 0.10, 2.0),
            tried("a", Way("fixed", FixedBlocks(8, 0.9)), 0.2, 9.0),
        ]
    )
    assert {key.split("/")[3] for key in found} == {"prefixes 8 0.9"}
    assert found["equal/text/a/prefixes 8 0.9/tpf"] == 3.0


def test_shares_of_forwards_by_what_they_kept() -> None:
    answers = [Generated([1, 2, 3], [0.0] * 3, True, [2, 1, 0], 9)]
    assert kept([Decoded(answers, 3, 0.1)]) == {
        "kept_0": pytest.approx(1 / 3), "kept_1": pytest.approx(1 / 3),
        "kept_2": pytest.approx(1 / 3),
    }  # fmt: skip


def test_what_is_lacking_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs models"):
        find_models(tmp_path)
    with pytest.raises(ConfigError, match="needs models"):
        find_models(None)
    with pytest.raises(ConfigError, match="unknown part"):
        run(tmp_path, Options(parts=("everything",)))
    with pytest.raises(ConfigError, match="no printed lines"):
        make_sets(tmp_path, Options(), frozenset({"printed"}))
