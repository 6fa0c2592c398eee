"""Pages read from their picture: what is read, where it stands, and how sure it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from docpipe.content import block_text, page_text
from docpipe.errors import ModelError
from docpipe.geometry import BBox
from docpipe.parsers.ocr import OcrParser
from docpipe.parsers.ocr.engines import AutoEngine, OcrWord, build_engine, is_english
from docpipe.parsers.ocr.rapid import split_line
from docpipe.parsers.ocr.upright import Placement, ink_points, is_sideways, skew_of, turned
from docpipe.pdf import open_document
from docpipe.stages import PageFacts, Parser

LINES = (
    "The river gauge was read every morning",
    "and the level was written in the book",
    "that is kept by the harbour master.",
)
needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed"
)


def drawn() -> Any:
    page = pymupdf.open().new_page(width=400, height=300)
    for number, line in enumerate(LINES):
        page.insert_text((40, 80 + 18 * number), line, fontsize=12)
    return page


def scan(folder: Path, change: Callable[[Image.Image], Image.Image] = lambda image: image) -> Path:
    """A PDF of one page that is a picture of `drawn`, changed."""
    pixmap = drawn().get_pixmap(dpi=200)
    image = change(Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples))
    image.save(folder / "scan.png", dpi=(200, 200))
    page = pymupdf.open().new_page(width=image.width * 0.36, height=image.height * 0.36)
    page.insert_image(page.rect, filename=folder / "scan.png")
    page.parent.save(folder / "scan.pdf")
    return folder / "scan.pdf"


def read(path: Path, parser: OcrParser) -> PageFacts:
    with open_document(path) as document:
        return parser.read_page(document.page(1))


def text_of(facts: PageFacts) -> str:
    return " ".join(block_text(draft.block) for draft in facts.drafts)


@pytest.fixture(scope="module")
def rapid() -> OcrParser:
    return OcrParser(engine="rapidocr")


@pytest.fixture(scope="module")
def tesseract() -> OcrParser:
    return OcrParser(engine="tesseract")


def is_beside(facts: PageFacts, word: str, box: BBox) -> bool:
    """Whether the word stands where it was drawn, to within a line's height."""
    found = next(each for each in facts.words if each.text == word)
    return box.expand(4.0).contains(found.bbox)


def test_rapidocr_reads_words_where_they_stand(rapid: OcrParser, tmp_path: Path) -> None:
    facts = read(scan(tmp_path), rapid)
    assert text_of(facts) == " ".join(LINES)
    assert facts.quality.route == "ocr"
    assert facts.quality.verdict == "ok"
    for x0, y0, x1, y1, word, *_ in drawn().get_text("words"):
        if word in ("gauge", "morning", "harbour"):
            assert is_beside(facts, word, BBox(x0, y0, x1, y1))
    assert all(word.confidence and word.confidence > 0.8 for word in facts.words)


@needs_tesseract
def test_tesseract_reads_words_where_they_stand(tesseract: OcrParser, tmp_path: Path) -> None:
    facts = read(scan(tmp_path), tesseract)
    assert text_of(facts) == " ".join(LINES)
    x0, y0, x1, y1 = drawn().search_for("harbour")[0]
    assert is_beside(facts, "harbour", BBox(x0, y0, x1, y1))


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turned_scans_are_read_and_their_boxes_lie_on_the_page(
    quarters: int, rapid: OcrParser, tmp_path: Path
) -> None:
    path = scan(tmp_path, lambda image: image.rotate(90 * quarters, expand=True))
    facts = read(path, rapid)
    assert text_of(facts) == " ".join(LINES)
    first, last = facts.words[0].bbox, facts.words[-1].bbox
    sheet = BBox(0, 0, facts.width, facts.height)
    assert sheet.contains(first)
    assert sheet.contains(last)
    match quarters:
        case 1:  # read from bottom to top, lines to the right
            assert first.x0 < last.x0
            assert first.y0 > facts.height / 2
        case 2:
            assert first.y0 > last.y0
        case 3:
            assert first.x0 > last.x0
            assert first.y0 < facts.height / 2


def test_a_skewed_scan_is_levelled(rapid: OcrParser, tmp_path: Path) -> None:
    path = scan(tmp_path, lambda image: image.rotate(-3, fillcolor="white"))
    facts = read(path, rapid)
    assert text_of(facts) == " ".join(LINES)
    first = [word for word in facts.words if word.text in ("The", "morning")]
    assert first[1].bbox.y0 - first[0].bbox.y0 > 5  # falls to the right on the page, as scanned


