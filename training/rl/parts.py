"""From settings to what is trained: library, questions, environment, policy; in workers, too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from docpipe import registry
from docpipe.agents.mmdocr1.history import Rendering
from docpipe.datasets.questions.record import GoldQuestion, read_jsonl
from docpipe.errors import ConfigError, ModelError
from docpipe.library import Library
from docpipe.stages import LibraryView
from docpipe.training.docfusion.adapters import add_adapters
from docpipe.training.docfusion.settings import LoraSettings
from docpipe.training.rl.compact.remembered import RememberedEnv
from docpipe.training.rl.env import DocEnv
from docpipe.training.rl.language import LanguagePolicy
from docpipe.training.rl.policy import TrainablePolicy
from docpipe.training.rl.settings import DataSettings, Settings
from docpipe.training.rl.toy import toy_model, toy_questions

POLICIES = {
    "language": "docpipe.training.rl.parts:language_policy",
    "compact": "docpipe.training.rl.compact.policy:compact",
}


class Parts(NamedTuple):
    env: DocEnv
    policy: TrainablePolicy[Any]
    questions: list[GoldQuestion]
    evaluation: list[GoldQuestion]


def make_parts(settings: Settings) -> Parts:
    """Everything that the settings name; the same in every process. Raises ConfigError,
    ModelError."""
    library, questions, evaluation = _data(settings.data, settings.seed)
    name = settings.policy.name
    environment = RememberedEnv if name == "compact" else DocEnv
    env = environment(library, settings.env, settings.reward)
    given = {"env": env, "questions": questions, "lora": settings.lora, "seed": settings.seed}
    torch.manual_seed(settings.seed)
    policy = registry.build("policy", POLICIES.get(name, name), settings.policy.options, given)
    return Parts(env, policy, questions, evaluation)


def language_policy(
    path: str,
    env: DocEnv,
    questions: Sequence[GoldQuestion],
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
    model, tokenizer = toy_model(env, questions, seed) if path == "toy" else load_model(Path(path))
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


def _data(
    settings: DataSettings, seed: int
) -> tuple[LibraryView, list[GoldQuestion], list[GoldQuestion]]:
    if settings.toy:
        library, questions = toy_questions(settings.toy, seed)
        return library, questions, questions
    questions = list(read_jsonl(Path(settings.questions)))
    if not questions:
        raise ConfigError(f"no questions in {settings.questions}")
    evaluation = list(read_jsonl(Path(settings.evaluation))) if settings.evaluation else questions
    return Library.open(settings.library), questions, evaluation
