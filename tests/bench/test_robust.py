from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from docpipe.bench.robust import (
    Attempt,
    Case,
    Check,
    Result,
    failed_checks,
    flags,
    load_cases,
    load_judge,
    measure,
    result_of,
    run,
)
from docpipe.bench.task import Options
from docpipe.config import Config
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.ingest import ReportLine
from docpipe.records import (
    Attachment,
    Cell,
    Document,
    FormField,
    HiddenText,
    Issue,
    OutlineEntry,
    Page,
    Quality,
    Region,
    Source,
    Table,
    TextBlock,
)

REGION = Region(1, BBox(0, 0, 10, 10))
SOURCE = Source((REGION,), "test")
JUDGE = """
def judge(check, result):
    bad = ["error"] if check.get("error") != result.get("error") else []
    text = result.get("text") or ""
    return bad + [f"contains:{part}" for part in check.get("contains", []) if part not in text]
"""


def page(**parts: object) -> Page:
    return Page(1, "iv", 10, 10, **parts)  # type: ignore[arg-type]


def document(*pages: Page, **parts: object) -> Document:
    return Document(id="0" * 16, name="a.pdf", pages=pages, **parts)  # type: ignore[arg-type]


def attempt(found: Document | None = None, **line: object) -> Attempt:
    known = {"status": "ok" if found else "failed", "routes": {}, "seconds": 1.5, "peak_mb": 90}
    return Attempt(ReportLine(path="a.pdf", name="a.pdf", **(known | line)), found)  # type: ignore[arg-type]


class TestResult:
    def test_a_file_that_failed_has_its_reason_and_what_it_took(self) -> None:
        assert result_of(attempt(reason="no_pages")) == {
            "ok": False,
            "error": "no_pages",
            "seconds": 1.5,
            "peak_mb": 90,
        }

    def test_text_is_as_printed_and_clean_text_as_read(self) -> None:
        block = TextBlock("p1/text1", SOURCE, "a daily log", "paragraph", raw="a dai-\nly log")
        header = TextBlock("p1/text2", SOURCE, "Header", "page_header")
        result = result_of(attempt(document(page(blocks=(header, block)))))
        assert result["text"] == "Header\na dai-\nly log"
        assert result["clean_text"] == "Header\n\na daily log"

    def test_what_only_the_file_knows_is_handed_on(self) -> None:
        found = document(
            page(rotation=90, hidden=(HiddenText(REGION, "secret", "white"),)),
            outline=(OutlineEntry(1, "One"), OutlineEntry(2, "Two")),
            metadata={"encrypted": "owner"},
            form_fields=(FormField("name", "text", "Smith"),),
            attachments=(Attachment("a.txt", 3),),
        )
        result = result_of(attempt(found))
        expected: Result = {
            "pages": 1,
            "labels": ["iv"],
            "rotation": [90],
            "hidden_text": "secret",
            "toc": 2,
            "encrypted": True,
            "fields": {"name": "Smith"},
            "attachments": ["a.txt"],
        }
        assert {key: result[key] for key in expected} == expected

    def test_tables_are_given_by_their_rows_below_the_header_and_columns(self) -> None:
        cells = (Cell(0, 0, "a", is_header=True), Cell(1, 0, "b", column_span=3), Cell(2, 0, "c"))
        table = Table("p1/table1", SOURCE, cells)
        assert result_of(attempt(document(page(blocks=(table,)))))["tables"] == [[2, 3]]


class TestFlags:
    def test_a_good_page_has_none(self) -> None:
        assert flags(document(page())) == []

    def test_verdicts_reasons_and_issues_are_flags(self) -> None:
        bad = page(quality=Quality("suspicious", ("replacement_chars",)))
        hiding = page(quality=Quality("ok", ("hidden_text",)))
        issue = Issue("pdf", "unsupported_xfa", "a form")
        assert flags(document(bad, hiding, bad, issues=(issue,))) == [
            "unsupported_xfa",
            "suspicious",
            "replacement_chars",
            "hidden_text",
        ]

    def test_a_page_without_text_needs_ocr_until_it_could_be_read(self) -> None:
        scan = page(quality=Quality("unreadable", ("no_text_layer",), "none"))
        read = page(quality=Quality("ok", ("no_text_layer",), "ocr"))
        unsure = page(quality=Quality("suspicious", ("no_text_layer",), "ocr"))
        assert "needs_ocr" in flags(document(scan))
        assert "needs_ocr" in flags(document(unsure))
        assert "needs_ocr" not in flags(document(read))


