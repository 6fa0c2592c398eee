"""Scoring of MMLongBench-Doc answers: rule-based match of a short answer with the key.

The benchmark (Ma et al., arXiv 2407.01523) lets a language model reduce a free-form output to a
short answer; docpipe's answers are typed, so that stage falls away and the score is deterministic.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from rapidfuzz.distance import Levenshtein

from docpipe.errors import ConfigError, SchemaError
from docpipe.records import Answer

GoldFormat = Literal["Int", "Float", "Str", "List", "None"]
Prediction = str | int | float | list[str]

NOT_ANSWERABLE = "Not answerable"
FAILED = "Fail to answer"

_KINDS = {"Pure-text (Plain-text)": "text", "Generalized-text (Layout)": "layout"}
_ANLS_THRESHOLD = 0.5
_AMOUNT = re.compile(
    r"(?:US)?(?:[$€£₹]|EUR|USD|GBP)?\s?(\d[\d,]*(?:\.\d+)?)(?:\s?(?:EUR|USD|GBP|€|£))?"
)
_EXACT = re.compile(
    r"""\d+([-\s]\d+)?                      # a phone-like number
      | \d{4}[-\s]\d{2}([-\s]\d{2})?        # 2021-05, 2021-05-31
      | [\w.%+-]+@[\w.-]+\.[a-z]{2,}        # an e-mail address
    """,
    re.VERBOSE,
)


class Sample(msgspec.Struct, frozen=True):
    """A question of the benchmark as released; list fields are strings of Python lists there."""

    doc_id: str
    doc_type: str
    question: str
    answer: str
    evidence_pages: str
    evidence_sources: str
    answer_format: GoldFormat

    @property
    def pages(self) -> tuple[int, ...]:
        """Gold pages, from 1. Some keys name pages the file does not have."""
        return tuple(int(page) for page in _as_list(self.evidence_pages))

    @property
    def sources(self) -> tuple[str, ...]:
        """Kinds of evidence, such as `Table` or `Chart`; several are possible."""
        return tuple(_as_list(self.evidence_sources))

    @property
    def kinds(self) -> tuple[str, ...]:
        """`sources` in one lower-case word each: text, layout, table, chart, figure."""
        return tuple(_KINDS.get(source, source.lower()) for source in self.sources)

    @property
    def answerable(self) -> bool:
        return not self.answer.startswith(NOT_ANSWERABLE)


class Scored(msgspec.Struct, frozen=True):
    """A sample, the short answer a system gave to it, and the score in 0-1."""

    sample: Sample
    prediction: Prediction
    score: float


def load_samples(data: bytes) -> list[Sample]:
    """The samples in a JSON file of the benchmark (v1 or V2). Raises SchemaError."""
    try:
        return msgspec.json.decode(data, type=list[Sample])
    except msgspec.DecodeError as error:
        raise SchemaError(f"not a list of MMLongBench-Doc samples: {error}") from error


def read_samples(path: Path, documents: Collection[str]) -> list[Sample]:
    """The samples in a file that are about these documents. Raises ConfigError, SchemaError."""
    try:
        samples = load_samples(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    return [sample for sample in samples if sample.doc_id in documents]


def prediction_of(answer: Answer) -> Prediction:
    """The short answer to score: the typed value, the text where there is none.

    Of an amount the number without currency and thousands commas, as the keys have it.
    """
    if not answer.answerable:
        return NOT_ANSWERABLE
    if isinstance(answer.value, str) and (amount := _AMOUNT.fullmatch(answer.value.strip())):
        return amount[1].replace(",", "")
    return answer.text if answer.value is None else answer.value


def judge(sample: Sample, prediction: Prediction) -> Scored:
    """Score one prediction against the sample's key.

    V2 keys allow alternatives ("Not answerable or 0 or none"): the best of them counts.
    """
    keys = sample.answer.split(" or ") if not sample.answerable else [sample.answer]
    best = max(score(key, prediction, sample.answer_format) for key in keys)
    return Scored(sample, prediction, best)


def score(gold: str, prediction: Prediction, gold_format: GoldFormat) -> float:
    """How far a short answer agrees with the key, 0-1, by the rules of the key's format."""
    match gold_format:
        case "Int":
            return _score_int(gold, prediction)
        case "Float":
            return _score_float(gold, prediction)
        case "List":
            return _score_list(_as_list(gold), _as_list(prediction))
        case "Str" | "None":
            return _score_string(clean(gold), clean(prediction))


