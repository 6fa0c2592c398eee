"""The parts together: what a model is taught, it says."""

from __future__ import annotations

import msgspec
import torch

from docpipe.geometry import BBox
from docpipe.parsers.docfusion.codec import Codec, Element
from docpipe.parsers.docfusion.config import DocFusionConfig, VisionConfig
from docpipe.parsers.docfusion.generate import generate, layout_rule
from docpipe.parsers.docfusion.loss import gk_cel
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.vocabulary import PAD, ByteVocabulary
from tests.parsers.docfusion.models import LABELS, PIECES, pixels, small_config


def quick_config() -> DocFusionConfig:
    """Two stages and one layer, without dropout."""
    vision = VisionConfig(
        dims=(8, 16),
        depths=(1, 1),
        heads=(1, 2),
        kernels=(7, 3),
        strides=((8, 8), (4, 4)),
        paddings=(3, 1),
        prenorm=(False, True),
        window=4,
        drop_path=0.0,
    )
    config = small_config()
    text = msgspec.structs.replace(
        config.text, width=48, layers=1, heads=4, feed_forward=96, dropout=0.0
    )
    return msgspec.structs.replace(config, vision=vision, text=text)


def test_two_pages_and_two_crops_are_learnt_by_heart() -> None:
    torch.manual_seed(0)
    config = quick_config()
    vocabulary = ByteVocabulary(PIECES, LABELS)
    codec = Codec(config, vocabulary)
    images = pixels(config, 2)
    boxes = [
        [Element("Text", BBox(0, 0, 30, 10)), Element("Text", BBox(0, 20, 40, 30))],
        [Element("Table", BBox(5, 5, 35, 25))],
    ]
    targets = [codec.layout_target(page, 40, 40) for page in boxes]
    targets += [codec.text_target(text) for text in (r"\frac{1}{2}", "one")]
    labels = torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(ids) for ids in targets], batch_first=True, padding_value=PAD
    )
    prompts = torch.tensor([vocabulary.prompt("layout")] * 2 + [vocabulary.prompt("text")] * 2)
    both = torch.cat((images, images))  # the prompt alone says which task it is
    model = DocFusion(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-3)
    places = (config.first_bin, config.first_bin + config.bins)
    for _ in range(70):
        # Plain cross-entropy: a neighbouring bin would be a token that was never trained on.
        loss = gk_cel(model(both, prompts, labels).logits, labels, places, kernel=1).total
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    pages = generate(model, images, prompts[:2], longest=30, rule=layout_rule(config))
    for page, output in zip(boxes, pages, strict=True):
        found = codec.read_layout(output.ids)
        wanted = [(each.label, codec.quantise(each.bbox, 40, 40)) for each in page]
        assert [(each.label, each.bins) for each in found] == wanted
    texts = generate(model, images, prompts[2:], longest=30, beams=2)
    assert [codec.read_text(output.ids) for output in texts] == [r"\frac{1}{2}", "one"]
