"""Several processes that train one policy, through accelerate.

Every process makes its share of the rollouts, sees those of all, and computes the gradient of its
share of them; gradients are added up. So a run is the same in any number of processes, up to the
order in which floats are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import torch
from torch import nn

T = TypeVar("T")


class Processes:
    """This process among those that were started together (`accelerate launch`, `torchrun`); alone
    otherwise."""

    def __init__(self) -> None:
        from accelerate import Accelerator  # type: ignore[import-untyped]

        self._accelerator: Any = Accelerator(cpu=not torch.cuda.is_available())

    @property
    def first(self) -> bool:
        """Whether this process is the one that writes."""
        return bool(self._accelerator.is_main_process)

    @property
    def device(self) -> torch.device:
        return torch.device(self._accelerator.device)

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """What of the items is this process's; shares differ by one at most."""
        rank, count = self._accelerator.process_index, self._accelerator.num_processes
        return items[len(items) * rank // count : len(items) * (rank + 1) // count]

    def gather(self, items: list[T]) -> list[T]:
        """The shares of all processes in order, as `share` dealt them."""
        from accelerate.utils import gather_object  # type: ignore[import-untyped]

        return list(gather_object(items))

    def add_up(self, parameters: Iterable[nn.Parameter], numbers: torch.Tensor) -> torch.Tensor:
        """Replace the gradients by their sums over all processes; the sums of `numbers`, too."""
        trained = [p for p in parameters if p.requires_grad]
        for parameter in trained:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        if self._accelerator.num_processes == 1:
            return numbers
        for parameter in trained:
            parameter.grad = self._accelerator.reduce(parameter.grad, reduction="sum")
        summed: torch.Tensor = self._accelerator.reduce(numbers, reduction="sum")
        return summed

    def wait(self) -> None:
        self._accelerator.wait_for_everyone()
