"""G5: whatever a file says, what leaves docpipe is clean text and harmless markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from docpipe import codec
from docpipe.content import page_text
from docpipe.errors import SchemaError
from docpipe.export import to_html, to_json, to_markdown
from docpipe.records import Document

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_ESCAPED_CONTROL = re.compile(r"(?<!\\)(?:\\\\)*\\u00[01][0-9a-f]", re.IGNORECASE)
_LITERAL_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>")
_SAFE_LINK = re.compile(r"https?://|mailto:|#|data:image/", re.IGNORECASE)
_FRAME = {"html", "head", "meta", "title", "style", "body", "section", "div", "span", "br", "hr"}
_TEXT = {
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "pre",
    "code",
    "sup",
    "sub",
    "a",
    "ul",
    "ol",
    "li",
}
_OBJECTS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "img"}
_EMPHASIS = {"em", "strong", "blockquote", "del"}
_ELEMENTS = _FRAME | _TEXT | _OBJECTS | _EMPHASIS


def problems(document: Document) -> list[str]:
    """What is wrong with the JSON, Markdown and HTML of a document, in words; none when clean."""
    literals = [tag for page in document.pages for tag in _LITERAL_TAG.findall(page_text(page))]
    json = to_json(document)
    markdown = to_markdown(document)
    found = [f"json: {problem}" for problem in (*_text(json), *_json(json, document))]
    found += [f"markdown: {problem}" for problem in (*_text(markdown), *_markdown(markdown))]
    html = to_html(document, furniture=True)
    found += [f"html: {problem}" for problem in (*_text(html), *_markup(html, literals))]
    return found


def _text(text: str) -> Iterator[str]:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        yield f"no UTF-8: {error.reason}"
    for match in _CONTROL.finditer(text):
        yield f"control character {match.group()!r}"


def _json(text: str, document: Document) -> Iterator[str]:
    for match in _ESCAPED_CONTROL.finditer(text):
        yield f"control character {match.group()}"
    try:
        if codec.decode_document(text.encode("utf-8", "replace")) != document:
            yield "it reads back as another document"
    except SchemaError as error:
        yield f"it does not read back: {error}"


def _markdown(text: str) -> Iterator[str]:
    from markdown_it import MarkdownIt

    return _markup(MarkdownIt("commonmark").enable("table").render(text), ())


def _markup(html: str, literals: list[str] | tuple[()]) -> Iterator[str]:
    """Elements, attributes and links that docpipe does not write, and literal tags that are no
    longer text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    yield from reader.foreign
    shown = _squeezed("".join(reader.texts))
    for literal in literals:
        if _squeezed(literal) not in shown:
            yield f"literal {literal} is not shown"


def _squeezed(text: str) -> str:
    return "".join(text.split())


class _Reader(HTMLParser):
    """Collects what stands in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            self.foreign.append(f"element {tag}")
        for name, value in attrs:
            if name.startswith("on"):
                self.foreign.append(f"attribute {name}")
            if name in ("href", "src") and not _SAFE_LINK.match(value or ""):
                self.foreign.append(f"link {value}")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
