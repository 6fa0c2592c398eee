"""Where tokens stand in the image, and the loss that makes a head look there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from docpipe.datasets.docfusion.profiles import TRAIN
from docpipe.datasets.docfusion.samples import LayoutBox, Sample
from docpipe.datasets.docfusion.synthetic import synthetic
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.presets import tiny
from docpipe.parsers.docfusion.processor import fit
from docpipe.parsers.docfusion.vocabulary import build_vocabulary
from docpipe.training.docfusion.data import Collator, Encoder
from docpipe.training.docfusion.guidance import GuidedHead, cell_spans, tokens_inside

CONFIG = tiny()
VOCABULARY = build_vocabulary(CONFIG, Path())


def test_cells_of_latex_are_told_with_their_row_and_column() -> None:
    latex = (
        r"\begin{tabular}{lcr} \toprule a & \multicolumn{2}{c}{b \& {c}} \\ \midrule "
        r" & \multirow{2}{*}{d & e} & \% \\ \bottomrule \end{tabular}"
    )
    found = {(s.row, s.column): latex[s.start : s.end].strip() for s in cell_spans(latex)}
    assert found == {
        (0, 0): "a",
        (0, 1): r"\multicolumn{2}{c}{b \& {c}}",
        (1, 0): r"\midrule",
        (1, 1): r"\multirow{2}{*}{d & e}",
        (1, 2): r"\%",
    }


@pytest.mark.parametrize("number", range(8))
def test_each_cell_of_a_made_up_table_is_found_where_its_ink_is(number: int) -> None:
    sample = synthetic("table", TRAIN, number)
    spans = {(span.row, span.column): span for span in cell_spans(sample.text)}
    grey = np.asarray(sample.image.convert("L"), float)
    paper = np.median(grey)
    for cell in sample.cells:
        span = spans[cell.row, cell.column]
        letters = "".join(filter(str.isalnum, cell.text))
        written = "".join(filter(str.isalnum, sample.text[span.start : span.end]))
        assert letters in written
        assert cell.region is not None
        box = cell.region.bbox
        x0, y0, x1, y1 = (round(side) for side in (box.x0, box.y0, box.x1, box.y1))
        if letters:
            assert np.abs(grey[max(y0, 0) : y1, max(x0, 0) : x1] - paper).max() > 40


def test_places_are_those_of_the_cells_in_the_shrunk_image() -> None:
    sample = synthetic("table", TRAIN, 5)
    example = Encoder(CONFIG, VOCABULARY, guided=True)(sample)
    assert example.places is not None
    ids = example.labels.tolist()
    assert example.places.shape == (len(ids), 4)
    first = sample.cells[0]
    assert first.region is not None
    to = fit(*sample.image.size, CONFIG.crops.table)
    told = {tuple(place.tolist()) for place in example.places}
    assert any(place == pytest.approx(to.box(first.region.bbox), abs=0.01) for place in told)
    height, width = example.pixels.shape[1:]
    placed = example.places[example.places[:, 2] > 0]
    assert len(placed) > len(ids) / 3
    assert placed[:, 2].max() <= width + 1
    assert placed[:, 3].max() <= height + 1
    assert Encoder(CONFIG, VOCABULARY)(sample).places is None


def test_the_four_tokens_of_a_box_stand_where_it_does() -> None:
    page = Sample(
        task="layout",
        image=Image.new("RGB", (100, 200), "white"),
        boxes=(LayoutBox("Text", BBox(10, 20, 50, 60)),),
    )
    example = Encoder(CONFIG, VOCABULARY, guided=True)(page)
    assert example.places is not None
    placed = example.places[:, 2] > 0
    assert placed.tolist() == [False, False, True, True, True, True, False]  # <s> Text … </s>
    x0, y0, x1, y1 = example.places[2].tolist()
    bin_width, bin_height = 192 / 320, 256 / 320
    assert (x0, x1) == pytest.approx((19.2, 96 + bin_width), abs=bin_width)
    assert (y0, y1) == pytest.approx((25.6, 76.8 + bin_height), abs=bin_height)


def test_tokens_that_a_place_reaches_into() -> None:
    places = torch.tensor([[[0.0, 0.0, 8.0, 16.0], [7.0, 15.0, 9.0, 17.0], [-1.0] * 4]])
    inside = tokens_inside(places, (32, 64), CONFIG).view(3, 2, 8)  # tokens of 16 x 8 pixels
    assert inside[0].nonzero().tolist() == [[0, 0]]
    assert inside[1].nonzero().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert not inside[2].any()


def test_the_head_learns_to_look_and_the_loss_is_its_share() -> None:
    torch.manual_seed(0)
    model = DocFusion(CONFIG)
    head = GuidedHead(model)
    encode = Encoder(CONFIG, VOCABULARY, guided=True)
    batch = Collator(VOCABULARY)([encode(synthetic("table", TRAIN, n)) for n in range(2)])
    size = tuple(batch["pixels"].shape[2:])

    def loss() -> torch.Tensor:
        model(batch["pixels"], batch["prompt"], batch["labels"])
        return head.loss(batch["places"], size, CONFIG)

    inside = tokens_inside(batch["places"], size, CONFIG)
    counts = inside.sum(-1)[inside.any(-1)]
    even = -(counts / (2 + inside.shape[-1])).log().mean()  # attention that is spread evenly
    before = loss()
    assert float(before.detach()) == pytest.approx(float(even), rel=0.2)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(12):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    assert loss() < before - 0.4
    nowhere = torch.full_like(batch["places"], -1.0)
    assert head.loss(nowhere, size, CONFIG) == 0
