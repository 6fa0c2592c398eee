"""The floor that KNN-former has to beat: logistic regression on words, neighbours and layout.

Text as TF-IDF of character 2-4-grams and of words, layout and shape numbers, and the words of the
nearest line to the left, right, above and below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from docpipe.parsers.entities.features import (
    FEATURE_SIZE,
    LAYOUT_SIZE,
    SHAPE_SIZE,
    EntityPage,
    Floats,
    page_features,
)
from docpipe.parsers.entities.graph import SIDES, nearest_on_sides


def floor_predictions(
    train: Sequence[EntityPage],
    labels: Sequence[npt.NDArray[np.int64]],
    test: Sequence[EntityPage],
    classes: int,
    *,
    neighbours: bool = True,
    context: bool = False,
    seed: int = 0,
) -> list[npt.NDArray[np.float64]]:
    """Log-probabilities (n, classes) per test page after fitting to pages with classes (n,).

    Without `neighbours` their words are left out; `context` adds the numbers that compare an entity
    with its page. Class 0 where nothing was learnt of a class. Needs scikit-learn.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
    from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

    size = FEATURE_SIZE if context else LAYOUT_SIZE + SHAPE_SIZE
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, sublinear_tf=True)
    words = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", min_df=2)
    sides = TfidfVectorizer(token_pattern=r"\S+", min_df=2)
    parts = [grams, words, *([sides] if neighbours else [])]
    scale = StandardScaler().fit(_features(train, size))
    model = LogisticRegression(C=10.0, max_iter=500, random_state=seed)
    learnt = _words(train, parts, fit=True), scale.transform(_features(train, size))
    model.fit(_joined(*learnt), np.concatenate(list(labels)))

    asked = _words(test, parts, fit=False), scale.transform(_features(test, size))
    found = model.predict_log_proba(_joined(*asked))
    scores = np.full((len(found), classes), -50.0)
    scores[:, model.classes_] = np.maximum(found, -50.0)
    return np.split(scores, np.cumsum([len(page.texts) for page in test])[:-1])


def _words(pages: Sequence[EntityPage], parts: Sequence[Any], *, fit: bool) -> list[Any]:
    """Each part's TF-IDF, a row per entity of all pages."""
    texts = [_folded(text) for page in pages for text in page.texts]
    columns = [texts, texts]
    if len(parts) > 2:
        columns.append([words for page in pages for words in neighbour_words(page)])
    return [
        part.fit_transform(column) if fit else part.transform(column)
        for part, column in zip(parts, columns, strict=True)
    ]


def _features(pages: Sequence[EntityPage], size: int) -> Floats:
    return np.vstack([page_features(page)[:, :size] for page in pages])


def _joined(words: list[Any], features: Floats) -> Any:
    return sparse.hstack([*words, sparse.csr_array(features)]).tocsr()


def _folded(text: str) -> str:
    return "".join("0" if char.isdigit() else char for char in text.lower())


def neighbour_words(page: EntityPage) -> list[str]:
    """Per entity the words of its nearest line on each side, marked with the side, in one text."""
    nearest = nearest_on_sides(page.box_array())
    folded = [_folded(text).split() for text in page.texts]
    return [
        " ".join(
            f"{side}:{word}"
            for side, other in zip(SIDES, row, strict=True)
            if other >= 0
            for word in folded[other]
        )
        for row in nearest
    ]
