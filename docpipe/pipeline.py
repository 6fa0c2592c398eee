"""From a file to a Document: open, read each page, OCR the pages that need it, compose.

`Pipeline.parse` does it all in this process. `docpipe ingest` takes the same steps in worker
processes, with limits; the steps are therefore methods of their own.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import msgspec

from docpipe import registry
from docpipe.config import Config, EntitiesConfig, OcrMode
from docpipe.errors import ConfigError, DocpipeError, InputError, StageError
from docpipe.records import (
    Attachment,
    Document,
    Issue,
    OutlineEntry,
    Page,
    Quality,
    Record,
)
from docpipe.stages import PageFacts, PageView, Parser
from docpipe.workers import describe

if TYPE_CHECKING:
    from docpipe.parsers.entities.extraction import FieldExtractor
    from docpipe.pdf import OpenDocument

_A4 = (595.0, 842.0)


class Head(Record, frozen=True):
    """What only the whole file knows."""

    page_count: int
    labels: tuple[str, ...]
    outline: tuple[OutlineEntry, ...]
    metadata: dict[str, str]
    attachments: tuple[Attachment, ...]
    issues: tuple[Issue, ...]


class Pipeline:
    """The configured parser, OCR parser and extractor of fields, and the steps that lead to a
    Document.

    `parser`, `ocr` and `extractor` take ready objects instead of the ones named in `config`. Stages
    are built when first used.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        parser: Parser | None = None,
        ocr: Parser | None = None,
        extractor: FieldExtractor | None = None,
    ) -> None:
        self.config = config or Config()
        if parser is not None:
            self.parser = parser
        if ocr is not None:
            self.ocr = ocr
        if extractor is not None:
            self.extractor = extractor

    @cached_property
    def parser(self) -> Parser:
        stage = self.config.parser
        parser: Parser = registry.build("parser", stage.name, stage.options)
        return parser

    @cached_property
    def ocr(self) -> Parser:
        stage = self.config.ocr
        parser: Parser = registry.build("parser", stage.name, stage.options)
        return parser

    def _check_ocr(self) -> None:
        """Raise ConfigError for wrong settings of OCR before any page is read. A package that is
        not installed is no mistake: what can be read without is read."""
        if self.config.ocr == Config().ocr:
            return
        try:
            _ = self.ocr
        except ConfigError as error:
            if not isinstance(error.__cause__, ImportError):
                raise
        except DocpipeError:
            pass

    @cached_property
    def extractor(self) -> FieldExtractor | None:
        """None where no schema of fields is configured."""
        if self.config.entities is None:
            return None
        from docpipe.parsers.entities.extraction import build_extractor

        return build_extractor(self.config.entities)

    def parse(
        self,
        path: str | Path,
        *,
        pages: str | Iterable[int] | None = None,
        password: str | Sequence[str] | None = None,
        ocr: OcrMode | None = None,
        strict: bool = False,
    ) -> Document:
        """The document in a PDF, PNG, JPEG or TIFF file.

        `pages` is "1-3,7" or page numbers; `password` one or several to try; `ocr` overrides the
        configured mode. A page that fails becomes an empty page and an Issue; with `strict` the
        error is raised. Nothing limits time or memory here: use `Library.ingest` for files that
        you do not trust. Raises InputError, ConfigError; with `strict` StageError too.
        """
        from docpipe.pdf import document_id

        path = Path(path)
        mode = ocr or self.config.ocr_mode
        if mode not in get_args(OcrMode):
            raise ConfigError(f"unknown OCR mode {mode!r}", hint="auto, off or force")
        if mode != "off":
            self._check_ocr()
        document, _ = open_with_passwords(path, _passwords(password), self.config)
        with document:
            head = read_head(document)
            chosen = page_numbers(pages, head.page_count)
            failures: list[Issue] = []
            facts = []
            for number in chosen:
                found, failure = self._read(document, number, mode, strict)
                if found is not None:
                    facts.append(found)
                if failure is not None:
                    failures.append(failure)
            composed = self.compose(
                head, facts, failures, id=document_id(path), name=path.name, numbers=chosen
            )
            return self._try_extract(composed, strict)

    def _try_extract(self, document: Document, strict: bool) -> Document:
        """The document with its fields, if any are configured."""
        if self.extractor is None:
            return document
        try:
            return self.extractor.extract(document)
        except (MemoryError, ConfigError):
            raise
        except Exception as error:
            issue = describe(error, "entities")
            if strict:
                raise StageError("entities", None, issue.message, code=issue.code) from error
            return msgspec.structs.replace(document, issues=(*document.issues, issue))

    def _read(
        self, document: OpenDocument, number: int, mode: OcrMode, strict: bool
    ) -> tuple[PageFacts | None, Issue | None]:
        """The facts of a page, and what failed."""
        facts = None
        try:
            page = document.page(number)
            facts = self.read_text(page)
            if self.wants_ocr(facts, mode):
                facts = self.read_ocr(page, facts)
        except Exception as error:
            if strict:
                raise _page_error(error, number) from error
            issue = describe(error, "parse" if facts is None else "ocr")
            return facts, msgspec.structs.replace(issue, page=number)
        return facts, None

    def read_text(self, page: PageView) -> PageFacts:
        """The page as the parser reads it, with what kept it from being read in full."""
        facts = self.parser.read_page(page)
        return msgspec.structs.replace(facts, issues=(*facts.issues, *page.issues()))

    def wants_ocr(self, facts: PageFacts, mode: OcrMode) -> bool:
        """Whether a page should be read by OCR, too: always, never, or where its text is bad."""
        if mode == "auto":
            from docpipe.parsers.native.quality import needs_ocr

            return needs_ocr(facts.quality)
        return mode == "force"

    def read_ocr(self, page: PageView, text: PageFacts) -> PageFacts:
        """The page as OCR reads it, with what only the file knows taken from `text`, its facts by
        the parser. Those are kept when OCR finds nothing where they have words. The quality also
        keeps the reasons why the page was not taken as it was."""
        facts = self.ocr.read_page(page)
        if text.words and not facts.words:
            return text
        reasons = dict.fromkeys((*text.quality.reasons, *facts.quality.reasons))
        return msgspec.structs.replace(
            facts,
            quality=msgspec.structs.replace(facts.quality, reasons=tuple(reasons)),
            links=text.links,
            annotations=text.annotations,
            form_fields=text.form_fields,
            hidden=text.hidden,
            issues=tuple(dict.fromkeys((*text.issues, *facts.issues))),
        )

    def compose(
        self,
        head: Head,
        facts: Sequence[PageFacts],
        failures: Sequence[Issue],
        *,
        id: str,
        name: str,
        numbers: Sequence[int],
        plain: bool = False,
    ) -> Document:
        """The document of the pages `numbers`; those without facts become empty pages that give
        the failure. With `plain`, or when the parser's compose fails, pages are left as read."""
        whole = fill_gaps(head, facts, failures, numbers)
        issues = [*head.issues, *(issue for fact in whole for issue in fact.issues), *failures]
        pages = None if plain else self._try_compose(whole, head.outline, issues)
        return Document(
            id=id,
            name=name,
            pages=tuple(pages if pages is not None else map(plain_page, whole)),
            outline=head.outline,
            metadata=head.metadata,
            form_fields=tuple(field for fact in whole for field in fact.form_fields),
            attachments=head.attachments,
            issues=tuple(issues),
        )

    def _try_compose(
        self, facts: Sequence[PageFacts], outline: Sequence[OutlineEntry], issues: list[Issue]
    ) -> list[Page] | None:
        try:
            return self.parser.compose(facts, outline)
        except MemoryError:
            raise
        except Exception as error:
            issues.append(describe(error, "compose"))
            return None


