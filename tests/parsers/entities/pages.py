"""Pages of entities for tests, and models small enough to run in milliseconds."""

from __future__ import annotations

import numpy as np
import torch

from docpipe.geometry import BBox
from docpipe.parsers.entities.features import EntityPage
from docpipe.parsers.entities.model import KnnFormer, ModelConfig
from docpipe.parsers.entities.schema import FieldSchema, FieldSpec
from docpipe.parsers.entities.weights import build_model

SCHEMA = FieldSchema(
    (FieldSpec("total", "one"), FieldSpec("date", "one"), FieldSpec("address", "many"))
)
TEXTS = ("TOTAL", "9.00", "25/12/2018", "NO. 53, JALAN SAGU 18", "CASH", "10.00", "", "Thank you!")


def random_page(n: int, seed: int = 0, texts: tuple[str, ...] = TEXTS) -> EntityPage:
    rng = np.random.default_rng(seed)
    corners, sizes = rng.uniform(0, 400, (n, 2)), rng.uniform(4, 90, (n, 2))
    boxes = tuple(
        BBox(float(x), float(y), float(x + w), float(y + h))
        for (x, y), (w, h) in zip(corners, sizes, strict=True)
    )
    chosen = tuple(texts[at] for at in rng.integers(0, len(texts), n))
    return EntityPage(500.0, 700.0, chosen, boxes)


def small_model(seed: int = 0, **options: object) -> KnnFormer:
    """A model in evaluation whose bias tables are not zero, as after training."""
    small: dict[str, object] = {"width": 16, "layers": 2, "heads": 2, "buckets": 256}
    torch.manual_seed(seed)
    model = build_model(ModelConfig(**(small | options)), SCHEMA)  # type: ignore[arg-type]
    for name, table in model.named_parameters():
        if name.split(".")[-2] in ("hops", "across", "down", "keys"):
            torch.nn.init.normal_(table)
    return model.eval()
