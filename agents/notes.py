"""What was found on the way to an answer, apart from the pages: calculations, looks, readings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import msgspec

from docpipe.agents.calculator import Calculation
from docpipe.records import Evidence, Reading
from docpipe.stages import PageContent


class Note(msgspec.Struct, frozen=True):
    """A finding with what it rests on. `calculation` is the one it tells of; a `seen` one is what a
    model says of a picture."""

    text: str
    evidence: tuple[Evidence, ...] = ()
    calculation: Calculation | None = None
    seen: bool = False


@runtime_checkable
class NoteReader(Protocol):
    """A reader that answers from pages and notes."""

    def read_with(
        self, pages: Sequence[PageContent], question: str, notes: Sequence[Note]
    ) -> Reading: ...
