"""The bench `agent`: does searching in turns find and answer more than one pass over the same
search?

Data: a folder with `documents/*.pdf` and `samples.json` in the form of MMLongBench-Doc; the
corrected keys of V2 in `samples_v2.json` are a second number. All arms (agent_arms) have the same
search and reader. `gain` is agent less another arm, question by question: its interval is a paired
one. Only questions with gold pages are scored for page recall, so that the arms' pages are matched
on these.

Part `document`: each question is asked about its document. Part `overall`: about the whole library,
its document not named; a page counts only in the right document, and all that are read are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from docpipe.agents.extractive import ExtractiveReader
from docpipe.bench.agent_arms import (
    Asked,
    Scoped,
    ask_all,
    matching_share,
    one_pass,
    spread_pass,
)
from docpipe.bench.agent_confidence import left_out
from docpipe.bench.corpus import document_files, prepare_library
from docpipe.bench.mmlongbench import Scored, f1, judge
from docpipe.bench.result import Info, Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.datasets.matching import NOT_ANSWERABLE, prediction_of
from docpipe.datasets.questions.mmlongbench import Sample, read_samples
from docpipe.errors import ConfigError
from docpipe.library import Library

PARTS = ("document", "overall")
RECALL = 0.3  # of what cannot be answered, at which the precision of refusals is given
COVERAGES = (0.05, 0.1, 0.25, 0.5)  # shares of the questions, the surest answers first

_SHOWN = 80


class Case(msgspec.Struct, frozen=True):
    """A question, its V2 key if it has one, its gold pages that exist, and the arms: `searched` are
    those that only search, by name."""

    key: Sample
    key_v2: Sample | None
    gold: frozenset[int]
    agent: Asked
    plain: Asked
    searched: dict[str, Asked] = {}

    @property
    def score(self) -> float:
        return score(self.key, self.agent)


def run(data: Path, options: Options) -> Measured:
    """Ask every question of all arms. Raises ConfigError for data without samples."""
    parts = _parts(options)
    files = chosen(document_files(data), options)
    names = {path.name for path in files}
    keys = sorted(read_samples(data / "samples.json", names), key=lambda key: key.doc_id)
    v2 = _keys_v2(data / "samples_v2.json", names)
    library = prepare_library(files, options)
    rows: dict[str, Row] = {}
    found: dict[str, float] = {}
    notes: list[str] = []
    for part in parts:
        scoped = Scoped(library, overall=part == "overall")
        cases, share = _asked(keys, v2, scoped, options)
        for case in cases:
            row = measure_overall(case) if scoped.overall else measure(case)
            known = rows.get(row.name, row)
            merged = known.scores | row.scores, known.info | row.info
            rows[row.name] = Row(row.name, *merged, row.group)
        if not scoped.overall:
            found |= figures(cases) | _left_out(cases, library)
        notes.append(
            f"{part}: one pass reads pages from {share:.0%} of the best page's score on, "
            f"{scoped.most} at most"
        )
    return Measured(list(rows.values()), found, tuple(notes))


def _parts(options: Options) -> tuple[str, ...]:
    for part in options.parts:
        if part not in PARTS:
            raise ConfigError(f"unknown part {part!r}", hint=f"parts: {', '.join(PARTS)}")
    return options.parts or PARTS


def _keys_v2(path: Path, names: set[str]) -> dict[tuple[str, str], Sample]:
    found = read_samples(path, names) if path.exists() else []
    return {(sample.doc_id, sample.question): sample for sample in found}


def _asked(
    keys: Sequence[Sample], v2: dict[tuple[str, str], Sample], scoped: Scoped, options: Options
) -> tuple[list[Case], float]:
    """All arms' answers, and the share of the best score that one pass reads from."""
    library = scoped.library
    agent = library.agent
    golds = [_gold(key, library) for key in keys]
    asked = ask_all("agent", agent, keys, scoped, options)
    scored = [(key, item) for key, gold, item in zip(keys, golds, asked, strict=True) if gold]
    pages = sum(item.read for _, item in scored) / max(1, len(scored))
    share = matching_share(pages, [key for key, _ in scored], scoped)
    once = one_pass(share, agent, scoped.most)
    plain = ask_all(f"one-pass-{share:.2f}", once, keys, scoped, options)
    searched = (
        {}
        if scoped.overall
        else {
            name: ask_all(name, spread_pass(named=name == "named"), keys, scoped, options)
            for name in ("spread", "named")
        }
    )
    cases = [
        Case(
            key,
            v2.get((key.doc_id, key.question)),
            golds[at],
            asked[at],
            plain[at],
            {name: found[at] for name, found in searched.items()},
        )
        for at, key in enumerate(keys)
    ]
    return cases, share


