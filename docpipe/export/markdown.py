"""Markdown of a document (CommonMark with pipe tables; HTML tables where spans need them)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from docpipe.export.escape import escape_block, escape_cell, escape_heading
from docpipe.export.links import TextLink, note_lines, text_links
from docpipe.export.lists import Item, groups
from docpipe.export.tables import grid, is_plain, table_to_html
from docpipe.export.text import clean, document_flow, heading_shift, lines, one_line
from docpipe.records import Block, Document, Figure, Formula, Table, TextBlock


def to_markdown(
    document: Document,
    *,
    furniture: bool = False,
    images: Mapping[str, str] | None = None,
    links: bool = True,
) -> str:
    """The document in reading order; literal text is escaped where it would act as markup.

    Footnotes stand as paragraphs at the end of their page. `furniture` keeps running headers and
    footers. `images` maps ids of figures to paths of image files (see write_figures); figures
    without one appear as their caption. With `links`, those to web and mail addresses are
    kept. What readers noted on the pages stands at the end.
    """
    shift = heading_shift(document)
    targets = _Links(document if links else None)
    flow = groups(document_flow(document, furniture=furniture))
    parts = [
        _list(part, targets)
        if isinstance(part, list)
        else block_to_markdown(part, shift, images or {}, targets)
        for part in flow
    ]
    parts += _notes(document)
    return "\n\n".join(part for part in parts if part) + "\n"


class _Links:
    """The links of a document's text blocks, to web and mail addresses alone."""

    def __init__(self, document: Document | None) -> None:
        pages = document.pages if document else ()
        self._pages = {page.number: page for page in pages if page.links}

    def of(self, block: TextBlock, text: str) -> list[TextLink]:
        """Those in `text`, which is the block's or a part of it."""
        region = next(iter(block.source.regions), None)
        page = self._pages.get(region.page) if region else None
        found = text_links("\n".join(lines(text)), block, page) if page else ()
        return [link for link in found if not link.target.startswith("#")]


def _notes(document: Document) -> list[str]:
    notes = [line for page in document.pages for line in note_lines(page)]
    return ["---", "\n".join(f"- {escape_block(line)}" for line in notes)] if notes else []


def block_to_markdown(block: Block, shift: int, images: Mapping[str, str], links: _Links) -> str:
    """One block; `shift` is added to heading levels."""
    match block:
        case TextBlock():
            return _text(block, shift, links)
        case Table():
            parts = escape_block(block.caption or ""), _table(block)
            return _joined(*(reversed(parts) if _is_above_caption(block) else parts))
        case Formula():
            return _formula(block)
        case Figure():
            return _figure(block, images.get(block.id))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _text(block: TextBlock, shift: int, links: _Links) -> str:
    match block.role:
        case "title" | "heading":
            level = 1 if block.role == "title" else (block.level or 1) + shift
            text = escape_heading(block.text)
            return f"{'#' * min(max(level, 1), 6)} {text}" if text else ""
        case "code":
            return _fenced(clean(block.text).rstrip())
        case _:
            return escape_block(block.text, links.of(block, block.text))


def _fenced(code: str) -> str:
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"


def _list(items: list[Item], links: _Links) -> str:
    rows: list[str] = []
    indents = [0]
    for item in items:
        del indents[item.depth + 1 :]
        indent = " " * indents[-1]
        marker = "- " if item.number is None else f"{item.number}{item.delimiter} "
        indents.append(len(indent) + len(marker))
        if item.restarts:
            rows.append(f"{indent}<!-- -->")  # else renderers go on counting from the item above
        text = escape_block(item.text, links.of(item.block, item.text)).replace(
            "\n", "\n" + " " * indents[-1]
        )
        rows.append(f"{indent}{marker}{text}".rstrip())
    return "\n".join(rows)


def _table(table: Table) -> str:
    if not table.cells:
        return ""
    if not is_plain(table):
        return table_to_html(table)
    first, *others = [[escape_cell(text) for text in row] for row in grid(table)]
    rows = [first, ["---"] * len(first), *others]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _formula(formula: Formula) -> str:
    # A blank after "<" and "]" means nothing in LaTeX; it keeps tags and links out of Markdown.
    latex = re.sub(r"<(?=[A-Za-z/!?])", "< ", one_line(formula.latex).replace("$", r"\$"))
    latex = latex.replace("](", "] (")
    label = re.sub(r"[^\w.*'-]", "", formula.label or "")
    tag = rf" \tag{{{label}}}" if label and r"\tag" not in latex else ""
    return f"$${latex}{tag}$$" if latex else ""


def _figure(figure: Figure, path: str | None) -> str:
    alt = escape_heading(figure.description or figure.caption or "Figure")
    alt = re.sub(r"(?<!\\)([\[\]])", r"\\\1", alt)
    image = f"![{alt}]({quote(path, safe='/.')})" if path else ""
    texts = escape_block(figure.caption or ""), escape_block(figure.description or "")
    return _joined(image, *(reversed(texts) if _is_above_caption(figure) else texts))


def _is_above_caption(block: Table | Figure) -> bool:
    """Whether a caption, whose box is the region after the block's own, stands below it."""
    own, *others = block.source.regions
    return bool(block.caption and others) and (
        others[0].page == own.page and others[0].bbox.y0 > own.bbox.center[1]
    )
