"""Rollouts in processes of their own, beside the one that trains."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import torch

from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.policy import TrainablePolicy
from docpipe.training.rl.rolling import Job, roll_out
from docpipe.training.rl.runs import Rollout

Parts = tuple[TrainablePolicy[Any], DocEnv]


class Roller(Protocol):
    """Makes runs with the policy's weights of now, in the order of the jobs."""

    def roll(self, wanted: Sequence[Job]) -> Iterator[Rollout]: ...


class Here:
    """Rolls out in this process."""

    def __init__(self, policy: TrainablePolicy[Any], env: DocEnv) -> None:
        self._policy, self._env = policy, env

    def roll(self, wanted: Sequence[Job]) -> Iterator[Rollout]:
        return (roll_out(self._policy, self._env, job) for job in wanted)


class Workers:
    """Rolls out in `count` processes, each with a policy and an environment that `make` makes
    there; it must be picklable. Trained weights are handed over in a file. A context manager."""

    def __init__(self, policy: TrainablePolicy[Any], make: Callable[[], Parts], count: int) -> None:
        self._policy, self._version = policy, 0
        self._folder = tempfile.TemporaryDirectory(prefix="docpipe-weights-")
        self._pool = ProcessPoolExecutor(
            count, multiprocessing.get_context("spawn"), initializer=_start, initargs=(make,)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._folder.cleanup()

    def roll(self, wanted: Sequence[Job]) -> Iterator[Rollout]:
        path = Path(self._folder.name) / f"{self._version}.pt"
        torch.save(trained_weights(self._policy), path)
        futures = [self._pool.submit(_run, str(path), job) for job in wanted]
        try:
            for future in futures:
                yield future.result()
        finally:
            path.unlink()
            self._version += 1


def trained_weights(policy: TrainablePolicy[Any]) -> dict[str, torch.Tensor]:
    """The weights that training changes, by name: of a model with adapters only theirs."""
    return {
        name: parameter.detach()
        for name, parameter in policy.model.named_parameters()
        if parameter.requires_grad
    }


_parts: list[Parts] = []
_loaded = ""


def _start(make: Callable[[], Parts]) -> None:
    torch.set_num_threads(1)
    _parts[:] = [make()]


def _run(weights: str, job: Job) -> Rollout:
    global _loaded
    policy, env = _parts[0]
    if _loaded != weights:
        policy.model.load_state_dict(torch.load(weights, weights_only=True), strict=False)
        _loaded = weights
    return roll_out(policy, env, job)
