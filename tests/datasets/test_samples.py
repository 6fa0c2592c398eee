"""The sample documents: what the questions ask is there, and they can be made again."""

from __future__ import annotations

import re
import subprocess
import sys

import pymupdf
import pytest

from docpipe.datasets.samples import NAMES, QUESTIONS, SampleQuestion, samples_folder
from docpipe.datasets.samples.letter import letter
from docpipe.datasets.samples.report import report

# The letter is an image: no text to look into without OCR.
PRINTED = [q for q in QUESTIONS if q.answer and q.document != "letter.pdf"]


@pytest.fixture(scope="module")
def shipped() -> dict[str, pymupdf.Document]:
    return {name: pymupdf.open(samples_folder() / name) for name in NAMES}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the command writes."""
    folder = tmp_path_factory.mktemp("samples")
    command = [sys.executable, "-m", "docpipe.datasets.samples", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def structure(document: pymupdf.Document) -> list[object]:
    pages: list[object] = []
    for page in document:
        widgets = [(w.field_name, w.field_value) for w in page.widgets()]
        links = sorted(link["page"] for link in page.get_links())
        pages.append((page.get_label(), page.get_text(), links, widgets, len(page.get_images())))
    return [document.get_toc(), document.metadata["title"], pages]


@pytest.mark.parametrize("name", NAMES)
def test_made_again_they_are_the_same(
    name: str, shipped: dict[str, pymupdf.Document], made: dict[str, bytes]
) -> None:
    assert structure(pymupdf.open("pdf", made[name])) == structure(shipped[name])


def test_the_same_seed_gives_the_same_bytes(made: dict[str, bytes]) -> None:
    assert letter(seed=0) == made["letter.pdf"]
    assert letter(seed=1) != made["letter.pdf"]
    assert report() == made["report.pdf"]


def test_they_are_small_enough_to_ship() -> None:
    assert sum((samples_folder() / name).stat().st_size for name in NAMES) < 1_500_000


@pytest.mark.parametrize("question", PRINTED, ids=lambda q: q.question)
def test_answers_stand_on_their_page(
    question: SampleQuestion, shipped: dict[str, pymupdf.Document]
) -> None:
    page = shipped[question.document][question.page - 1]
    assert (question.shown or question.answer) in " ".join(page.get_text().split())


def test_the_letter_is_an_image_without_text(shipped: dict[str, pymupdf.Document]) -> None:
    page = shipped["letter.pdf"][0]
    assert page.get_text().strip() == ""
    assert page.get_images()[0][8] == "DCTDecode"


def test_the_manual_has_outline_labels_and_links(shipped: dict[str, pymupdf.Document]) -> None:
    manual = shipped["manual.pdf"]
    assert len(manual) >= 40
    assert [manual[number].get_label() for number in (0, 3, 5)] == ["i", "iv", "1"]
    for level, title, page in manual.get_toc():
        text = " ".join(manual[page - 1].get_text().split())
        assert title.partition(" ")[2] in text or title in text, (level, title, page)
    first = {link["page"] for link in manual[2].get_links()}
    assert {page - 1 for _, _, page in manual.get_toc()[1:10]} <= first


def test_the_form_is_filled(shipped: dict[str, pymupdf.Document]) -> None:
    values = {w.field_name: w.field_value for w in shipped["form.pdf"][0].widgets()}
    assert values["family_name"] == "Okafor"
    assert (values["trees"], values["shed"]) == ("Yes", "Off")
    assert values["district"] == "Harbour"


def test_the_report_breaks_words_at_line_ends(shipped: dict[str, pymupdf.Document]) -> None:
    text = "".join(page.get_text() for page in shipped["report.pdf"])
    assert len(re.findall(r"[a-z]-\n[a-z]", text)) >= 5
