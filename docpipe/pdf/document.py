"""Opening a file, and what only the whole file knows."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from docpipe.errors import InputError, StageError
from docpipe.pdf.images import ImageDocument
from docpipe.pdf.page import PdfPageView
from docpipe.pdf.streams import MAX_CONTENT, cut_content
from docpipe.pdf.text import clean
from docpipe.records import Attachment, Issue, OutlineEntry
from docpipe.stages import PageView

MAX_OUTLINE_ENTRIES = 20_000
MAX_OUTLINE_DEPTH = 30
MAX_ATTACHMENTS = 1000
_HEADER_WINDOW = 1024  # readers accept "%PDF-" anywhere in the first 1024 bytes
_PROBED_PAGES = 10
_IMAGE_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"II+\x00")


class OpenDocument(Protocol):
    """An open input file; a context manager. Pages count from 1."""

    @property
    def page_count(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def close(self) -> None: ...
    def page(self, number: int) -> PageView:
        """Raises StageError when this page is damaged."""
        ...

    def page_labels(self) -> list[str]:
        """The printed page numbers, such as "iv", one a page."""
        ...

    def outline(self) -> list[OutlineEntry]: ...
    def metadata(self) -> dict[str, str]:
        """What the file says of itself; `encrypted` is "user" or "owner" by the password it has."""
        ...

    def attachments(self) -> list[Attachment]:
        """Names and sizes of embedded files. The names are untrusted."""
        ...

    def issues(self) -> list[Issue]:
        """What is odd about the file without keeping it from being read."""
        ...


def document_id(path: Path) -> str:
    """The first 16 hex digits of the sha256 of the file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def open_document(
    path: Path,
    password: str | None = None,
    *,
    max_bytes: int | None = None,
    max_pages: int | None = None,
) -> OpenDocument:
    """The document in a PDF, PNG, JPEG or TIFF file. Raises InputError."""
    head, size = _head(path)
    if size == 0:
        raise InputError("empty_file", f"{path.name} is empty")
    if max_bytes is not None and size > max_bytes:
        raise InputError("too_large", f"{path.name} has {size:,} bytes, more than {max_bytes:,}")
    if head.startswith(_IMAGE_MAGIC) and path.suffix.lower() != ".pdf":
        return ImageDocument(path, max_pages)
    if not (b"%PDF-" in head[:_HEADER_WINDOW] or _looks_like_a_pdf_body(head)):
        raise InputError("not_a_pdf", f"{path.name} is not a PDF")
    document = PdfDocument(path, password)
    try:
        document.check_pages(max_pages)
    except InputError:
        document.close()
        raise
    return document


def _head(path: Path) -> tuple[bytes, int]:
    try:
        with path.open("rb") as file:
            return file.read(65_536), path.stat().st_size
    except FileNotFoundError as error:
        raise InputError("source_missing", f"{path} does not exist") from error
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """The error (`source_missing`) to raise for a file that is there but cannot be read."""
    reason = (error.strerror or str(error)).lower()
    name = os.fsencode(path.name).decode("utf-8", "backslashreplace")
    return InputError(
        "source_missing", f"{name} cannot be read: {reason}", hint="check its permissions"
    )


@contextlib.contextmanager
def _readable_name(path: Path) -> Iterator[str]:
    """A name of the file that MuPDF takes: it wants UTF-8."""
    name = str(path)
    if name == name.encode(errors="replace").decode():
        yield name
        return
    with path.open("rb") as file:
        yield f"/dev/fd/{file.fileno()}"


def _import_pymupdf() -> Any:
    """PyMuPDF without the add-ons that it imports when they are installed, if nobody has imported
    it yet: their models would cost a second, 400 MB of address space and threads."""
    if "pymupdf" not in sys.modules:
        add_ons = {"pymupdf.layout", "pymupdf4llm"} - sys.modules.keys()
        sys.modules |= dict.fromkeys(add_ons)  # type: ignore[arg-type]
        try:
            importlib.import_module("pymupdf")
        finally:
            for name in add_ons:
                del sys.modules[name]
    return importlib.import_module("pymupdf")


def _looks_like_a_pdf_body(head: bytes) -> bool:
    """Whether a file without a header is a PDF that lost it."""
    return not head.startswith(_IMAGE_MAGIC) and b" obj" in head and b"endobj" in head


