"""The recogniser: crops in, text out, with random weights."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.docfusion.reader import Reader
from docpipe.parsers.docfusion.recognizer import DocFusionRecognizer
from docpipe.parsers.docfusion.weights import save
from docpipe.registry import build
from docpipe.stages import ElementKind
from docpipe.testing import check_recognizer
from tests.parsers.docfusion.drawings import text_image
from tests.parsers.docfusion.models import small_config, small_model, small_tiny

KINDS: tuple[ElementKind, ...] = ("text", "table", "formula")


@pytest.fixture(params=["center", "strip"])
def weights(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A model that reads crops as a whole, and one that reads lines."""
    save(tmp_path, small_model(small_config() if request.param == "center" else small_tiny()))
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beams", [1, 3])
def test_it_keeps_the_promises_of_a_recognizer(
    weights: Path, kind: ElementKind, beams: int
) -> None:
    check_recognizer(DocFusionRecognizer(weights, beams=beams), kind)


@pytest.mark.parametrize("kind", KINDS)
def test_crops_of_all_sizes_are_read_in_order_and_alike(weights: Path, kind: ElementKind) -> None:
    recognizer = DocFusionRecognizer(weights, beams=1)
    crops = [text_image([text], size) for text, size in (("a b c", 20), ("de", 9), ("fghij", 40))]
    crops.append(Image.new("L", (3, 3)))
    together = recognizer.recognize(crops, kind)
    assert together == [recognizer.recognize([crop], kind)[0] for crop in crops]
    for result in together:
        assert result.confidence is not None
        assert 0.0 <= result.confidence <= 1.0


def test_tables_are_html(weights: Path) -> None:
    [result] = DocFusionRecognizer(weights, beams=1).recognize([text_image(["x"])], "table")
    assert result.text.startswith("<table>")
    assert result.text.endswith("</table>")


def test_lines_of_a_block_are_read_one_by_one(tmp_path: Path) -> None:
    save(tmp_path, small_model(small_tiny()))
    reader = Reader(tmp_path, beams=1)
    block = text_image(["first line", "second"])
    [reading] = reader.read([block], "text")
    assert len(reading.parts) == 2
    assert "\n".join(text for text, _ in reading.parts) == reading.text
    assert all(box.x1 <= block.width and box.y1 <= block.height for _, box in reading.parts)
    [nothing] = reader.read([Image.new("RGB", (40, 20), "white")], "text")
    assert nothing == ("", 0.0, True, ())


def test_diagrams_are_refused(weights: Path) -> None:
    with pytest.raises(ConfigError, match="diagram"):
        DocFusionRecognizer(weights).recognize([], "diagram")


def test_it_is_built_by_name_and_says_that_it_needs_weights(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = build("recognizer", "docfusion", {"weights": str(weights), "beams": 1})
    assert isinstance(found, DocFusionRecognizer)
    monkeypatch.setattr("docpipe.parsers.docfusion.weights.SHIPPED", tmp_path / "none")
    with pytest.raises(ModelError, match="ships none") as error:
        build("recognizer", "docfusion")
    assert "sc22mc/DocFusion" in error.value.hint


def test_the_small_model_in_the_package_reads_a_line() -> None:
    font = pymupdf.Font("helv")
    page = pymupdf.open().new_page(width=font.text_length("Drinking water", 11) + 6, height=16)
    page.insert_text((3, 12), "Drinking water", fontsize=11)
    pixmap = page.get_pixmap(dpi=150)
    line = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    (found,) = build("recognizer", "docfusion").recognize([line], "text")
    assert found.text == "Drinking water"


@pytest.mark.parametrize("options", [{"beams": 0}, {"device": "quantum"}])
def test_options_that_cannot_be_are_refused(weights: Path, options: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        build("recognizer", "docfusion", {"weights": str(weights)} | options)
