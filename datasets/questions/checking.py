"""Whether a question's evidence stands in the documents, and its answer follows from it."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.content import block_text, find_block, find_page
from docpipe.datasets.matching import as_list, score
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.datasets.questions.wording import number, one_line
from docpipe.errors import DocpipeError
from docpipe.records import Evidence
from docpipe.stages import LibraryView


def problem(question: GoldQuestion, library: LibraryView) -> str:
    """What is wrong with a question, in words; "" where nothing is.

    Its pages exist, its quotes stand in the blocks and on the pages that it names, its answer
    follows from them as `how` says.
    """
    try:
        for id, page in question.pages:
            if find_page(library.document(id), page) is None:
                return f"document {id} has no page {page}"
        for item in question.evidence:
            if wrong := _misplaced(item, question, library):
                return wrong
    except DocpipeError as error:
        return str(error)
    if question.how != "given" and question.answerable == (question.how == "absent"):
        return "an answer, and a refusal to be given"
    if question.how not in ("given", "absent") and not question.evidence:
        return "no evidence"
    return "" if _follows(question) else f"the answer {question.answer!r} does not follow"


def _misplaced(item: Evidence, question: GoldQuestion, library: LibraryView) -> str:
    block = find_block(library.document(item.document), item.block)
    if block is None or item.quote not in block_text(block):
        return f"{item.quote!r} does not stand in block {item.block}"
    if item.page not in {region.page for region in block.source.regions}:
        return f"block {item.block} is not on page {item.page}"
    if (item.document, item.page) not in question.pages:
        return f"page {item.page} of the evidence is not named"
    return ""


def _follows(question: GoldQuestion) -> bool:
    quotes = [one_line(item.quote) for item in question.evidence]
    pages = [item.page for item in question.evidence]
    match question.how:
        case "given" | "absent":
            return True
        case "quote":
            return one_line(question.answer) in quotes[-1]
        case "quotes":
            parts = as_list(question.answer)
            return len(parts) == len(quotes) and all(
                part in quote for part, quote in zip(parts, quotes, strict=True)
            )
        case "page":
            return question.answer == str(pages[0])
        case "pages":
            return as_list(question.answer) == [str(page) for page in sorted(set(pages))]
        case "count":
            return question.answer == str(len(quotes))
        case "greater" | "less" as how:
            return _chosen(quotes, how == "greater") == question.answer
        case "sum" | "difference" as how:
            return _computes(question.answer, quotes, how == "sum")


def _chosen(quotes: Sequence[str], greater: bool) -> str:
    """Of names each followed by a number, the one with the greater or less."""
    pairs = [
        (number(value) or 0.0, name.strip(" :-–•"))
        for name, value in zip(quotes[::2], quotes[1::2], strict=True)
    ]
    return (max(pairs) if greater else min(pairs))[1]


def _computes(answer: str, quotes: Sequence[str], adds: bool) -> bool:
    values = [number(quote) for quote in quotes]
    if len(values) != 2 or values[0] is None or values[1] is None:
        return False
    value = values[0] + values[1] if adds else abs(values[0] - values[1])
    return score(answer, value, "Float") == 1.0
