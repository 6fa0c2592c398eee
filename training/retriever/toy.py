"""A made-up library whose questions use words of their own.

Each document tells of one machine, a property a page. The questions call the properties by words
that no text has, so that neither words nor a general embedder find the page, and a trained one
does: also in documents that it has not seen.
"""

from __future__ import annotations

import hashlib
import random

from docpipe.datasets.questions.record import GoldQuestion
from docpipe.geometry import BBox
from docpipe.records import Document, Page, Region, Source, TextBlock
from docpipe.stages import LibraryView
from docpipe.testing import FakeLibrary

# What a page says, and what a question calls it.
_PROPERTIES = (
    ("The mass of the {} is {} kilograms.", "zorl"),
    ("The {} was bought for {} crowns.", "plint"),
    ("The {} was built in the year {}.", "frab"),
    ("It takes {1} people to run the {0}.", "mubble"),
    ("The {} stands {} metres above the river.", "quend"),
    ("Every {1} days the {0} is oiled.", "slonk"),
)
_SYLLABLES = ("ka", "mo", "ri", "tel", "bu", "san", "vo", "lin", "der", "gu", "pa", "nes")


def toy_library(documents: int, seed: int) -> tuple[LibraryView, list[GoldQuestion]]:
    """So many documents of six pages, and a question about each page."""
    draw = random.Random(seed)
    made = [_document(draw, number) for number in range(documents)]
    questions = [
        GoldQuestion(
            id=f"{document.id}-{page}",
            kind="toy",
            question=f"What {called} does the {document.name} have?",
            answer="",
            format="Str",
            how="given",
            documents=(document.id,),
            pages=((document.id, page),),
        )
        for document in made
        for page, (_, called) in enumerate(_PROPERTIES, 1)
    ]
    return FakeLibrary(made), questions


def _document(draw: random.Random, number: int) -> Document:
    name = "".join(draw.sample(_SYLLABLES, 3)).capitalize()
    id = hashlib.sha256(f"{number} {name}".encode()).hexdigest()[:16]
    pages = []
    for page, (text, _) in enumerate(_PROPERTIES, 1):
        source = Source((Region(page, BBox(50, 50, 500, 70)),), "toy")
        block = TextBlock(
            f"p{page}/text1", source, text.format(name, draw.randint(2, 99)), "paragraph"
        )
        pages.append(Page(page, str(page), 595, 842, blocks=(block,)))
    return Document(id=id, name=name, pages=tuple(pages))
