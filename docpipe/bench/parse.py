"""The bench `parse`: PDFs against reference Markdown.

Data: a folder with `pdfs/` and `ground-truth/*.md` (or several such folders side by side). Where
every reference of a folder holds tables alone, TEDS is the only score, over the documents whose
tables have at most MAX_TABLE_PARTS rows and cells: larger trees take minutes each.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from docpipe.bench.markup import html_tables
from docpipe.bench.parsing import DocumentScores, score_document
from docpipe.bench.result import Info, Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.errors import ConfigError, DocpipeError

MAX_TABLE_PARTS = 250

_FIGURES = ("overall", "nid", "nid_text", "teds", "mhs")
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL | re.IGNORECASE)


class Converted(msgspec.Struct, frozen=True):
    """Markdown of one file, its number of pages, and the error that left it empty."""

    markdown: str
    pages: int
    error: str = ""


class Reference(msgspec.Struct, frozen=True):
    name: str
    pdf: Path
    markdown: str


class ReferenceSet(msgspec.Struct, frozen=True):
    """The references of one folder; `left_out` counts those with too large tables."""

    prefix: str
    references: list[Reference]
    tables_only: bool
    left_out: int = 0


Converter = Callable[[Path], Converted]


def run(data: Path, options: Options, *, convert: Converter | None = None) -> Measured:
    """Convert and score every document. Raises ConfigError when `data` holds no references.

    Figures: means over documents of `overall` (the mean of a document's scores), `nid`, `nid_text`,
    `teds`, `mhs`; `false_tables` is their number where the reference has none; seconds are CPU time
    of this process, with OCR and the loading of its models but not of code.
    """
    convert = convert or docpipe_converter(options)
    rows: list[Row] = []
    notes: list[str] = []
    for references in load_sets(data):
        picked = chosen(references.references, options)
        if not rows:
            convert(picked[0].pdf)  # loading is no part of the first document's time
        rows += [_measure(references, item, convert) for item in options.track(picked)]
        if references.left_out:
            notes.append(
                f"{references.prefix}teds: {references.left_out} documents left out, "
                f"their tables have more than {MAX_TABLE_PARTS} rows and cells"
            )
    return Measured(rows, _totals(rows), tuple(notes))


def docpipe_converter(options: Options) -> Converter:
    """Conversion by docpipe as `options.config` says; a file that fails gives empty Markdown."""
    from docpipe.export import to_markdown
    from docpipe.pipeline import Pipeline

    pipeline = Pipeline(options.config)

    def convert(path: Path) -> Converted:
        try:
            document = pipeline.parse(path)
        except DocpipeError as error:
            return Converted("", 0, error.code)
        return Converted(to_markdown(document), len(document.pages))

    return convert


def load_sets(data: Path) -> list[ReferenceSet]:
    """The reference sets of a folder; those that hold tables alone come last.

    Figures of several sets are told apart by the folder's name, but for those of the only set that
    is more than tables.
    """
    folders = reference_folders(data)
    sets = [load_references(folder) for folder in folders]
    texts = sum(not references.tables_only for references in sets)
    named = [
        msgspec.structs.replace(references, prefix=f"{folder.name}.")
        if len(sets) > 1 and (references.tables_only or texts > 1)
        else references
        for folder, references in zip(folders, sets, strict=True)
    ]
    return sorted(named, key=lambda references: references.tables_only)


def reference_folders(data: Path) -> list[Path]:
    """`data` or its subfolders that have `ground-truth/*.md`. Raises ConfigError."""
    candidates = [data, *sorted(path for path in data.glob("*") if path.is_dir())]
    folders = [path for path in candidates if any((path / "ground-truth").glob("*.md"))]
    if not folders:
        raise ConfigError(f"{data} has no ground-truth/*.md", hint="see docs/data.md")
    return folders


def load_references(folder: Path) -> ReferenceSet:
    """The references in a folder in order of name."""
    found = [
        Reference(path.stem, folder / "pdfs" / f"{path.stem}.pdf", path.read_text("utf-8"))
        for path in sorted((folder / "ground-truth").glob("*.md"))
    ]
    tables_only = all(not _TABLE.sub("", item.markdown).strip() for item in found)
    kept = [item for item in found if not tables_only or _table_parts(item) <= MAX_TABLE_PARTS]
    return ReferenceSet("", kept, tables_only, len(found) - len(kept))


def _table_parts(reference: Reference) -> int:
    tables = html_tables(reference.markdown)
    return sum(len(table.find_all(["tr", "td", "th"])) for table in tables)


def _measure(references: ReferenceSet, reference: Reference, convert: Converter) -> Row:
    before = time.process_time()
    converted = convert(reference.pdf)
    seconds = time.process_time() - before
    scores = score_document(
        reference.markdown, converted.markdown, tables_only=references.tables_only
    )
    return Row(
        references.prefix + reference.name,
        named_scores(scores, references),
        _info(converted, scores, seconds),
    )


def named_scores(scores: DocumentScores, references: ReferenceSet) -> dict[str, float]:
    """The scores of a document by figure, of those that apply."""
    figures = ("teds",) if references.tables_only else _FIGURES
    values = {figure: getattr(scores, figure) for figure in figures}
    return {
        references.prefix + figure: round(value, 5)
        for figure, value in values.items()
        if value is not None
    }


def _info(converted: Converted, scores: DocumentScores, seconds: float) -> dict[str, Info]:
    info: dict[str, Info] = {"pages": converted.pages, "cpu_seconds": round(seconds, 3)}
    if scores.false_tables:
        info["false_tables"] = scores.false_tables
    if scores.notes:
        info["notes"] = "; ".join(scores.notes)
    if converted.error:
        info["error"] = converted.error
    return info


def _totals(rows: list[Row]) -> dict[str, float]:
    def total(key: str) -> float:
        return sum(float(row.info.get(key, 0)) for row in rows)

    return {
        "cpu_seconds_per_page": round(total("cpu_seconds") / max(total("pages"), 1), 4),
        "pages": total("pages"),
        "false_tables": total("false_tables"),
        "failed": float(sum("error" in row.info for row in rows)),
    }
