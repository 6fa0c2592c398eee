"""From settings to what is trained: library, tasks, environment, policy. Also made in workers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from docpipe import codec, registry
from docpipe.agents.mmdocr1.history import Rendering
from docpipe.errors import ConfigError, ModelError
from docpipe.library import Library
from docpipe.stages import LibraryView
from docpipe.training.docfusion.adapters import add_adapters
from docpipe.training.docfusion.settings import LoraSettings
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.language import LanguagePolicy
from docpipe.training.rl.policy import TrainablePolicy
from docpipe.training.rl.settings import DataSettings, Settings
from docpipe.training.rl.tasks import Task
from docpipe.training.rl.toy import toy_model, toy_tasks

POLICIES = {
    "language": "docpipe.training.rl.parts:language_policy",
    "compact": "docpipe.training.rl.compact.policy:compact",
}


class Parts(NamedTuple):
    env: DocEnv
    policy: TrainablePolicy[Any]
    tasks: list[Task]
    evaluation: list[Task]


def make_parts(settings: Settings) -> Parts:
    """Everything that the settings name; the same in every process. Raises ConfigError,
    ModelError."""
    library, tasks, evaluation = _data(settings.data, settings.seed)
    env = DocEnv(library, settings.env, settings.reward)
    name = settings.policy.name
    given = {"env": env, "tasks": tasks, "lora": settings.lora, "seed": settings.seed}
    torch.manual_seed(settings.seed)
    policy = registry.build("policy", POLICIES.get(name, name), settings.policy.options, given)
    return Parts(env, policy, tasks, evaluation)


def read_tasks(path: Path) -> list[Task]:
    """Tasks in JSON Lines. Raises ConfigError, SchemaError."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    tasks = [codec.decode(line, Task) for line in lines if line.strip()]
    if not tasks:
        raise ConfigError(f"no tasks in {path}")
    return tasks


def language_policy(
    path: str,
    env: DocEnv,
    tasks: Sequence[Task],
    lora: LoraSettings | None,
    seed: int,
    history: Rendering = "chat",
    brief: bool = True,
    temperature: float = 1.0,
    max_tokens: int = 64,
    context: int = 2048,
    checkpointing: bool = False,
) -> LanguagePolicy:
    """A language model in a folder, or in a `.gguf` file; "toy" for a tiny random one."""
    model, tokenizer = toy_model(env, tasks, seed) if path == "toy" else load_model(Path(path))
    if lora is not None:
        add_adapters(model, [model], lora)
    return LanguagePolicy(
        model,
        tokenizer,
        history=history,
        brief=brief,
        temperature=temperature,
        max_tokens=max_tokens,
        context=context,
        checkpointing=checkpointing,
    )


def load_model(path: Path) -> tuple[nn.Module, Any]:
    """A causal language model in 32 bits, and its tokenizer. Raises ModelError."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, file = (path.parent, path.name) if path.suffix == ".gguf" else (path, None)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file, local_files_only=True)
        model: nn.Module = AutoModelForCausalLM.from_pretrained(
            folder, gguf_file=file, local_files_only=True, dtype=torch.float32
        )
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: {error}", code="model_missing", hint="[policy]") from error
    return model, tokenizer


def _data(settings: DataSettings, seed: int) -> tuple[LibraryView, list[Task], list[Task]]:
    if settings.toy:
        library, tasks = toy_tasks(settings.toy, seed)
        return library, tasks, tasks
    tasks = read_tasks(Path(settings.tasks))
    evaluation = read_tasks(Path(settings.evaluation)) if settings.evaluation else tasks
    return Library.open(settings.library), tasks, evaluation
