"""The compact policy: a small network that chooses queries, pages and the end of a run.

It picks one option after another (`compact_options`), told by numbers about each
(`compact_features`): queries for one search, pages to read at once, or that enough is read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from docpipe import registry
from docpipe.agents.mmdocr1.compact_facts import Memory
from docpipe.agents.mmdocr1.compact_features import ENOUGH, Matrix, Scene, Situation
from docpipe.agents.mmdocr1.compact_network import CompactNetwork
from docpipe.agents.mmdocr1.compact_options import Enough, Option, decision_of, follow
from docpipe.agents.mmdocr1.offline import OfflinePolicy
from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.errors import ModelError

Pick = Callable[[Situation, list[int]], int]


class CompactPolicy:
    """Decides by trained weights, without a language model.

    `weights` is a folder with `compact.safetensors`, as `docpipe train agent` writes it; `embedder`
    is the one that it was trained with. `eagerness` is added to the score of ending: more is fewer
    pages. Over several documents, for which it was not trained, the hand-written policy decides.
    """

    def __init__(self, weights: Path, *, embedder: str = "minilm", eagerness: float = 0.0) -> None:
        self._memory = Memory(registry.build("embedder", embedder))
        self._network = load_network(weights)
        wanted = self._network.settings["dimension"]
        if self._memory.dimension != wanted:
            raise ModelError(
                f"the weights in {weights} take vectors of {wanted} numbers, {embedder!r} makes "
                f"{self._memory.dimension}",
                code="weights",
                hint="name the embedder of its training: policy_options = { embedder = … }",
            )
        self._eagerness = eagerness
        self._of_several = OfflinePolicy()

    def decide(self, state: State) -> Decision:
        if len(state.documents) > 1:
            return self._of_several.decide(state)
        return decide(state, self._memory, self._pick)

    def _pick(self, situation: Situation, allowed: list[int]) -> int:
        with torch.inference_mode():
            logits = scores(self._network, [situation], [allowed])[0]
        logits = logits + self._eagerness * torch.from_numpy(situation.features[:, ENOUGH])
        return int(logits.argmax())


def decide(state: State, memory: Memory, pick: Pick) -> Decision:
    """A decision made of picks; `pick` takes the index of one of those allowed."""
    scene = Scene(state, memory)
    picks: list[Option] = []
    while allowed := follow(picks, scene.offered, state):
        picks.append(scene.offered[pick(scene.situation(picks), allowed)])
        if isinstance(picks[-1], Enough):
            break
    return decision_of(picks, state)


def scores(
    network: CompactNetwork, situations: list[Situation], offered: list[list[int]]
) -> torch.Tensor:
    """Logits of several picks, padded to the most options: [B, O]."""
    most = max(len(situation.features) for situation in situations)

    def stacked(parts: list[Matrix]) -> torch.Tensor:
        rows = np.zeros((len(parts), most, parts[0].shape[1]), np.float32)
        for row, part in enumerate(parts):
            rows[row, : len(part)] = part
        return torch.from_numpy(rows)

    mask = torch.zeros(len(situations), most, dtype=torch.bool)
    for row, allowed in enumerate(offered):
        mask[row, allowed] = True
    logits: torch.Tensor = network(
        stacked([situation.features for situation in situations]),
        torch.from_numpy(np.stack([situation.run for situation in situations])),
        stacked([situation.vectors for situation in situations]),
        torch.from_numpy(np.stack([situation.question for situation in situations])),
        mask,
    )
    return logits


def load_network(folder: Path) -> CompactNetwork:
    """The network in a folder. Raises ModelError where there is none, or of another version."""
    from safetensors import SafetensorError, safe_open

    path = folder / "compact.safetensors"
    try:
        with safe_open(path, "pt") as file:
            settings = {key: int(value) for key, value in (file.metadata() or {}).items()}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        network = CompactNetwork(**settings)
        network.load_state_dict(tensors)
    except (OSError, SafetensorError, RuntimeError, ValueError, TypeError) as error:
        raise ModelError(
            f"no weights of the compact policy can be loaded from {path}: {error}",
            code="weights",
            hint="train them with `docpipe train agent`, or use the policy offline",
        ) from error
    return network.eval()


def save_network(network: CompactNetwork, folder: Path) -> None:
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    metadata = {key: str(value) for key, value in network.settings.items()}
    tensors = {name: value.contiguous().cpu() for name, value in network.state_dict().items()}
    save_file(tensors, folder / "compact.safetensors", metadata)
