"""The recogniser: crops in, text out, with random weights; what a folder of weights may be."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PIL import Image

from docpipe.config import load as configuration
from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.weights import save as save_docfusion
from docpipe.parsers.elements import ElementParser
from docpipe.parsers.pabdm.config import KINDS, Mode, PaBdmConfig
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.policies import FixedBlocks, NextToken, Prefixes
from docpipe.parsers.pabdm.presets import tiny
from docpipe.parsers.pabdm.reader import Reader
from docpipe.parsers.pabdm.recognizer import PaBdmRecognizer
from docpipe.parsers.pabdm.vocabulary import Tokens
from docpipe.parsers.pabdm.weights import count_parameters, load, save, take_vision
from docpipe.registry import build
from docpipe.stages import ElementKind
from docpipe.testing import check_parser, check_recognizer
from tests.parsers.docfusion.drawings import text_image
from tests.parsers.docfusion.models import small_tiny
from tests.parsers.pabdm.models import inputs, small_model


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    save(tmp_path, small_model(longest=20), "causal")
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_it_keeps_the_promises_of_a_recognizer(weights: Path, kind: ElementKind) -> None:
    check_recognizer(PaBdmRecognizer(weights), kind)


@pytest.mark.parametrize("mode", ["causal", "bidirectional", "next"])
def test_crops_of_all_sizes_are_read_in_order_and_alike(tmp_path: Path, mode: Mode) -> None:
    save(tmp_path, small_model(longest=20, sharp=30.0), mode)
    recognizer = PaBdmRecognizer(tmp_path, tau=0.5)
    crops = [text_image([text], size) for text, size in (("a b c", 20), ("de", 9), ("fghij", 40))]
    crops.append(Image.new("L", (3, 3)))
    for kind in KINDS:
        together = recognizer.recognize(crops, kind)
        assert together == [recognizer.recognize([crop], kind)[0] for crop in crops]
        assert all(r.confidence is not None and 0 <= r.confidence <= 1 for r in together)


def test_tables_are_html_and_lines_are_read_one_by_one(weights: Path) -> None:
    [result] = PaBdmRecognizer(weights).recognize([text_image(["x"])], "table")
    assert result.text.startswith("<table>")
    block = text_image(["first line", "second"])
    [reading] = Reader(weights).read([block], "text")
    assert len(reading.parts) == 2
    assert "\n".join(text for text, _ in reading.parts) == reading.text


def test_weights_are_decoded_as_they_were_trained(tmp_path: Path) -> None:
    kinds: dict[Mode, type] = {
        "causal": Prefixes, "bidirectional": FixedBlocks, "next": NextToken
    }  # fmt: skip
    for mode, kind in kinds.items():
        save(tmp_path, small_model(), mode)
        assert isinstance(Reader(tmp_path).policy, kind)
    save(tmp_path, small_model(), "causal")
    reader = Reader(tmp_path, block=2, tau=0.8)
    assert isinstance(reader.policy, Prefixes)
    assert (reader.policy.size, reader.policy.tau) == (2, 0.8)
    with pytest.raises(ConfigError, match="1 to 4"):
        Reader(tmp_path, block=5)


def test_it_is_built_by_name_in_place_of_docfusion(weights: Path) -> None:
    options = {"weights": str(weights), "tau": 0.9, "device": "cpu"}
    assert isinstance(build("recognizer", "pabdm", options), PaBdmRecognizer)
    with pytest.raises(ModelError, match="ships none"):
        build("recognizer", "pabdm")


def test_a_stored_model_is_the_same_model(tmp_path: Path) -> None:
    model = small_model(ctc_frames=2)
    save(tmp_path, model, "next")
    again = load(tmp_path)
    assert again.config.mode == "next"
    assert count_parameters(again) == count_parameters(model)
    given = inputs(model)
    with torch.no_grad():
        before, after = model.look(*given), again.look(*given)
    assert torch.equal(after[0], before[0])
    assert after[1].frames is not None
    assert before[1].frames is not None
    assert torch.equal(after[1].frames, before[1].frames)  # a warm start goes on with its head
    (tmp_path / "training.safetensors").unlink()
    assert torch.equal(load(tmp_path).look(*given)[0], before[0])  # and use can do without

    whole = (tmp_path / "model.safetensors").stat().st_size
    save(tmp_path, model, "next", half=True)
    assert (tmp_path / "model.safetensors").stat().st_size < 0.8 * whole
    assert torch.allclose(load(tmp_path).look(*given)[0], before[0], atol=0.05)


def test_what_is_wrong_with_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"config\.json"):
        load(tmp_path)
    save(tmp_path, small_model(), "causal")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be used"):
        load(tmp_path)


def test_the_small_model_has_a_size_to_ship() -> None:
    assert 2e6 < count_parameters(PaBdm(tiny())) < 6e6


@pytest.mark.parametrize("merge", [(1, 1), (2, 1)])
def test_a_docfusion_model_lends_its_eyes(tmp_path: Path, merge: tuple[int, int]) -> None:
    torch.manual_seed(1)
    config: DocFusionConfig = small_tiny()
    given = DocFusion(config).eval()
    save_docfusion(tmp_path, given)
    own = PaBdmConfig(
        vision=config.vision, width=config.text.width, heads=2, merge=merge, block=4, layers=1,
        pieces=config.pieces, ctc_frames=config.ctc_frames,
    )  # fmt: skip
    model = PaBdm(own).eval()
    take_vision(model, tmp_path)
    pixels, _ = inputs(model)
    with torch.no_grad():
        tokens, _ = given.look(pixels)
        seen = model.vision(pixels).tokens
    if merge == (1, 1):
        assert torch.allclose(seen, tokens[:, 1:], atol=1e-5)
    assert given.ctc_head is not None
    assert model.vision.ctc_head is not None
    text, labels = model.texts, config.first_bin
    for own, lent in zip(model.vision.ctc_head.parameters(), given.ctc_head.parameters(),
                         strict=True):  # fmt: skip
        assert torch.equal(own[text : 2 * text], lent[labels : labels + text])
    other = PaBdm(PaBdmConfig(vision=config.vision, width=32, heads=2, block=4, layers=1))
    with pytest.raises(ModelError, match="another form"):
        take_vision(other, tmp_path)


def test_tokens_are_text_prompts_and_a_mask() -> None:
    tokens = Tokens(("\\frac{",))
    ids = tokens.target("é \\frac{1}")
    assert tokens.decode(ids) == "é \\frac{1}"
    assert max(ids) < tokens.text
    special = [*(tokens.prompt(kind)[0] for kind in KINDS), tokens.mask]
    assert special == list(range(tokens.text, tokens.size))
    assert tokens.decode(special) == ""


@pytest.mark.parametrize("name", ["docfusion", "pabdm"])
def test_one_setting_exchanges_the_recognisers_of_a_parser(tmp_path: Path, name: str) -> None:
    if name == "pabdm":
        save(tmp_path, small_model(longest=20), "causal")
    else:
        save_docfusion(tmp_path, DocFusion(small_tiny()))
    settings = ["parser.name=elements", f"parser.recognizer={name}", 'parser.kinds=["table"]']
    stage = configuration(None, [*settings, f"parser.options.weights={tmp_path}"]).parser
    parser = build("parser", stage.name, stage.options)
    assert isinstance(parser, ElementParser)
    check_parser(parser)
