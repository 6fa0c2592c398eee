"""Pages read from their picture: what is read, where it stands, and how sure it is."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image, ImageDraw

from docpipe.content import block_text, page_text, table_rows
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.native.ink import text_lines
from docpipe.parsers.ocr import OcrParser
from docpipe.parsers.ocr.engines import AutoEngine, OcrWord, build_engine, is_english, without
from docpipe.parsers.ocr.parser import smoothed
from docpipe.parsers.ocr.rapid import split_line
from docpipe.parsers.ocr.rules import drawn_lines, is_bar, shaded_areas
from docpipe.parsers.ocr.upright import Placement, ink_points, is_sideways, skew_of, turned
from docpipe.pdf import open_document
from docpipe.records import Figure, Table, Word
from docpipe.stages import Drawing, PageFacts, Parser

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


def test_a_page_read_as_unsurely_as_handwriting_is_flagged(tmp_path: Path) -> None:
    parser = OcrParser(engine="rapidocr")
    verdicts = {}
    for confidence in (0.8, 0.92):
        parser.engine = Fixed(*[(word, confidence) for word, _ in ENGLISH])
        verdicts[confidence] = read(scan(tmp_path), parser).quality.verdict
    assert verdicts == {0.8: "suspicious", 0.92: "ok"}


def test_specks_are_no_text(tmp_path: Path) -> None:
    parser = OcrParser(engine="rapidocr")
    parser.engine = Fixed(("|", 0.5), ("~.", 0.2), ("ii", 0.4))
    assert read(scan(tmp_path), parser).words == ()


def test_a_line_is_split_where_the_recogniser_saw_its_characters() -> None:
    centers = [0.05, 0.15, 0.25, 0.75, 0.85, 0.95]
    one, two = split_line("One two", BBox(0, 0, 100, 20), 0.9, 4, centers)
    assert (one.text, two.text) == ("One", "two")
    assert one.bbox.x1 == pytest.approx(30)
    assert two.bbox.x0 == pytest.approx(70)
    assert one.line == two.line == 4


def test_a_line_without_centers_is_shared_out_by_characters_with_gaps_between() -> None:
    words = list(split_line("ab cd ef", BBox(0, 0, 80, 10), 0.9, 0))
    assert [word.text for word in words] == ["ab", "cd", "ef"]
    assert all(a.bbox.x1 < b.bbox.x0 for a, b in pairwise(words))


@pytest.mark.parametrize("rotate", [90, 270])
def test_a_label_that_runs_up_or_down_is_read_where_it_stands(
    rotate: int, rapid: OcrParser, tmp_path: Path
) -> None:
    page = drawn()
    page.insert_text((20 if rotate == 90 else 10, 140), "Level in metres", rotate=rotate)
    page.parent.save(tmp_path / "chart.pdf")
    with open_document(tmp_path / "chart.pdf") as document:
        truth = [word for word in document.page(1).words() if word.bbox.x0 < 30]
    words = [word for word in read(tmp_path / "chart.pdf", rapid).words if word.bbox.x0 < 30]
    assert {word.text for word in words} == {"Level", "in", "metres"}
    for word in words:
        (there,) = (other for other in truth if other.text == word.text)
        assert there.bbox.expand(3).contains_point(*word.bbox.center)


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
    image = image.rotate(-angle, fillcolor="white", resample=Image.Resampling.BICUBIC)
    assert abs(skew_of(ink_points(image)) - angle) < 0.3


def test_a_receipt_with_columns_of_amounts_is_not_sideways() -> None:
    page = pymupdf.open().new_page(width=200, height=600)
    for number in range(24):
        page.insert_text((20, 40 + 22 * number), f"Item {number}", fontsize=9)
        page.insert_text((150, 40 + 22 * number), f"{number:02}.50", fontsize=9)
    page.draw_rect((2, 2, 198, 598))
    pixmap = page.get_pixmap(dpi=150)
    image = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    assert not is_sideways(image)
    assert is_sideways(image.rotate(90, expand=True))


def test_an_unknown_language_is_named_with_those_that_are_there() -> None:
    with pytest.raises(ConfigError, match=r"tesseract"):
        build_engine("tesseract", ("xyz",), 1)


def test_light_text_on_a_dark_slide_is_read(tmp_path: Path) -> None:
    def slide(image: Image.Image) -> Image.Image:
        return image.point(lambda value: 250 - round(0.9 * value))

    facts = read(scan(tmp_path, slide), OcrParser())
    assert text_of(facts) == " ".join(LINES)
    assert facts.quality.route == "ocr"


def test_ink_without_words_is_not_called_blank(tmp_path: Path) -> None:
    parser = OcrParser(engine="rapidocr")
    parser.engine = Fixed()
    quality = read(scan(tmp_path), parser).quality
    assert (quality.verdict, quality.reasons) == ("suspicious", ("no_text_found",))


def test_a_drawn_page_without_anything_like_text_is_sound(tmp_path: Path) -> None:
    parser = OcrParser(engine="rapidocr")
    parser.engine = Fixed()
    document = pymupdf.open()
    page = document.new_page()
    for left in range(72, 500, 60):
        page.draw_rect((left, 72, left + 20, 720), fill=(0, 0, 0))
    document.save(tmp_path / "bars.pdf")
    quality = read(tmp_path / "bars.pdf", parser).quality
    assert (quality.verdict, quality.reasons) == ("ok", ("drawing",))
    drawn().parent.save(tmp_path / "text.pdf")
    assert read(tmp_path / "text.pdf", parser).quality.verdict == "suspicious"


@needs_tesseract
def test_a_dusty_scan_is_read(tesseract: OcrParser, tmp_path: Path) -> None:
    def dusty(image: Image.Image) -> Image.Image:
        chance = random.Random(1)
        for _ in range(3_000):
            x, y = chance.randrange(image.width - 2), chance.randrange(image.height - 2)
            image.paste("black", (x, y, x + 2, y + 2))
        return image

    assert text_of(read(scan(tmp_path, dusty), tesseract)) == " ".join(LINES)


def test_a_photograph_on_a_scan_is_a_figure_and_a_frame_is_none(
    rapid: OcrParser, tmp_path: Path
) -> None:
    def with_photograph(image: Image.Image) -> Image.Image:
        photograph = Image.effect_noise((300, 220), 80).convert("RGB")
        image.paste(photograph, (600, 420))
        frame = ImageDraw.Draw(image)
        frame.rectangle((80, 420, 400, 700), outline="black", width=4)
        return image

    facts = read(scan(tmp_path, with_photograph), rapid)
    (figure,) = (draft.block for draft in facts.drafts if isinstance(draft.block, Figure))
    (region,) = figure.source.regions
    where = BBox(*(value * 72 / 200 for value in (600, 420, 900, 640)))
    assert region.bbox.intersection(where) > 0.9 * max(where.area, region.bbox.area)
    assert " ".join(LINES) in text_of(facts)


def test_what_stands_above_the_caption_of_a_figure_is_one(rapid: OcrParser, tmp_path: Path) -> None:
    page = pymupdf.open().new_page(width=400, height=400)
    page.draw_polyline([(60, 60), (60, 200), (340, 200)])
    page.draw_polyline([(60, 190), (120, 150), (200, 170), (260, 90), (340, 70)])
    page.insert_text((60, 222), "Figure 1: Level of the river in April", fontsize=11)
    for number, line in enumerate(LINES * 2):
        page.insert_text((60, 260 + 16 * number), f"{line}, as before", fontsize=11)
    pixmap = page.get_pixmap(dpi=200)
    scanned = pymupdf.open()
    scanned.new_page(width=400, height=400).insert_image((0, 0, 400, 400), pixmap=pixmap)
    scanned.save(tmp_path / "chart.pdf")
    facts = read(tmp_path / "chart.pdf", rapid)
    (figure,) = (draft.block for draft in facts.drafts if isinstance(draft.block, Figure))
    assert figure.source.regions[0].bbox.intersection(BBox(60, 60, 340, 200)) > 0.7 * 280 * 140


def test_the_second_engine_reads_only_where_ink_has_no_words() -> None:
    pixmap = drawn().get_pixmap(dpi=200)
    image = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    lines = text_lines(image)
    assert len(lines) == len(LINES)
    words = [
        OcrWord(word, line, 0.95, number)
        for number, line in enumerate(lines[:2])
        for word in LINES[number].split()
    ]
    first, second = Fixed(), Fixed(("harbour", 0.9))
    first._words = words
    found = AutoEngine(first, second, told=True).read(image, 200)
    assert second.asked == 1
    assert [word.text for word in found[len(words) :]] == ["harbour"]
    assert found[-1].line not in (0, 1)
    assert lines[2].y0 - 30 < found[-1].bbox.y0 < lines[2].y1
    first._words = [*words, OcrWord(LINES[2], lines[2], 0.95, 2)]
    AutoEngine(first, second, told=True).read(image, 200)
    assert second.asked == 1


def test_what_was_read_is_painted_over_in_the_colour_around_it() -> None:
    image = Image.new("RGB", (100, 50), "navy")
    image.paste("white", (20, 20, 40, 30))
    word = OcrWord("one", BBox(20, 20, 40, 30), 0.9, 0)
    assert without(image, [word]).getcolors() == [(5000, (0, 0, 128))]


def test_sizes_that_are_nearly_alike_are_one() -> None:
    sizes = smoothed({0: 10.0, 1: 10.4, 2: 8.1, 3: 18.0, 4: 17.2, 5: 10.1})
    assert len({sizes[line] for line in (0, 1, 2, 5)}) == 1
    assert sizes[3] == sizes[4] > 17


@needs_tesseract
def test_a_table_on_a_scan_is_a_table(tmp_path: Path) -> None:
    rows = [
        ["Station", "Height", "Rain"],
        ["Harbour", "41.5", "617"],
        ["Mill", "73.2", "702"],
        ["Castle", "155.0", "688"],
    ]
    page = pymupdf.open().new_page(width=400, height=300)
    for row in range(5):
        page.draw_line((40, 60 + 30 * row), (340, 60 + 30 * row))
    for column in range(4):
        page.draw_line((40 + 100 * column, 60), (40 + 100 * column, 180))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            page.insert_text((48 + 100 * column, 80 + 30 * row), text, fontsize=12)
    page.insert_text(
        (40, 230), "The gauge stands at the harbour and was read at noon.", fontsize=12
    )
    page.get_pixmap(dpi=200).save(tmp_path / "table.png")
    scanned = pymupdf.open().new_page(width=400, height=300)
    scanned.insert_image(scanned.rect, filename=tmp_path / "table.png")
    scanned.parent.save(tmp_path / "table.pdf")
    drafts = read(tmp_path / "table.pdf", OcrParser(engine="tesseract")).drafts
    (table,) = [draft.block for draft in drafts if isinstance(draft.block, Table)]
    assert [[cell.text for cell in row] for row in table_rows(table)] == rows
    assert table.source.stage == "ocr"
    assert table.cells[0].region is not None
    assert table.cells[0].region.bbox.contains(BBox(48, 72, 90, 82), 6.0)


def test_letters_and_photographs_are_no_lines() -> None:
    pixmap = drawn().get_pixmap(dpi=200)
    image = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    assert drawn_lines(image, 200 / 72, []) == []
    assert shaded_areas(image, 200 / 72) == []


def test_a_bar_on_a_vertical_line_is_no_word() -> None:
    line = Drawing("line", BBox(100, 50, 101, 200), 0, None, 1.0)
    assert is_bar(Word("|", BBox(99, 80, 102, 92)), [line])
    assert not is_bar(Word("|", BBox(150, 80, 153, 92)), [line])
    assert not is_bar(Word("I", BBox(99, 80, 102, 92)), [line])


def test_shades_are_rectangles() -> None:
    image = Image.new("RGB", (800, 600), "white")
    image.paste((200, 215, 235), (100, 100, 700, 180))
    (shade,) = shaded_areas(image, 2.0)
    assert BBox(50, 50, 350, 90).contains(shade.bbox, 3.0)
    assert shade.fill == 0xC8D7EB