def clean(value: object) -> str:
    """Lower case, without parentheses, one outer quote on each side, a `$` before, a `%` after."""
    text = re.sub(r"\s*\([^)]*\)", "", str(value).lower().strip()).strip()
    text = re.sub(r"^['\"]|['\"]$", "", text).strip()
    return text.lstrip("$").strip().rstrip("%").strip()


def anls(gold: str, prediction: str) -> float:
    """1 - edit distance / longer length; 0 unless above one half."""
    longest = max(len(gold), len(prediction))
    similarity = 1.0 - Levenshtein.distance(gold, prediction) / longest if longest else 1.0
    return similarity if similarity > _ANLS_THRESHOLD else 0.0


def _score_int(gold: str, prediction: Prediction) -> float:
    try:
        return float(int(gold) == int(float(prediction)))  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _score_float(gold: str, prediction: Prediction) -> float:
    try:
        key, value = float(clean(gold)), float(clean(prediction))
    except ValueError:
        return 0.0
    return float(any(_same_number(scaled, value) for scaled in (key / 100, key, key * 100)))


def _same_number(key: float, value: float) -> bool:
    if not (math.isfinite(key) and math.isfinite(value)):
        return False
    decimals = max(2, min(_decimals(key), _decimals(value)))
    return math.isclose(key, value, rel_tol=0.01) or round(key, decimals) == round(value, decimals)


def _decimals(number: float) -> int:
    return len(str(number).partition(".")[2])


def _score_string(gold: str, prediction: str) -> float:
    return float(gold == prediction) if _is_exact_token(gold) else anls(gold, prediction)


def _score_list(gold: Sequence[str], prediction: Sequence[str]) -> float:
    if len(gold) != len(prediction):
        return 0.0
    keys, values = sorted(map(clean, gold)), sorted(map(clean, prediction))
    if not keys:
        return 1.0
    if _is_number(keys[0]) or _is_exact_token(keys[0]):
        return float(keys == values)
    return min(anls(key, value) for key, value in zip(keys, values, strict=True))


def _is_exact_token(text: str) -> bool:
    return bool(
        "https://" in text
        or text.endswith((".py", "ipynb"))
        or text.startswith("page")
        or "a.m." in text
        or "p.m." in text
        or _EXACT.fullmatch(text)
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_list(value: object) -> list[str]:
    """A list, the list a string spells out as a literal, or a list of the one value."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return [str(value)]
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


# ── Aggregation ─────────────────────────────────────────────────────────────────────────────────


def accuracy(scored: Sequence[Scored]) -> float:
    """Mean score in 0-1; 0 for no samples."""
    return sum(item.score for item in scored) / len(scored) if scored else 0.0


def f1(scored: Sequence[Scored], *, v1: bool = True) -> float:
    """Harmonic mean of recall and precision on answerable questions, 0-1.

    `v1` keeps the released evaluator's habit to count "Fail to answer" as an answer given.
    """
    silent = (NOT_ANSWERABLE,) if v1 else (NOT_ANSWERABLE, FAILED)
    answerable = [item for item in scored if item.sample.answerable]
    answered = [item for item in scored if item.prediction not in silent]
    total = sum(item.score for item in answerable)
    if not total or not answered:
        return 0.0
    recall, precision = total / len(answerable), total / len(answered)
    return 2 * recall * precision / (recall + precision)


def breakdown(scored: Iterable[Scored]) -> dict[str, dict[str, float]]:
    """Accuracy by answer format, evidence kind, document type and number of gold pages."""
    groups: dict[str, Callable[[Sample], Sequence[str]]] = {
        "format": lambda sample: (sample.answer_format,),
        "evidence": lambda sample: sample.sources if sample.answerable else (),
        "document": lambda sample: (sample.doc_type,),
        "pages": _page_group,
    }
    items = list(scored)
    return {name: _accuracy_by(items, keys) for name, keys in groups.items()}


def _page_group(sample: Sample) -> Sequence[str]:
    if len(sample.pages) == 1:
        return ("single",) if sample.answerable else ("single", "unanswerable")
    return ("cross",) if sample.answerable else ("unanswerable",)


def _accuracy_by(
    scored: Sequence[Scored], keys: Callable[[Sample], Sequence[str]]
) -> dict[str, float]:
    groups: dict[str, list[Scored]] = {}
    for item in scored:
        for key in keys(item.sample):
            groups.setdefault(key, []).append(item)
    return {key: accuracy(group) for key, group in sorted(groups.items())}
