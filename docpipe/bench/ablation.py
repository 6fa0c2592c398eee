"""The bench `ablation`: the native parser with one step left out at a time.

Data: as of the bench `parse`. A step is left out by putting a function that does nothing in its
place, where it is called: the parser itself knows of no such thing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from docpipe.bench.parse import (
    Converter,
    Reference,
    ReferenceSet,
    docpipe_converter,
    load_sets,
    named_scores,
)
from docpipe.bench.parsing import DocumentScores, score_document
from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options, chosen

_PARSER = "docpipe.parsers.native"


class Step(msgspec.Struct, frozen=True):
    """A step of the parser: the places (module below the parser, name) where its function is
    called, and what stands there instead."""

    name: str
    places: tuple[tuple[str, str], ...]
    instead: Callable[..., Any]


def _first(given: Any, *_: Any, **__: Any) -> Any:
    return given


def _nothing(*_: Any, **__: Any) -> list[Any]:
    return []


def _yes(*_: Any, **__: Any) -> bool:
    return True


def _top_to_bottom(items: Sequence[Any], *_: Any) -> list[list[int]]:
    return [[item.index for item in sorted(items, key=lambda item: (item.box.y0, item.box.x0))]]


def _as_they_stand(lines: Sequence[str], *_: Any) -> tuple[str, bool]:
    return " ".join(lines), False


def _one_block(lines: Sequence[Any], *_: Any, **__: Any) -> list[list[Any]]:
    return [list(lines)] if lines else []


STEPS = (
    Step("reading order by columns", (("blocks", "reading_order"),), _top_to_bottom),
    Step("paragraphs", (("blocks", "split_paragraphs"),), _one_block),
    Step("figures", (("parser", "find_figures"), ("parser", "joined_by_captions")), _nothing),
    Step("labels of figures", (("parser", "with_labels"),), _first),
    Step("captions", (("blocks", "attach_captions"),), _first),
    Step("furniture", (("compose", "mark_furniture"),), _first),
    Step("headings", (("compose", "mark_headings"),), _first),
    Step("hyphens", (("compose", "join_lines"),), _as_they_stand),
    Step("tables of drawn cells", (("tables", "drawn_cells"),), _nothing),
    Step("tables between rules", (("tables", "between_rules"),), _nothing),
    Step("tables by alignment", (("tables", "aligned"),), _nothing),
    Step("heads of tables", (("tables", "with_head"),), _first),
    Step("charts are no tables", (("tables", "chart_boxes"),), _nothing),
    Step(
        "doubts about tables",
        (
            ("tables", "is_ruled_table"),
            ("tables.zones", "is_ruled_table"),
            ("tables.aligned", "is_aligned_table"),
        ),
        _yes,
    ),
)


def run(data: Path, options: Options) -> Measured:
    """Score every document with all steps and without each. Raises ConfigError without references.

    Figures: `all.overall`, `all.nid` and so on, and the same `without STEP`; false tables are
    counted over all documents.
    """
    sets = load_sets(data)
    convert = docpipe_converter(options)
    scored: dict[tuple[str, str], DocumentScores] = {}
    rows: dict[str, dict[str, float]] = {}
    false_tables: dict[str, float] = {}
    for step in options.track([None, *STEPS]):
        name = f"without {step.name}" if step else "all"
        with left_out(step) if step else ExitStack():
            for references, item in _items(sets, options):
                found = _scores(references, item, convert, scored)
                scores = rows.setdefault(references.prefix + item.name, {})
                values = named_scores(found, references)
                scores |= {f"{name}.{figure}": value for figure, value in values.items()}
                key = f"{name}.false_tables"
                false_tables[key] = false_tables.get(key, 0.0) + found.false_tables
    return Measured([Row(name, scores) for name, scores in rows.items()], false_tables)


@contextmanager
def left_out(step: Step) -> Iterator[None]:
    """The parser without a step, inside this context."""
    with ExitStack() as stack:
        for below, name in step.places:
            module = importlib.import_module(f"{_PARSER}.{below}")
            stack.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, step.instead)
        yield


def _items(
    sets: Sequence[ReferenceSet], options: Options
) -> Iterator[tuple[ReferenceSet, Reference]]:
    for references in sets:
        for item in chosen(references.references, options):
            yield references, item


def _scores(
    references: ReferenceSet,
    item: Reference,
    convert: Converter,
    known: dict[tuple[str, str], DocumentScores],
) -> DocumentScores:
    """The scores of a document; most steps leave most documents as they are, so that each text is
    scored once."""
    markdown = convert(item.pdf).markdown
    key = references.prefix + item.name, markdown
    if key not in known:
        known[key] = score_document(item.markdown, markdown, tables_only=references.tables_only)
    return known[key]
