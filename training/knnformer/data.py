"""Documents to examples: pages as torch-geometric's graphs, and batches of them.

Importing torch-geometric takes seconds, so only training does.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.utils import to_dense_adj, to_dense_batch

from docpipe.datasets.kie import KieDocument, KiePage
from docpipe.parsers.entities.batch import page_tensors
from docpipe.parsers.entities.features import EntityPage
from docpipe.parsers.entities.losses import IGNORED
from docpipe.parsers.entities.model import KnnFormer
from docpipe.parsers.entities.schema import FieldSchema


def pages_of(documents: Sequence[KieDocument]) -> list[KiePage]:
    """Their pages that have entities."""
    return [page for document in documents for page in document.pages if page.entities]


def entity_page(page: KiePage) -> EntityPage:
    texts = tuple(entity.text for entity in page.entities)
    boxes = tuple(entity.box for entity in page.entities)
    return EntityPage(page.width, page.height, texts, boxes)


def page_labels(page: KiePage, schema: FieldSchema) -> Tensor:
    """The class of each entity, (n,) int64."""
    classes = {label: at for at, label in enumerate(schema.labels)}
    known = [classes.get(e.label, -1) for e in page.entities]
    if -1 in known:  # says which
        schema.class_of(page.entities[known.index(-1)].label)
    return torch.tensor(known)


def page_candidates(page: KiePage, schema: FieldSchema) -> Tensor:
    """Where an entity would be right for a class besides its label, (n, C) bool."""
    candidates = torch.zeros(len(page.entities), len(schema.labels), dtype=torch.bool)
    for at, entity in enumerate(page.entities):
        for label in entity.also:
            candidates[at, schema.class_of(label)] = True
    return candidates


def unknown_classes(document: KieDocument, schema: FieldSchema) -> Tensor:
    """The classes that nobody labelled in the document, (C,) bool."""
    known = {schema.labels[0], *(document.annotated or schema.labels)}
    return torch.tensor([label not in known for label in schema.labels])


def make_examples(
    documents: Sequence[KieDocument], model: KnnFormer, schema: FieldSchema
) -> list[Data]:
    """A graph per page that has entities.

    Nodes are the entities; edges join those within the cap of hop distances, which are their
    `edge_attr`. A node has the rows of its text (as many as `counts` says; those of all nodes stand
    one after another), its features, centre and neighbours on the four sides, its class in
    `labels`, and in `candidates` (n, C) the classes it would be equally right for. `unknown` (1, C)
    is true for classes that nobody labelled on the page.
    """
    return [
        _graph(page, document, model, schema)
        for document in documents
        for page in pages_of([document])
    ]


def _graph(page: KiePage, document: KieDocument, model: KnnFormer, schema: FieldSchema) -> Data:
    tensors = page_tensors(entity_page(page), model.encoder, model.design)
    edges = (tensors.hops <= model.design.hop_cap).nonzero().T
    return Data(
        edge_index=edges,
        edge_attr=tensors.hops[edges[0], edges[1]].long(),
        rows=torch.cat(tensors.rows),
        counts=torch.tensor([len(rows) for rows in tensors.rows]),
        features=tensors.features,
        centres=tensors.centres,
        sides=tensors.sides,
        labels=page_labels(page, schema),
        candidates=page_candidates(page, schema),
        unknown=unknown_classes(document, schema).unsqueeze(0),
        num_nodes=len(page.entities),
    )


class Collator:
    """Graphs to a padded batch: the arguments of the model, `labels` (B, N), `candidates`
    (B, N, C) and `unknown` (B, C). `cap` is the model's cap of hop distances."""

    def __init__(self, cap: int) -> None:
        self._cap = cap

    def __call__(self, graphs: Sequence[Data]) -> dict[str, Tensor]:
        batch = Batch.from_data_list(list(graphs))
        nodes = batch.batch

        def dense(values: Tensor, fill: float = 0) -> Tensor:
            padded: Tensor = to_dense_batch(values, nodes, fill_value=fill)[0]
            return padded

        edges = to_dense_adj(batch.edge_index, nodes, batch.edge_attr + 1)
        counts = dense(batch.counts).flatten()
        return {
            "rows": batch.rows,
            "offsets": counts.cumsum(0) - counts,
            "features": dense(batch.features),
            "centres": dense(batch.centres),
            "hops": torch.where(edges == 0, self._cap + 1, edges - 1),
            "sides": dense(batch.sides, -1),
            "mask": to_dense_batch(batch.labels, nodes)[1],
            "labels": dense(batch.labels, IGNORED),
            "candidates": dense(batch.candidates),
            "unknown": batch.unknown,
        }