def measure(case: Case) -> Row:
    """The scores of one question; those of page recall only where it has gold pages."""
    key, agent, plain = case.key, case.agent, case.plain
    refused = judge(key, NOT_ANSWERABLE).score
    scores = _recalls(case) if case.gold else {}
    scores |= {"pages read": agent.read, "pages read one pass": plain.read}
    scores |= {"accuracy": case.score, "accuracy one pass": score(key, plain)}
    scores["accuracy gain"] = case.score - score(key, plain)
    scores["accuracy over refusing"] = case.score - refused
    if case.key_v2 is not None:
        scores["accuracy.v2"] = score(case.key_v2, agent)
    if key.answerable:
        scores["accuracy answerable"] = case.score
        scores["accuracy answerable one pass"] = score(key, plain)
    scores |= {f"accuracy.{part}": case.score for part in _kinds(case)}
    scores |= _refusals(case)
    if agent.quotes:
        scores["quotes standing"] = agent.standing / agent.quotes
    scores |= {"seconds": agent.seconds, "turns": agent.turns, "malformed": agent.malformed}
    scores |= {"tokens": agent.tokens, "cost": agent.cost}
    return Row(_name(key), scores, _info(case), key.doc_id)


def measure_overall(case: Case) -> Row:
    """The scores of one question that is asked over the whole library."""
    key, agent, plain = case.key, case.agent, case.plain
    scores: dict[str, float] = {}
    if case.gold:
        found, other = recall(case.gold, agent), recall(case.gold, plain)
        scores |= {"overall page recall": found, "overall page recall one pass": other}
        scores |= {"overall page recall gain": found - other}
        scores |= {"overall pages read": agent.read, "overall pages read one pass": plain.read}
    scores |= {"overall accuracy": case.score, "overall accuracy one pass": score(key, plain)}
    if agent.quotes:
        scores["overall quotes standing"] = agent.standing / agent.quotes
    scores["overall seconds"] = agent.seconds
    return Row(_name(key), scores, {}, key.doc_id)


def _recalls(case: Case) -> dict[str, float]:
    """Page recall of the arms, what the agent gains, and the pages that were read for it."""
    agent, plain = case.agent, case.plain
    found, other = recall(case.gold, agent), recall(case.gold, plain)
    scores = {"page recall": found, "page recall one pass": other}
    scores |= {"page recall gain": found - other}
    scores |= {"pages read scored": agent.read, "pages read scored one pass": plain.read}
    for name, asked in case.searched.items():
        once = recall(case.gold, asked)
        scores |= {f"page recall {name}": once, f"page recall gain over {name}": found - once}
        scores[f"pages read scored {name}"] = asked.read
    scores |= {f"page recall.{part}": found for part in _kinds(case)}
    scores |= {f"page recall gain.{part}": found - other for part in _kinds(case)}
    return scores


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
    return found | right_by_coverage(cases)


def _left_out(cases: Sequence[Case], library: Library) -> dict[str, float]:
    """The figures of answers and refusals with the offline reader's confidence fitted on other
    documents than the question's; none for other readers or a single document."""
    reader = getattr(library.agent, "reader", None)
    keys = [case.key for case in cases]
    if not isinstance(reader, ExtractiveReader) or len({key.doc_id for key in keys}) < 2:
        return {}
    answers = left_out(keys, [case.agent for case in cases], library, reader.threshold)
    changed = [
        msgspec.structs.replace(case, agent=msgspec.structs.replace(case.agent, answer=answer))
        for case, answer in zip(cases, answers, strict=True)
    ]
    found = {"accuracy": _mean_score(changed)}
    found["accuracy answerable"] = _mean_score([case for case in changed if case.key.answerable])
    found[f"refusals right at recall {RECALL}"] = precision_at(RECALL, changed)
    found |= right_by_coverage(changed)
    return {f"left out: {name}": value for name, value in found.items()}


def right_by_coverage(cases: Sequence[Case]) -> dict[str, float]:
    """The abstention curve: how many of the surest answers are right, by their share of all
    questions; up to all that are answered."""
    answered = sorted(
        (case for case in cases if case.agent.answer.answerable),
        key=lambda case: -case.agent.answer.confidence,
    )
    found: dict[str, float] = {}
    for coverage in COVERAGES:
        surest = answered[: max(1, round(coverage * len(cases)))]
        if surest and len(surest) >= round(coverage * len(cases)):
            found[f"right of the surest {coverage:.0%}"] = _mean_score(surest)
    if answered:
        found["answered"] = len(answered) / len(cases)
        found["right of all answered"] = _mean_score(answered)
    return found


def _mean_score(cases: Sequence[Case]) -> float:
    return sum(case.score for case in cases) / max(1, len(cases))


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


def _kinds(case: Case) -> Iterator[str]:
    """The format of the answer, the kinds of evidence, and whether it stands on one page."""
    yield case.key.answer_format.lower()
    if case.key.answerable:
        yield from case.key.kinds
        yield "single" if len(case.gold) == 1 else "cross"


def _name(key: Sample) -> str:
    return f"{key.doc_id}: {key.question.strip()}"


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
