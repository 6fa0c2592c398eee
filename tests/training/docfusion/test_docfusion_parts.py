"""Curriculum, batches, losses and metrics of DocFusion's training."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch

from docpipe.datasets.docfusion.profiles import TRAIN
from docpipe.datasets.docfusion.samples import LayoutBox, Sample
from docpipe.datasets.docfusion.synthetic import synthetic
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.codec import Codec
from docpipe.parsers.docfusion.loss import IGNORED, cross_entropy, gk_cel
from docpipe.parsers.docfusion.model import Output
from docpipe.parsers.docfusion.presets import tiny
from docpipe.parsers.docfusion.vocabulary import build_vocabulary
from docpipe.records import Cell
from docpipe.training.docfusion.data import Collator, Encoder, Examples, TaskBatches, part_at
from docpipe.training.docfusion.losses import soft_losses, token_losses, training_loss
from docpipe.training.docfusion.metrics import (
    Prediction,
    bleu,
    character_errors,
    formula_scores,
    iou,
    matched,
    pooled,
    sample_scores,
    table_scores,
    text_scores,
)
from docpipe.training.docfusion.pictures import sheet
from docpipe.training.docfusion.progress import Progress
from docpipe.training.docfusion.settings import (
    LossSettings,
    Settings,
    Stage,
    TrainingSettings,
    load_settings,
)

CONFIGS = Path(__file__).parents[3] / "training" / "configs"
STEPS = TrainingSettings(steps=100)
CODEC = Codec(tiny(), build_vocabulary(tiny(), Path()))


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


# ── Settings ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["toy", "tiny", "tiny-layout", "tiny-tables", "study"])
def test_the_configurations_that_docpipe_ships_are_read(name: str) -> None:
    settings = load_settings(CONFIGS / f"docfusion-{name}.toml")
    assert set(settings.tasks) == {"layout", "text", "formula", "table"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[training]\n", "either steps or minutes"),
        ("[training]\nsteps = 1\nminutes = 2\n", "either steps or minutes"),
        ("[training]\nsteps = 1\nepochs = 2\n", "epochs"),
        ("[training]\nsteps = 1\n[[stage]]\nuntil = 0.5\ntasks = {text = 1}\n", "until = 1.0"),
        ("[training]\nsteps = 1\n[[stage]]\nuntil = 1.0\ntasks = {music = 1}\n", "music"),
    ],
)
def test_wrong_settings_are_named(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_settings(tmp_path / "wrong.toml")


def test_a_model_is_a_preset_with_changes() -> None:
    settings = msgspec.convert(
        {
            "training": {"steps": 1},
            "model": {"changes": {"text": {"dropout": 0.3}, "ctc_frames": 0}},
        },
        Settings,
    )
    config = settings.model.config()
    assert (config.text.dropout, config.ctc_frames, config.text.width) == (
        0.3,
        0,
        tiny().text.width,
    )
    wrong = msgspec.structs.replace(settings.model, changes={"text": {"colour": 1}})
    with pytest.raises(ConfigError, match="colour"):
        wrong.config()
    with pytest.raises(ConfigError, match="known: tiny"):
        msgspec.structs.replace(settings.model, preset="huge").config()


# ── Progress ────────────────────────────────────────────────────────────────────────────────────


def test_the_rate_warms_up_and_falls() -> None:
    progress = Progress(msgspec.structs.replace(STEPS, warmup=0.1, last_rate=0.02))
    rates = [progress.rate(step) for step in range(101)]
    assert rates[0] == pytest.approx(0.01)
    assert rates[10] == max(rates) == 1.0
    assert rates[100] == pytest.approx(0.02)
    assert rates[10:] == sorted(rates[10:], reverse=True)


def test_a_run_by_minutes_follows_the_clock_through_a_resume(tmp_path: Path) -> None:
    clock = Clock()
    settings = TrainingSettings(minutes=10)
    first = Progress(settings, clock)
    first.start()
    clock.seconds = 240
    first.saw("text", 16)
    assert first.at(3) == pytest.approx(0.4)
    first.save(tmp_path)

    second = Progress(settings, clock)
    second.load(tmp_path)
    clock.seconds = 1000
    assert second.at(3) == pytest.approx(0.4)
    second.start()
    clock.seconds += 120
    assert second.at(3) == pytest.approx(0.6)
    assert second.samples == {"text": 16}


# ── Batches ─────────────────────────────────────────────────────────────────────────────────────

CURRICULUM = (
    Stage(0.2, {"text": 1.0}, "words"),
    Stage(1.0, {"text": 0.5, "layout": 0.5}),
)


def batches(done: int = 0, rank: int = 0, world: int = 1) -> TaskBatches:
    settings = Settings(STEPS, stages=CURRICULUM)
    return TaskBatches(settings, (), Progress(STEPS), lambda: done, rank, world)


def test_batches_follow_the_curriculum_and_hold_one_task() -> None:
    found = list(batches())
    assert len(found) == len(batches()) == 100
    assert {key.level for batch in found[:20] for key in batch} == {"words"}
    assert {key.level for batch in found[20:] for key in batch} == {"lines"}
    assert all(len({key.task for key in batch}) == 1 for batch in found)
    assert 25 < sum(batch[0].task == "layout" for batch in found[20:]) < 55
    assert len({key.number for batch in found for key in batch}) == 1600
    assert part_at(CURRICULUM, 1.0) == CURRICULUM[1]


def test_a_resumed_run_goes_on_with_the_batch_that_comes_next() -> None:
    assert list(batches(37)) == list(batches())[37:]


def test_processes_share_the_batches() -> None:
    one, other = list(batches(rank=0, world=2)), list(batches(rank=1, world=2))
    assert len(one) == len(other) == 100
    assert not {key for batch in one for key in batch} & {key for batch in other for key in batch}


def test_sources_are_mixed_in_by_their_share(tmp_path: Path) -> None:
    data = {"task": "text", "kind": "stored", "path": str(tmp_path), "share": 0.25}
    settings = msgspec.convert(
        {
            "training": {"steps": 100},
            "source": [data],
            "stage": [{"until": 1, "tasks": {"text": 1}}],
        },
        Settings,
    )
    found = [
        key for batch in TaskBatches(settings, (5,), Progress(STEPS), lambda: 0) for key in batch
    ]
    share = sum(key.source == 0 for key in found) / len(found)
    assert share == pytest.approx(0.25, abs=0.04)
    assert {key.number for key in found if key.source == 0} == set(range(5))
    with pytest.raises(ConfigError, match=r"samples\.jsonl"):
        Examples(settings, Encoder(tiny(), build_vocabulary(tiny(), Path())))


def test_a_batch_is_filled_up_with_white_and_ignored_labels() -> None:
    config = tiny()
    vocabulary = build_vocabulary(config, Path())
    encode = Encoder(config, vocabulary)
    examples = [encode(synthetic("text", TRAIN, number)) for number in range(6)]
    batch = Collator(vocabulary)(examples)
    longest = max(range(6), key=lambda at: len(examples[at].labels))
    shortest = min(range(6), key=lambda at: examples[at].pixels.shape[2])
    assert batch["task"] == "text"
    assert batch["labels"][longest].tolist() == examples[longest].labels.tolist()
    assert (batch["labels"] == IGNORED).sum() == sum(
        len(examples[longest].labels) - len(example.labels) for example in examples
    )
    width = examples[shortest].pixels.shape[2]
    assert batch["pixels"][shortest, :, :, :width].equal(examples[shortest].pixels)
    beyond = batch["pixels"][shortest, :, :, width:]
    assert beyond.numel() == 0 or beyond.flatten(1).std(1).max() < 1e-6


def test_jitter_moves_boxes_by_some_bins_and_no_further() -> None:
    config = tiny()
    encode = Encoder(config, build_vocabulary(config, Path()))
    page = synthetic("layout", TRAIN, 3)
    moved = encode.jittered(page, 2, "seed")
    assert moved.boxes != page.boxes
    assert encode.jittered(page, 2, "seed") == moved
    reach = 2 * page.image.width / config.bins + 0.02
    for before, after in zip(page.boxes, moved.boxes, strict=True):
        assert before.label == after.label
        assert abs(before.box.x0 - after.box.x0) <= reach


# ── Losses ──────────────────────────────────────────────────────────────────────────────────────


def scores(targets: int = 12) -> tuple[torch.Tensor, torch.Tensor]:
    config = tiny()
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(1, targets, config.text.vocabulary, generator=generator)
    labels = torch.randint(4, config.first_bin, (1, targets), generator=generator)
    labels[0, ::2] = config.first_bin + torch.arange(targets // 2) * 7
    labels[0, -1] = IGNORED
    return logits, labels


def test_kinds_of_losses() -> None:
    config = tiny()
    logits, labels = scores()
    places = (config.first_bin, config.first_bin + config.bins)

    def loss(**options: object) -> float:
        settings = LossSettings(ctc=0.0, **options)  # type: ignore[arg-type]
        return float(training_loss(Output(logits, None), labels, "layout", CODEC, config, settings))

    plain = float(cross_entropy(logits, labels))
    assert loss(kind="cross_entropy") == pytest.approx(plain)
    assert loss() == pytest.approx(float(gk_cel(logits, labels, places).total))
    assert loss() < plain
    assert loss(kind="soft", kernel=1) == pytest.approx(plain)
    assert loss(kind="cross_entropy", location_weight=0.3) < plain


def test_soft_labels_are_best_at_the_kernel_itself() -> None:
    config = tiny()
    places = (config.first_bin, config.first_bin + config.bins)
    near = torch.arange(9) - 4
    kernel = torch.exp(near**2 / (-2 * 1.5**2))
    logits = torch.full((1, config.text.vocabulary), -30.0)
    target = config.first_bin + 50
    logits[0, target - 4 : target + 5] = (kernel / kernel.sum()).log()
    best = soft_losses(logits, torch.tensor([target]), places, 1.5, 9)
    peaked = logits.clone()
    peaked[0, target] += 1.0
    assert best < soft_losses(peaked, torch.tensor([target]), places, 1.5, 9)


def test_the_weight_of_locations_leaves_the_gradient_of_text() -> None:
    config = tiny()
    logits, labels = scores()
    rows = [at for at in range(11) if at % 2]

    def gradient(weight: float) -> torch.Tensor:
        own = logits.clone().requires_grad_()
        settings = LossSettings(kind="cross_entropy", location_weight=weight)
        training_loss(Output(own, None), labels, "layout", CODEC, config, settings).backward()
        assert own.grad is not None
        return own.grad

    assert gradient(0.3)[0, rows].allclose(gradient(1.0)[0, rows])
    assert gradient(0.3)[0, 0].allclose(0.3 * gradient(1.0)[0, 0])


def test_the_auxiliary_loss_is_for_lines_of_text_alone() -> None:
    config = tiny()
    logits, labels = scores()
    frames = torch.randn(1, 40, config.first_bin, requires_grad=True)
    with_ctc = LossSettings(ctc=0.5)
    text = training_loss(Output(logits, frames), labels, "text", CODEC, config, with_ctc)
    page = training_loss(Output(logits, frames), labels, "layout", CODEC, config, with_ctc)
    assert text > page
    page.backward()
    assert frames.grad is not None
    assert not frames.grad.any()
    assert token_losses(logits[0, :11], labels[0, :11], config, with_ctc).shape == (11,)


# ── Metrics ─────────────────────────────────────────────────────────────────────────────────────


def test_text() -> None:
    assert text_scores("a line\nbroken", "a line broken") == {"ned": 0.0, "exact": 1.0}
    assert text_scores("abcd", "abxd")["ned"] == pytest.approx(0.25)
    assert text_scores("ab", "")["ned"] == 1.0
    assert character_errors(["abcd", "ab"], ["abxd", "ab"]) == pytest.approx(1 / 6)
    assert bleu(["one two three four five"], ["one two three four five"]) == pytest.approx(1.0)
    assert bleu(["one two three four five"], ["six seven eight nine ten"]) < 0.05


def test_formulas() -> None:
    right = formula_scores(r"\frac{a}{b}", r"\frac { a } { b }")
    assert right == {"exact": 1.0, "ned": 0.0, "draws": 1.0, "looks": 1.0}
    alike = formula_scores("x^{2}", "x^2")
    assert (alike["exact"], alike["looks"]) == (0.0, 1.0)
    broken = formula_scores(r"\frac{a}{b}", r"\frac{a}{")
    assert (broken["draws"], broken["looks"]) == (0.0, 0.0)


def test_tables() -> None:
    gold = (Cell(0, 0, "a", 1, 2), Cell(1, 0, "b"), Cell(1, 1, "c"))
    assert table_scores(gold, gold) == {"cell_f1": 1.0, "grid_f1": 1.0, "parses": 1.0}
    moved = (Cell(0, 0, "a"), Cell(1, 0, "b"), Cell(1, 1, "c"))
    assert table_scores(gold, moved)["cell_f1"] == 1.0
    assert table_scores(gold, moved)["grid_f1"] == pytest.approx(2 / 3)
    assert table_scores(gold, ()) == {"cell_f1": 0.0, "grid_f1": 0.0, "parses": 0.0}


def test_boxes() -> None:
    assert iou(BBox(0, 0, 10, 10), BBox(5, 0, 15, 10)) == pytest.approx(1 / 3)
    gold = [LayoutBox("Text", BBox(0, 0, 100, 50)), LayoutBox("Table", BBox(0, 100, 100, 150))]
    read = [
        LayoutBox("Text", BBox(0, 0, 100, 49)),
        LayoutBox("Text", BBox(0, 0, 100, 48)),  # found twice
        LayoutBox("Text", BBox(0, 100, 100, 150)),  # called wrong
    ]
    found = matched(gold, read, (200, 200), 0.5)
    assert (found.right, found.found, found.wanted) == (1, 3, 2)
    assert found.offset == pytest.approx(1000 / 200 / 4)
    assert found.f1 == pytest.approx(0.4)
    assert matched(gold, read, (200, 200), 0.99).right == 0
    assert matched([], [], (1, 1), 0.5).f1 == 1.0
    assert matched([], read, (1, 1), 0.5).f1 == 0.0


def test_scores_of_a_page_and_of_all_pages() -> None:
    page = synthetic("layout", TRAIN, 1)
    assert sample_scores(page, Prediction(boxes=page.boxes)) == {
        "f1_50": 1.0,
        "f1_75": 1.0,
        "f1_90": 1.0,
    }
    figures = pooled("layout", [(page, Prediction(boxes=page.boxes)), (page, Prediction())])
    assert (figures["precision_90"], figures["recall_90"], figures["offset"]) == (1.0, 0.5, 0.0)
    assert pooled("text", []) == {}


def test_a_sheet_shows_images_and_what_was_read() -> None:
    samples: list[Sample] = [
        synthetic(task, TRAIN, 1) for task in ("layout", "layout", "text", "table")
    ]
    page = sheet(samples, [Prediction(boxes=samples[0].boxes), *[Prediction("read")] * 3])
    assert page.width == 1200
    assert {(255, 0, 0), (0, 128, 0)} <= {color for _, color in page.getcolors(1 << 24)}
