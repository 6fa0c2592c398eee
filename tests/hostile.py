"""Parsers for tests of isolation: what a page says is what happens to its worker."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import msgspec

from docpipe.records import Quality
from docpipe.stages import PageFacts
from docpipe.testing import FakeParser

CALLS = {
    "HANG": lambda: time.sleep(60),
    "SLOW": lambda: time.sleep(0.3),
    "NAP": lambda: time.sleep(1.5),
    "EAT": lambda: bytearray(1 << 40),
    "EXIT": lambda: os._exit(7),
    "SEGFAULT": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "KILLED": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "FAIL": lambda: 1 / 0,
}


class HostileParser(FakeParser):
    """Reads like FakeParser, but does what the page's first word says; SCAN has no text layer."""

    def __init__(self, *, name: str = "hostile", broken: bool = False) -> None:
        if broken:
            raise ValueError("this parser cannot be built")
        self.name = name

    def read_page(self, page: Any) -> PageFacts:
        facts = super().read_page(page)
        first = facts.words[0].text if facts.words else ""
        CALLS.get(first, lambda: None)()
        if first.startswith("SCAN"):
            return msgspec.structs.replace(
                facts, quality=Quality("unreadable", ("no_text_layer",), "none")
            )
        return facts


class HostileOcr(FakeParser):
    """Reads SCAN pages; hangs on SCANHANG and fails on SCANFAIL."""

    def __init__(self, *, broken: bool = False) -> None:
        if broken:
            raise ValueError("no engine")

    def read_page(self, page: Any) -> PageFacts:
        facts = super().read_page(page)
        CALLS.get(facts.words[0].text.removeprefix("SCAN"), lambda: None)()
        return msgspec.structs.replace(facts, quality=Quality("ok", (), "ocr"))
