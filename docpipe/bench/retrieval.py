"""The bench `retrieval`: are the pages that answer a question among the first pages found?

Data: a folder with `documents/*.pdf` and `samples.json` in the form of MMLongBench-Doc. Questions
that cannot be answered, and gold pages outside the file, are left out. Recall@k is the share of a
question's gold pages among the first k pages found, averaged over questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from docpipe.bench.corpus import document_files, prepare_library
from docpipe.bench.result import Measured, Row
from docpipe.bench.search_steps import Search, changed_searches
from docpipe.bench.task import Options, chosen
from docpipe.datasets.questions.mmlongbench import Sample, read_samples
from docpipe.errors import ConfigError
from docpipe.library import Library

PARTS = ("pages", "steps")
STEP_DEPTHS = (1, 5)
DEPTHS = (1, 3, 5, 10)

# The first pages (document id, page from 1) found for a question in the given documents, or in all.
PageSearch = Callable[[str, list[str] | None], Sequence[tuple[str, int]]]


class Question(msgspec.Struct, frozen=True):
    """A sample, the id of its document, and those of its gold pages that exist."""

    sample: Sample
    document: str
    gold: frozenset[int]

    def recall(self, found: Sequence[tuple[str, int]]) -> float:
        """The share of the gold pages among those found, 0-1."""
        return len({(self.document, page) for page in self.gold} & set(found)) / len(self.gold)


def run(data: Path, options: Options) -> Measured:
    """Search for every answerable question, as the library is configured to.

    Part `pages`: the scores of `measure`. Part `steps`: `recall_at_1 <change>` and `recall_at_5
    <change>` of the search by words with a step left out or added (search_steps), and what that
    changes, question by question. Raises ConfigError for data without samples.
    """
    parts = _parts(options)
    files = chosen(document_files(data), options)
    library = prepare_library(files, options)
    questions = load_questions(data / "samples.json", library, {path.name for path in files})
    search = page_search(library)
    rows = [
        measure(question, search) if "pages" in parts else _bare(question)
        for question in options.track(questions)
    ]
    if "steps" in parts:
        rows = _with_steps(rows, questions, library)
    return Measured(rows)


def _parts(options: Options) -> tuple[str, ...]:
    for part in options.parts:
        if part not in PARTS:
            raise ConfigError(f"unknown part {part!r}", hint=f"parts: {', '.join(PARTS)}")
    return options.parts or PARTS


def load_questions(path: Path, library: Library, names: set[str]) -> list[Question]:
    """The answerable questions about the named documents. Raises ConfigError, SchemaError."""
    questions: list[Question] = []
    for sample in read_samples(path, names):
        if sample.answerable:
            document = library.find(sample.doc_id)
            pages = len(library.document(document).pages)
            gold = frozenset(page for page in sample.pages if 1 <= page <= pages)
            if gold:
                questions.append(Question(sample, document, gold))
    return questions


def measure(question: Question, search: PageSearch) -> Row:
    """The scores of one question.

    `recall_at_k` for k in DEPTHS; `recall_at_5.<kind>` by kind of evidence; `recall_at_5.single`
    and `recall_at_5.cross` by number of gold pages; `library_recall_at_k` where its document is not
    given.
    """
    text = question.sample.question
    within, overall = search(text, [question.document]), search(text, None)
    scores = {f"recall_at_{depth}": question.recall(within[:depth]) for depth in DEPTHS}
    groups = list(question.sample.kinds)
    groups.append("single" if len(question.gold) == 1 else "cross")
    scores |= {f"recall_at_5.{group}": scores["recall_at_5"] for group in groups}
    scores |= {f"library_recall_at_{depth}": question.recall(overall[:depth]) for depth in DEPTHS}
    return Row(
        _name(question),
        scores,
        {"gold": _listed(sorted(question.gold)), "found": _listed(page for _, page in within[:5])},
        group=question.sample.doc_id,
    )


def page_search(library: Library) -> PageSearch:
    """The page search of a library as deep as is measured."""

    def search(question: str, documents: list[str] | None) -> list[tuple[str, int]]:
        hits = library.search_pages(question, max(DEPTHS), documents)
        return [(hit.document, hit.page) for hit in hits]

    return search


def _with_steps(rows: list[Row], questions: Sequence[Question], library: Library) -> list[Row]:
    """The rows with the recall of each changed search, and its change at 5."""
    found: list[dict[str, float]] = [{} for _ in questions]
    usual: list[float] = []
    for name, search in changed_searches(library, sorted({q.document for q in questions})):
        for at, question in enumerate(questions):
            first, five = (_recall(question, search, depth) for depth in STEP_DEPTHS)
            found[at] |= {f"recall_at_1 {name}": first, f"recall_at_5 {name}": five}
            if len(usual) < len(questions):
                usual.append(five)
            else:
                found[at][f"change_at_5 {name}"] = five - usual[at]
    return [
        msgspec.structs.replace(row, scores=row.scores | scores)
        for row, scores in zip(rows, found, strict=True)
    ]


def _recall(question: Question, search: Search, depth: int) -> float:
    scores = search(question.sample.question, question.document)
    best = sorted(scores, key=lambda page: (-scores[page], page))[:depth]
    return question.recall([(question.document, page) for page in best])


def _bare(question: Question) -> Row:
    return Row(_name(question), {}, {}, group=question.sample.doc_id)


def _name(question: Question) -> str:
    return f"{question.sample.doc_id}: {question.sample.question.strip()}"


def _listed(pages: Iterable[int]) -> str:
    return " ".join(map(str, pages))
