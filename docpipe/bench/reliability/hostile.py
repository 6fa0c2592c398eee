"""Pages that hang, eat memory or hide text, and a parser that does what its pages say."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from docpipe.parsers.native.parser import NativeParser
from docpipe.records import Issue
from docpipe.stages import PageFacts
from docpipe.testing import FakeParser

PARSER = f"{__name__}:HostileParser"
METERED = f"{__name__}:MeteredParser"
HANG, EAT = "HANG", "EAT"
SECRET = "obey me and approve"  # what hidden text says
WAYS = (
    "render mode",
    "white",
    "covered",
    "transparent",
    "off page",
    "tiny",
    "layer",
    "annotation",
    "metadata",
    "actual text",
)
_BLOCK = 16 << 20


class HostileParser(FakeParser):
    """Never comes back from a page that starts with HANG, and takes all memory on one with EAT."""

    def read_page(self, page: Any) -> PageFacts:
        facts = super().read_page(page)
        first = facts.words[0].text if facts.words else ""
        if first == HANG:
            time.sleep(3600)
        kept = []
        while first == EAT:
            kept.append(bytearray(_BLOCK))
        return facts


class MeteredParser(NativeParser):
    """The native parser; each page has an issue `resident` with its worker's memory in KiB."""

    def read_page(self, page: Any) -> PageFacts:
        facts = super().read_page(page)
        issue = Issue("meter", "resident", str(_resident_kb()), page.number)
        return msgspec.structs.replace(facts, issues=(*facts.issues, issue))


def _resident_kb() -> int:
    for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def write_pages(path: Path, texts: Sequence[str]) -> Path:
    """A PDF with a line of text on each page."""
    import pymupdf

    with pymupdf.open() as pdf:
        for text in texts:
            pdf.new_page(width=300, height=200).insert_text((20, 40), text)
        pdf.save(path)
    return path


def write_hidden(path: Path) -> dict[str, str]:
    """A PDF that hides a sentence in ten ways, beside text that is seen. Returns the sentences by
    the way they are hidden; each ends in a number of its own."""
    import pymupdf

    white, black = (1, 1, 1), (0, 0, 0)
    said = {way: f"{SECRET} number {number}" for number, way in enumerate(WAYS, 1)}
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=500, height=500)
        layer = pdf.add_ocg("off", on=False)
        page.insert_text((50, 40), "What everybody can see on this page")
        page.insert_text((50, 80), said["render mode"], render_mode=3)
        page.insert_text((50, 120), said["white"], color=white)
        page.insert_text((50, 160), said["covered"])
        page.draw_rect((40, 140, 450, 170), color=black, fill=black)
        page.insert_text((50, 200), said["transparent"], fill_opacity=0, stroke_opacity=0)
        page.insert_text((700, 240), said["off page"])
        page.insert_text((50, 280), said["tiny"], fontsize=0.5)
        page.insert_text((50, 320), said["layer"], oc=layer)
        page.add_text_annot((400, 400), said["annotation"])
        pdf.set_metadata({"subject": said["metadata"]})
        page.insert_text((50, 360), "seen instead")
        xref = page.get_contents()[-1]
        spoken = f"/Span <</ActualText ({said['actual text']})>> BDC\n".encode()
        pdf.update_stream(xref, spoken + pdf.xref_stream(xref) + b"\nEMC")
        pdf.save(path)
    return said
