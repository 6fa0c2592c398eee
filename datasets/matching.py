"""Whether a short answer agrees with a key: the rule-based match of MMLongBench-Doc.

The benchmark (Ma et al., arXiv 2407.01523) lets a language model reduce a free-form output to a
short answer; docpipe's answers are typed, so that stage falls away and the score is deterministic.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from typing import Literal

from rapidfuzz.distance import Levenshtein

from docpipe.records import Answer

GoldFormat = Literal["Int", "Float", "Str", "List", "None"]
Prediction = str | int | float | list[str]

NOT_ANSWERABLE = "Not answerable"

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


def prediction_of(answer: Answer) -> Prediction:
    """The short answer to score: the typed value, the text where there is none.

    Of an amount the number without currency and thousands commas, as the keys have it.
    """
    if not answer.answerable:
        return NOT_ANSWERABLE
    if isinstance(answer.value, str) and (amount := _AMOUNT.fullmatch(answer.value.strip())):
        return amount[1].replace(",", "")
    return answer.text if answer.value is None else answer.value


def score(gold: str, prediction: Prediction, gold_format: GoldFormat) -> float:
    """How far a short answer agrees with the key, 0-1, by the rules of the key's format."""
    match gold_format:
        case "Int":
            return _score_int(gold, prediction)
        case "Float":
            return _score_float(gold, prediction)
        case "List":
            return _score_list(as_list(gold), as_list(prediction))
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


def as_list(value: object) -> list[str]:
    """A list, the list a string spells out as a literal, or a list of the one value."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return [str(value)]
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]
