"""Models of page images, as transformers has them, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from PIL import Image

from docpipe import registry
from docpipe.errors import ModelError
from docpipe.retrieval.visual_store import max_sim
from docpipe.testing import check_visual_embedder

pytest.importorskip("transformers")
pytest.importorskip("tokenizers")
from tests.retrieval.tiny_vision import write_model

Kind = Literal["colpali", "colqwen2"]


@pytest.mark.parametrize("kind", ["colpali", "colqwen2"])
def test_pages_and_queries_have_the_vectors_that_the_model_scores(
    kind: Kind, tmp_path: Path
) -> None:
    import torch

    embedder = registry.build(
        "visual_embedder", "colvision", {"model": str(write_model(tmp_path, kind))}
    )
    check_visual_embedder(embedder)
    images = [Image.effect_noise((300, 200 + 100 * n), 60 + 60 * n) for n in range(3)]
    pages, [query] = embedder.embed_images(images), embedder.embed_queries(["the red mill"])
    scores = max_sim(query, np.concatenate(pages), [len(page) for page in pages])
    theirs = embedder._processor.score_retrieval(
        [torch.from_numpy(query)], [torch.from_numpy(page) for page in pages]
    )
    assert scores == pytest.approx(theirs[0].numpy(), abs=1e-4)
    assert len(set(scores.round(4))) > 1


def test_what_is_no_such_model_is_a_clear_error_and_nothing_is_fetched(tmp_path: Path) -> None:
    for model in (str(tmp_path), "nobody/no-such-model"):
        with pytest.raises(ModelError, match="download") as caught:
            registry.build("visual_embedder", "colvision", {"model": model})
        assert caught.value.code == "model_missing"
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(ModelError, match="is a bert"):
        registry.build("visual_embedder", "colvision", {"model": str(tmp_path)})
