"""Entities of a document by KNN-former with combinatorial matching."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.entities.batch import PageTensors, collate, page_tensors
from docpipe.parsers.entities.features import EntityPage
from docpipe.parsers.entities.matching import match
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.segments import Segment, entity_page, segments
from docpipe.parsers.entities.weights import load
from docpipe.records import Document, Entity, Page, Region, Source

STAGE = "knnformer"
# Attention holds the pairs of a batch: pages are batched up to this many of them.
_PAIRS_PER_BATCH = 2_000_000


class KnnFormerClassifier:
    """An EntityClassifier with the model in the local folder `weights` (see training).

    The entities of a page are runs of words on one line; those of no field are left out. `scope`
    says where a field that stands once does so: in the whole "document", or on each "page", as in a
    file of receipts. `device` is a torch device.
    """

    def __init__(
        self,
        weights: Path,
        *,
        device: str = "cpu",
        scope: Literal["document", "page"] = "document",
    ) -> None:
        self._model, self._config = load(weights, torch_device(device))
        self._device = device
        self._scope = scope

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels that entities can have, besides that of no field."""
        return self._config.schema.labels[1:]

    def classify(self, document: Document) -> tuple[Entity, ...]:
        """The entities in the order of pages and words, with the probability of their label."""
        form = self._config.schema.links_answers
        found = [segments(page, form=form) for page in document.pages]
        pages = [entity_page(page, here) for page, here in zip(document.pages, found, strict=True)]
        scores = log_probabilities(self._model, pages, self._device)
        classes = self._match(scores)
        return tuple(
            entity
            for page, here, labels, rows in zip(document.pages, found, classes, scores, strict=True)
            for entity in self._entities(page, here, labels, rows)
        )

    def _match(self, scores: Sequence[npt.NDArray[np.float64]]) -> list[npt.NDArray[np.int64]]:
        schema, taus = self._config.schema, self._config.thresholds
        if self._scope == "page" or not scores:
            return [match(page, schema.ones, taus, schema.required) for page in scores]
        together = match(np.concatenate(scores), schema.ones, taus, schema.required)
        return np.split(together, np.cumsum([len(page) for page in scores])[:-1])

    def _entities(
        self,
        page: Page,
        here: Sequence[Segment],
        labels: npt.NDArray[np.int64],
        scores: npt.NDArray[np.float64],
    ) -> list[Entity]:
        return [
            Entity(
                f"p{page.number}/entity{at + 1}",
                self._config.schema.labels[label],
                segment.words,
                Source((Region(page.number, segment.bbox),), STAGE),
                segment.text,
                min(float(np.exp(scores[at, label])), 1.0),
            )
            for at, (segment, label) in enumerate(zip(here, labels, strict=True))
            if label
        ]


def torch_device(name: str) -> str:
    """`name` if torch has such a device here. Raises ConfigError or ModelError."""
    try:
        torch.empty(0, device=name)
    except RuntimeError as error:
        raise ConfigError(f"device {name!r} cannot be used: {error}", hint='try "cpu"') from error
    except AssertionError as error:  # how torch says that it was built without CUDA
        raise ModelError(f"device {name!r} cannot be used: {error}", hint='try "cpu"') from error
    return name


@torch.inference_mode()
def log_probabilities(
    model: KnnFormer, pages: Sequence[EntityPage], device: str = "cpu"
) -> list[npt.NDArray[np.float64]]:
    """Log-probabilities of the classes, (n, C) for each page of n entities."""
    model.eval()
    results: list[npt.NDArray[np.float64]] = [np.zeros((0, model.classes))] * len(pages)
    filled = [at for at, page in enumerate(pages) if page.texts]
    for batch in _batches([len(pages[at].texts) for at in filled]):
        chosen = [filled[at] for at in batch]
        tensors = [page_tensors(pages[at], model.encoder, model.design) for at in chosen]
        for at, rows in zip(chosen, _scores(model, tensors, device), strict=True):
            results[at] = rows
    return results


def _scores(
    model: KnnFormer, tensors: Sequence[PageTensors], device: str
) -> list[npt.NDArray[np.float64]]:
    inputs = {name: tensor.to(device) for name, tensor in collate(tensors).items()}
    rows = model(**inputs).double().log_softmax(-1).cpu().numpy()
    return [page[: len(own.features)] for page, own in zip(rows, tensors, strict=True)]


def _batches(sizes: Sequence[int]) -> list[list[int]]:
    """Pages of like size together, each batch within _PAIRS_PER_BATCH or of one page."""
    batches: list[list[int]] = []
    for at in sorted(range(len(sizes)), key=lambda at: (sizes[at], at)):
        if batches and (len(batches[-1]) + 1) * sizes[at] ** 2 <= _PAIRS_PER_BATCH:
            batches[-1].append(at)
        else:
            batches.append([at])
    return batches
