"""A reader that lets a language model answer from numbered passages, and believes only what it
cites.

Sources that were not given are dropped, claims without a source that exists are not shown, and an
answer without any claim left is not given.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from docpipe.agents.passages import Passage, passages
from docpipe.agents.prompts import Claim, Reply, ask, look, parse
from docpipe.agents.question import Question, analyse
from docpipe.agents.relevance import rank, vocabulary, weigh
from docpipe.agents.terms import content_words
from docpipe.agents.values import find_numbers, typed
from docpipe.agents.verifier import cite
from docpipe.errors import InputError
from docpipe.records import Answer, AnswerFormat, ImagePart, Reading, Value
from docpipe.stages import LanguageModel, PageContent

if TYPE_CHECKING:
    from PIL import Image

_UNSOURCED = "Not answerable: the model named no passage that supports its answer."
_INVENTED = "Not answerable: the number {} of the model's answer stands in no passage it cites."
_FEW_WORDS = 3
_NO_TEXT = "Not answerable: the pages have no text that speaks of the question."


class LanguageModelReader:
    """Reads pages with a model: the `spans` best passages by their words, in reading order, in one
    call. The confidence is the share of the answer's words that its sources say, not a chance.

    A model that sees is also shown the first `images` pages, at `dpi` dots an inch, as far as their
    originals are there. What it cites are passages all the same.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        spans: int = 30,
        max_tokens: int = 600,
        images: int = 0,
        dpi: float = 110.0,
    ) -> None:
        self.model = model
        self.spans = spans
        self.max_tokens = max_tokens
        self.images = images
        self.dpi = dpi

    def read(self, pages: Sequence[PageContent], question: str, sub_question: str) -> Reading:
        asked = analyse(sub_question)
        shown = self._passages(pages, asked)
        numbers = tuple(content.page.number for content in pages)
        if not shown:
            return _reading(numbers, _refusal(_NO_TEXT), ())
        messages = ask(
            sub_question, [_as_shown(passage) for passage in shown], self._pictures(pages)
        )
        reply = parse(self.model.complete(messages, max_tokens=self.max_tokens).text)
        claims = _sourced(reply.claims, len(shown))
        return _reading(numbers, _answer(reply, claims, shown, asked), claims)

    def describe(self, image: Image.Image, question: str) -> str:
        """What a model that sees says of a part of a page; one that does not says nothing of it.

        Raises ModelError (`model_text_only`) for a local model without images.
        """
        if not self.images:
            return "this reader is not set up to see (reader.images)"
        sent = look(question, _encoded(image))
        return self.model.complete(sent, max_tokens=self.max_tokens).text.strip()

    def _pictures(self, pages: Sequence[PageContent]) -> list[ImagePart]:
        found = []
        for content in pages[: self.images]:
            with contextlib.suppress(InputError):  # the original is gone: the text goes on
                if content.image is not None:
                    found.append(_encoded(content.image(self.dpi)))
        return found

    def _passages(self, pages: Sequence[PageContent], asked: Question) -> list[Passage]:
        documents = {content.document.id: content.document for content in pages}
        query = weigh(asked, [vocabulary(document) for document in documents.values()])
        found = passages(list(pages))
        best = [match.passage.order for match in rank(found, query)]
        others = (passage.order for passage in found)
        shown = set(list(dict.fromkeys([*best, *others]))[: self.spans])
        return [passage for passage in found if passage.order in shown]


def _encoded(image: Image.Image) -> ImagePart:
    data = io.BytesIO()
    image.save(data, "PNG")
    return ImagePart(data.getvalue())


def _as_shown(passage: Passage) -> str:
    page = passage.content.page
    about = f" [under: {passage.context[-200:]}]" if passage.context else ""
    headers = " | ".join(cell.headers for cell in passage.cells)
    columns = f" [columns: {headers}]" if headers.strip(" |") else ""
    name = passage.content.document.name
    return f"({name}, page {page.label}){about}{columns} {passage.text}"


def _sourced(claims: Sequence[Claim], count: int) -> tuple[Claim, ...]:
    """The claims that cite a passage that was shown, without the sources that were not."""
    checked = [
        Claim(claim.text, tuple(n for n in dict.fromkeys(claim.sources) if 1 <= n <= count))
        for claim in claims
    ]
    return tuple(claim for claim in checked if claim.sources and claim.text.strip())


def _answer(
    reply: Reply, claims: Sequence[Claim], shown: Sequence[Passage], asked: Question
) -> Answer:
    if not reply.answerable:
        said = reply.value if isinstance(reply.value, str) and reply.value else "no reason given"
        return _refusal(f"Not answerable, says the model: {said}")
    if not claims:
        return _refusal(_UNSOURCED)
    cited = [shown[n - 1] for n in dict.fromkeys(n for claim in claims for n in claim.sources)]
    value, form = _typed(reply.value, asked)
    support = _support(reply, claims, cited, asked)
    if invented := _invented(value, cited, asked):
        if asked.kind != "count":  # what is counted need not be written down
            return _refusal(_INVENTED.format(invented))
        support *= 0.5
    evidence = tuple(
        cite(
            passage.content.document,
            passage.content.page,
            passage.block,
            passage.start,
            passage.end,
            support,
        )
        for passage in cited
    )
    return Answer(
        " ".join(claim.text for claim in claims), value, form, True, evidence, 0.9 * support
    )


def _invented(value: Value, cited: Sequence[Passage], asked: Question) -> str:
    """The number that is the answer where neither a passage cited nor a calculation says it, ""
    for others; one among more words is a part of a text, which its sources bear out or not."""
    if isinstance(value, list) or len(str(value).split()) > _FEW_WORDS:
        return ""
    told = [f"{item.context} {item.text}" for item in cited]
    known = {found.number for text in [*told, asked.text] for found in find_numbers(text)}
    said = find_numbers(value if isinstance(value, str) else str(value))
    return next((found.text for found in said if found.number not in known), "")


def _typed(value: str | int | float | list[str], asked: Question) -> tuple[Value, AnswerFormat]:
    if isinstance(value, list):
        return value, "list"
    if isinstance(value, int):
        return value, "int"
    if isinstance(value, float):
        return value, "float"
    numbers = find_numbers(value) if asked.kind in ("count", "percentage", "money") else []
    return typed(numbers[0], asked.kind) if numbers else (value, "str")


def _support(
    reply: Reply, claims: Sequence[Claim], cited: Sequence[Passage], asked: Question
) -> float:
    """Share of the words of the answer that the cited passages or the question say, 0-1."""
    said = set(content_words(" ".join(f"{item.context} {item.text}" for item in cited)))
    answer = set(content_words(" ".join(claim.text for claim in claims)))
    answer |= set(content_words(str(reply.value)))
    return len(answer & (said | set(asked.terms))) / len(answer) if answer else 0.5


def _refusal(text: str) -> Answer:
    return Answer(text, None, "none", False, (), 0.0)


def _reading(numbers: tuple[int, ...], answer: Answer, claims: Sequence[Claim]) -> Reading:
    findings = tuple(claim.text for claim in claims) if answer.answerable else ()
    return Reading(numbers, answer.text, findings, answer.evidence, answer)
