"""The bench `agent`: does searching in turns find and answer more than one pass over the same
search?

Data: a folder with `documents/*.pdf` and `samples.json` in the form of MMLongBench-Doc; the
corrected keys of V2 in `samples_v2.json` are a second number. Both arms have the same search and
reader; one pass reads the pages whose score is above a share of the best one's, chosen so that it
reads at least as many pages as the agent. `gain` is agent less one pass, question by question: its
interval is a paired one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from docpipe.bench.agent_arms import Asked, ask_all, matching_share, one_pass
from docpipe.bench.corpus import document_files, prepare_library
from docpipe.bench.mmlongbench import Scored, f1, judge
from docpipe.bench.result import Info, Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.datasets.matching import NOT_ANSWERABLE, prediction_of
from docpipe.datasets.questions.mmlongbench import Sample, read_samples
from docpipe.library import Library

RECALL = 0.3  # of what cannot be answered, at which the precision of refusals is given
COVERAGES = (0.05, 0.1, 0.25)  # shares of the questions, the surest answers first

_SHOWN = 80


class Case(msgspec.Struct, frozen=True):
    """A question, its V2 key if it has one, its gold pages that exist, and both arms."""

    key: Sample
    key_v2: Sample | None
    gold: frozenset[int]
    agent: Asked
    plain: Asked

    @property
    def score(self) -> float:
        return score(self.key, self.agent)


def run(data: Path, options: Options) -> Measured:
    """Ask every question of both arms. Raises ConfigError for data without samples."""
    files = chosen(document_files(data), options)
    names = {path.name for path in files}
    keys = sorted(read_samples(data / "samples.json", names), key=lambda key: key.doc_id)
    keys_v2 = (
        read_samples(data / "samples_v2.json", names) if (data / "samples_v2.json").exists() else []
    )
    library = prepare_library(files, options)
    agent = library.agent
    asked = ask_all("agent", agent, keys, library, options)
    pages = sum(len(item.pages) for item in asked) / len(asked)
    share = matching_share(pages, keys, library)
    plain = ask_all(f"one-pass-{share:.2f}", one_pass(share, agent), keys, library, options)
    v2 = {(sample.doc_id, sample.question): sample for sample in keys_v2}
    cases = [
        Case(key, v2.get((key.doc_id, key.question)), _gold(key, library), a, b)
        for key, a, b in zip(keys, asked, plain, strict=True)
    ]
    note = f"one pass reads pages from {share:.0%} of the best page's score on, 5 at most"
    return Measured([measure(case) for case in cases], figures(cases), (note,))


def measure(case: Case) -> Row:
    """The scores of one question; those of page recall only where it has gold pages."""
    key, agent, plain = case.key, case.agent, case.plain
    refused = judge(key, NOT_ANSWERABLE).score
    scores: dict[str, float] = {}
    if case.gold:
        found, other = recall(case.gold, agent), recall(case.gold, plain)
        scores |= {"page recall": found, "page recall one pass": other}
        scores |= {"page recall gain": found - other}
        scores |= {f"page recall.{part}": found for part in _parts(case)}
        scores |= {f"page recall gain.{part}": found - other for part in _parts(case)}
    scores |= {"pages read": len(agent.pages), "pages read one pass": len(plain.pages)}
    scores |= {"accuracy": case.score, "accuracy one pass": score(key, plain)}
    scores["accuracy gain"] = case.score - score(key, plain)
    scores["accuracy over refusing"] = case.score - refused
    if case.key_v2 is not None:
        scores["accuracy.v2"] = score(case.key_v2, agent)
    if key.answerable:
        scores["accuracy answerable"] = case.score
        scores["accuracy answerable one pass"] = score(key, plain)
    scores |= {f"accuracy.{part}": case.score for part in _parts(case)}
    scores |= _refusals(case)
    if agent.quotes:
        scores["quotes verified"] = agent.verified / agent.quotes
    scores |= {"seconds": agent.seconds, "turns": agent.turns, "malformed": agent.malformed}
    return Row(f"{key.doc_id}: {key.question.strip()}", scores, _info(case), key.doc_id)


def recall(gold: frozenset[int], asked: Asked) -> float:
    """The share of the gold pages among those read, 0-1."""
    return len(gold & set(asked.pages)) / len(gold)


def score(key: Sample, asked: Asked) -> float:
    return judge(key, prediction_of(asked.answer)).score


def figures(cases: Sequence[Case]) -> dict[str, float]:
    """F1, the median of seconds, and how well answers and refusals are told apart."""
    found = {"f1": f1([_scored(case.key, case.agent) for case in cases])}
    found["f1 one pass"] = f1([_scored(case.key, case.plain) for case in cases])
    if v2 := [_scored(case.key_v2, case.agent) for case in cases if case.key_v2]:
        found["f1.v2"] = f1(v2)
    found["median seconds"] = sorted(case.agent.seconds for case in cases)[len(cases) // 2]
    unanswerable = [not case.key.answerable for case in cases]
    found["not answerable"] = sum(unanswerable) / len(cases)
    found[f"refusals right at recall {RECALL}"] = precision_at(RECALL, cases)
    answered = sorted(
        (case for case in cases if case.agent.answer.answerable),
        key=lambda case: -case.agent.answer.confidence,
    )
    for coverage in COVERAGES:
        surest = answered[: max(1, round(coverage * len(cases)))]
        if surest:
            right = sum(case.score for case in surest) / len(surest)
            found[f"right of the surest {coverage:.0%}"] = right
    return found


def precision_at(wanted: float, cases: Sequence[Case]) -> float:
    """The share of questions without an answer among those least likely to have one, taken until
    `wanted` of all without an answer are among them; 0 where there are none.

    Least likely are those whose names the documents do not mention, then the lowest confidences.
    """
    order = sorted(cases, key=lambda case: _has_answer(case.agent))
    total = sum(not case.key.answerable for case in cases)
    found = 0
    for count, case in enumerate(order, 1):
        found += not case.key.answerable
        if total and found >= wanted * total:
            return found / count
    return 0.0


def _has_answer(asked: Asked) -> tuple[bool, float]:
    answer = asked.answer
    return answer.answerable or answer.reason != "not_mentioned", answer.confidence


def _refusals(case: Case) -> dict[str, float]:
    given = case.agent.answer.answerable
    found = {} if given else {"refusals right": float(not case.key.answerable)}
    if not case.key.answerable:
        found["refusals made"] = float(not given)
    elif given and case.gold:
        cited = {item.page for item in case.agent.answer.evidence}
        found["cited gold page"] = float(bool(cited & case.gold))
    return found


def _parts(case: Case) -> Iterator[str]:
    """The format of the answer, the kinds of evidence, and whether it stands on one page."""
    yield case.key.answer_format.lower()
    if case.key.answerable:
        yield from case.key.kinds
        yield "single" if len(case.gold) == 1 else "cross"


def _scored(key: Sample, asked: Asked) -> Scored:
    return judge(key, prediction_of(asked.answer))


def _info(case: Case) -> dict[str, Info]:
    said = prediction_of(case.agent.answer)
    return {
        "key": case.key.answer[:_SHOWN],
        "said": said if isinstance(said, int | float) else str(said)[:_SHOWN],
        "gold": _listed(sorted(case.gold)),
        "read": _listed(case.agent.pages),
        "one pass": _listed(case.plain.pages),
        "confidence": round(case.agent.answer.confidence, 3),
    }


def _listed(pages: Sequence[int]) -> str:
    return " ".join(map(str, pages))


def _gold(sample: Sample, library: Library) -> frozenset[int]:
    if not sample.answerable:
        return frozenset()
    pages = len(library.document(library.find(sample.doc_id)).pages)
    return frozenset(page for page in sample.pages if 1 <= page <= pages)
