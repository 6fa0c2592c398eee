"""Marks at the start of a block: bullets, numbers of list items, headings and captions."""

from __future__ import annotations

import re

_BULLET = re.compile(
    r"^(?:[•‣◦▪▫■□☐☑☒●○◆◇►▶❖➢➤✓✔✗·∙⁃\uf0b7\uf0a7\uf0d8\uf076\uf0fc]\s*|[-–—*o>]\s+)(?=\S)"
)
_ENUMERATED = re.compile(
    r"^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})\)|(?:\d{1,2}|[a-zA-Z]|[ivx]{1,5})\.)\s+(?=\S)"
)
_CAPTION = re.compile(
    r"^(?i:fig(?:ure|\.)?|table|tab\.|chart|exhibit|box|plate|scheme|algorithm|listing|graph|map|"
    r"photo|image|abbildung|abb\.|tabelle|figura|tabla|tableau)\s*"
    r"(?:(?:[A-Z]\.?)?\d+|[IVXL]+\b|[A-Z]\b)(?:[.\-–]\d+)*(?!\d*(?:\s*[,;)]|[a-z]?\s+[a-z]))"
    r"|^[図表图]\s*\d+",
)
_NUMBERING = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=\S)")


def list_marker(text: str) -> str | None:
    """The bullet or number a list item starts with."""
    match = _BULLET.match(text) or _ENUMERATED.match(text)
    return match[0].strip() if match else None


def is_bullet(text: str) -> bool:
    return _BULLET.match(text) is not None


def is_caption(text: str) -> bool:
    """Whether a text starts like "Figure 3" or "Table IV"."""
    return _CAPTION.match(text) is not None


def numbering_depth(text: str) -> int:
    """1 for "2 Methods", 2 for "2.1 Data", and so on; 0 without a number."""
    match = _NUMBERING.match(text)
    return match[1].count(".") + 1 if match else 0


_LEADERS = re.compile(r"(?:[.·…_]\s?){5,}\s*(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]-?\d{1,3})?$")


def is_contents_entry(text: str) -> bool:
    """Whether a line ends in dots that lead to a page number."""
    return _LEADERS.search(text) is not None


_DIVISION = re.compile(
    r"^(?:(?:Item|ITEM|Note|NOTE|Part|PART|Article|ARTICLE|Section|SECTION|Chapter|CHAPTER|Appendix|"
    r"APPENDIX|Annex|ANNEX|Schedule|SCHEDULE|Kapitel|Artikel)\s+(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])[A-Z]?"
    r"(?:[.:)]|\s*[–—-]|$)|\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[A-Z])"
)


def starts_division(text: str) -> bool:
    """Whether a line starts like "Item 5.", "NOTE 6 –", "Part II" or "2.1 Data"."""
    return _DIVISION.match(text) is not None
