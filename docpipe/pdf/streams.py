"""A cap on what a page draws: a few kilobytes of a PDF can inflate to gigabytes of instructions.

The PDF library inflates them bit by bit, so that no cap on memory stops it, and reads them several
times over. Images are not looked at: they are decoded once, and a memory cap stops that.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

MAX_CONTENT = 64 << 20  # bytes of instructions of a page, and of each form on it
_STEP = 1 << 20
_PIECE = 4096  # what is lost where data is damaged, at most
_HEADER = 2  # bytes before deflated data
_FLATE = {"FlateDecode", "Fl"}
# How much a filter can blow its input up, at most.
_GROWTH = {"FlateDecode": 1032, "Fl": 1032, "LZWDecode": 2731, "LZW": 2731, "RunLengthDecode": 64}


def cut_content(pdf: Any, number: int, cut: set[int], limit: int = MAX_CONTENT) -> bool:
    """Shorten the streams that page `number` draws from and that go beyond the limit, in the open
    document only. Whether any was, now or before: `cut` keeps their xrefs.

    What is not compressed by Flate alone cannot be measured here and is left as it is.
    """
    contents = pdf[number - 1].get_contents()
    forms = {form[0] for form in pdf.get_page_xobjects(number - 1)}
    left = limit
    for xref in contents:
        left -= _shorten(pdf, xref, left, cut)
    for xref in forms:
        _shorten(pdf, xref, limit, cut)
    return not cut.isdisjoint(forms.union(contents))


def _shorten(pdf: Any, xref: int, limit: int, cut: set[int]) -> int:
    """The length of a stream after it was cut to the limit."""
    filters = _filters(pdf, xref)
    raw = pdf.xref_stream_raw(xref) or b""
    bound = len(raw)
    for name in filters:
        bound *= _GROWTH.get(name, 1)
    if bound <= limit or not _FLATE.issuperset(filters):
        return min(bound, limit)
    kept = beginning(raw, len(filters), limit + 1)
    if len(kept) > limit:
        pdf.update_stream(xref, kept[:limit], compress=0)
        cut.add(xref)
    return min(len(kept), limit)


def _filters(pdf: Any, xref: int) -> list[str]:
    kind, value = pdf.xref_get_key(xref, "Filter")
    if kind == "xref":
        value = pdf.xref_object(int(value.split()[0]))
    return re.findall(r"/(\w+)", value)


def beginning(raw: bytes, layers: int, length: int) -> bytes:
    """The first `length` bytes of data that was deflated `layers` times, as far as it is intact."""
    chunks: Iterable[bytes] = [raw]
    for _ in range(layers):
        chunks = _inflate(chunks)
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) >= length:
            break
    return bytes(found[:length])


def _inflate(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """As forgiving as PDF libraries: the header and the checksum do not count, and what comes
    before an error is good."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    skip = _HEADER
    for piece in _pieces(chunks):
        piece, skip = piece[skip:], max(0, skip - len(piece))
        while piece and not inflater.eof:
            try:
                found = inflater.decompress(piece, _STEP)
            except zlib.error:
                return
            piece = inflater.unconsumed_tail
            if found:
                yield found


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), _PIECE):
            yield chunk[start : start + _PIECE]
