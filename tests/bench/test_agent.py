"""The agent bench: both arms, what is paired, what is kept, on cases given by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from docpipe.bench import agent as bench
from docpipe.bench import agent_arms
from docpipe.bench.agent import Case, figures, measure, precision_at
from docpipe.bench.agent_arms import (
    Asked,
    Scoped,
    ask_all,
    matching_share,
    one_pass,
    spread_pass,
)
from docpipe.bench.task import Options
from docpipe.datasets.matching import GoldFormat
from docpipe.datasets.questions.mmlongbench import Sample
from docpipe.geometry import BBox
from docpipe.library import Library
from docpipe.records import Answer, Evidence, RefusalCode, Region
from docpipe.testing import FakeAgent
from tests.pdfs import write_pdf


def sample(question: str, answer: str, form: GoldFormat, pages: str = "[2]") -> Sample:
    sources = "['Table']" if form != "None" else "[]"
    return Sample("a.pdf", "Report", question, answer, pages, sources, form)


def answered(value: int, page: int, confidence: float = 0.9) -> Answer:
    region = Region(page, BBox(0, 0, 1, 1))
    evidence = Evidence("0" * 16, page, str(page), f"p{page}/text1", (region,), "seven", 1.0)
    return Answer(str(value), value, "int", True, (evidence,), confidence)


def refused(reason: RefusalCode = "", confidence: float = 0.0) -> Answer:
    return Answer("Not answerable: …", None, "none", False, (), confidence, reason=reason)


def asked(answer: Answer, *pages: int) -> Asked:
    quotes = len(answer.evidence)
    return Asked("a.pdf", "?", pages, answer, 0.5, turns=3, quotes=quotes, standing=quotes)


def case(key: Sample, agent: Asked, plain: Asked) -> Case:
    return Case(key, None, frozenset(key.pages if key.answerable else ()), agent, plain)


SEVEN = sample("right?", "7", "Int", "[2, 5]")
NONE = sample("none?", "Not answerable", "None", "[]")


def test_the_gain_is_the_agents_less_one_passs_question_by_question() -> None:
    row = measure(case(SEVEN, asked(answered(7, 2), 2, 5), asked(answered(8, 1), 1, 2)))
    assert row.scores["page recall"] == 1
    assert row.scores["page recall one pass"] == 0.5
    assert row.scores["page recall gain"] == row.scores["page recall gain.cross"] == 0.5
    assert row.scores["accuracy gain"] == row.scores["accuracy over refusing"] == 1
    assert row.scores["accuracy.table"] == row.scores["accuracy.int"] == 1
    assert row.scores["cited gold page"] == row.scores["quotes standing"] == 1
    assert row.group == "a.pdf"


def test_scores_stand_only_where_they_apply() -> None:
    row = measure(case(NONE, asked(refused(), 1), asked(answered(7, 1), 1)))
    assert "page recall" not in row.scores
    assert "accuracy answerable" not in row.scores
    assert row.scores["accuracy over refusing"] == 0
    assert row.scores["accuracy gain"] == 1
    assert row.scores["refusals right"] == row.scores["refusals made"] == 1


def test_refusals_are_ranked_by_what_is_not_mentioned_then_by_confidence() -> None:
    cases = [
        case(NONE, asked(refused("not_mentioned", 0.3)), asked(refused())),
        case(SEVEN, asked(refused("looks", 0.0)), asked(refused())),
        case(NONE, asked(refused("", 0.1)), asked(refused())),
        case(SEVEN, asked(answered(7, 2, 0.8)), asked(refused())),
    ]
    assert precision_at(0.5, cases) == 1
    assert precision_at(1.0, cases) == pytest.approx(2 / 3)
    found = figures(cases)
    assert found["not answerable"] == 0.5
    assert found["right of the surest 25%"] == 1
    assert found["f1"] == pytest.approx(2 * 0.5 * 1 / 1.5)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("mills")
    mill = ["The mill employed 37 people.", "The mill was built in 1850.", "Flour is white."]
    write_pdf(folder / "mill.pdf", mill)
    write_pdf(folder / "river.pdf", ["The river is owned by nobody.", "A mill stands on it."])
    library = Library.create(folder / "library")
    library.ingest(sorted(folder.glob("*.pdf")), jobs=1)
    return library


def questions(library: Library) -> list[Sample]:
    names = [library.document(id).name for id in library.documents()]
    texts = ("How many people did the mill employ?", "Who owns the river?", "When was it built?")
    return [
        msgspec.structs.replace(sample(text, "7", "Int"), doc_id=name)
        for name in names
        for text in texts
    ]


def test_one_pass_reads_at_least_as_many_pages(library: Library) -> None:
    samples = questions(library)
    for wanted in (1.0, 1.2):
        share = matching_share(wanted, samples, Scoped(library))
        assert share > 0
        found = ask_all("one", one_pass(share, FakeAgent()), samples, Scoped(library), Options())
        mean = sum(len(item.pages) for item in found) / len(found)
        assert mean >= wanted


def test_a_broken_run_goes_on_where_it_was(library: Library, tmp_path: Path) -> None:
    class Counting(FakeAgent):
        runs = 0

        def run(self, question, library):  # type: ignore[no-untyped-def]
            self.runs += 1
            return super().run(question, library)

    samples, options = questions(library), Options(work=tmp_path / "work")
    agent = Counting()
    whole = ask_all("agent", agent, samples, Scoped(library), options)
    assert agent.runs == len(samples)
    (kept,) = (tmp_path / "work").iterdir()
    lines = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join(lines[:2]) + lines[2][:20])
    assert len(ask_all("agent", agent, samples, Scoped(library), options)) == len(whole)
    assert agent.runs == 2 * len(samples) - 2


def test_what_another_version_has_kept_is_asked_again(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples, options = questions(library)[:1], Options(work=tmp_path)
    ask_all("agent", FakeAgent(), samples, Scoped(library), options)
    monkeypatch.setattr(agent_arms, "_code", lambda: "another")
    ask_all("agent", FakeAgent(), samples, Scoped(library), options)
    assert len(list(tmp_path.iterdir())) == 2


def test_one_search_takes_as_many_pages_as_the_question_asks_for(library: Library) -> None:
    [first, *_] = questions(library)
    many = msgspec.structs.replace(first, question="List all that the whole document says of mills")
    page = msgspec.structs.replace(first, question="What does page 3 say of the mill?")
    read = {
        (named, sample.question): ask_all(
            "spread", spread_pass(named=named), [sample], Scoped(library), Options()
        )[0].pages
        for named in (False, True)
        for sample in (many, page)
    }
    assert set(read[False, many.question]) == set(read[True, many.question]) == {1, 2, 3}
    assert read[False, page.question] == (3,)
    assert read[True, page.question] == (3, 2)


def test_over_the_whole_library_pages_of_other_documents_count_as_read(library: Library) -> None:
    [asked] = ask_all(
        "one",
        one_pass(0.0, FakeAgent(), 10),
        questions(library)[:1],
        Scoped(library, overall=True),
        Options(),
    )
    assert asked.pages
    assert asked.others
    assert asked.read == len(asked.pages) + asked.others


def test_a_whole_run_has_both_parts_and_quotes_that_stand(library: Library, tmp_path: Path) -> None:
    mill, river = "mill.pdf", "river.pdf"
    samples = [
        msgspec.structs.replace(
            sample("How many people did the mill employ?", "37", "Int", "[1]"), doc_id=mill
        ),
        msgspec.structs.replace(
            sample("Who owns the river?", "nobody", "Str", "[1]"), doc_id=river
        ),
        msgspec.structs.replace(NONE, question="Who is the king of Zarkon?", doc_id=mill),
    ]
    data = library.root.parent
    (tmp_path / "documents").symlink_to(data, target_is_directory=True)
    (tmp_path / "samples.json").write_bytes(msgspec.json.encode(samples))
    options = Options(library=library.root, work=tmp_path / "work")
    measured = bench.run(tmp_path, options)
    rows = {row.name: row.scores for row in measured.rows}
    people = rows[f"{mill}: How many people did the mill employ?"]
    assert people["accuracy"] == people["page recall"] == people["overall page recall"] == 1
    assert people["page recall gain over spread"] == 0
    assert people["quotes standing"] == people["overall quotes standing"] == 1
    none = rows[f"{mill}: Who is the king of Zarkon?"]
    assert "page recall" not in none
    assert none["refusals made"] == 1
    assert measured.figures["right of all answered"] > 0
    assert measured.figures["left out: accuracy"] >= 0
    assert len(measured.notes) == 2
    assert len(list((tmp_path / "work").iterdir())) == 6
    [again] = bench.run(tmp_path, msgspec.structs.replace(options, parts=("overall",))).notes
    assert again == measured.notes[1]


def test_the_bench_is_known() -> None:
    from docpipe.bench import BENCHES

    assert BENCHES["agent"] == f"{bench.__name__}:run"
