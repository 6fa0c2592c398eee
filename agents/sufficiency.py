"""Whether the evidence for a picked answer is enough to give it.

Retrieval scores hardly tell answerable questions from others; what does is whether the surroundings
of the quotation speak of everything the question names, and whether text can settle it at all.
"""

from __future__ import annotations

import math
import re

import msgspec

from docpipe.agents.picking import Pick
from docpipe.agents.relevance import Match, Query, title_words
from docpipe.agents.terms import WEAK, content_words, words
from docpipe.content import block_text, is_furniture
from docpipe.records import Table, TextBlock


class Signals(msgspec.Struct, frozen=True):
    """What speaks for and against an answer, in 0-1.

    `around`: share of the question's terms near the quote, by weight; `fit`: of the value to the
    kind of question; `unknown`: the question names something the document does not mention, a year
    that is not near, or the quote is of another company; `visual`: it asks how something looks;
    `worked`: it asks for a computed value, a count of the document's parts, or an extreme that the
    passage does not state; `listed`: it asks for a list; `unsaid`: the quote and what stands over
    it do not say the thing asked about, or not what is asked of it.
    """

    around: float
    fit: float
    unknown: float = 0.0
    visual: float = 0.0
    worked: float = 0.0
    listed: float = 0.0
    unsaid: float = 0.0


_YEAR = re.compile(r"(?:19|20)\d\d")
_HEADS = ("title", "heading")
_COMPANY = re.compile(r"\b(?:GmbH|AG|Ltd|Limited|Inc|LLC|LLP|Corp|Corporation|Co|plc|S\.A|B\.V)\b")
_SUPERLATIVES = frozenset(
    words("highest lowest largest smallest greatest biggest longest shortest best worst majority")
)
_HEAD = re.compile(r"^what (?:is|was) the (?P<head>[\w -]+?) (?:of|for) ", re.I)
_HEADED = ("what", "money", "amount")
# Words of what is asked of a thing, not of the thing.
_OF_ASKING = WEAK | frozenset(
    content_words("total cost price pay paid spend amount sum fee value number percent percentage")
    + content_words("share rate average year month day date long old large high low much more less")
)
# Fitted on 35 documents of MMLongBench-Doc, judged by leaving documents out; but for looks: the few
# right answers to such questions are luck.
_BIAS = -2.85
_SUPPORT = 3.6
_UNKNOWN = -2.0
_VISUAL = -2.5
_WORKED = -1.2
_LISTED = -0.8
_UNSAID = -1.5


def signals(pick: Pick, query: Query) -> Signals:
    """The signals of an answer picked for a query."""
    main, question = pick.matches[0], query.question
    said = set(words(f"{main.passage.context} {main.passage.text}"))
    seen = said.union(*(words(cell.headers) for cell in main.passage.cells))
    extremes = (_SUPERLATIVES & (query.weights.keys() | query.absent.keys())) - said
    return Signals(
        around=main.around,
        fit=pick.fit,
        unknown=float(bool(unknown_names(main, query)) or speaks_of_another(pick, query)),
        visual=float(bool(set(question.looks) - seen)),
        worked=float(question.derived or question.element is not None or bool(extremes)),
        listed=float(question.kind == "list"),
        unsaid=float(_is_unsaid(main, query)),
    )


def _is_unsaid(main: Match, query: Query) -> bool:
    """Whether the quote says nothing of the thing asked about, or not the "total" of "What is the
    total of the invoice?"."""
    passage, question = main.passage, query.question
    over = [passage.context, *(cell.headers for cell in passage.cells)]
    if isinstance(passage.block, Table):
        over += [cell.text for cell in passage.block.cells if cell.row == 0]
    said = set(words(" ".join([*over, passage.text]))) | title_words(passage.content.document)
    things = (query.weights.keys() | query.absent.keys()) - _OF_ASKING
    head = _HEAD.search(question.text) if question.kind in _HEADED else None
    asked = set(content_words(head["head"])[-1:]) if head else set()
    return (bool(things) and not things & said) or (bool(asked) and not asked & said)


def unknown_names(main: Match, query: Query) -> tuple[str, ...]:
    """The names of the question that the match's document lacks, and years not near nor over it."""
    content = main.passage.content
    heads = (*content.page.blocks, *content.document.pages[0].blocks[:5])
    over = {
        word
        for block in heads
        if is_furniture(block) or (isinstance(block, TextBlock) and block.role in _HEADS)
        for word in words(block_text(block))
    }
    years = {term for term in query.question.terms if _YEAR.fullmatch(term)}
    far = (year for year in main.missing if year in years and year not in over)
    return (*query.unknown_in[content.document.id], *far)


def speaks_of_another(pick: Pick, query: Query) -> bool:
    """Whether the quote is of another company than the one asked about."""
    passage = pick.matches[0].passage
    names = [name for name in query.question.names if not name[0].isdigit()]
    if query.question.kind != "person" or not names:
        return False
    said = set(words(f"{passage.context} {passage.text}"))
    if any(said >= set(words(name)) for name in names):
        return False
    return bool(_COMPANY.search(passage.text))


def confidence(found: Signals) -> float:
    """The chance in 0-1 that the short answer is right, by a logistic model of the signals.

    Neither support near the quote nor a fitting value is worth anything without the other.
    """
    total = (
        _BIAS
        + _SUPPORT * found.around * found.fit
        + _UNKNOWN * found.unknown
        + _VISUAL * found.visual
        + _WORKED * found.worked
        + _LISTED * found.listed
        + _UNSAID * found.unsaid
    )
    return 1.0 / (1.0 + math.exp(-total))
