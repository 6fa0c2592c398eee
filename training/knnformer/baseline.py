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

from docpipe.parsers.entities.features import EntityPage, Floats, page_features

SIDES = ("left", "right", "above", "below")


def floor_predictions(
    train: Sequence[EntityPage],
    labels: Sequence[npt.NDArray[np.int64]],
    test: Sequence[EntityPage],
    classes: int,
    *,
    neighbours: bool = True,
    seed: int = 0,
) -> list[npt.NDArray[np.float64]]:
    """Log-probabilities (n, classes) per test page after fitting to pages with classes (n,).

    Class 0 where nothing was learnt of a class. Needs scikit-learn.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, sublinear_tf=True)
    words = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", min_df=2)
    sides = TfidfVectorizer(token_pattern=r"\S+", min_df=2)
    parts = [grams, words, *([sides] if neighbours else [])]
    model = LogisticRegression(C=10.0, max_iter=300, random_state=seed)
    model.fit(_matrix(train, parts, fit=True), np.concatenate(list(labels)))

    found = model.predict_log_proba(_matrix(test, parts, fit=False))
    scores = np.full((len(found), classes), -50.0)
    scores[:, model.classes_] = np.maximum(found, -50.0)
    return np.split(scores, np.cumsum([len(page.texts) for page in test])[:-1])


def _matrix(pages: Sequence[EntityPage], parts: Sequence[Any], *, fit: bool) -> Any:
    """A row per entity of all pages: each part's TF-IDF, then the features."""
    texts = [_folded(text) for page in pages for text in page.texts]
    columns = [texts, texts]
    if len(parts) > 2:
        columns.append([words for page in pages for words in neighbour_words(page)])
    found = [
        part.fit_transform(column) if fit else part.transform(column)
        for part, column in zip(parts, columns, strict=True)
    ]
    features = np.vstack([page_features(page) for page in pages])
    return sparse.hstack([*found, sparse.csr_array(features)]).tocsr()


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


def nearest_on_sides(boxes: Floats) -> npt.NDArray[np.int64]:
    """Index of the nearest box to the left, right, above and below, -1 for none, (n, 4).

    Left and right neighbours share half of the lower box's height with it; those above and below
    share some of its width.
    """
    x0, y0, x1, y1 = boxes.T
    heights, middle_x, middle_y = y1 - y0, (x0 + x1) / 2, (y0 + y1) / 2
    shared_y = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    shared_x = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    level = shared_y >= 0.5 * np.minimum(heights[:, None], heights)
    across, down = middle_x - middle_x[:, None], middle_y - middle_y[:, None]
    stacked = (shared_x > 0) & ~level
    return np.stack(
        [
            _nearest(-across, level & (across < 0)),
            _nearest(across, level & (across > 0)),
            _nearest(-down, stacked & (down < 0)),
            _nearest(down, stacked & (down > 0)),
        ],
        axis=1,
    )


def _nearest(distances: Floats, able: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    if not len(distances):
        return np.zeros(0, np.int64)
    best = np.where(able, distances, np.inf).argmin(axis=1)
    return np.where(able.any(axis=1), best, -1)
