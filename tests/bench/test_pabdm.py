"""The bench pabdm: what is decoded in which ways, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from docpipe.bench import pabdm_ways
from docpipe.bench.pabdm import find_models, make_sets, run
from docpipe.bench.pabdm_equal import Tried, at_equal_quality, gain, halves
from docpipe.bench.pabdm_plots import draw, points
from docpipe.bench.pabdm_ways import Way, kept, measure, ways_of
from docpipe.bench.result import BenchResult, build_result
from docpipe.bench.task import Options
from docpipe.datasets.docfusion.profiles import HELD_OUT
from docpipe.datasets.docfusion.synthetic import synthetic
from docpipe.errors import ConfigError
from docpipe.parsers.pabdm.decode import Decoded, Generated
from docpipe.parsers.pabdm.model import PaBdm, Stored
from docpipe.parsers.pabdm.policies import FixedBlocks, NextToken, Prefixes
from docpipe.parsers.pabdm.weights import save
from tests.parsers.pabdm.models import small_model


@pytest.fixture
def work(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    for mode in ("causal", "bidirectional", "next"):
        save(tmp_path / f"{mode}-seed1", small_model(longest=12, sharp=30.0), mode)  # type: ignore[arg-type]
    return tmp_path


def test_every_model_is_decoded_in_every_way_that_fits_it(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TOGETHER", "REPEATS"):
        monkeypatch.setattr(pabdm_ways, name, 1)
    measured = run(work, Options(limit=2, work=work, parts=("random",)))
    result = build_result("pabdm", measured, command="", seconds=1.0, seed=0)
    ways = {tuple(key.split("/")[1:3]) for key in result.summary if key.count("/") == 3}
    assert ("next-seed1", "next") in ways
    assert ("causal-seed1", "stepwise") in ways
    assert ("causal-seed1", "prefixes 4 0.95") in ways
    assert ("causal-seed1", "fixed 4 0.7") in ways
    assert ("bidirectional-seed1", "fixed 4 0.99") in ways
    assert ("causal-seed1", "fused 4 0.7") in ways
    assert len(ways) == 1 + (1 + 3 * 4) + 2 * 4
    prefix = "random/causal-seed1/stepwise"
    assert 0 <= result.summary[f"{prefix}/ned"] <= 1
    assert result.summary[f"{prefix}/tps_1"] > 0
    shares = [v for k, v in result.summary.items() if k.startswith(f"{prefix}/kept_")]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert result.notes == ("samples: random 2", f"threads: {torch.get_num_threads()}")

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


def tried(
    model: str, way: Way, neds: list[float], forwards: int, tps: float = 9.0, groups: str = "abcd"
) -> Tried:
    """Four samples of twelve tokens; those of groups a and c decide."""
    figures = {"fed": 2.0, "tps_1": tps, "tps_16": tps}
    return Tried("text", model, way, list(groups), neds, [12] * 4, [forwards] * 4, figures)


STEPWISE = Way("stepwise", Prefixes(1, 2.0))


def test_a_way_is_chosen_on_one_half_and_told_of_the_other() -> None:
    lucky, good, slow = (Way("prefixes", Prefixes(8, tau)) for tau in (0.5, 0.9, 0.99))
    fixed = Way("fixed", FixedBlocks(8, 0.9))
    found = at_equal_quality(
        [
            tried("csl-seed1", STEPWISE, [0.1, 0.1, 0.1, 0.1], 12),
            tried("csl-seed1", lucky, [0.2, 0.0, 0.2, 0.0], 2),  # only where it is not looked
            tried("csl-seed1", good, [0.104, 0.3, 0.1, 0.2], 4, tps=5.0),
            tried("csl-seed1", slow, [0.1, 0.1, 0.1, 0.1], 6, tps=8.0),
            tried("csl-seed1", fixed, [0.1, 0.2, 0.1, 0.2], 8),
        ]
    )
    best = {key.rpartition("/")[0] for key in found if key.startswith("best/")}
    assert best == {
        "best/stepwise tpf/text/csl-seed1/prefixes 8 0.9",
        "best/stepwise tpf/text/csl-seed1/fixed 8 0.9",
        "best/stepwise tps_1/text/csl-seed1/prefixes 8 0.99",
        "best/stepwise tps_1/text/csl-seed1/fixed 8 0.9",
    }
    assert found["best/stepwise tpf/text/csl-seed1/prefixes 8 0.9/tpf"] == 3.0
    assert found["best/stepwise tpf/text/csl-seed1/prefixes 8 0.9/ned"] == pytest.approx(0.25)
    start = "gain/text/csl-seed1/prefixes over"
    assert found[f"{start} fixed/tpf"] == found[f"{start} fixed/tpf_low"] == 2.0
    assert found[f"{start} stepwise/tpf"] == 3.0
    assert found[f"{start} fixed/ned"] == pytest.approx(0.05)
    assert found[f"{start} fixed/ned_low"] < 0.05 < found[f"{start} fixed/ned_high"]


def test_the_product_is_held_against_next_tokens_of_the_same_seed() -> None:
    prefixes, plain = Way("prefixes", Prefixes(8, 0.9)), Way("next", NextToken())
    found = at_equal_quality(
        [
            tried("next-seed1", plain, [0.5] * 4, 12),
            tried("next-seed2", plain, [0.1] * 4, 12),
            tried("csl-seed1", STEPWISE, [0.2] * 4, 12),
            tried("csl-seed1", prefixes, [0.4] * 4, 3),
            tried("csl-seed2", STEPWISE, [0.4] * 4, 12),
            tried("csl-seed2", prefixes, [0.4] * 4, 3),
        ]
    )
    best = {tuple(key.split("/")[1:4]) for key in found if key.startswith("best/")}
    assert {entry for entry in best if entry[0].endswith("tpf")} == {
        ("next tpf", "text", "csl-seed1"),  # better than its seed's, worse than its own
        ("stepwise tpf", "text", "csl-seed2"),
    }


def test_a_document_is_in_one_half_and_gains_are_paired() -> None:
    assert halves(["a", "b", "a", "c", "b"]) == ([0, 2, 3], [1, 4])
    one = tried("m", STEPWISE, [0.0] * 4, 3)
    varied = one._replace(forwards=[3, 12, 6, 12])
    found = gain(varied, varied._replace(forwards=[6, 24, 12, 24]), range(4))
    assert (found.mean, found.low, found.high) == (
        2.0,
        2.0,
        2.0,
    )  # samples differ, their ratio does not
    assert at_equal_quality([one._replace(groups=["a"] * 4)]) == {}
    silent = varied._replace(tokens=[0] * 4, forwards=[1] * 4)
    found = gain(silent, silent, range(4))
    assert (found.mean, found.low, found.high) == (1.0, 1.0, 1.0)  # and no division by nothing


def test_the_forward_that_feeds_a_block_by_itself_counts() -> None:
    model = small_model(
        longest=12, sharp=0.0
    )  # scores are all alike: nothing ends, nothing is sure
    samples = [synthetic("text", HELD_OUT, number) for number in range(3)]
    fixed, fused = (
        measure(model, Way("", FixedBlocks(4, 0.0, apart=apart)), samples, samples).figures
        for apart in (True, False)
    )
    assert fused["tpf"] == 4
    assert fixed["tpf"] == pytest.approx(12 / 5)  # three blocks, two of them fed once more


def test_together_is_sixteen_however_few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    context = PaBdm.context

    def counted(model: PaBdm, pixels: Tensor, prompt: Tensor) -> Stored:
        rows.append(len(pixels))
        return context(model, pixels, prompt)

    monkeypatch.setattr(PaBdm, "context", counted)
    samples = [synthetic("text", HELD_OUT, number) for number in range(40)]
    model = small_model(longest=2)
    measure(model, Way("", Prefixes(4, 0.5)), samples, samples)
    assert rows == [16, 16, 8, *[1] * 24, *[16] * 3]
    rows.clear()
    measure(model, Way("", Prefixes(4, 0.5)), samples[:3], samples[:3])
    assert rows == [3, *[1] * 9, *[16] * 3]


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