def parse(
    path: str | Path,
    *,
    pages: str | Iterable[int] | None = None,
    password: str | Sequence[str] | None = None,
    ocr: OcrMode | None = None,
    strict: bool = False,
    config: Config | None = None,
) -> Document:
    """The document in a PDF, PNG, JPEG or TIFF file: see `Pipeline.parse`."""
    return Pipeline(config).parse(path, pages=pages, password=password, ocr=ocr, strict=strict)


def extract(
    path: str | Path,
    schema: str | Path,
    *,
    weights: str | Path | None = None,
    locale: str | None = None,
    pages: str | Iterable[int] | None = None,
    password: str | Sequence[str] | None = None,
    ocr: OcrMode | None = None,
    strict: bool = False,
    config: Config | None = None,
) -> Document:
    """The document in a file with its entities and fields: docs/extraction.md.

    `schema` is "receipt", "invoice", "id", "form" or a TOML file of your own, which needs
    `weights`; all else as in `Pipeline.parse`. Raises ConfigError, ModelError and InputError.
    """
    entities = EntitiesConfig(
        schema=str(schema), weights=str(weights) if weights else None, locale=locale
    )
    chosen = msgspec.structs.replace(config or Config(), entities=entities)
    return Pipeline(chosen).parse(path, pages=pages, password=password, ocr=ocr, strict=strict)


