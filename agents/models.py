"""Language models in local folders, and the errors that all backends share.

They need an extra: `pip install 'docpipe[models]'`. Failures are ModelErrors with these codes:
model_unreachable, model_timeout, model_auth, model_overloaded, model_request, model_reply,
model_missing, model_text_only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from docpipe.errors import ModelError
from docpipe.records import ImagePart, Message, TextPart
from docpipe.stages import Completion

_HINTS = {
    "model_timeout": "raise timeout, or ask for fewer tokens",
    "model_unreachable": "check base_url and that the server runs",
    "model_auth": "check the key in the environment variable named by key_variable",
    "model_overloaded": "try again later, or raise retries",
    "model_request": "check the model's name and what it accepts",
    "model_reply": "check that base_url is an OpenAI-style interface (it often ends in /v1)",
    "model_missing": "give a folder with config, tokenizer and model.safetensors, or a .gguf file",
    "model_text_only": "use a model that reads images",
}


def model_error(code: str, message: str, cause: Exception | None = None) -> ModelError:
    """The error to raise; `code` is one of those above."""
    error = ModelError(message, code=code, hint=_HINTS[code])
    error.__cause__ = cause
    return error


class TransformersModel:
    """A causal language model in a local folder (safetensors), loaded at once; text only.

    Nothing is downloaded. Messages go through the tokenizer's chat template where it has one; the
    special tokens of the prompt are the template's alone, those in a message are broken up.
    """

    def __init__(self, path: str, *, device: str = "cpu") -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if not Path(path).is_dir():
            raise model_error("model_missing", f"no model folder at {path}")
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
            self._model = AutoModelForCausalLM.from_pretrained(
                path, local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError) as error:
            raise model_error("model_missing", f"{path}: {error}") from error
        self._model.to(device).eval()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
    ) -> Completion:
        """The model's reply, cut before the first of `stop`; greedy at temperature 0."""
        import torch

        inputs = self._tokenizer(
            chat_prompt(self._tokenizer, messages),
            return_tensors="pt",
            add_special_tokens=not self._tokenizer.chat_template,  # a template writes its own
        ).to(self._model.device)
        options: dict[str, Any] = {"max_new_tokens": max_tokens, "do_sample": temperature > 0}
        if temperature > 0:
            options["temperature"] = temperature
        prompt_tokens = int(inputs["input_ids"].shape[1])
        if stop:

            def stopped(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
                text = self._tokenizer.decode(ids[0, prompt_tokens:], skip_special_tokens=True)
                return torch.tensor([any(mark in text for mark in stop)], device=ids.device)

            options["stopping_criteria"] = [stopped]
        with torch.inference_mode():
            output = self._model.generate(**inputs, **options)
        made = output[0, prompt_tokens:]
        text = self._tokenizer.decode(made, skip_special_tokens=True)
        return Completion(_cut(text, stop), prompt_tokens, len(made))


def chat_prompt(tokenizer: Any, messages: Sequence[Message]) -> str:
    """Messages as a prompt for a transformers tokenizer: by its chat template where it has one.
    Special tokens in messages are broken up. Raises ModelError for images."""
    special = {str(token) for token in tokenizer.all_special_tokens} | {
        str(token) for token in tokenizer.added_tokens_decoder.values() if token.special
    }
    chat = [
        {"role": message.role, "content": _without(special, only_text(message))}
        for message in messages
    ]
    if tokenizer.chat_template:
        return str(tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))
    return "\n\n".join([*(f"{turn['role']}: {turn['content']}" for turn in chat), "assistant:"])


def _without(special: Collection[str], text: str) -> str:
    """A text whose special tokens are broken by a sign that does not show."""
    for token in sorted((token for token in special if len(token) > 1), key=len, reverse=True):
        text = text.replace(token, f"{token[0]}\u200d{token[1:]}")
    return text


def only_text(message: Message) -> str:
    """The text of a message. Raises ModelError (`model_text_only`) for one with images."""
    if any(isinstance(part, ImagePart) for part in message.parts):
        raise model_error("model_text_only", "this model cannot read images")
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def _cut(text: str, stop: Sequence[str]) -> str:
    ends = [text.find(mark) for mark in stop if mark in text]
    return text[: min(ends)] if ends else text
