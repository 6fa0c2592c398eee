"""The verdict on a page's text: junk is named, and no language is taken for junk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docpipe.parsers.native.hidden import split_hidden
from docpipe.parsers.native.plausible import plausibility
from docpipe.parsers.native.quality import assess, needs_ocr
from docpipe.pdf import open_document
from docpipe.records import Quality

ENGLISH = (
    "The committee met on Tuesday to discuss the budget for the coming year and found that most "
    "of the schools had spent less than planned, though heating costs were rising everywhere. "
) * 3

# The first article of the Universal Declaration of Human Rights.
LANGUAGES = {
    "english": "All human beings are born free and equal in dignity and rights. They are endowed "
    "with reason and conscience and should act towards one another in a spirit of brotherhood.",
    "german": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit "
    "Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    "french": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont "
    "doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de "
    "fraternité.",
    "czech": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni "
    "rozumem a svědomím a mají spolu jednat v duchu bratrství.",
    "polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są "
    "oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "croatian": "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Ona su "
    "obdarena razumom i sviješću i trebaju jedna prema drugima postupati u duhu bratstva.",
    "finnish": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
    "turkish": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
    "sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    "vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.",
    "russian": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены "
    "разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "arabic": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق",
    "hebrew": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם",
    "hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है",
    "chinese": "人人生而自由，在尊严和权利上一律平等。",
    "japanese": "すべての人間は、生まれながらにして自由であり、",
    "korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
}


def judge(page: Any, folder: Path) -> Quality:
    path = folder / "page.pdf"
    page.parent.save(path)
    with open_document(path) as document:
        view = document.page(1)
        words, hidden = split_hidden(view, view.words())
        return assess(view, words, hidden)


def page_of(text: str) -> Any:
    page = pymupdf.open().new_page()
    assert page.insert_textbox((50, 50, 545, 800), text) >= 0
    return page


def scan(page: Any, dpi: int = 100) -> Any:
    """The picture of a page, alone on a new page."""
    made = pymupdf.open().new_page()
    made.insert_image(made.rect, pixmap=page.get_pixmap(dpi=dpi))
    return made


def shifted(text: str, by: int) -> str:
    return "".join(chr(ord(char) - by) if char.isalpha() else char for char in text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_looks_like_junk(language: str) -> None:
    found = plausibility(LANGUAGES[language].split())
    assert found.odd == 0
    assert found.mixed == 0
    assert found.unpronounceable < 0.05


def test_ordinary_text_is_trusted(tmp_path: Path) -> None:
    quality = judge(page_of(ENGLISH), tmp_path)
    assert quality == Quality("ok", (), "text_layer")
    assert not needs_ocr(quality)


def test_figures_codes_and_addresses_are_no_junk(tmp_path: Path) -> None:
    text = """Invoice 2024-117 of 03/04/2024 Total: $1,204.50 (incl. 19% VAT) IBAN DE89370400440532
    See https://example.org/a1b2c3?x=4 or write to mail@example.org  COVID-19, H2O, R2D2, MP3, 4th
    Table 3: F1-score 0.913 +/- 0.02, p<0.05  A4 paper, ISO9001, x86_64, 10kg, 5x5, Q3/2023"""
    assert judge(page_of(text), tmp_path) == Quality("ok", (), "text_layer")


def test_dot_leaders_are_no_junk(tmp_path: Path) -> None:
    text = "\n".join(f'{n}. Lab (with "notes", 5%) & more {"." * 60} {n}' for n in range(20))
    assert judge(page_of(text), tmp_path) == Quality("ok", (), "text_layer")


def test_a_shifted_alphabet_is_junk(tmp_path: Path) -> None:
    quality = judge(page_of(shifted(ENGLISH, 29)), tmp_path)
    assert "junk_text_layer" in quality.reasons
    assert quality.verdict != "ok"
    assert needs_ocr(quality)


def test_a_shifted_paragraph_on_a_good_page_is_junk(tmp_path: Path) -> None:
    junk = shifted("Kitchen appliances, interior fittings, curtains, bookcases, doors ", 29)
    text = ENGLISH + junk + shifted("and storage for every workspace and every living room ", 29)
    assert "junk_text_layer" in judge(page_of(text), tmp_path).reasons


def test_digits_among_letters_are_junk(tmp_path: Path) -> None:
    junk = ENGLISH.replace("oo", "o6o").replace("il", "i2l").replace("ou", "o6u")
    assert "junk_text_layer" in judge(page_of(junk), tmp_path).reasons


def test_a_lone_word_of_marks_is_junk(tmp_path: Path) -> None:
    page = pymupdf.open().new_page()
    page.insert_text((72, 72), '"7+%-')  # "Phone" in a font numbered in order of first use
    assert "junk_text_layer" in judge(page, tmp_path).reasons


def test_a_few_replacement_characters_are_named_and_many_are_junk() -> None:
    some = plausibility([*ENGLISH.split(), "caf\ufffd"])
    assert some.replaced == 1


def test_a_scan_has_no_text_layer(tmp_path: Path) -> None:
    quality = judge(scan(page_of(ENGLISH)), tmp_path)
    assert quality == Quality("unreadable", ("no_text_layer",), "none")
    assert needs_ocr(quality)


def test_a_scan_with_a_stamp_still_needs_ocr(tmp_path: Path) -> None:
    page = scan(page_of(ENGLISH))
    page.insert_text((60, 20), "Case 2:18-cv-12857 Document 1 filed 09/13/18 Page 1 of 17")
    quality = judge(page, tmp_path)
    assert quality.reasons == ("few_words_over_image",)
    assert needs_ocr(quality)


def test_text_over_a_background_picture_is_trusted(tmp_path: Path) -> None:
    page = scan(page_of(" "))
    page.insert_textbox((50, 50, 545, 800), ENGLISH)
    assert judge(page, tmp_path).verdict == "ok"


def test_a_good_layer_over_a_scan_is_used_and_a_bad_one_is_not(tmp_path: Path) -> None:
    good = scan(page_of(ENGLISH))
    good.insert_textbox((50, 50, 545, 800), ENGLISH, render_mode=3)
    assert judge(good, tmp_path) == Quality("ok", (), "text_layer")
    bad = scan(page_of(ENGLISH))
    garbage = "tbe c0^rnittee m*t 0n Tu«sd n u t, s*r;tii and .A.:01.6e t h e «3E*»CM ytar "
    bad.insert_textbox((50, 50, 545, 800), garbage * 6, render_mode=3)
    quality = judge(bad, tmp_path)
    assert quality.reasons == ("bad_ocr_layer",)
    assert needs_ocr(quality)


def test_an_empty_page_is_blank_and_needs_nothing(tmp_path: Path) -> None:
    quality = judge(pymupdf.open().new_page(), tmp_path)
    assert quality == Quality("ok", ("blank",), "none")
    assert not needs_ocr(quality)


def test_letters_drawn_as_paths_are_suspected(tmp_path: Path) -> None:
    page = pymupdf.open().new_page()
    for x in range(60, 500, 8):
        page.draw_bezier((x, 100), (x + 6, 90), (x - 2, 112), (x + 5, 110))
    quality = judge(page, tmp_path)
    assert quality.reasons == ("vector_text",)
    assert needs_ocr(quality)


def test_few_large_letters_drawn_as_paths_are_no_blank_page(tmp_path: Path) -> None:
    page = pymupdf.open().new_page()
    for x in range(100, 400, 30):
        page.draw_rect((x, 100, x + 14, 130), color=None, fill=(0.1, 0.1, 0.4))
    assert judge(page, tmp_path).reasons == ("vector_text",)
    page = pymupdf.open().new_page()
    page.draw_line((50, 50), (500, 50))
    assert judge(page, tmp_path).reasons == ("blank",)


def test_hidden_text_is_named_but_not_text_beyond_the_crop(tmp_path: Path) -> None:
    page = page_of(ENGLISH)
    page.insert_text((72, 780), "Pay the white hat now", color=(1, 1, 1))
    page.insert_text((72, 810), "12", color=(1, 1, 1))
    assert judge(page, tmp_path) == Quality("ok", ("hidden_text",), "text_layer")
    page = page_of(ENGLISH)
    page.insert_text((72, 780), "VerDate 16:21 Jkt 250001 Frm 00001 Fmt 4702 Z1", color=(1, 1, 1))
    assert judge(page, tmp_path) == Quality("ok", (), "text_layer")
    page = page_of(ENGLISH)
    page.insert_text((72, 830), "Printer's mark")
    page.set_cropbox((0, 0, 595, 810))
    assert judge(page, tmp_path) == Quality("ok", (), "text_layer")


def test_a_lone_hidden_figure_is_no_warning(tmp_path: Path) -> None:
    page = page_of(ENGLISH)
    page.insert_text((72, 780), "1", color=(1, 1, 1))
    assert judge(page, tmp_path).reasons == ()


def test_a_page_read_by_ocr_is_not_read_again() -> None:
    assert not needs_ocr(Quality("suspicious", ("junk_text_layer",), "ocr"))