def test_a_blank_yellowed_leaf_has_no_text(rapid: OcrParser, tmp_path: Path) -> None:
    def yellow(image: Image.Image) -> Image.Image:
        leaf = Image.linear_gradient("L").resize(image.size)
        shade = leaf.point(lambda value: 190 + value // 8)
        return Image.merge("RGB", (shade, shade, shade.point(lambda value: value - 60)))

    facts = read(scan(tmp_path, yellow), rapid)
    assert facts.words == ()
    assert facts.drafts == ()
    assert facts.quality.reasons == ("blank",)
    assert facts.quality.route == "none"


def test_a_huge_page_is_read_within_the_pixel_limit(rapid: OcrParser, tmp_path: Path) -> None:
    page = pymupdf.open().new_page(width=14000, height=10500)
    pixmap = drawn().get_pixmap(dpi=200)
    page.insert_image(page.rect, pixmap=pixmap)
    page.parent.save(tmp_path / "poster.pdf")
    assert text_of(read(tmp_path / "poster.pdf", rapid)) == " ".join(LINES)


def test_pages_compose_like_those_of_any_parser(rapid: OcrParser, tmp_path: Path) -> None:
    facts = read(scan(tmp_path), rapid)
    (page,) = rapid.compose([facts], ())
    assert isinstance(rapid, Parser)
    assert "harbour master" in page_text(page)
    assert page.quality.route == "ocr"


class Fixed:
    """An engine that always reads the same."""

    def __init__(self, *words: tuple[str, float]) -> None:
        self.asked = 0
        self._words = [
            OcrWord(text, BBox(10 + 60 * i, 10, 60 + 60 * i, 30), confidence, 0)
            for i, (text, confidence) in enumerate(words)
        ]

    def read(self, image: Image.Image, dpi: float) -> list[OcrWord]:
        self.asked += 1
        return self._words


ENGLISH = [(word, 0.95) for word in " ".join(LINES).replace(".", "").split()]
FRENCH = ["Le", "chat", "est", "sur", "la", "table", "et", "le", "chien", "dort"] * 3
BLANK = Image.new("RGB", (100, 100), "white")


def test_a_sure_english_reading_needs_no_second_engine() -> None:
    second = Fixed(("other", 0.9))
    assert AutoEngine(Fixed(*ENGLISH), second, told=False).read(BLANK, 200)[0].text == "The"
    assert second.asked == 0


@pytest.mark.parametrize(
    "reading",
    [
        [(word, 0.4) for word, _ in ENGLISH],
        [
            (word, 0.95)
            for word in [
                "Le",
                "chat",
                "est",
                "sur",
                "la",
                "table",
                "et",
                "le",
                "chien",
                "dort",
                "dans",
            ]
            * 3
        ],
    ],
    ids=["unsure", "french"],
)
def test_another_reading_is_checked_by_the_second_engine(reading: Any) -> None:
    second = Fixed(("trouvé", 0.9))
    assert AutoEngine(Fixed(*reading), second, told=False).read(BLANK, 200)[0].text == "trouvé"
    assert AutoEngine(Fixed(*ENGLISH), second, told=True).read(BLANK, 200)[0].text == "The"


def test_english_is_told_by_its_function_words() -> None:
    assert is_english(Fixed(*ENGLISH).read(BLANK, 200))
    assert not is_english(Fixed(("Standing", 0.9), ("room", 0.9)).read(BLANK, 200))


def test_an_unsure_reading_is_marked(tmp_path: Path) -> None:
    parser = OcrParser(engine="rapidocr")
    parser.engine = Fixed(*[(word, 0.45) for word, _ in ENGLISH], ("certain", 0.9))
    quality = read(scan(tmp_path), parser).quality
    assert quality.verdict == "suspicious"
    assert quality.reasons == ("low_ocr_confidence",)


def test_specks_are_no_text(tmp_path: Path) -> None:
    parser = OcrParser(engine="rapidocr")
    parser.engine = Fixed(("|", 0.5), ("~.", 0.2), ("ii", 0.4))
    assert read(scan(tmp_path), parser).words == ()


def test_a_line_is_split_by_the_marks_of_the_recogniser() -> None:
    marks = [("One", 0.9, 0.0, 30.0), ("two", 0.9, 70.0, 100.0)]
    one, two = split_line("One two", BBox(0, 0, 100, 20), 0.9, 4, marks)
    assert (one.text, two.text) == ("One", "two")
    assert one.bbox.x1 <= 30
    assert two.bbox.x0 >= 70
    assert one.line == two.line == 4


def test_a_line_without_marks_is_shared_out_by_characters_with_gaps_between() -> None:
    words = list(split_line("ab cd ef", BBox(0, 0, 80, 10), 0.9, 0))
    assert [word.text for word in words] == ["ab", "cd", "ef"]
    assert all(a.bbox.x1 < b.bbox.x0 for a, b in pairwise(words))


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("skew", [0.0, 2.5])
def test_boxes_go_back_to_where_the_pixels_came_from(quarters: int, skew: float) -> None:
    image = Image.new("RGB", (800, 500), "white")
    image.paste("black", (600, 100, 640, 140))
    upright = turned(image, quarters, skew)
    box = BBox(*map(float, upright.point(lambda value: 255 - value).convert("L").getbbox() or ()))
    placement = Placement((400.0, 250.0), 2.0, quarters, skew)
    found = placement.to_page(placement.to_frame(box))
    assert abs(found.center[0] - 310) < 2
    assert abs(found.center[1] - 60) < 2


@pytest.mark.parametrize("angle", [-4.0, -1.2, 0.0, 2.3])
def test_skew_is_measured(angle: float) -> None:
    pixmap = drawn().get_pixmap(dpi=200)
    image = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    points = ink_points(image.rotate(-angle, fillcolor="white", resample=Image.Resampling.BICUBIC))
    assert abs(skew_of(points) - angle) < 0.3
    assert not is_sideways(points)
    assert is_sideways(points[:, ::-1])


def test_an_unknown_language_is_named_with_those_that_are_there() -> None:
    with pytest.raises(ModelError, match=r"tesseract"):
        build_engine("tesseract", ("xyz",), 1)
