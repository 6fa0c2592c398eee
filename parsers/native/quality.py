"""What a page's text is worth, before anyone relies on it.

Reasons, and the verdict each leads to:

    blank                 no ink on the page (ok)
    no_text_layer         an image, and no text over it (unreadable)
    vector_text           something is drawn, and no text: letters as outlines, perhaps (suspicious)
    few_words_over_image  a scan with a stamp or a page number as its only text (suspicious)
    junk_text_layer       the words are not what the page shows: characters without meaning, digits
                          among letters, words nobody could say (suspicious; unreadable when most)
    bad_ocr_layer         the same in the invisible text over a scan, where less is forgiven
                          (suspicious)
    replacement_chars     some characters could not be decoded (ok when few)
    hidden_text           words were set apart that the page keeps from its readers (ok)
    low_ocr_confidence    given by the OCR parser: it is not sure of its words (suspicious)
    no_text_found         given by the OCR parser: there is ink, and no word in it (suspicious)
    drawing               given by the OCR parser: the ink is lines and areas that a program drew,
                          nothing that looks like text, and no image (ok)

`hidden_text` is a warning, given for four words and more that read as writing: a lone white figure,
a label or the printer's line of numbers under a page is set apart without it. So is text outside
the page, where printers' marks stand, and on layers that are switched off, which drawings and forms
in several languages have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from docpipe.geometry import BBox
from docpipe.parsers.native.ink import has_ink
from docpipe.parsers.native.plausible import Plausibility, plausibility
from docpipe.records import HiddenText, Quality, Word
from docpipe.stages import PageView

_OCR_REASONS = {
    "no_text_layer",
    "vector_text",
    "few_words_over_image",
    "junk_text_layer",
    "bad_ocr_layer",
}
_COMMON = ("off_page", "hidden_layer")
_SENTENCE = 4  # words
_AROUND = ".,;:!?()[]\"'“”‘’-–—"
_FEW_CHARACTERS = 60
_MANY_DRAWINGS = 40
_IMAGE_PAGE = 0.6  # share of a page under images from which it may be a scan
_IMAGE_SEEN = 0.02  # share of a page under images from which there may be text in them
_SCAN_DPI = 90.0
_LOOK_DPI = 100.0
_MARGIN = 0.09  # of the page's height or width: where stamps and page numbers stand


def assess(page: PageView, words: Sequence[Word], hidden: Sequence[HiddenText]) -> Quality:
    """How far the visible `words` of a page can be trusted. Costs some milliseconds at most."""
    secrets = ("hidden_text",) if any(map(_says_something, hidden)) else ()
    if not words:
        return _without_words(page, secrets)
    text = plausibility([word.text for word in words])
    reasons = [*_decoding_reasons(text), *secrets]
    verdict: Literal["ok", "suspicious", "unreadable"] = "ok"
    if _is_scan_with_stamp(page, words, text):
        reasons.append("few_words_over_image")
    if _is_ocr_layer(page):
        if _is_bad_layer(text, words):
            reasons.append("bad_ocr_layer")
    elif _is_junk(text):
        reasons.append("junk_text_layer")
    if set(reasons) & _OCR_REASONS:
        verdict = "unreadable" if _is_mostly_junk(text) else "suspicious"
    return Quality(verdict, tuple(reasons))


def needs_ocr(quality: Quality) -> bool:
    """Whether the page should be read from its image."""
    return quality.route != "ocr" and bool(_OCR_REASONS & set(quality.reasons))


def _without_words(page: PageView, secrets: tuple[str, ...]) -> Quality:
    if _image_share(page) > _IMAGE_SEEN:
        return Quality("unreadable", ("no_text_layer", *secrets), "none")
    drawings, images = page.drawings(), page.images()
    if len(drawings) > _MANY_DRAWINGS or ((drawings or images) and has_ink(page.render(_LOOK_DPI))):
        return Quality("suspicious", ("vector_text", *secrets), "none")
    return Quality("ok", ("blank", *secrets), "none")


def _says_something(piece: HiddenText) -> bool:
    words = piece.text.split()
    plain = sum(word.strip(_AROUND).isalpha() for word in words)
    return piece.reason not in _COMMON and plain >= max(_SENTENCE, 0.5 * len(words))


def _decoding_reasons(text: Plausibility) -> list[str]:
    return ["replacement_chars"] if text.replaced else []


def _is_junk(text: Plausibility) -> bool:
    lost = text.replaced + text.private
    return (
        lost > 0.1 * text.characters
        or (text.digits_inside > 0.02 and text.digits_inside * text.words >= 3)
        or (text.unpronounceable > 0.1 and text.unpronounceable * text.long_words >= 8)
        or (text.mixed > 0.2 and text.mixed * text.words >= 3)
        or (text.odd > 0.4 and text.odd * text.words >= 5)
        or (text.marks > 0.6 and text.different_marks >= 4)
        or text.garbled > max(3.0, 0.02 * text.words)
    )


def _is_mostly_junk(text: Plausibility) -> bool:
    lost = text.replaced + text.private
    return lost > 0.3 * text.characters or text.odd > 0.6 or text.unpronounceable > 0.5


def _is_bad_layer(text: Plausibility, words: Sequence[Word]) -> bool:
    lone = sum(len(word.text) == 1 and word.text.isalpha() for word in words)
    wild = text.odd + text.unpronounceable + text.digits_inside + lone / max(len(words), 1)
    return _is_junk(text) or wild > 0.2


def _is_ocr_layer(page: PageView) -> bool:
    """Whether most of the text is invisible: the text layer of a scan."""
    total = invisible = 0
    for span in page.spans():
        total += len(span.text)
        invisible += len(span.text) if span.render_mode == 3 else 0
    return invisible > 0.5 * total


def _is_scan_with_stamp(page: PageView, words: Sequence[Word], text: Plausibility) -> bool:
    if text.characters > 10 * _FEW_CHARACTERS or _image_share(page) < _IMAGE_PAGE:
        return False
    inner = BBox(
        _MARGIN * page.width,
        _MARGIN * page.height,
        (1 - _MARGIN) * page.width,
        (1 - _MARGIN) * page.height,
    )
    inside = sum(len(word.text) for word in words if inner.contains_point(*word.bbox.center))
    return inside < _FEW_CHARACTERS and _has_scan(page)


def _has_scan(page: PageView) -> bool:
    return any(
        image.bbox.area > 0.5 * page.width * page.height
        and image.pixels[0] * 72.0 > _SCAN_DPI * image.bbox.width
        for image in page.images()
    )


def _image_share(page: PageView) -> float:
    """The share of the page under images, overlaps counted twice, at most 1."""
    covered = sum(image.bbox.clip(page.width, page.height).area for image in page.images())
    return min(1.0, covered / max(page.width * page.height, 1.0))
