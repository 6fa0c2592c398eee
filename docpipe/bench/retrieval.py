"""The bench `retrieval`: are the pages that answer a question among the first pages found?

Data: a folder with `documents/*.pdf` and `samples.json` in the form of MMLongBench-Doc. Questions
that cannot be answered, and gold pages outside the file, are left out. Recall@k is the share of a
question's gold pages among the first k pages found, averaged over questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from docpipe import registry
from docpipe.bench.corpus import document_files, prepare_library
from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.datasets.questions.mmlongbench import Sample, read_samples
from docpipe.library import Library
from docpipe.retrieval.index import Index
from docpipe.retrieval.ranking import DEFAULT_WEIGHTS, Weights

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
    """Search for every answerable question. Raises ConfigError for data without samples.

    Scores: those of `measure`. Figures: `recall_at_5_without_<part>` of the ranking.
    """
    files = chosen(document_files(data), options)
    library = prepare_library(files, options)
    questions = load_questions(data / "samples.json", library, {path.name for path in files})
    open_index = _index_opener(library, options)
    search = page_search(open_index(DEFAULT_WEIGHTS))
    rows = [measure(question, search) for question in options.track(questions)]
    summed = options.config.dense and options.config.fusion == "sum"
    figures = {
        f"recall_at_5_without_{part}": _mean_recall(questions, page_search(open_index(weights)))
        for part, weights in ablations(vectors=summed).items()
    }
    return Measured(rows, figures)


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
        f"{question.sample.doc_id}: {text.strip()}",
        scores,
        {"gold": _listed(sorted(question.gold)), "found": _listed(page for _, page in within[:5])},
        group=question.sample.doc_id,
    )


def ablations(*, vectors: bool = False) -> dict[str, Weights]:
    """The default ranking within a document without each of its parts, vectors if they are one."""
    without_effect = {"document"} if vectors else {"document", "vector"}
    parts = [part for part in Weights.__struct_fields__ if part not in without_effect]
    return {part: msgspec.structs.replace(DEFAULT_WEIGHTS, **{part: 0.0}) for part in parts}


def page_search(index: Index) -> PageSearch:
    """The page search of an index as deep as is measured."""

    def search(question: str, documents: list[str] | None) -> list[tuple[str, int]]:
        hits = index.search_pages(question, max(DEPTHS), documents)
        return [(hit.document, hit.page) for hit in hits]

    return search


def _index_opener(library: Library, options: Options) -> Callable[[Weights], Index]:
    config = options.config
    embedder: Any = None
    if config.dense:
        embedder = registry.build("embedder", config.embedder.name, config.embedder.options)
    return lambda weights: Index.open(library.root / "index", embedder, weights, config.fusion)


def _mean_recall(questions: Sequence[Question], search: PageSearch) -> float:
    recalls = [
        question.recall(search(question.sample.question, [question.document])[:5])
        for question in questions
    ]
    return sum(recalls) / len(recalls) if recalls else 0.0


def _listed(pages: Iterable[int]) -> str:
    return " ".join(map(str, pages))
