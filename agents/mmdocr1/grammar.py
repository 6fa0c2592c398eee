"""The action grammar of MM-Doc-R1 (arXiv 2604.13579): what a model writes, and what it is shown.

    <think>…</think>
    ```tool_code
    <search>["net income 2021", "total assets"]</search>
    ```

A turn has a thought and one block: `<search>` with a list of queries, `<read>` with a list of
{"page_ids": […], "query": "…"}, `<look>` with {"page_id": …, "box": [x0, y0, x1, y1], "query": …},
`<calculate>` with an expression, or `<FINISH>`. Page ids are numbers; where several documents are
asked, `2:14` is page 14 of the second. Parsing is tolerant; what cannot be understood becomes
`Malformed`, whose problem the model is told. Look and calculate are docpipe's additions.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Sequence

import msgspec

from docpipe.geometry import BBox
from docpipe.records import (
    Action,
    Calculate,
    Finish,
    Look,
    Malformed,
    PageRequest,
    Read,
    Region,
    Search,
)

HELP = (
    'write one block such as <search>["a query"]</search>, '
    '<read>[{"page_ids": [3], "query": "what to look for"}]</read> or <FINISH>'
)

_MOST_QUERIES = 8
_MOST_PAGES = 20  # that a range names
_THOUGHT = re.compile(r"<think>(.*?)(?:</think>|$)", re.S | re.I)
_CLOSED = re.compile(r"<think>.*?</think>", re.S | re.I)
_ACTION = re.compile(
    r"<(?P<name>search|read|look|calculate)>\s*(?P<body>.*?)\s*(?:</(?P=name)>|```|$)"
    r"|(?P<finish></?finish(?:ed)?\s*/?>)",
    re.S | re.I,
)
_PAGE_ID = re.compile(
    r"(?:(?P<document>\d{1,4}):)?(?:p(?:age)?\.?\s*)?(?P<page>\d{1,6})(?:\s*[-–]\s*(?P<last>\d{1,6}))?",
    re.I,
)


class Turn(msgspec.Struct, frozen=True):
    """What a model wrote, taken apart."""

    thought: str
    action: Action


def parse(text: str, documents: Sequence[str], question: str) -> Turn:
    """Read a turn. `documents` are the ids in scope, in the order the model knows them by;
    `question` stands in for a missing sub-question."""
    thoughts = [match.strip() for match in _THOUGHT.findall(text)]
    spoken = _THOUGHT.sub(" ", text)
    open_thought = _CLOSED.sub(" ", text)  # one never closed may hold the action
    found = next(_ACTION.finditer(spoken), None) or next(_ACTION.finditer(open_thought), None)
    if found is None:
        return Turn(_joined(thoughts) or spoken.strip(), Malformed(f"no action found: {HELP}"))
    before = spoken[: found.start()].replace("```tool_code", "").replace("```", "").strip()
    try:
        action = _action(found, documents, question)
    except ValueError as problem:
        action = Malformed(str(problem))
    return Turn(_joined(thoughts) or before, action)


def render(action: Action, documents: Sequence[str]) -> str:
    """An action as a model would write it; `parse` reads it back."""
    match action:
        case Search(queries=queries):
            body = f"<search>{_json(queries)}</search>"
        case Read(requests=requests):
            plain = [
                {"page_ids": [page_id(r.document, p, documents) for p in r.pages]}
                | {"query": r.question}
                for r in requests
            ]
            body = f"<read>{_json(plain)}</read>"
        case Look(document=document, region=region, question=asked):
            place = {"page_id": page_id(document, region.page, documents)}
            box = [round(edge, 1) for edge in msgspec.structs.astuple(region.bbox)]
            body = f"<look>{_json(place | {'box': box, 'query': asked})}</look>"
        case Calculate(expression=expression):
            body = f"<calculate>{expression}</calculate>"
        case Finish():
            body = "<FINISH>"
        case Malformed():
            return ""
    return f"```tool_code\n{body}\n```"


def page_id(document: str, page: int, documents: Sequence[str]) -> int | str:
    """The id that a model knows a page by."""
    return page if len(documents) == 1 else f"{documents.index(document) + 1}:{page}"


def _action(found: re.Match[str], documents: Sequence[str], question: str) -> Action:
    """Raises ValueError that says what is wrong."""
    if found["finish"]:
        return Finish("the model has finished")
    name, body = found["name"].lower(), found["body"].strip().strip("`").strip()
    if name == "calculate":
        return Calculate(_one_line(body))
    value = _literal(body)
    match name:
        case "search":
            return Search(_queries(value if value is not None else body))
        case "read":
            return Read(tuple(_requests(value if value is not None else body, documents, question)))
        case _:
            return _look(value, documents, question)


def _queries(value: object) -> tuple[str, ...]:
    if isinstance(value, dict):
        value = value.get("queries", value.get("query", ""))
    items = value if isinstance(value, list | tuple) else [value]
    texts = [_one_line(str(item)) for item in items]
    queries = tuple(dict.fromkeys(text for text in texts if text))[:_MOST_QUERIES]
    if not queries:
        raise ValueError('a search needs queries: <search>["a query"]</search>')
    return queries


def _requests(value: object, documents: Sequence[str], question: str) -> Iterator[PageRequest]:
    """One request for each document of each item; a bare list of numbers is one item."""
    items = value if isinstance(value, list | tuple) else [value]
    if not any(isinstance(item, dict) for item in items):
        items = [{"page_ids": list(items)}]
    empty = True
    for item in items:
        plain = item if isinstance(item, dict) else {"page_ids": [item]}
        pages: dict[str, list[int]] = {}
        for document, page in _pages(plain, documents):
            pages.setdefault(document, []).append(page)
        asked = _one_line(str(plain.get("query") or plain.get("sub_query") or question))
        for document, numbers in pages.items():
            empty = False
            yield PageRequest(document, tuple(dict.fromkeys(numbers)), asked)
    if empty:
        raise ValueError('a read needs page ids: <read>[{"page_ids": [3], "query": "…"}]</read>')


def _pages(item: dict[str, object], documents: Sequence[str]) -> Iterator[tuple[str, int]]:
    value = next((item[key] for key in ("page_ids", "pages", "page_id", "page") if key in item), ())
    for part in value if isinstance(value, list | tuple) else [value]:
        if isinstance(part, float) and part.is_integer():
            part = int(part)
        for match in _PAGE_ID.finditer(str(part)):
            if match["document"] is None and len(documents) > 1:
                raise ValueError(f'page {match["page"]} of which document? write "2:14"')
            number = int(match["document"] or 1)
            if not 1 <= number <= len(documents):
                raise ValueError(f"there is no document {number}")
            first, last = int(match["page"]), int(match["last"] or match["page"])
            for page in range(first, min(last, first + _MOST_PAGES) + 1):
                yield documents[number - 1], page


def _look(value: object, documents: Sequence[str], question: str) -> Look:
    form = 'a look needs a page and a box: <look>{"page_id": 3, "box": [0, 0, 300, 200]}</look>'
    if not isinstance(value, dict):
        raise ValueError(form)
    place = next(_pages(value, documents), None)
    box = value.get("box", value.get("bbox"))
    if place is None or not isinstance(box, list | tuple) or len(box) != 4:
        raise ValueError(form)
    try:
        edges = [float(edge) for edge in box]
    except (TypeError, ValueError):
        raise ValueError(form) from None
    if not all(map(math.isfinite, edges)):
        raise ValueError(form)
    asked = _one_line(str(value.get("query") or question))
    return Look(place[0], Region(place[1], BBox.of(*edges)), asked)


def _literal(text: str) -> object:
    """The JSON or Python literal that a text is, also with brackets left open; None for others."""
    for candidate in (text, f"{text}]", f"{text}}}]", f"[{text}]"):
        try:
            return json.loads(candidate)
        except ValueError:
            pass
        try:
            return ast.literal_eval(candidate)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _joined(thoughts: Sequence[str]) -> str:
    return "\n".join(thought for thought in thoughts if thought)