def open_with_passwords(
    path: Path, passwords: Sequence[str], config: Config
) -> tuple[OpenDocument, str | None]:
    """The open document and the password that it took, None for a file that needs none.

    Raises InputError: `needs_password` without any, `wrong_password` when none fits.
    """
    from docpipe.pdf import open_document

    problem: InputError | None = None
    for password in (None, *passwords):
        try:
            document = open_document(
                path,
                password,
                max_bytes=config.limits.max_file_size << 20,
                max_pages=config.limits.max_pages,
            )
            return document, password
        except InputError as error:
            if error.code not in ("needs_password", "wrong_password"):
                raise
            problem = error
    assert problem is not None
    raise problem


def read_head(document: OpenDocument) -> Head:
    return Head(
        page_count=document.page_count,
        labels=tuple(document.page_labels()),
        outline=tuple(document.outline()),
        metadata=document.metadata(),
        attachments=tuple(document.attachments()),
        issues=tuple(document.issues()),
    )


def page_numbers(pages: str | Iterable[int] | None, count: int) -> list[int]:
    """The chosen page numbers in ascending order. Raises ConfigError for text that is no list of
    ranges such as "1-3,7", and for pages that do not exist."""
    if pages is None:
        return list(range(1, count + 1))
    chosen = set(_ranges(pages, count) if isinstance(pages, str) else pages)
    outside = sorted(number for number in chosen if not 1 <= number <= count)
    if outside or not chosen:
        found = f"no page {outside[0]}" if outside else "no page is chosen"
        raise ConfigError(f"{found}: the document has {count} pages", code="pages")
    return sorted(chosen)


def check_ranges(pages: str | None) -> None:
    """Raise ConfigError when `pages` is no list of ranges, whatever the number of pages."""
    if pages is not None:
        _parse_ranges(pages)


def _ranges(text: str, count: int) -> Iterable[int]:
    for first, last in _parse_ranges(text):
        end = count if last is None else last
        if end < first or end > count:
            raise ConfigError(
                f"no pages {first}-{end}: the document has {count} pages", code="pages"
            )
        yield from range(first, end + 1)


def _parse_ranges(text: str) -> list[tuple[int, int | None]]:
    """First and last page of each range; no last page where it is open, as in "12-"."""
    found: list[tuple[int, int | None]] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:(-)\s*(\d{0,9})\s*)?", part)
        first, dash, last = match.groups() if match else ("0", None, None)
        end = int(last) if last else None if dash else int(first)
        if int(first) < 1 or (end is not None and end < int(first)):
            raise ConfigError(
                f"{text!r} is no list of pages", code="pages", hint='write "1-3,7" or "12-"'
            )
        found.append((int(first), end))
    return found


def fill_gaps(
    head: Head, facts: Sequence[PageFacts], failures: Sequence[Issue], numbers: Sequence[int]
) -> list[PageFacts]:
    """Facts for all of `numbers`: a page without any is empty, of the size that most pages have."""
    found = {fact.number: fact for fact in facts}
    reasons = {issue.page: issue.code for issue in failures}
    sizes = [(fact.width, fact.height) for fact in facts]
    width, height = statistics.mode(sizes) if sizes else _A4
    return [
        found.get(number)
        or PageFacts(
            number=number,
            label=head.labels[number - 1],
            width=width,
            height=height,
            quality=Quality("unreadable", (reasons.get(number, "internal"),), "none"),
        )
        for number in numbers
    ]


def plain_page(facts: PageFacts) -> Page:
    """A page as it was read, without what the rest of the document tells."""
    return Page(
        number=facts.number,
        label=facts.label,
        width=facts.width,
        height=facts.height,
        rotation=facts.rotation,
        words=facts.words,
        blocks=tuple(draft.block for draft in facts.drafts),
        quality=facts.quality,
        links=facts.links,
        annotations=facts.annotations,
        hidden=facts.hidden,
    )


def _passwords(password: str | Sequence[str] | None) -> Sequence[str]:
    return () if password is None else (password,) if isinstance(password, str) else password


def _page_error(error: Exception, number: int) -> DocpipeError:
    if isinstance(error, DocpipeError):
        return error
    issue = describe(error, "parse")
    return StageError(issue.stage, number, f"page {number}: {issue.message}", code=issue.code)
