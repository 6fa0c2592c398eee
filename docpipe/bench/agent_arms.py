"""The arms of the agent bench: the configured agent, and one pass over the same search.

Every question is asked about its one document; what an arm did is kept as a line of JSON, so that a
run that was broken off goes on where it was.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

import docpipe
from docpipe.agents.mmdocr1.agent import DocumentAgent
from docpipe.agents.mmdocr1.one_pass import OnePassPolicy
from docpipe.agents.mmdocr1.state import pages_read
from docpipe.agents.verifier import check
from docpipe.bench.task import Options
from docpipe.datasets.questions.mmlongbench import Sample
from docpipe.library import Library
from docpipe.records import Answer, Malformed, Trajectory
from docpipe.stages import Agent

# The most pages of one pass, and the shares of the best page's score among which one is chosen.
ONE_PASS_PAGES = 5
SHARES = tuple(round(0.02 * step, 2) for step in range(51))


class Asked(msgspec.Struct, frozen=True):
    """What an arm did with a question: pages read in its document, and its answer.

    `quotes` of the answer's quotations, `verified` of them stand where they are said to.
    """

    document: str
    question: str
    pages: tuple[int, ...]
    answer: Answer
    seconds: float
    turns: int = 0
    malformed: int = 0
    quotes: int = 0
    verified: int = 0


def ask_all(
    arm: str, agent: Agent, samples: Sequence[Sample], library: Library, options: Options
) -> list[Asked]:
    """Ask every question, but those that the work folder already has."""
    kept = _kept(options, arm)
    done = {(item.document, item.question): item for item in _read(kept)}
    found = []
    for sample in options.track(samples):
        asked = done.get((sample.doc_id, sample.question))
        if asked is None:
            asked = _ask(agent, sample, library)
            _append(kept, asked)
        found.append(asked)
    return found


def one_pass(share: float, agent: Agent) -> DocumentAgent:
    """One search and the reading of its best pages, with the reader of another agent."""
    policy = OnePassPolicy(pages=ONE_PASS_PAGES, share=share, plain=True)
    return DocumentAgent.of(policy, getattr(agent, "reader", None), pages=ONE_PASS_PAGES)


def matching_share(pages: float, samples: Sequence[Sample], library: Library) -> float:
    """The share with which one pass reads at least `pages` pages a question on average, if any
    does: the comparison never favours the agent."""
    scores = [list(_scores(sample, library)) for sample in samples]

    def mean(share: float) -> float:
        return sum(sum(score >= share * found[0] for score in found) for found in scores) / len(
            scores
        )

    enough = [share for share in SHARES if mean(share) >= pages]
    return max(enough, default=0.0)


def _scores(sample: Sample, library: Library) -> Iterator[float]:
    hits = library.search_pages(sample.question, ONE_PASS_PAGES, [sample.doc_id])
    return (hit.score for hit in hits)


def _ask(agent: Agent, sample: Sample, library: Library) -> Asked:
    start = time.perf_counter()
    run = library.run(sample.question, documents=[sample.doc_id], agent=agent)
    seconds = time.perf_counter() - start
    evidence = run.answer.evidence
    verified = sum(check(item, library.document(item.document)) == item for item in evidence)
    return Asked(
        sample.doc_id,
        sample.question,
        tuple(page for _, page in pages_read(run)),
        run.answer,
        round(seconds, 4),
        turns=len(run.steps),
        malformed=_malformed(run),
        quotes=len(evidence),
        verified=verified,
    )


def _malformed(run: Trajectory) -> int:
    return sum(isinstance(step.action, Malformed) for step in run.steps)


def _kept(options: Options, arm: str) -> Path | None:
    """The file of an arm's results under these settings and this code."""
    if options.work is None:
        return None
    settings = msgspec.json.encode((options.config, str(options.library), _code()), order="sorted")
    digest = hashlib.sha256(settings).hexdigest()[:12]
    options.work.mkdir(parents=True, exist_ok=True)
    return options.work / f"{arm}-{digest}.jsonl"


@functools.cache
def _code() -> str:
    """A digest of what finds and answers: what another version has kept is not taken."""
    root = Path(docpipe.__file__).parent
    files = [file for part in ("agents", "retrieval") for file in (root / part).rglob("*.py")]
    whole = hashlib.sha256()
    for file in sorted(files):
        whole.update(file.read_bytes())
    return whole.hexdigest()


def _read(path: Path | None) -> Iterator[Asked]:
    """What was kept; a line cut short by a broken run is asked again."""
    decode: Callable[[bytes], Asked] = msgspec.json.Decoder(Asked).decode
    for line in path.read_bytes().splitlines() if path and path.exists() else ():
        try:
            yield decode(line)
        except msgspec.DecodeError:
            continue


def _append(path: Path | None, asked: Asked) -> None:
    if path is not None:
        with path.open("ab") as file:
            file.write(msgspec.json.encode(asked) + b"\n")