def judge(check: Check, result: Result) -> list[str]:
    wrong = [] if check.get("error") == result.get("error") else ["error"]
    return wrong + [
        part for part in check.get("contains", ()) if part not in result.get("text", "")
    ]


def test_a_locked_file_is_judged_without_its_password_and_with_it() -> None:
    case = Case(
        Path("a.pdf"), "locked", {"error": "needs_password", "password": "x", "contains": ["t"]}
    )
    locked = attempt(reason="needs_password")
    opened = attempt(document(page(blocks=(TextBlock("p1/text1", SOURCE, "text", "paragraph"),))))
    assert failed_checks(case, judge, locked, opened) == []
    assert failed_checks(case, judge, opened, opened) == ["error"]
    assert failed_checks(case, judge, locked, attempt(document(page()))) == ["t"]
    assert failed_checks(case, judge, locked, locked) == ["error", "t"]


def test_only_locked_files_are_read_again_and_all_their_passwords_are_tried() -> None:
    calls: list[tuple[list[str], list[str]]] = []

    def ingest(files: Sequence[Path], passwords: Sequence[str]) -> dict[Path, Attempt]:
        calls.append(([path.name for path in files], list(passwords)))
        return dict.fromkeys(files, attempt(reason=None if passwords else "needs_password"))

    cases = [
        Case(Path(name), "kind", {"error": "needs_password", "password": word} if word else {})
        for name, word in (("a", "one"), ("b", ""), ("c", "two"))
    ]
    measured = measure(cases, judge, ingest)
    assert calls == [(["a", "b", "c"], []), (["a", "c"], ["one", "two"])]
    assert [row.scores["passed_share"] for row in measured.rows] == [0.0, 0.0, 0.0]
    assert measured.figures == {"passed": 0.0, "files": 3.0}
    assert measured.rows[1].info == {"kind": "kind", "failed": "error"}


def write_pdf(path: Path, text: str, password: str = "") -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), text)
        locked = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password}
        pdf.save(path, **(locked if password else {}))


def test_a_folder_is_ingested_and_judged_by_its_own_judge(tmp_path: Path) -> None:
    write_pdf(tmp_path / "good.pdf", "Plain text on a page")
    write_pdf(tmp_path / "locked.pdf", "Locked text on a page", "key")
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "check_result.py").write_text(JUDGE)
    (tmp_path / "manifest.tsv").write_text(
        "file\tkind\tcheck_json\n"
        'good.pdf\tplain\t{"contains": ["Plain text", "Nowhere"]}\n'
        'locked.pdf\tlocked\t{"error": "needs_password", "password": "key", '
        '"contains": ["Locked"]}\n'
        'empty.pdf\tempty\t{"error": "empty_file"}\n'
    )
    measured = run(tmp_path, Options(config=Config(ocr_mode="off")))
    assert [row.scores["passed_share"] for row in measured.rows] == [0.0, 1.0, 1.0]
    assert measured.rows[0].info["failed"] == "contains:Nowhere"


def test_a_folder_without_manifest_or_judge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no manifest\.tsv"):
        load_cases(tmp_path)
    with pytest.raises(ConfigError, match=r"no check_result\.py"):
        load_judge(tmp_path)


@pytest.mark.data
def test_the_development_files_are_all_there(data: Path) -> None:
    cases = load_cases(data / "robust")
    assert len(cases) == 148
    assert all(case.path.is_file() for case in cases)
    assert load_judge(data / "robust")({"pages": 2}, {"pages": 3}) == ["pages"]
