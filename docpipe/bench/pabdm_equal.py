"""Ways of decoding compared at equal quality: chosen on half of the samples, told of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from docpipe.bench.pabdm_ways import Way
from docpipe.bench.stats import Interval, bootstrap, bootstrap_sums

WORSE = 0.005  # of ned: what counts as equal quality
Speed = Literal["tpf", "tps_1"]
_SPEEDS: tuple[Speed, ...] = ("tpf", "tps_1")
_TOLD = ("fed", "tps_1", "tps_16")


class Tried(NamedTuple):
    """A way of decoding a model on a set; of each sample its group, how far off it was read, its
    tokens and forwards; and the figures of all."""

    set: str
    model: str
    way: Way
    groups: list[str]
    neds: list[float]
    tokens: list[int]
    forwards: list[int]
    figures: dict[str, float]

    def ned(self, samples: Sequence[int]) -> float:
        return sum(self.neds[at] for at in samples) / len(samples)

    def speed(self, samples: Sequence[int], by: Speed) -> float:
        """Tokens a second are those of all timed samples."""
        if by == "tps_1":
            return self.figures["tps_1"]
        forwards = sum(self.forwards[at] for at in samples)
        return sum(self.tokens[at] for at in samples) / max(forwards, 1)


def halves(groups: Sequence[str]) -> tuple[list[int], list[int]]:
    """Samples to choose by, and those to tell of; a group's stay together."""
    number = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    sides: tuple[list[int], list[int]] = ([], [])
    for at, group in enumerate(groups):
        sides[number[group] % 2].append(at)
    return sides


def at_equal_quality(tried: Sequence[Tried], *, seed: int = 0) -> dict[str, float]:
    """The figures `best/…` and `gain/…` of the bench."""
    figures: dict[str, float] = {}
    for name, model in dict.fromkeys((t.set, t.model) for t in tried):
        own = [t for t in tried if (t.set, t.model) == (name, model)]
        chosen_by, told = halves(own[0].groups)
        if not told:
            continue
        for reference in _references(tried, own):
            for by in _SPEEDS:
                best = dict(_fastest(own, reference, by, chosen_by))
                for one in best.values():
                    prefix = f"best/{reference.way.kind} {by}/{name}/{model}/{one.way.name}"
                    figures |= {f"{prefix}/{key}": one.figures[key] for key in _TOLD}
                    figures[f"{prefix}/ned"] = one.ned(told)
                    figures[f"{prefix}/tpf"] = one.speed(told, "tpf")
                if reference.way.kind == "stepwise" and by == "tpf" and "prefixes" in best:
                    figures |= _gains(best, reference, told, f"gain/{name}/{model}", seed)
    return figures


def _references(tried: Sequence[Tried], own: Sequence[Tried]) -> Iterator[Tried]:
    """What to read as well as: the model itself token by token, which tells of decoding alone; and
    the one of its seed that predicts next tokens, which is what one would use instead."""
    yield from (t for t in own if t.way.kind == "stepwise")
    if own[0].way.kind != "next":
        seed = _seed(own[0].model)
        yield from (
            t for t in tried if (t.set, t.way.kind, _seed(t.model)) == (own[0].set, "next", seed)
        )


def _fastest(
    own: Sequence[Tried], reference: Tried, by: Speed, samples: Sequence[int]
) -> Iterator[tuple[str, Tried]]:
    """Of each kind the fastest way that reads these samples as well."""
    limit = reference.ned(samples) + WORSE
    for kind in dict.fromkeys(t.way.kind for t in own if t.way.kind not in ("next", "stepwise")):
        good = [t for t in own if t.way.kind == kind and t.ned(samples) <= limit]
        if good:
            yield kind, max(good, key=lambda t: t.speed(samples, by))


def _gains(
    best: dict[str, Tried], stepwise: Tried, told: Sequence[int], prefix: str, seed: int
) -> dict[str, float]:
    """How many times the tokens a forward of others prefixes give, and how much worse they read."""
    figures: dict[str, float] = {}
    for kind, other in {**best, "stepwise": stepwise}.items():
        if kind == "prefixes":
            continue
        for key, found in {
            "tpf": gain(best["prefixes"], other, told, seed),
            "ned": _worse(best["prefixes"], other, told, seed),
        }.items():
            start = f"{prefix}/prefixes over {kind}/{key}"
            figures[start] = found.mean
            if found.low is not None and found.high is not None:
                figures |= {f"{start}_low": found.low, f"{start}_high": found.high}
    return figures


def gain(one: Tried, other: Tried, samples: Sequence[int], seed: int = 0) -> Interval:
    """How many times the tokens a forward of `other`, paired by sample; a model that writes nothing
    counts as one that writes a token."""
    columns = [
        [one.tokens[at], one.forwards[at], other.tokens[at], other.forwards[at]] for at in samples
    ]
    return bootstrap_sums(
        columns,
        [one.groups[at] for at in samples],
        _ratio,
        seed=seed,
    )


def _ratio(sums: Any) -> Any:
    one, forwards, other, others_forwards = (sums[..., at].clip(1) for at in range(4))
    return (one / forwards) / (other / others_forwards)


def _worse(one: Tried, other: Tried, samples: Sequence[int], seed: int) -> Interval:
    differences = [one.neds[at] - other.neds[at] for at in samples]
    return bootstrap(differences, [one.groups[at] for at in samples], seed=seed)


def _seed(model: str) -> str:
    """What the study names it by, `ARM-seedN`."""
    return model.partition("-seed")[2]
