"""Which trainings each part of the bench is made of."""

from __future__ import annotations

from collections.abc import Iterator

from docpipe.bench.knnformer.runs import Changes, Learner, Run
from docpipe.retrieval.dense import weights_folder

SEEDS = (1, 2, 3)
FOLDS = 5

PARTS = ("floor", "sroie", "small", "cord", "funsd", "synthetic", "ablation")

_FLOORS: dict[str, Learner] = {
    "floor": "floor",
    "floor without neighbours": "floor_alone",
    "floor with page context": "floor_context",
}
_REAL = ("funsd", "cord")
_MADE_UP = ("id", "invoice")  # one floor will do: it takes long on them

# Switches of the model, one table of changes each. The rows of the first six are without the
# neighbours on the four sides, which are docpipe's own addition.
_ALONE = {"sides": False}
_ATTENTION: Changes = {
    "no attention": {**_ALONE, "preset": "mlp"},
    "full attention": {**_ALONE, "preset": "full"},
    "full + directions": {**_ALONE, "preset": "full_relative"},
    "hops": {**_ALONE, "preset": "hop"},
    "hops + radius": {**_ALONE, "preset": "hop_radius"},
    "hops + radius + directions": {**_ALONE, "preset": "hop_radius_relative"},
    "no attention, sides": {"preset": "mlp"},
}
_SINGLE: dict[str, Changes] = {
    **{f"K {k}": {"model": {"neighbours": k}} for k in (4, 8, 12)},
    **{f"R {r}": {"model": {"radius": r}} for r in (1, 2, 5)},
    "hop in the key": {"model": {"hop_mode": "key"}},
    "centre distance": {"model": {"nearness": "centre"}},
    "no matching in training": {"loss": {"field_loss": "none"}},
    "given targets": {"loss": {"targets": "given"}},
    "hungarian targets": {"loss": {"targets": "hungarian"}},
    "sinkhorn": {"loss": {"field_loss": "sinkhorn"}},
}


def runs_of(part: str) -> Iterator[Run]:
    """The trainings of a part, in the order of the table."""
    yield from {
        "floor": _floor,
        "sroie": _sroie,
        "small": _small,
        "cord": lambda: _seeds("cord"),
        "funsd": lambda: _seeds("funsd"),
        "synthetic": _synthetic,
        "ablation": _ablation,
    }[part]()


def _floor() -> Iterator[Run]:
    for name, learner in _FLOORS.items():
        for fold in range(FOLDS):
            yield Run(f"sroie/{name}", "sroie", learner, fold=fold, alone=True)
        for each in _REAL if learner != "floor" else (*_REAL, *_MADE_UP):
            yield Run(f"{each}/{name}", each, learner)


def _seeds(config: str) -> Iterator[Run]:
    for seed in SEEDS:
        yield Run(f"{config}/knnformer", config, seed=seed)


def _sroie() -> Iterator[Run]:
    for seed in SEEDS:
        for fold in range(FOLDS):
            yield Run("sroie/knnformer", "sroie", seed=seed, fold=fold)


def _small() -> Iterator[Run]:
    """Without matching is the first by argmax."""
    losses: Changes = {
        "matching in use": {"field_loss": "none", "targets": "given"},
        "matching in both": {"field_loss": "column", "targets": "any"},
    }
    for seed in SEEDS:
        for name, loss in losses.items():
            changes: Changes = {
                "data": {"limit": 100},
                "loss": loss,
                "training": {"epochs": 20},
            }
            yield Run(f"sroie-100/{name}", "sroie", seed=seed, fold=1, changes=changes, alone=True)


def _synthetic() -> Iterator[Run]:
    yield from _seeds("id")
    yield from _seeds("invoice")


def _ablation() -> Iterator[Run]:
    for config, fold in (("funsd", None), ("sroie", 0)):
        where = config if fold is None else f"{config} part {fold}"
        yield Run(f"{where}/as shipped", config, fold=fold)
        for name, model in _ATTENTION.items():
            yield Run(f"{where}/{name}", config, fold=fold, changes={"model": dict(model)})
        for name, changes in _SINGLE.items():
            if config == "sroie" or "model" in changes:  # FUNSD has no field that stands once
                yield Run(f"{where}/{name}", config, fold=fold, changes=changes)
    minilm = str(weights_folder())
    for seed in SEEDS:
        yield Run(
            "funsd/sentence encoder", "funsd", seed=seed, changes={"model": {"encoder": minilm}}
        )
