"""The study: arms from one warm start, at equal steps, each run done once."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from docpipe.errors import ConfigError
from docpipe.parsers.pabdm.weights import load
from docpipe.training.docfusion.settings import Lengths
from docpipe.training.pabdm.study import ARMS, plan, study, table
from tests.training.pabdm.test_train_pabdm import phases, small, train


def test_arms_go_on_from_one_warm_start(tmp_path: Path) -> None:
    train(small(phase=phases("next")), tmp_path / "warm")
    settings = small(model={"init": str(tmp_path / "warm")})
    out = tmp_path / "study"
    out.mkdir()
    (out / "steps.json").write_text("2")
    arms = ("next", "csl", "bd3lm")
    runs = study(settings, out, minutes=1, arms=arms)
    assert [(run.group, run.seed) for run in runs] == [
        ("next", 1), ("csl", 1), ("bd3lm", 1), ("next", 2), ("csl", 2), ("next", 3), ("csl", 3)
    ]  # fmt: skip
    assert all(run.steps == 2 for run in runs)
    assert [run.active > 0 for run in runs[:3]] == [False, True, True]
    modes = [load(out / "runs" / f"{arm}-seed1").config.mode for arm in arms]
    assert modes == ["next", "causal", "bidirectional"]
    assert (out / "study.md").read_text() == table(runs)
    assert "| csl | 3 |" in table(runs)
    assert study(settings, out, minutes=1, arms=arms) == runs
    other = msgspec.structs.replace(settings, lengths=Lengths(text=9))
    with pytest.raises(ConfigError, match="trained with other settings"):
        study(other, out, minutes=1, arms=arms)


def test_a_full_study_has_all_seeds_and_more_blocks() -> None:
    assert len(plan(tuple(ARMS))) == 11
    full = plan(tuple(ARMS), full=True)
    assert len(full) == 3 * (1 + 4 * 3)
    assert {one.name for one in full} >= {"csl-block32-seed3", "bd3lm-seed2", "next-seed3"}


def test_a_block_may_be_longer_than_that_of_the_weights(tmp_path: Path) -> None:
    train(small(phase=phases("next")), tmp_path / "warm")
    model = {"init": str(tmp_path / "warm"), "block": 8}
    card = train(small(model=model, training={"steps": 1}), tmp_path / "more")
    assert card.config.block == load(tmp_path / "more").config.block == 8
    assert (
        msgspec.structs.replace(card.config, block=4, mode="next") == load(tmp_path / "warm").config
    )
