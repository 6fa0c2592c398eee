"""What a reader left on a page: comments, highlights, stamps, attached files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from docpipe.pdf.text import clean

MAX_ANNOTATIONS = 5_000  # of a page
_LEFT_OUT = ("Popup", "Link", "Widget")
_MARKUP = ("Highlight", "Underline", "Squiggly", "StrikeOut")

Box = tuple[float, float, float, float]


class Note(NamedTuple):
    """An annotation in the page's own system; `quads` are the boxes of the text that it marks."""

    kind: str
    rect: Box
    text: str
    quads: tuple[Box, ...] = ()


def read_annotations(page: Any) -> list[Note]:
    """The annotations of a PyMuPDF page, those written into the page's own object among them."""
    found: list[Note] = []
    try:
        for annotation in _all(page):
            kind = annotation.type[1]
            if kind not in _LEFT_OUT:
                found.append(_note(annotation, kind))
    except Exception:  # damaged ones cost themselves and those after them
        return found
    return found


def _all(page: Any) -> Iterator[Any]:
    annotation = page.first_annot
    for _ in range(MAX_ANNOTATIONS):
        if annotation is None:
            return
        yield annotation
        annotation = annotation.next


def _note(annotation: Any, kind: str) -> Note:
    text = annotation.info.get("content", "")
    if kind == "FileAttachment":
        text = annotation.file_info.get("filename", "") or text
    quads = _quads(annotation.vertices or ()) if kind in _MARKUP else ()
    return Note(kind.lower(), tuple(annotation.rect), text, quads)


def _quads(points: Sequence[tuple[float, float]]) -> tuple[Box, ...]:
    fours = (points[at : at + 4] for at in range(0, len(points) - 3, 4))
    return tuple(
        (
            min(x for x, _ in four),
            min(y for _, y in four),
            max(x for x, _ in four),
            max(y for _, y in four),
        )
        for four in fours
    )


def covered(words: Sequence[Sequence[Any]], quads: Sequence[Box]) -> str:
    """The text of the words (x0, y0, x1, y1, text) whose centre is in one of the boxes."""
    return " ".join(
        clean(word[4])
        for x0, y0, x1, y1 in quads
        for word in words
        if x0 <= (word[0] + word[2]) / 2 <= x1 and y0 <= (word[1] + word[3]) / 2 <= y1
    )
