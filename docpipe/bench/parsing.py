"""Scores of a parse against reference Markdown: reading order, tables, headings.

The three measures are those of opendataloader-bench (the tree scores after Zhong et al. 2020,
arXiv:1911.10683, and Chen et al. 2025, arXiv:2501.15000), each in [0, 1], 1 for identical texts and
None where the reference lacks the element:

- `nid`: similarity of the whole Markdown texts, white space folded (so marks of emphasis, image
  links and page headers that the reference lacks cost);
- `teds`: similarity of the trees of tables, rows and cells;
- `mhs`: similarity of the trees of headings, whatever their level, and the text below each.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe.bench.markup import html_tables, with_html_tables
from docpipe.errors import ConfigError
from docpipe.registry import missing_extra_hint

if TYPE_CHECKING:
    from bs4 import Tag

MAX_NODES = 1000
"""Larger trees are not compared: at this size one comparison takes about 20 CPU seconds."""

_HEADING = re.compile(r"#{1,6}\s+(?P<text>.*)")
_LINE_BREAK = re.compile(r"<br\s*/?>")
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL | re.IGNORECASE)
_TRANSPARENT = {"thead", "tbody", "tfoot"}


class Node(msgspec.Struct):
    """A node of a tree to compare: `kind` must agree, `text` is compared by edit distance."""

    kind: str
    text: str = ""
    children: list[Node] = []

    @property
    def size(self) -> int:
        """Number of nodes, this one included."""
        return 1 + sum(child.size for child in self.children)


class DocumentScores(msgspec.Struct, frozen=True):
    """Scores of one document; `overall` is the mean of those that apply.

    `false_tables` counts the tables found where the reference has none. `notes` say what was left
    out: `teds_skipped` or `mhs_skipped` with the number of nodes.
    """

    overall: float | None
    nid: float | None
    nid_text: float | None
    teds: float | None
    mhs: float | None
    false_tables: int
    notes: tuple[str, ...] = ()


class TreeTooLargeError(ConfigError):
    """A tree has more than MAX_NODES nodes."""


def nid(reference: str, predicted: str) -> float | None:
    """Reading order: the normalised indel similarity of both texts, tables as HTML in them."""
    return _text_similarity(with_html_tables(reference), with_html_tables(predicted))


def nid_text(reference: str, predicted: str) -> float | None:
    """Like `nid`, on the text outside tables alone."""
    texts = (_TABLE.sub(" ", with_html_tables(text)) for text in (reference, predicted))
    return _text_similarity(*texts)


def teds(reference: str, predicted: str) -> float | None:
    """Tables: all tables of a text are one tree, in order, so that a split or invented one costs.

    `1 - distance / nodes of the larger tree`, its root not counted. Raises TreeTooLargeError.
    """
    wanted, found = table_tree(reference), table_tree(predicted)
    if not wanted.children:
        return None
    if not found.children:
        return 0.0
    return _tree_similarity(wanted, found, count_root=False)


def mhs(reference: str, predicted: str) -> float | None:
    """Headings: every heading is a child of the root, the text up to the next one its child.

    Zero where the prediction has no heading at all. Raises TreeTooLargeError.
    """
    wanted, found = heading_tree(reference), heading_tree(predicted)
    if not _has_heading(wanted):
        return None
    if not _has_heading(found):
        return 0.0
    return _tree_similarity(wanted, found, count_root=True)


def score_document(reference: str, predicted: str, *, tables_only: bool = False) -> DocumentScores:
    """All scores of one document; a score whose trees are too large is left out with a note.

    With `tables_only` the reference holds nothing but the tables, and TEDS alone is computed.
    """
    notes: list[str] = []
    scores: dict[str, float | None] = {"nid": None, "teds": None, "mhs": None}
    if not tables_only:
        scores["nid"] = nid(reference, predicted)
    for name, measure in (("teds", teds), ("mhs", mhs)):
        if tables_only and name == "mhs":
            continue
        try:
            scores[name] = measure(reference, predicted)
        except TreeTooLargeError as error:
            notes.append(f"{name}_skipped: {error.message}")
    return DocumentScores(
        overall=_mean(scores.values()),
        nid=scores["nid"],
        nid_text=None if tables_only else nid_text(reference, predicted),
        teds=scores["teds"],
        mhs=scores["mhs"],
        false_tables=0 if html_tables(reference) else len(html_tables(predicted)),
        notes=tuple(notes),
    )


def table_tree(text: str) -> Node:
    """The tables of a Markdown text (pipe or HTML) as one tree of tables, rows and cells."""
    return Node("tables", children=[_table_node(table) for table in html_tables(text)])


def heading_tree(text: str) -> Node:
    """The headings of a Markdown text and the text under each, as a tree of depth two."""
    root = Node("document", children=[])
    section, pending = root, list[str]()

    def close() -> None:
        if content := _fold(" ".join(pending)):
            section.children.append(Node("content", content))
        pending.clear()

    for line in with_html_tables(text).splitlines():
        if match := _HEADING.fullmatch(line):
            close()
            section = Node("heading", _fold(match["text"]), children=[])
            root.children.append(section)
        else:
            pending.append(line)
    close()
    return root


def _table_node(element: Tag) -> Node:
    if element.name in {"td", "th"}:
        spans = f"{element.get('colspan', '1')}x{element.get('rowspan', '1')}"
        return Node(f"cell {spans}", _cell_text(element))
    return Node(element.name, children=[_table_node(child) for child in _elements(element)])


def _cell_text(cell: Tag) -> str:
    """The text of a cell; line breaks, also those written as text in a pipe table, are blanks."""
    for line_break in cell.find_all("br"):
        line_break.replace_with(" ")
    return _fold(_LINE_BREAK.sub(" ", html.unescape(cell.get_text())))


def _elements(element: Tag) -> list[Tag]:
    """The child elements, those of thead, tbody and tfoot in their place."""
    children: list[Tag] = []
    for child in element.find_all(recursive=False):
        children += _elements(child) if child.name in _TRANSPARENT else [child]
    return children


def _has_heading(tree: Node) -> bool:
    return any(child.kind == "heading" for child in tree.children)


def _text_similarity(reference: str, predicted: str) -> float | None:
    from rapidfuzz import fuzz

    wanted, found = _fold(reference), _fold(predicted)
    return fuzz.ratio(wanted, found) / 100 if wanted else None


def _fold(text: str) -> str:
    return " ".join(text.split())


def _tree_similarity(wanted: Node, found: Node, *, count_root: bool) -> float:
    size = max(wanted.size, found.size) - (not count_root)
    if size > MAX_NODES:
        raise TreeTooLargeError(f"{size} nodes, more than {MAX_NODES}")
    return max(0.0, 1.0 - tree_distance(wanted, found) / size)


def tree_distance(wanted: Node, found: Node) -> float:
    """Tree edit distance: insertion and deletion cost 1, a change of text its share of edits.

    APTED (Pawlik and Augsten 2015). Raises ConfigError without the extra `bench`.
    """
    try:
        from apted import APTED, Config
    except ImportError as error:
        raise ConfigError("tree scores need apted", hint=missing_extra_hint(error)) from error

    class Costs(Config):  # type: ignore[misc]
        def rename(self, node1: Node, node2: Node) -> float:
            return _change(node1.text, node2.text) if node1.kind == node2.kind else 1.0

        def children(self, node: Node) -> list[Node]:
            return node.children

    return float(APTED(wanted, found, Costs()).compute_edit_distance())


@lru_cache(maxsize=1 << 16)
def _change(before: str, after: str) -> float:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_distance(before, after)


def _mean(values: Any) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None
