"""Low-rank adapters (LoRA, arXiv:2106.09685) by peft, trained in place of all weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import nn

from docpipe.errors import ConfigError
from docpipe.training.docfusion.settings import LoraSettings


def add_adapters(model: nn.Module, parts: Sequence[nn.Module], settings: LoraSettings) -> None:
    """Freeze the model and add adapters to the modules meant of its `parts`. Raises ConfigError for
    none."""
    from peft import LoraConfig, inject_adapter_in_model

    model.requires_grad_(False)
    found = False
    for part in parts:
        if not any(name.endswith(settings.targets) for name, _ in part.named_modules()):
            continue
        found = True
        config = LoraConfig(
            r=settings.rank, lora_alpha=settings.alpha, target_modules=list(settings.targets)
        )
        inject_adapter_in_model(config, part)
    if not found:
        raise ConfigError(f"no module is called {' or '.join(settings.targets)}", hint="[lora]")


def merge_adapters(model: nn.Module) -> None:
    """Add the adapters to the weights and remove them: the model is again as any other."""
    from peft.tuners.lora import LoraLayer

    adapted = [name for name, module in model.named_modules() if isinstance(module, LoraLayer)]
    for name in adapted:
        layer: Any = model.get_submodule(name)
        layer.merge()
        parent, _, last = name.rpartition(".")
        setattr(model.get_submodule(parent), last, layer.get_base_layer())
    model.requires_grad_(True)
