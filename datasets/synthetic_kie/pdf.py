"""Sheets as a PDF."""

from __future__ import annotations

from collections.abc import Iterable

import pymupdf

from docpipe.datasets.synthetic_kie.sheet import Color, Shape, Sheet, font


def write_pdf(sheets: Iterable[Sheet]) -> bytes:
    """The pages of a document as a PDF, the same bytes for the same sheets."""
    with pymupdf.open() as document:
        for sheet in sheets:
            page = document.new_page(width=sheet.width, height=sheet.height)
            for shape in sheet.shapes:
                _draw(page, shape)
            _write(page, sheet)
        document.set_metadata({})
        document.subset_fonts(fallback=False)
        return bytes(document.tobytes(garbage=3, deflate=True, no_new_id=True))


def _draw(page: pymupdf.Page, shape: Shape) -> None:
    x0, y0, x1, y1 = shape.box
    if shape.kind == "line":
        page.draw_line((x0, y0), (x1, y1), color=shape.color, width=shape.width)
    elif shape.kind == "oval":
        page.draw_oval(shape.box, color=shape.color, width=shape.width)
    elif shape.kind == "box":
        page.draw_rect(shape.box, color=shape.color, width=shape.width)
    else:
        page.draw_rect(shape.box, color=None, fill=shape.color)


def _write(page: pymupdf.Page, sheet: Sheet) -> None:
    writers: dict[Color, pymupdf.TextWriter] = {}
    for run in sheet.runs:
        style = run.style
        writer = writers.setdefault(style.color, pymupdf.TextWriter(page.rect))
        face = font(style.family, style.bold)
        writer.append((run.x, run.y), run.text, font=face, fontsize=style.size)
    for color, writer in writers.items():
        writer.write_text(page, color=color)
