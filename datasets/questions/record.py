"""Questions with their gold evidence, one a line of JSON.

{"id": "9f2c…-cell-0-3", "kind": "cell", "question": "What is the rent of flat 7?",
 "answer": "1,380", "format": "Float", "how": "quote", "documents": ["9f2c…"],
 "pages": [["9f2c…", 4]], "evidence": [{"document": "9f2c…", "page": 4, "quote": "1,380", …}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from docpipe import codec
from docpipe.datasets.matching import GoldFormat
from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Evidence, Record

# How an answer follows from the quotes of the evidence, in their order: it stands in the last one;
# its parts stand in one each; it is the number of their page, the numbers of their pages, or how
# many they are; their numbers' sum or difference; of quotes in pairs (a name, a number) the name
# with the greater or less number. Those of benchmarks are "given": they follow from nothing known.
How = Literal[
    "quote",
    "quotes",
    "page",
    "pages",
    "count",
    "sum",
    "difference",
    "greater",
    "less",
    "absent",
    "given",
]


class GoldQuestion(Record, frozen=True, kw_only=True):
    """A question and what is known of its answer.

    `documents` are the ids of the documents asked, `pages` all that hold the evidence, as (document
    id, page from 1). Where `answerable` is False the right answer is a refusal. `kind` is the path
    it was made along, or the benchmark it is from.
    """

    id: str
    kind: str
    question: str
    answer: str
    format: GoldFormat
    how: How
    documents: tuple[str, ...]
    pages: tuple[tuple[str, int], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    answerable: bool = True


def write_jsonl(path: Path, questions: Iterable[GoldQuestion]) -> int:
    """Write one question a line; how many. Raises ConfigError."""
    lines = [codec.encode(question) for question in questions]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error
    return len(lines)


def read_jsonl(path: Path) -> Iterator[GoldQuestion]:
    """The questions in a file. Raises ConfigError, SchemaError with the line that does not fit."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            yield codec.decode(line, GoldQuestion)
        except SchemaError as error:
            raise SchemaError(f"{path}, line {number}: {error}") from error
