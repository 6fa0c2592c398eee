"""Boxes read off image tokens, and weights that go on with images of another size."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch

from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.codec import Codec, Element, Found
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.model import DocFusion, Output, Regions
from docpipe.parsers.docfusion.presets import tiny
from docpipe.parsers.docfusion.vocabulary import build_vocabulary
from docpipe.training.docfusion.losses import training_loss
from docpipe.training.docfusion.regions import region_loss, region_targets
from docpipe.training.docfusion.resizing import resized
from docpipe.training.docfusion.settings import LossSettings, with_changes

CONFIG = tiny()  # pages of 256 x 192: 16 rows and 24 columns of tokens, 20 and 13.3 bins each
NONE = len(CONFIG.labels)
TEXT, SECTION, LIST = map(CONFIG.labels.index, ("Text", "Section", "List"))


def test_a_token_learns_the_uppermost_and_the_lowest_box_it_holds() -> None:
    heading = Found("Section", (0, 2, 319, 5), ())
    item = Found("List", (0, 7, 319, 9), ())
    text = Found("Text", (0, 12, 159, 99), ())
    labels, bins = region_targets([text, item, heading], CONFIG)
    first = labels.view(16, 24, 2)[0]
    assert first[0].tolist() == [SECTION, TEXT]
    assert first[23].tolist() == [SECTION, LIST]  # right of the text
    second = labels.view(16, 24, 2)[1]
    assert second[11].tolist() == [TEXT, TEXT]
    assert second[12].tolist() == [NONE, NONE]
    assert bins.view(16, 24, 2, 4)[0, 0].tolist() == [[0, 2, 319, 5], [0, 12, 159, 99]]
    assert (labels.view(16, 24, 2)[5:] == NONE).all()  # the text ends in the fifth row


def test_a_box_narrower_than_a_token_has_one() -> None:
    labels, _ = region_targets([Found("Footer", (150, 310, 152, 314), ())], CONFIG)
    assert (labels != NONE).sum() == 2
    assert (labels.view(16, 24, 2)[15, 11] != NONE).all()


def test_the_loss_is_least_where_the_tokens_tell_their_boxes() -> None:
    boxes = [[Found("Text", (20, 40, 200, 120), ())]]
    labels, bins = region_targets(boxes[0], CONFIG)
    right = Regions(
        20.0 * torch.nn.functional.one_hot(labels, NONE + 1)[None].float(),
        20.0 * torch.nn.functional.one_hot(bins, CONFIG.bins)[None].float(),
    )
    assert region_loss(right, boxes, CONFIG) < 1e-3
    shifted = right._replace(places=right.places.roll(9, -1))
    assert region_loss(shifted, boxes, CONFIG) > 10
    assert region_loss(right, [[]], CONFIG) > 1  # a page without boxes, and they tell of one


def test_pages_alone_teach_the_head() -> None:
    codec = Codec(CONFIG, build_vocabulary(CONFIG, Path()))
    ids = codec.layout_target([Element("Text", BBox(1, 1, 50, 50))], 100, 100)
    labels = torch.tensor([ids])
    logits = torch.zeros(1, len(ids), CONFIG.text.vocabulary)
    regions = Regions(
        torch.zeros(1, 384, 2, NONE + 1, requires_grad=True),
        torch.zeros(1, 384, 2, 4, CONFIG.bins, requires_grad=True),
    )
    for task, taught in (("layout", True), ("table", False)):
        loss = training_loss(
            Output(logits, None, regions), labels, task, codec, CONFIG, LossSettings()
        )
        gradients = torch.autograd.grad(loss, [*regions])
        assert all(bool(gradient.any()) == taught for gradient in gradients)


def test_a_model_tells_regions_of_a_whole_page() -> None:
    model = DocFusion(CONFIG)
    prompt, labels = torch.tensor([[5]]), torch.tensor([[5, 6, 7]])
    page = model(torch.zeros(1, 3, *CONFIG.page), prompt, labels).regions
    assert page.labels.shape == (1, 384, 2, NONE + 1)
    assert page.places.shape == (1, 384, 2, 4, CONFIG.bins)
    assert model(torch.zeros(1, 3, 32, 64), prompt, labels).regions.labels.shape[1] == 1


def test_weights_go_on_with_more_positions() -> None:
    model = DocFusion(msgspec.structs.replace(CONFIG, box_head=False)).eval()
    changes = {"page": [384, 128], "ctc_frames": 0, "box_head": True, "text": {"sources": 1280}}
    larger = resized(model, with_changes(model.config, changes)).eval()
    assert larger.ctc_head is None
    pixels, prompt = torch.rand(2, 3, 32, 64), torch.tensor([[5], [5]])
    labels = torch.tensor([[7, 8, 9], [9, 8, 7]])
    assert larger(pixels, prompt, labels).logits.equal(model(pixels, prompt, labels).logits)
    larger(torch.rand(1, 3, 384, 128), prompt[:1], labels[:1])
    assert resized(model, model.config) is model


def test_weights_of_other_sizes_cannot_go_on() -> None:
    model = DocFusion(CONFIG)
    changed: DocFusionConfig = with_changes(CONFIG, {"text": {"feed_forward": 512}})
    with pytest.raises(ConfigError, match=r"fc1\.weight"):
        resized(model, changed)
