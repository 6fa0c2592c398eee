"""Questions about cells of tables: one, two compared, two of different tables."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from docpipe.datasets.questions.drafts import Draft, Kind, Named, drawn, is_unique, phrased
from docpipe.datasets.questions.facts import CellFact, Facts
from docpipe.datasets.questions.record import How
from docpipe.datasets.questions.wording import key_words, number, one_line, words, written

_LOOKUP = (
    "What is the {column} of {row}{where}?",
    "What {column} does the document give for {row}{where}?",
    "How much is the {column} for {row}{where}?",
    "Which value has {row} under {column}{where}?",
)
_GREATER = (
    "Which has the higher {column}{where}, {first} or {second}?",
    "Is the {column}{where} greater for {first} or for {second}?",
)
_LESS = (
    "Which has the lower {column}{where}, {first} or {second}?",
    "Is the {column}{where} smaller for {first} or for {second}?",
)
_DIFFERENCE = (
    "What is the difference in {column} between {first} and {second}{where}?",
    "By how much does the {column} of {first} differ from that of {second}{where}?",
)
_SUM = (
    "What do the {one} of {first} and the {other} of {second} add up to?",
    "Add the {one} of {first} to the {other} of {second}: what is the result?",
)


def cell(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """The number in a row and column."""
    for fact in drawn(facts.cells, rng):
        where = _where(facts, fact, rng)
        question = phrased(_LOOKUP, rng, column=_of(fact.header.text), row=_row(fact), where=where)
        evidence = (facts.quote_cell(fact, fact.cell),)
        text = fact.cell.text.strip()
        return Draft(question, text, "Float", "quote", evidence, (_named(fact, where),))
    return None


def compared(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """Which of two rows has more or less in a column."""
    for first, second in _pair(facts, rng):
        low, high = sorted((first, second), key=lambda fact: number(fact.cell.text) or 0.0)
        how: How = rng.choice(("greater", "less"))
        where = _where(facts, first, rng)
        question = phrased(
            _GREATER if how == "greater" else _LESS,
            rng,
            column=_of(first.header.text),
            first=_row(first),
            second=_row(second),
            where=where,
        )
        best = high if how == "greater" else low
        evidence = tuple(
            facts.quote_cell(fact, part)
            for fact in (first, second)
            for part in (fact.row, fact.cell)
        )
        named = (_named(first, where), _named(second, where))
        return Draft(question, _row(best), "Str", how, evidence, named)
    return None


def difference(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """By how much two rows differ in a column."""
    for first, second in _pair(facts, rng):
        where = _where(facts, first, rng)
        question = phrased(
            _DIFFERENCE,
            rng,
            column=_of(first.header.text),
            first=_row(first),
            second=_row(second),
            where=where,
        )
        named = (_named(first, where), _named(second, where))
        return _computed(facts, question, "difference", (first, second), named)
    return None


def across(facts: Facts, rng: Random, others: Sequence[Facts]) -> Draft | None:
    """The sum of two cells of tables on different pages."""
    for first, second in [drawn(facts.cells, rng, 2)] if len(facts.cells) > 1 else []:
        if first.page == second.page:
            return None
        question = phrased(
            _SUM,
            rng,
            one=_of(first.header.text),
            other=_of(second.header.text),
            first=_row(first),
            second=_row(second),
        )
        named = (_named(first, ""), _named(second, ""))
        return _computed(facts, question, "sum", (first, second), named)
    return None


def _computed(
    facts: Facts,
    question: str,
    how: How,
    cells: tuple[CellFact, CellFact],
    named: tuple[Named, Named],
) -> Draft:
    first, second = (number(fact.cell.text) or 0.0 for fact in cells)
    value = first + second if how == "sum" else abs(first - second)
    evidence = tuple(facts.quote_cell(fact, fact.cell) for fact in cells)
    return Draft(question, written(value), "Float", how, evidence, named)


def _pair(facts: Facts, rng: Random) -> list[tuple[CellFact, CellFact]]:
    """Two rows of one column with different names and numbers; none where the draw has none."""
    for first in drawn(facts.cells, rng):
        rest = [
            fact
            for fact in facts.cells
            if fact.table is first.table
            and fact.header is first.header
            and _row(fact) != _row(first)
            and number(fact.cell.text) != number(first.cell.text)
        ]
        return [(first, second) for second in drawn(rest, rng)]
    return []


def _where(facts: Facts, fact: CellFact, rng: Random) -> str:
    """The table's caption, where the row and column alone lead to other pages too, and at times."""
    caption = one_line(fact.table.caption or "")
    needed = not is_unique(facts, _named(fact, "")) or rng.random() < 0.2
    return f' in the table "{caption}"' if caption and needed and len(caption) < 100 else ""


def _named(fact: CellFact, where: str) -> Named:
    said = f"{fact.row.text} {fact.header.text} {where.removeprefix(' in the table ')}"
    return Named(fact.page, key_words(said))


def _row(fact: CellFact) -> str:
    return one_line(fact.row.text).strip(" :-–•")


def _of(header: str) -> str:
    """A header as it stands in a sentence: in lower case, but for names and short forms."""
    text = one_line(header).strip(" :")
    return text if not text.istitle() or len(words(text)) > 3 else text.lower()


KINDS: dict[str, Kind] = {
    "cell": cell,
    "compared": compared,
    "difference": difference,
    "across": across,
}
