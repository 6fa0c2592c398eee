"""The bench `robust`: hard, damaged and hostile files, judged one by one.

Data: a folder of PDFs with `manifest.tsv` (columns `file`, `kind`, `check_json`, …) and
`check_result.py`, whose `judge(check, result)` lists the checks that a result fails. That file is
run: use folders whose origin you trust.
"""

from __future__ import annotations

import csv
import importlib.util
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.content import block_text, page_text, table_rows
from docpipe.errors import ConfigError
from docpipe.records import Document, Page, Table, TextBlock

if TYPE_CHECKING:
    from docpipe.ingest import ReportLine
    from docpipe.library import Library

Check = dict[str, Any]
Result = dict[str, Any]
Judge = Callable[[Check, Result], list[str]]


class Case(msgspec.Struct, frozen=True):
    """A file and what is expected of it."""

    path: Path
    kind: str
    check: Check


class Attempt(msgspec.Struct, frozen=True):
    """What an ingest made of a file: its line in the report, and the document if there is one."""

    line: ReportLine
    document: Document | None


Ingest = Callable[[Sequence[Path], Sequence[str]], Mapping[Path, Attempt]]


def run(data: Path, options: Options) -> Measured:
    """Ingest all files at once without passwords, the locked ones again with theirs, and judge.

    Figures: `passed_share` and `passed`; a row's info gives its kind and the checks that failed.
    """
    cases, judge = load_cases(data), load_judge(data)
    return measure(chosen(cases, options), judge, _ingester(options))


def measure(cases: Sequence[Case], judge: Judge, ingest: Ingest) -> Measured:
    """Judge what `ingest(files, passwords)` makes of the cases."""
    locked = [case for case in cases if "password" in case.check]
    passwords = sorted({str(case.check["password"]) for case in locked})
    plain = ingest([case.path for case in cases], ())
    opened = ingest([case.path for case in locked], passwords) if locked else {}
    rows = [
        _row(case, failed_checks(case, judge, plain[case.path], opened.get(case.path)))
        for case in cases
    ]
    passed = sum(row.scores["passed_share"] for row in rows)
    return Measured(rows, {"passed": passed, "files": float(len(rows))})


def failed_checks(case: Case, judge: Judge, plain: Attempt, opened: Attempt | None) -> list[str]:
    """The checks a case fails; for a locked file those without the password, then those with."""
    if opened is None:
        return judge(case.check, result_of(plain))
    rest = {key: value for key, value in case.check.items() if key not in ("error", "password")}
    locked = judge({"error": case.check.get("error")}, result_of(plain))
    return locked + judge(rest, result_of(opened))


def result_of(attempt: Attempt) -> Result:
    """An attempt in the form that `judge` reads."""
    line, document = attempt.line, attempt.document
    seen = {"seconds": line.seconds, "peak_mb": line.peak_mb}
    if document is None:
        return {"ok": False, "error": line.reason or "internal"} | seen
    pages = document.pages
    return seen | {
        "ok": line.status == "ok",
        "text": "\n".join(map(_visible_text, pages)),
        "clean_text": "\n".join(page_text(page, furniture=True) for page in pages),
        "hidden_text": "\n".join(hidden.text for page in pages for hidden in page.hidden),
        "pages": len(pages),
        "labels": [page.label for page in pages],
        "rotation": [page.rotation for page in pages],
        "fields": {field.name: field.value for field in document.form_fields},
        "attachments": [attachment.name for attachment in document.attachments],
        "annots": [note.text for page in pages for note in page.annotations],
        "toc": len(document.outline),
        "flags": flags(document),
        "encrypted": bool(document.metadata.get("encrypted")),
        "tables": [_body_shape(table) for table in _tables(document)],
    }


def flags(document: Document) -> list[str]:
    """What the document warns of: verdicts and reasons of pages, codes of issues."""
    found: dict[str, None] = dict.fromkeys(issue.code for issue in document.issues)
    for page in document.pages:
        found |= dict.fromkeys(_page_flags(page))
    return list(found)


def _page_flags(page: Page) -> Iterator[str]:
    quality = page.quality
    if quality.verdict != "ok":
        yield quality.verdict
    yield from quality.reasons
    recovered = quality.route == "ocr" and quality.verdict == "ok"
    if "no_text_layer" in quality.reasons and not recovered:
        yield "needs_ocr"


def _visible_text(page: Page) -> str:
    """The text as it stands on the page, before words broken at line ends are joined."""
    return "\n".join(
        block.raw if isinstance(block, TextBlock) and block.raw is not None else block_text(block)
        for block in page.blocks
    )


def _tables(document: Document) -> Iterator[Table]:
    return (block for page in document.pages for block in page.blocks if isinstance(block, Table))


def _body_shape(table: Table) -> list[int]:
    """Rows without those of the header, and columns."""
    headers = sum(all(cell.is_header for cell in row) for row in table_rows(table) if row)
    return [table.shape[0] - headers, table.shape[1]]


def _row(case: Case, failures: list[str]) -> Row:
    info: dict[str, str | int | float] = {"kind": case.kind}
    if failures:
        info["failed"] = "; ".join(failures)
    return Row(case.path.name, {"passed_share": float(not failures)}, info)


def load_cases(data: Path) -> list[Case]:
    """The cases of a folder in the order of its manifest. Raises ConfigError."""
    try:
        text = (data / "manifest.tsv").read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{data} has no manifest.tsv", hint="see docs/data.md") from error
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        Case(data / row["file"], row["kind"], msgspec.json.decode(row["check_json"]))
        for row in rows
    ]


def load_judge(data: Path) -> Judge:
    """The function `judge` of the folder's `check_result.py`. Raises ConfigError."""
    path = data / "check_result.py"
    spec = importlib.util.spec_from_file_location("check_result", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ConfigError(f"{data} has no check_result.py", hint="see docs/data.md")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    judge: Judge = module.judge
    return judge


def _ingester(options: Options) -> Ingest:
    """Ingest into a library that is thrown away; times are taken anew at each run."""

    def ingest(files: Sequence[Path], passwords: Sequence[str]) -> dict[Path, Attempt]:
        from docpipe.library import Library

        with tempfile.TemporaryDirectory(prefix="docpipe-robust-") as folder:
            library = Library.create(
                Path(folder) / "library", config=options.config, passwords=passwords
            )
            report = library.ingest(files)
            lines = {files[0].parent / line.path: line for line in report.lines}
            return {path: Attempt(lines[path], _document(library, lines[path])) for path in files}

    return ingest


def _document(library: Library, line: ReportLine) -> Document | None:
    if line.document is None or line.status in ("failed", "skipped"):
        return None
    return library.document(line.document)
