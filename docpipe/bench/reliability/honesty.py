"""G6 and G7: bad text is flagged and hidden text set apart, without false alarms."""

from __future__ import annotations

from collections.abc import Iterator

from docpipe.bench.reliability import hostile
from docpipe.bench.reliability.ground import CLEAN, Ground, share
from docpipe.bench.result import Measured, Row
from docpipe.bench.robust import result_of
from docpipe.content import page_text
from docpipe.pipeline import parse
from docpipe.records import Document

_SCANNED = "few_words_over_image"  # a scan with a stamped line: no sound text layer


def junk(ground: Ground) -> Measured:
    """G6: pages whose text layer is junk are flagged or read anew, and sound pages are not
    flagged.

    Row score `junk_handled` of the data folder's files that expect it. Row score `false_alarm` of
    sound pages that have a text layer; the figure `clean_pages` counts them.
    """
    rows = []
    for case in ground.cases:
        if "must_flag_if_not_visual" in case.check or "flag" in case.check:
            failed = ground.judge(case.check, result_of(ground.attempts[case.path.name]))
            missed = [name for name in failed if name.startswith(("unflagged", "flag:"))]
            rows.append(Row(case.path.name, {"junk_handled": float(not missed)}))
    alarms = [
        Row(
            f"{path.name} page {page.number}",
            {"false_alarm": float(page.quality.verdict != "ok")},
            {"reasons": " ".join(page.quality.reasons)} if page.quality.reasons else {},
            group=path.name,
        )
        for path, page in ground.clean_pages
        if page.words and _SCANNED not in page.quality.reasons
    ]
    notes = () if alarms else (f"no sound documents: {', '.join(CLEAN)} are not there",)
    return Measured(rows + alarms, {"clean_pages": float(len(alarms))}, notes)


def hidden(ground: Ground) -> Measured:
    """G7: text that a reader of the page cannot see is found and kept out of the text.

    Row scores of ten ways to hide a sentence: `found` and `kept_out`. Figures: `flagged_share` of
    the words of sound pages that were set apart, some of them rightly.
    """
    path = ground.scratch / "hidden.pdf"
    said = hostile.write_hidden(path)
    document = parse(path, ocr="off")
    shown = "\n".join(page_text(page, furniture=True) for page in document.pages)
    apart = "\n".join(_set_apart(document))
    rows = [
        Row(
            way,
            {"kept_out": float(sentence not in _joined(shown))}
            | ({} if way == "actual text" else {"found": float(sentence in _joined(apart))}),
        )
        for way, sentence in said.items()
    ]
    pages = [page for _, page in ground.clean_pages]
    flagged = sum(len(piece.text.split()) for page in pages for piece in page.hidden)
    words = flagged + sum(len(page.words) for page in pages)
    reported = share(not page.hidden for page in pages)
    figures = {
        "clean_words": float(words),
        "flagged_words": float(flagged),
        "flagged_share": flagged / words if words else 0.0,
        "pages_without": reported,
    }
    return Measured(rows, figures)


def _joined(text: str) -> str:
    return " ".join(text.split())


def _set_apart(document: Document) -> Iterator[str]:
    yield from document.metadata.values()
    for page in document.pages:
        yield from (piece.text for piece in page.hidden)
        yield from (note.text for note in page.annotations)
