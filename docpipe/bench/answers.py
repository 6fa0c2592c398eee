"""The bench `answer`: are questions answered rightly, and refused where there is no answer?

Data: a folder with `documents/*.pdf` and `samples.json` in the form of MMLongBench-Doc; with the
corrected keys of V2 in `samples_v2.json`, these are scored as a second number. Every question is
asked about its one document. Short answers are typed, so scoring needs no judge.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from docpipe.bench.corpus import document_files, prepare_library
from docpipe.bench.mmlongbench import Scored, f1, judge
from docpipe.bench.result import Info, Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.datasets.matching import NOT_ANSWERABLE, prediction_of
from docpipe.datasets.questions.mmlongbench import Sample, read_samples
from docpipe.records import Answer

_SHOWN = 120  # characters of an answer kept in a row

Ask = Callable[[str, str], Answer]


class Outcome(msgspec.Struct, frozen=True):
    """A question with its keys (v1 and V2, where they have it), the answer and its seconds."""

    key: Sample | None
    key_v2: Sample | None
    answer: Answer
    seconds: float

    @property
    def sample(self) -> Sample:
        found = self.key or self.key_v2
        assert found is not None
        return found


def run(data: Path, options: Options) -> Measured:
    """Ask every question of the data. Raises ConfigError for data without samples.

    Scores: those of `measure`. Figures: F1 for both keys.
    """
    files = chosen(document_files(data), options)
    names = {path.name for path in files}
    keys = read_samples(data / "samples.json", names)
    keys_v2 = (
        read_samples(data / "samples_v2.json", names) if (data / "samples_v2.json").exists() else []
    )
    library = prepare_library(files, options)
    outcomes = ask_all(
        keys,
        keys_v2,
        lambda document, question: library.ask(question, documents=[document]),
        options,
    )
    return Measured([measure(outcome) for outcome in outcomes], figures(outcomes))


def ask_all(
    keys: Sequence[Sample], keys_v2: Sequence[Sample], ask: Ask, options: Options
) -> list[Outcome]:
    """Ask each question once; `ask` takes the document's name and the question."""
    v1 = {(sample.doc_id, sample.question): sample for sample in keys}
    v2 = {(sample.doc_id, sample.question): sample for sample in keys_v2}
    outcomes = []
    for place in options.track(list(dict.fromkeys([*v1, *v2]))):
        start = time.perf_counter()
        answer = ask(*place)
        seconds = time.perf_counter() - start
        outcomes.append(Outcome(v1.get(place), v2.get(place), answer, seconds))
    return outcomes


def measure(outcome: Outcome) -> Row:
    """The scores of one question.

    `accuracy` and `accuracy.v2` are the benchmark's for both keys; `accuracy.<part>` by format and
    kind of evidence. `always refuse` is what a system scores that never answers. `refusals right`
    stands for questions refused (precision), `refusals made` for those to refuse (recall).
    `cited gold page`: whether a gold page is among the pages cited for an answer.
    """
    sample, answer = outcome.sample, outcome.answer
    scores: dict[str, float] = {}
    if outcome.key is not None:
        scores |= _accuracies(outcome.key, answer)
    if outcome.key_v2 is not None:
        scores["accuracy.v2"] = judge(outcome.key_v2, prediction_of(answer)).score
    if not answer.answerable:
        scores["refusals right"] = float(not sample.answerable)
    if not sample.answerable:
        scores["refusals made"] = float(not answer.answerable)
    elif answer.answerable and sample.pages:
        cited = {evidence.page for evidence in answer.evidence}
        scores["cited gold page"] = float(bool(cited & set(sample.pages)))
    scores["seconds"] = round(outcome.seconds, 3)
    return Row(f"{sample.doc_id}: {sample.question.strip()}", scores, _info(outcome), sample.doc_id)


def figures(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """F1 of the released evaluator on the v1 keys, and on the V2 keys with the same matcher."""
    outcomes = list(outcomes)
    v1 = [_scored(outcome.key, outcome.answer) for outcome in outcomes if outcome.key]
    v2 = [_scored(outcome.key_v2, outcome.answer) for outcome in outcomes if outcome.key_v2]
    return {"f1": f1(v1)} | ({"f1.v2": f1(v2)} if v2 else {})


def _scored(key: Sample, answer: Answer) -> Scored:
    return judge(key, prediction_of(answer))


def _accuracies(key: Sample, answer: Answer) -> dict[str, float]:
    score = _scored(key, answer).score
    parts = [key.answer_format.lower()]
    if key.answerable:
        parts += key.kinds
    refused = judge(key, NOT_ANSWERABLE).score
    return (
        {"accuracy": score}
        | {f"accuracy.{part}": score for part in parts}
        | {"always refuse": refused}
    )


def _info(outcome: Outcome) -> dict[str, Info]:
    answer = outcome.answer
    said = prediction_of(answer)
    shown = said if isinstance(said, int | float) else str(said)[:_SHOWN]
    pages = dict.fromkeys(evidence.page for evidence in answer.evidence)
    return {
        "key": outcome.sample.answer[:_SHOWN],
        "said": shown,
        "cited": " ".join(map(str, pages)),
        "confidence": round(answer.confidence, 3),
    }
