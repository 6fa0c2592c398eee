"""Synthetic samples: exact, repeatable, and the held-out profile apart from the training."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.datasets.docfusion import fonts
from docpipe.datasets.docfusion.crops import text_crop, variant
from docpipe.datasets.docfusion.formulas import formula_ink, pooled
from docpipe.datasets.docfusion.ink import LineStyle, bounds, line_width, set_line
from docpipe.datasets.docfusion.latex import escape, normalise, tabular
from docpipe.datasets.docfusion.profiles import HELD_OUT, PROFILES, TRAIN, Profile
from docpipe.datasets.docfusion.samples import LABELS, TASKS, Sample, Task
from docpipe.datasets.docfusion.synthetic import Limits, SyntheticSamples, synthetic
from docpipe.datasets.docfusion.tables import draw_grid
from docpipe.datasets.docfusion.text import PRINTABLE, passages, text
from docpipe.errors import ConfigError
from docpipe.parsers.docfusion import config as model
from docpipe.parsers.docfusion.tabular import cells_of
from docpipe.records import Cell


def contents(sample: Sample) -> tuple[object, ...]:
    return sample.image.tobytes(), sample.text, sample.boxes, sample.cells


@pytest.mark.parametrize("task", TASKS)
def test_a_number_decides_a_sample(task: Task) -> None:
    first = contents(synthetic(task, TRAIN, 7))
    assert contents(synthetic(task, TRAIN, 7)) == first
    assert contents(synthetic(task, TRAIN, 8)) != first
    assert contents(synthetic(task, TRAIN, 7, seed=1)) != first
    assert contents(synthetic(task, HELD_OUT, 7)) != first


def test_limits_hold() -> None:
    limits = Limits(text=12, formula=30, table=150, lines=3)
    for number in range(30):
        texts = synthetic("text", TRAIN, number, limits=limits).text.split("\n")
        assert len(texts) <= 3
        assert all(1 <= len(line) <= 12 for line in texts)
        assert len(synthetic("formula", TRAIN, number, limits=limits).text) <= 30
    assert len(synthetic("table", TRAIN, 3, limits=limits).text) <= 150
    words = [synthetic("text", TRAIN, n, limits=Limits(46), level="words").text for n in range(40)]
    assert max(len(text.split()) for text in words) <= 2


def test_a_source_ends() -> None:
    source = SyntheticSamples("text", TRAIN, 3)
    assert len([source[number] for number in range(len(source))]) == 3
    with pytest.raises(IndexError):
        source[3]


# ── Texts ───────────────────────────────────────────────────────────────────────────────────────


def test_no_sentence_is_in_both_splits() -> None:
    train, held_out = passages("train"), passages("held_out")
    assert len(train) > 2000
    assert len(held_out) > 500
    assert not set(train) & set(held_out)
    assert all(passage.isascii() and passage.isprintable() for passage in train + held_out)


def test_texts_hold_every_printable_character_and_a_fifth_has_no_sense() -> None:
    chance = random.Random(1)
    texts = [text(chance, HELD_OUT, 46) for _ in range(1500)]
    assert set(PRINTABLE) <= set("".join(texts))
    words = {word for passage in passages("held_out") for word in passage.lower().split()}
    senseless = sum(not any(w in words for w in t.lower().split()) for t in texts)
    assert 0.1 < senseless / len(texts) < 0.35


@given(st.integers(0, 10_000), st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_texts_are_as_long_as_asked_for(seed: int, most: int) -> None:
    made = text(random.Random(seed), TRAIN, most)
    assert 1 <= len(made) <= most
    assert made == " ".join(made.split())


# ── Fonts and ink ───────────────────────────────────────────────────────────────────────────────


def test_every_font_is_there_and_shows_what_it_is_said_to() -> None:
    for name in fonts.TRAIN_FONTS + fonts.HELD_OUT_FONTS:
        shown = "Hamburg 0123" if not fonts.can_set(name, "|") else f"Hamburg{PRINTABLE}"
        assert bounds(set_line(shown, LineStyle(name, 20))) is not None
    assert not any(name.startswith(fonts.HELD_OUT_FAMILIES) for name in fonts.TRAIN_FONTS)
    assert all(name.startswith(fonts.HELD_OUT_FAMILIES) for name in fonts.HELD_OUT_FONTS)
    assert not set(fonts.TRAIN_MATH) & set(fonts.HELD_OUT_MATH)


def test_characters_of_a_font_differ() -> None:
    """A font that lacked characters would show the same box for them."""
    for name in fonts.TRAIN_FONTS + fonts.HELD_OUT_FONTS:
        characters = [char for char in PRINTABLE if fonts.can_set(name, char)]
        drawn = {
            (ink.shape, ink.tobytes())
            for ink in (set_line(char, LineStyle(name, 60)) for char in characters)
        }
        assert len(drawn) == len(characters), name


def test_a_missing_font_is_named() -> None:
    with pytest.raises(ConfigError, match="Wingdings"):
        fonts.font_bytes("Wingdings")


def test_lines_grow_with_their_text_and_size() -> None:
    style = LineStyle("tiro", 20)
    assert line_width("mm", style) == pytest.approx(2 * line_width("m", style))
    assert line_width("m", style._replace(size=40)) == pytest.approx(2 * line_width("m", style))
    ink = set_line("Word", style)
    assert abs(ink.shape[1] - line_width("Word", style)) < 0.6 * style.size
    assert ink.max() > 200


def test_variants_are_for_the_eye_alone() -> None:
    profile = Profile(
        split="train", fonts=("tiro",), math_fonts=("cm",), points=(10, 10), dpi=(150, 150),
        blur=(0, 0), skew=0, noise=0, variant_share=1.0,
    )  # fmt: skip
    shown = variant('the "first" fifth - it\'s', "tiro", random.Random(1), profile)
    assert shown == "the “ﬁrst” ﬁfth – it’s"
    assert variant("a-b", "cmr10", random.Random(1), profile) == "a-b"


def test_a_clean_crop_is_dark_text_on_light_paper_with_a_margin() -> None:
    profile = Profile(
        split="train", fonts=("tiro",), math_fonts=("cm",), points=(10, 10), dpi=(150, 150),
        blur=(0, 0), skew=0, noise=0, inverse_share=0, crowded_share=0, ink=(0, 0),
        paper=(255, 255),
    )  # fmt: skip
    for seed in range(20):
        image, said = text_crop(random.Random(seed), profile, 30)
        if not said.isalnum():
            continue
        edges = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
        assert image.min() < 60
        assert edges.min() > 120


# ── Tables ──────────────────────────────────────────────────────────────────────────────────────


@given(st.integers(0, 5000), st.integers(2, 8), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_the_latex_of_a_table_is_its_cells(seed: int, rows: int, columns: int) -> None:
    grid = draw_grid(random.Random(seed), TRAIN, rows, columns)
    taken = [
        (cell.row + down, cell.column + across)
        for cell in grid.cells
        for down in range(cell.row_span)
        for across in range(cell.column_span)
    ]
    assert sorted(taken) == [(r, c) for r in range(rows) for c in range(columns)]
    if all(cell.text for cell in grid.cells) and grid.header_rows:
        assert cells_of(tabular(grid.cells, grid.alignment)) == grid.cells


def test_a_bracket_that_begins_a_row_is_no_option_of_the_line_break() -> None:
    cells = (
        Cell(0, 0, "a"),
        Cell(0, 1, "b"),
        Cell(1, 0, "[23]"),
        Cell(1, 1, "[4]"),
        Cell(2, 0, "*"),
        Cell(2, 1, "c"),
    )
    latex = tabular(cells, "ll")
    assert r"\\ {[}23] & [4] \\ {*} & c" in latex
    assert cells_of(latex) == cells


def test_latex_of_texts_and_formulas() -> None:
    assert escape(r"50% & a_b \ ~") == r"50\% \& a\_b \textbackslash{} \textasciitilde{}"
    assert normalise(r"\alpha  x + \frac { a } { b }") == r"\alpha x+\frac{a}{b}"
    assert normalise(r"\alpha _ 1") == r"\alpha_1"
    assert normalise("") == ""


# ── Formulas ────────────────────────────────────────────────────────────────────────────────────


def test_formulas_of_the_splits_are_different_ones_and_can_be_drawn() -> None:
    pools = {
        split: {pooled(n, profile, 80) for n in range(60)} for split, profile in PROFILES.items()
    }
    assert not pools["train"] & pools["held_out"]
    for latex in sorted(pools["held_out"])[:30]:
        assert formula_ink(latex, "dejavuserif").any()
        assert normalise(latex) == latex


# ── Pages ───────────────────────────────────────────────────────────────────────────────────────


def test_boxes_of_a_page_are_on_it_and_hold_ink() -> None:
    labels: set[str] = set()
    for number in range(12):
        page = synthetic("layout", TRAIN, number)
        gray = np.asarray(page.image.convert("L"), np.int16)
        labels |= {item.label for item in page.boxes}
        assert list(page.boxes) == sorted(page.boxes, key=lambda item: (item.box.y0, item.box.x0))
        for item in page.boxes:
            assert 0 <= item.box.x0 < item.box.x1 <= page.image.width
            assert 0 <= item.box.y0 < item.box.y1 <= page.image.height
            inside = gray[int(item.box.y0) : int(item.box.y1), int(item.box.x0) : int(item.box.x1)]
            assert inside.max() - inside.min() > 20
    assert labels == set(LABELS)


def test_names_of_tasks_and_labels_are_those_of_the_model() -> None:
    assert set(TASKS) == set(model.TASKS)
    assert set(LABELS) == set(model.LABELS + model.MORE_LABELS)
