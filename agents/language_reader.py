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

from docpipe.agents.metering import spend
from docpipe.agents.notes import Note
from docpipe.agents.numbers import supported
from docpipe.agents.passages import Passage, passages
from docpipe.agents.prompts import Claim, Reply, ask, look, parse
from docpipe.agents.question import Question, analyse
from docpipe.agents.relevance import rank, vocabulary, weigh
from docpipe.agents.terms import content_words
from docpipe.agents.values import find_numbers, typed
from docpipe.agents.verifier import cite
from docpipe.errors import InputError
from docpipe.records import Answer, AnswerFormat, Evidence, ImagePart, Message, Reading, Value
from docpipe.stages import LanguageModel, PageContent

if TYPE_CHECKING:
    from PIL import Image

_UNSOURCED = "Not answerable: the model named no passage that supports its answer."
_NO_TEXT = "Not answerable: the pages have no text that speaks of the question."


class LanguageModelReader:
    """Reads pages with a model: the `spans` best passages by their words, in reading order, in one
    call. The confidence is the share of the answer's words that its sources say, not a chance.

    A model that sees is also shown the first `images` pages, at `dpi` dots an inch, as far as their
    originals are there. What it cites are passages all the same.
    """

    checks_numbers = True

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
        return self.read_with(pages, sub_question, ())

    def read_with(
        self, pages: Sequence[PageContent], question: str, notes: Sequence[Note]
    ) -> Reading:
        """As `read`; notes are shown after the passages, numbered on, and may be cited as they."""
        asked = analyse(question)
        sources: list[Passage | Note] = [*self._passages(pages, asked), *notes]
        numbers = tuple(content.page.number for content in pages)
        if not sources:
            return _reading(numbers, _refusal(_NO_TEXT))
        sent = ask(question, [_as_shown(source) for source in sources], self._pictures(pages))
        reply = parse(self._complete(sent))
        claims = _sourced(reply.claims, len(sources))
        return _reading(numbers, _answer(reply, claims, sources, asked))

    def _complete(self, sent: Sequence[Message]) -> str:
        completion = self.model.complete(sent, max_tokens=self.max_tokens)
        spend(sent, completion)
        return completion.text

    def describe(self, image: Image.Image, question: str) -> str:
        """What a model that sees says of a part of a page; one that does not says nothing of it.

        Raises ModelError (`model_text_only`) for a local model without images.
        """
        if not self.images:
            return "this reader is not set up to see (reader.images)"
        sent = look(question, _encoded(image))
        return self._complete(sent).strip()

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


def _as_shown(passage: Passage | Note) -> str:
    if isinstance(passage, Note):
        return passage.text
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
    reply: Reply, claims: Sequence[Claim], sources: Sequence[Passage | Note], asked: Question
) -> Answer:
    if not reply.answerable:
        said = reply.value if isinstance(reply.value, str) and reply.value else "no reason given"
        return _refusal(f"Not answerable, says the model: {said}")
    if not claims:
        return _refusal(_UNSOURCED)
    cited = [sources[n - 1] for n in dict.fromkeys(n for claim in claims for n in claim.sources)]
    value, form = _typed(reply.value, asked)
    support = _support(reply, claims, cited, asked)
    evidence = tuple(dict.fromkeys(item for source in cited for item in _evidence(source, support)))
    given = Answer(
        " ".join(claim.text for claim in claims), value, form, True, evidence, 0.9 * support
    )
    notes = [source for source in sources if isinstance(source, Note)]
    return supported(
        given,
        [text for source in cited for text in _told(source)],
        asked.text,
        [note.calculation for note in notes if note.calculation],
        counted=asked.kind == "count",
        seen=[note.text for note in notes if note.seen and note in cited],
    )


def _evidence(source: Passage | Note, score: float) -> tuple[Evidence, ...]:
    if isinstance(source, Note):
        return source.evidence
    document, page = source.content.document, source.content.page
    return (cite(document, page, source.block, source.start, source.end, score),)


def _told(source: Passage | Note) -> list[str]:
    """What documents say in a source; a note is as good as its quotes."""
    if isinstance(source, Note):
        return [item.quote for item in source.evidence]
    return [source.context, source.text, *(cell.headers for cell in source.cells)]


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
    reply: Reply, claims: Sequence[Claim], cited: Sequence[Passage | Note], asked: Question
) -> float:
    """Share of the words of the answer that what is cited or the question says, 0-1."""
    texts = [text for source in cited for text in _told(source)]
    texts += [source.text for source in cited if isinstance(source, Note)]
    said = set(content_words(" ".join(texts)))
    answer = set(content_words(" ".join(claim.text for claim in claims)))
    answer |= set(content_words(str(reply.value)))
    return len(answer & (said | set(asked.terms))) / len(answer) if answer else 0.5


def _refusal(text: str) -> Answer:
    return Answer(text, None, "none", False, (), 0.0)


def _reading(numbers: tuple[int, ...], answer: Answer) -> Reading:
    findings = (answer.text,) if answer.answerable else ()
    return Reading(numbers, answer.text, findings, answer.evidence, answer)
