"""One HTML page of a document: no scripts, no foreign resources, every block with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import quote

from docpipe.export.links import note_lines, text_links
from docpipe.export.lists import Item, groups
from docpipe.export.tables import table_to_html
from docpipe.export.text import clean, heading_shift, lines, one_line, page_flow
from docpipe.records import Block, Document, Figure, Formula, Page, Table, TextBlock

_HEAD = """<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 Georgia, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
h1, h2, h3, h4, h5, h6 {{ font-family: system-ui, sans-serif; line-height: 1.25; }}
section {{ border-top: 1px solid #ccc; padding-top: 1rem; margin-top: 2rem; }}
section::before {{ content: attr(data-label); float: right; color: #888; font-size: .8rem; }}
table {{ border-collapse: collapse; margin: 1rem 0; font-size: .9rem; }}
th, td {{ border: 1px solid #bbb; padding: .25rem .5rem; text-align: left; vertical-align: top; }}
th {{ background: #f2f2f2; }}
caption, figcaption, .caption {{ font-size: .9rem; color: #444; text-align: left; }}
.notes, .footnote, .page_header, .page_footer {{ font-size: .8rem; color: #555; }}
pre, .formula {{ overflow-x: auto; background: #f7f7f7; padding: .5rem; }}
img {{ max-width: 100%; }}
</style>
</head>
<body>
"""


def to_html(
    document: Document, *, furniture: bool = False, images: Mapping[str, str] | None = None
) -> str:
    """A complete page. Each block carries its id and, as `data-bbox`, its box in points; links
    lead only to web and mail addresses and to pages of the document. Readers' notes end a page."""
    shift = heading_shift(document)
    title = document.metadata.get("title") or document.name
    pages = (_page(page, shift, furniture, images or {}) for page in document.pages)
    return _HEAD.format(title=escape(one_line(title))) + "\n".join(pages) + "\n</body>\n</html>\n"


def _page(page: Page, shift: int, furniture: bool, images: Mapping[str, str]) -> str:
    parts = [
        _list(part, page) if isinstance(part, list) else _block(part, page, shift, images)
        for part in groups(page_flow(page, furniture=furniture))
    ]
    notes = [f"<li>{escape(line)}</li>" for line in note_lines(page)]
    if notes:
        parts.append(f'<ul class="notes">{"".join(notes)}</ul>')
    label = escape(one_line(page.label))
    opening = f'<section id="page-{page.number}" data-label="{label}">'
    return "\n".join([opening, *parts, "</section>"])


def _block(block: Block, page: Page, shift: int, images: Mapping[str, str]) -> str:
    match block:
        case TextBlock():
            return _text(block, page, shift)
        case Table():
            caption = f"<caption>{_lines(block.caption)}</caption>" if block.caption else ""
            return table_to_html(block).replace("<table>", f"<table{_place(block)}>{caption}", 1)
        case Formula():
            return f'<div class="formula"{_place(block)}>\\[{escape(clean(block.latex))}\\]</div>'
        case Figure():
            return _figure(block, images.get(block.id))


def _place(block: Block) -> str:
    """The attributes that say which block it is and where it stands."""
    attributes = f' id="{escape(clean(block.id))}"'
    if block.source.regions:
        box = block.source.regions[0].bbox
        attributes += f' data-bbox="{box.x0:g} {box.y0:g} {box.x1:g} {box.y1:g}"'
    return attributes


def _lines(text: str) -> str:
    return "<br>".join(escape(line) for line in lines(text))


def _text(block: TextBlock, page: Page, shift: int) -> str:
    place = _place(block)
    match block.role:
        case "title" | "heading":
            level = 1 if block.role == "title" else (block.level or 1) + shift
            tag = f"h{min(max(level, 1), 6)}"
            return f"<{tag}{place}>{_linked(one_line(block.text), block, page)}</{tag}>"
        case "code":
            return f"<pre{place}><code>{escape(clean(block.text))}</code></pre>"
        case _:
            text = _linked("\n".join(lines(block.text)), block, page)
            return f'<p class="{block.role}"{place}>{text}</p>'


def _linked(text: str, block: TextBlock, page: Page) -> str:
    """`text` escaped, with its links."""
    parts: list[str] = []
    position = 0
    for start, end, target in text_links(text, block, page):
        parts.append(escape(text[position:start]))
        parts.append(f'<a href="{escape(target)}">{escape(text[start:end])}</a>')
        position = end
    return "".join([*parts, escape(text[position:])])


def _list(items: Sequence[Item], page: Page) -> str:
    parts: list[str] = []
    open_tags: list[str] = []
    for item in items:
        tag = "ul" if item.number is None else "ol"
        while open_tags[item.depth :] not in ([], [tag]):
            parts.append(f"</li></{open_tags.pop()}>")
        if len(open_tags) > item.depth:
            parts.append("</li>")
        else:
            open_tags.append(tag)
            parts.append(f"<{tag}>")
        value = "" if item.number is None else f' value="{item.number}"'
        text = _linked("\n".join(lines(item.text)), item.block, page)
        parts.append(f"<li{value}{_place(item.block)}>{text}")
    return "".join([*parts, *(f"</li></{tag}>" for tag in reversed(open_tags))])


def _figure(figure: Figure, path: str | None) -> str:
    alt = escape(one_line(figure.description or figure.caption or "Figure"))
    image = f'<img src="{quote(path, safe="/.")}" alt="{alt}">' if path else ""
    texts = [_lines(text) for text in (figure.caption, figure.description) if text]
    caption = f"<figcaption>{'<br>'.join(texts)}</figcaption>" if texts else ""
    return f"<figure{_place(figure)}>{image}{caption}</figure>"