class PdfDocument:
    """A PDF file."""

    def __init__(self, path: Path, password: str | None = None) -> None:
        pymupdf = _import_pymupdf()
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        self.name = path.name
        try:
            with _readable_name(path) as name:
                self._pdf: Any = pymupdf.open(name, filetype="pdf")
        except Exception as error:  # PyMuPDF raises bare RuntimeErrors too
            raise InputError(
                "damaged_unrecoverable", f"{path.name} cannot be opened: {error}"
            ) from error
        self._unlock(password)
        self._labels: list[str] | None = None
        self._cut: set[int] = set()  # xrefs of streams

    def _unlock(self, password: str | None) -> None:
        self._encryption = ""
        if self._pdf.needs_pass:
            self._encryption = "user"
            if password is None:
                self._pdf.close()
                raise InputError("needs_password", f"{self.name} is locked with a password")
            if not self._pdf.authenticate(password):
                self._pdf.close()
                raise InputError("wrong_password", f"the password does not open {self.name}")
        elif (self._pdf.metadata or {}).get("encryption"):
            self._encryption = "owner"

    def check_pages(self, max_pages: int | None) -> None:
        """Raises InputError when there is no page, too many, or none that can be read."""
        if self.page_count == 0:
            if self._pdf.is_repaired:
                raise InputError("damaged_unrecoverable", f"{self.name}: no page was found")
            raise InputError("no_pages", f"{self.name} has no pages")
        if max_pages is not None and self.page_count > max_pages:
            raise InputError(
                "too_large", f"{self.name} has {self.page_count:,} pages, more than {max_pages:,}"
            )
        numbers = range(min(self.page_count, _PROBED_PAGES))
        # Loading may repair the file, which may leave it without pages.
        if not any(self._loads(number) for number in numbers) or self.page_count == 0:
            raise InputError("damaged_unrecoverable", f"{self.name}: no page can be read")

    def _loads(self, index: int) -> bool:
        try:
            self._pdf.load_page(index)
        except Exception:  # any failure means the same here
            return False
        return True

    @property
    def page_count(self) -> int:
        try:
            return int(self._pdf.page_count)
        except Exception as error:  # a page tree beyond repair
            raise InputError("damaged_unrecoverable", f"{self.name}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if not self._pdf.is_closed:
            self._pdf.close()

    def page(self, number: int) -> PdfPageView:
        try:
            issues = self._cut_content(number)
            page = self._pdf.load_page(number - 1)
            return PdfPageView(page, number, self.page_labels()[number - 1], issues)
        except Exception as error:  # whatever MuPDF raises for this page
            raise StageError(
                "pdf", number, f"page cannot be read: {error}", code="damaged_page"
            ) from error

    def _cut_content(self, number: int) -> list[Issue]:
        if not cut_content(self._pdf, number, self._cut):
            return []
        message = f"only the first {MAX_CONTENT >> 20} MiB of what the page draws were read"
        return [Issue("pdf", "too_large", message, number)]

    def page_labels(self) -> list[str]:
        if self._labels is None:
            self._labels = _labels(self._pdf, self.page_count)
        return self._labels

    def outline(self) -> list[OutlineEntry]:
        """Bookmarks, at most MAX_OUTLINE_ENTRIES; empty when they form a loop."""
        return list(_entries(self._toc(), self.page_count))

    def _toc(self) -> list[Any]:
        try:
            return list(self._pdf.get_toc())
        except Exception:  # damaged bookmarks cost the bookmarks only
            return []

    def metadata(self) -> dict[str, str]:
        found = {
            key: clean(value).strip()
            for key, value in (self._pdf.metadata or {}).items()
            if isinstance(value, str)
        }
        found["encrypted"] = self._encryption
        return {key: value for key, value in found.items() if value and key != "encryption"}

    def attachments(self) -> list[Attachment]:
        found: list[Attachment] = []
        try:
            for name in self._pdf.embfile_names()[:MAX_ATTACHMENTS]:
                info = self._pdf.embfile_info(name)
                shown = info.get("ufilename") or info.get("filename") or name
                found.append(Attachment(clean(shown), max(0, int(info.get("length") or 0))))
        except Exception:  # a damaged name tree keeps what was found before
            return found
        return found

    def issues(self) -> list[Issue]:
        found: list[Issue] = []
        if self._is_xfa_only():
            message = "an XFA form: its pages show only a placeholder in most readers"
            found.append(Issue("pdf", "unsupported_xfa", message))
        if self._pdf.is_repaired:
            found.append(Issue("pdf", "repaired", "the file is damaged and was repaired"))
        if self._has_outline() and not self._toc():
            found.append(Issue("pdf", "outline_loop", "the bookmarks are damaged or form a loop"))
        return found

    def _is_xfa_only(self) -> bool:
        if self._key("AcroForm/XFA") == "null":
            return False
        return self._key("NeedsRendering") == "true" or self._key("AcroForm/Fields") in (
            "null",
            "[]",
        )

    def _has_outline(self) -> bool:
        return self._key("Outlines/First") != "null"

    def _key(self, path: str) -> str:
        """The value at `path` in the PDF's catalog, "null" when there is none."""
        try:
            return str(self._pdf.xref_get_key(self._pdf.pdf_catalog(), path)[1])
        except Exception:  # no catalog
            return "null"


def _labels(pdf: Any, count: int) -> list[str]:
    from pymupdf import utils

    plain = [str(number) for number in range(1, count + 1)]
    try:
        rules = [
            (
                rule["startpage"],
                rule.get("prefix", ""),
                rule.get("style", ""),
                rule.get("firstpagenum", 1),
            )
            for rule in pdf.get_page_labels()
        ]
        rules.sort()
        if not rules:
            return plain
        spread = list(_spread(rules, count))
        made = [
            clean(utils.construct_label(style, prefix, first + offset))
            for offset, prefix, style, first in spread
        ]
    except Exception:  # labels are a nicety: a damaged label tree means plain numbers
        return plain
    return [label or number for label, number in zip(made, plain, strict=True)]


def _spread(
    rules: list[tuple[int, str, str, int]], count: int
) -> Iterator[tuple[int, str, str, int]]:
    """For each page the rule it is under: offset into it, prefix, style, first number."""
    position = -1
    for page in range(count):
        while position + 1 < len(rules) and rules[position + 1][0] <= page:
            position += 1
        start, prefix, style, first = rules[max(position, 0)]
        yield max(page - start, 0), prefix, style, first


def _entries(toc: list[Any], pages: int) -> Iterator[OutlineEntry]:
    for level, title, page, *_ in toc[:MAX_OUTLINE_ENTRIES]:
        title = " ".join(clean(str(title)).split())
        if title and level <= MAX_OUTLINE_DEPTH:
            yield OutlineEntry(level, title, page if 1 <= page <= pages else None)
