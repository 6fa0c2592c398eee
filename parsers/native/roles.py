"""Roles that one page can tell: list items, captions, footnotes, code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docpipe.geometry import BBox
from docpipe.parsers.native.lines import Line, is_monospaced
from docpipe.parsers.native.markers import is_caption, list_marker
from docpipe.records import Role

_ADDRESS = re.compile(r"\w@[\w.{-]+\.\w|https?://|www\.")
_FOOTNOTE_MARK = re.compile(r"^(?:\d{1,3}|[*†‡§¶]{1,3}|[a-z](?=[\s.)]))[\s.)]?\s*(?=[^\s\d.)])")


def page_role(lines: Sequence[Line], em: float, sheet: BBox, *, typewritten: bool = False) -> Role:
    """The role of a block of a page whose usual font size is `em`; a `typewritten` page is set in a
    typewriter face, which is then no sign of code."""
    text = lines[0].text
    if _is_footnote(lines, em, sheet):
        return "footnote"
    if is_caption(text):
        return "caption"
    if not typewritten and _is_code(lines):
        return "code"
    if list_marker(text) is not None:
        return "list_item"
    return "paragraph"


def _is_code(lines: Sequence[Line]) -> bool:
    """Lines in a typewriter face, other than mail and web addresses."""
    return (
        len(lines) > 1
        and all(map(is_monospaced, lines))
        and not all(_ADDRESS.search(line.text) for line in lines)
    )


def _is_footnote(lines: Sequence[Line], em: float, sheet: BBox) -> bool:
    first = lines[0]
    return (
        first.size <= 0.92 * em
        and first.bbox.y0 > 0.5 * sheet.y1
        and _FOOTNOTE_MARK.match(first.text) is not None
        and len(first.text) > 12
    )
