"""Questions about the parts of a document: where they stand, under what, how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from docpipe.datasets.questions.drafts import Draft, Kind, Named, drawn, name_for, phrased
from docpipe.datasets.questions.facts import Facts, Part, Section
from docpipe.datasets.questions.wording import key_words, one_line
from docpipe.records import Figure, Table

_PAGE_OF_PART = (
    "On which page is the {kind} that shows {name}?",
    'Which page has the {kind} "{name}"?',
    "What is the number of the page with the {kind} about {name}?",
)
_PAGE_OF_SECTION = (
    'On which page does the section "{name}" begin?',
    'At what page can one start to read "{name}"?',
    'Which page is the heading "{name}" on?',
)
_PAGES = (
    "On which pages are the {one} about {first} and the {other} about {second}?",
    'List the pages that show the {one} "{first}" and the {other} "{second}".',
)
_UNDER = (
    "Under which heading does the {kind} about {name} stand?",
    'In which section is the {kind} "{name}"?',
)
_COUNT = (
    'How many {kind}s are there in the section "{name}"?',
    'How many {kind}s does the part headed "{name}" have?',
)
_MOST_COUNTED = 6


def page_of_part(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """The page of a figure or table."""
    for part in drawn(facts.parts, rng):
        name = name_for(facts, one_line(part.name), part.page, rng)
        question = phrased(_PAGE_OF_PART, rng, kind=part.kind, name=name)
        evidence = (facts.quote_part(part),)
        named = (Named(part.page, key_words(name)),)
        return Draft(question, str(part.page), "Int", "page", evidence, named)
    return None


def page_of_section(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """The page on which a section begins."""
    for section in drawn(facts.sections, rng):
        name = one_line(section.block.text)
        question = phrased(_PAGE_OF_SECTION, rng, name=name)
        evidence = (facts.quote(section.block, section.page, 0, len(section.block.text)),)
        named = (Named(section.page, key_words(name)),)
        return Draft(question, str(section.page), "Int", "page", evidence, named)
    return None


def pages_of_parts(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """The pages of two parts."""
    for first, second in [drawn(facts.parts, rng, 2)] if len(facts.parts) > 1 else []:
        if first.page == second.page:
            return None
        names = [name_for(facts, one_line(part.name), part.page, rng) for part in (first, second)]
        question = phrased(
            _PAGES, rng, one=first.kind, other=second.kind, first=names[0], second=names[1]
        )
        evidence = tuple(facts.quote_part(part) for part in (first, second))
        named = tuple(
            Named(part.page, key_words(name))
            for part, name in zip((first, second), names, strict=True)
        )
        answer = str(sorted((first.page, second.page)))
        return Draft(question, answer, "List", "pages", evidence, named)
    return None


def heading_of_part(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """The heading that a figure or table stands under, often on a page before."""
    for part in drawn(facts.parts, rng):
        above = [section for section in facts.sections if section.order < part.order]
        if not above:
            return None
        head = above[-1]
        name = name_for(facts, one_line(part.name), part.page, rng)
        question = phrased(_UNDER, rng, kind=part.kind, name=name)
        evidence = (
            facts.quote_part(part),
            facts.quote(head.block, head.page, 0, len(head.block.text)),
        )
        named = (Named(part.page, key_words(name)),)
        return Draft(question, one_line(head.block.text), "Str", "quote", evidence, named)
    return None


def parts_of_section(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """How many figures or tables a section has; all pages that have one are evidence."""
    found = [
        (section, parts)
        for section in facts.sections
        for kind in ("figure", "table")
        if 1 < len(parts := _inside(facts, section, kind)) <= _MOST_COUNTED
        and _are_all(facts, section, parts)
    ]
    for section, parts in drawn(found, rng):
        name = one_line(section.block.text)
        question = phrased(_COUNT, rng, kind=parts[0].kind, name=name)
        evidence = tuple(facts.quote_part(part) for part in parts)
        named = (Named(section.page, key_words(name)),)
        return Draft(question, str(len(parts)), "Int", "count", evidence, named)
    return None


def _inside(facts: Facts, section: Section, kind: str) -> list[Part]:
    return [
        part
        for part in facts.parts
        if part.kind == kind and section.order < part.order < section.end
    ]


def _are_all(facts: Facts, section: Section, parts: Sequence[Part]) -> bool:
    """Whether a section shows no more of the kind, without captions."""
    type_ = Table if parts[0].kind == "table" else Figure
    shown = facts.blocks[section.order : section.end]
    return sum(isinstance(block, type_) for _, _, block in shown) <= len(parts)


KINDS: dict[str, Kind] = {
    "page_of_part": page_of_part,
    "page_of_section": page_of_section,
    "pages_of_parts": pages_of_parts,
    "heading_of_part": heading_of_part,
    "parts_of_section": parts_of_section,
}
