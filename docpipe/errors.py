"""Every error docpipe raises on purpose.

    DocpipeError
    ├── InputError      one input cannot be read        (codes: INPUT_CODES)
    ├── ConfigError     the configuration or a call is wrong
    ├── SchemaError     stored data is not of a schema this version reads
    ├── ModelError      weights or a model backend are missing or unusable
    └── StageError      a stage failed on a page

Each carries a stable `code` for machines, a `message` that says what happened and a `hint` that
says what to do next. Foreign exceptions are wrapped (`raise … from error`), never passed on.
"""

from __future__ import annotations

from typing import Literal, get_args

InputCode = Literal[
    "needs_password",
    "wrong_password",
    "not_a_pdf",
    "empty_file",
    "no_pages",
    "damaged_unrecoverable",
    "too_large",
    "timeout",
    "memory",
    "unsupported_xfa",
    "source_missing",
    "internal",
]
INPUT_CODES: tuple[str, ...] = get_args(InputCode)

_INPUT_HINTS: dict[InputCode, str] = {
    "needs_password": "give it with --password or --password-file",
    "wrong_password": "check the password given with --password or --password-file",
    "not_a_pdf": "docpipe reads PDF, PNG, JPEG and TIFF files",
    "empty_file": "the file has 0 bytes: copy or download it again",
    "no_pages": "the file is a PDF without pages: export it again",
    "damaged_unrecoverable": "no page could be recovered: get another copy of the file",
    "too_large": "raise the limit in the configuration, or split the file",
    "timeout": "raise --page-timeout or --document-timeout",
    "memory": "raise the memory limit in the configuration, or split the file",
    "unsupported_xfa": "open the form in Adobe Reader and print it to PDF",
    "source_missing": "put the original file back, or ingest with --copy",
    "internal": "please report this with the file: it is a defect of docpipe",
}


class DocpipeError(Exception):
    """Base of all docpipe errors: `code`, `message`, `hint`."""

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:  # keyword arguments would be lost in pickling
        return _rebuilt, (type(self), self.__dict__)


def _rebuilt(kind: type[DocpipeError], state: dict[str, object]) -> DocpipeError:
    error = kind.__new__(kind, state["message"])
    error.__dict__ |= state
    return error


class InputError(DocpipeError):
    """An input file cannot be read. `code` is one of INPUT_CODES."""

    code: InputCode

    def __init__(self, code: InputCode, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, code=code, hint=_INPUT_HINTS[code] if hint is None else hint)


class ConfigError(DocpipeError):
    """A configuration file, option or argument is wrong."""

    def __init__(self, message: str, *, code: str = "config", hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)


class SchemaError(DocpipeError):
    """Stored data is damaged, or was written by a newer docpipe."""

    def __init__(self, message: str, *, code: str = "schema", hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)


class ModelError(DocpipeError):
    """A model, its weights or its backend cannot be used."""

    def __init__(self, message: str, *, code: str = "model", hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)


class StageError(DocpipeError):
    """A stage failed on one page (or, with `page` None, on a whole document)."""

    def __init__(
        self, stage: str, page: int | None, message: str, *, code: str = "stage", hint: str = ""
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.stage = stage
        self.page = page
