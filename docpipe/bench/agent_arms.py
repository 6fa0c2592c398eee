"""The arms of the agent bench: the configured agent, and searches that are made once.

    agent     as configured
    one pass  one search for the question; the pages from a share of the best one's score on, the
              share with which it reads at least as many pages as the agent
    spread    one search; as many pages as the agent's own rule takes for such a question
    named     as spread, and the pages that the question names by number, label or kind

Every question is asked about its one document, or over the whole library; what an arm did is kept
as a line of JSON, so that a run that was broken off goes on where it was.
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
from docpipe.agents.mmdocr1.leads import first_pages, named_pages, requests
from docpipe.agents.mmdocr1.one_pass import OnePassPolicy
from docpipe.agents.mmdocr1.plan import spread
from docpipe.agents.mmdocr1.state import Decision, State, pages_read
from docpipe.bench.quotes import stands
from docpipe.bench.task import Options
from docpipe.datasets.questions.mmlongbench import Sample
from docpipe.library import Library
from docpipe.records import Answer, Finish, Malformed, Read, Reading, Search, Trajectory
from docpipe.stages import Agent, PageContent

# The most pages of one pass in a document and in a library, and the shares of the best page's score
# among which one is chosen.
ONE_PASS_PAGES = 5
ONE_PASS_PAGES_OF_ALL = 10
SHARES = tuple(round(0.02 * step, 2) for step in range(51))


class Asked(msgspec.Struct, frozen=True):
    """What an arm did with a question: pages read in its document, `others` in other ones, and its
    answer.

    `quotes` of the answer's quotations, `standing` of them where they are shown (quotes.stands).
    """

    document: str
    question: str
    pages: tuple[int, ...]
    answer: Answer
    seconds: float
    turns: int = 0
    malformed: int = 0
    quotes: int = 0
    standing: int = 0
    others: int = 0
    tokens: int = 0
    cost: float = 0.0

    @property
    def read(self) -> int:
        return len(self.pages) + self.others


class Scoped(msgspec.Struct, frozen=True):
    """A library to ask, each question about its document or over all documents."""

    library: Library
    overall: bool = False

    def within(self, sample: Sample) -> list[str] | None:
        return None if self.overall else [sample.doc_id]

    @property
    def most(self) -> int:
        return ONE_PASS_PAGES_OF_ALL if self.overall else ONE_PASS_PAGES


def ask_all(
    arm: str, agent: Agent, samples: Sequence[Sample], scoped: Scoped, options: Options
) -> list[Asked]:
    """Ask every question, but those that the work folder already has."""
    kept = _kept(options, f"{arm}-overall" if scoped.overall else arm, scoped.library)
    done = {(item.document, item.question): item for item in _read(kept)}
    found = []
    for sample in options.track(samples):
        asked = done.get((sample.doc_id, sample.question))
        if asked is None:
            asked = _ask(agent, sample, scoped)
            _append(kept, asked)
        found.append(asked)
    return found


def one_pass(share: float, agent: Agent, most: int = ONE_PASS_PAGES) -> DocumentAgent:
    """One search and the reading of its best pages, with the reader of another agent."""
    policy = OnePassPolicy(pages=most, share=share, plain=True)
    return DocumentAgent.of(policy, getattr(agent, "reader", None), pages=most)


def spread_pass(*, named: bool) -> DocumentAgent:
    """One search whose pages are counted by the agent's rule; nothing is answered."""
    return DocumentAgent.of(_SpreadPass(named), _NoReader(), pages_at_once=12)


class _SpreadPass:
    """The policy of the arms "spread" and "named"."""

    def __init__(self, named: bool) -> None:
        self._named = named

    def decide(self, state: State) -> Decision:
        if not state.searches:
            return Decision(Search((state.question,)))
        if state.read or not (keys := self._chosen(state)):
            return Decision(Finish("the pages of one search are read"))
        return Decision(Read(requests(keys, state.question)))

    def _chosen(self, state: State) -> list[tuple[str, int]]:
        most, share = spread(state.asked)
        found = state.searches[0].pages[:most]
        good = [page.key for page in found if page.score >= share * found[0].score]
        named = named_pages(state) if self._named else []
        return list(dict.fromkeys([*named, *good])) or first_pages(state, 3)


class _NoReader:
    def read(self, pages: Sequence[PageContent], question: str, sub_question: str) -> Reading:
        return Reading(tuple(content.page.number for content in pages), "", (), ())


def matching_share(pages: float, samples: Sequence[Sample], scoped: Scoped) -> float:
    """The share with which one pass reads at least `pages` pages a question on average, if any
    does: the comparison never favours the agent."""
    scores = [list(_scores(sample, scoped)) for sample in samples]

    def mean(share: float) -> float:
        return sum(sum(score >= share * found[0] for score in found) for found in scores) / len(
            scores
        )

    enough = [share for share in SHARES if mean(share) >= pages]
    return max(enough, default=0.0)


def _scores(sample: Sample, scoped: Scoped) -> Iterator[float]:
    hits = scoped.library.search_pages(sample.question, scoped.most, scoped.within(sample))
    return (hit.score for hit in hits)


def _ask(agent: Agent, sample: Sample, scoped: Scoped) -> Asked:
    library = scoped.library
    start = time.perf_counter()
    run = library.run(sample.question, documents=scoped.within(sample), agent=agent)
    seconds = time.perf_counter() - start
    evidence = run.answer.evidence
    read = pages_read(run)
    home = library.find(sample.doc_id)
    pages = tuple(page for id, page in read if id == home)
    return Asked(
        sample.doc_id,
        sample.question,
        pages,
        run.answer,
        round(seconds, 4),
        turns=len(run.steps),
        malformed=_malformed(run),
        quotes=len(evidence),
        standing=sum(stands(item, library.document(item.document)) for item in evidence),
        others=len(read) - len(pages),
        tokens=run.tokens,
        cost=run.cost,
    )


def _malformed(run: Trajectory) -> int:
    return sum(isinstance(step.action, Malformed) for step in run.steps)


def _kept(options: Options, arm: str, library: Library) -> Path | None:
    """The file of an arm's results under these settings, this code and of this library."""
    if options.work is None:
        return None
    asked = hashlib.sha256((library.root / "library.json").read_bytes()).hexdigest()
    settings = msgspec.json.encode((options.config, asked, _code()), order="sorted")
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
