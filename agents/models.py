"""Language models: behind an OpenAI-style HTTP interface, or in a local folder.

Both need an extra: `pip install 'docpipe[llm]'` or `'docpipe[models]'`. Failures are ModelErrors
with these codes: model_unreachable, model_timeout, model_auth, model_overloaded, model_request,
model_reply, model_missing, model_text_only.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docpipe.errors import ModelError
from docpipe.records import ImagePart, Message, TextPart
from docpipe.stages import Completion

if TYPE_CHECKING:
    import httpx

_LONGEST_WAIT = 30.0


class OpenAiModel:
    """A chat model behind `POST {base_url}/chat/completions` (OpenAI, vLLM, llama.cpp, Ollama, …).

    The key is read from the environment variable `key_variable`, and left out where that is unset.
    Overload and lost connections are tried again `retries` times, after `backoff` seconds doubling
    each time or as long as the server asks for; `timeout` is in seconds for one try.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "https://api.openai.com/v1",
        key_variable: str = "OPENAI_API_KEY",
        timeout: float = 120.0,
        retries: int = 3,
        backoff: float = 1.0,
    ) -> None:
        import httpx

        key = os.environ.get(key_variable)
        self.model = model
        self.retries = retries
        self.backoff = backoff
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._client = httpx.Client(
            timeout=timeout, headers={"Authorization": f"Bearer {key}"} if key else {}
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
    ) -> Completion:
        """The model's reply with the token counts the server reports. Raises ModelError."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [_chat_message(message) for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
        }
        if stop:
            body["stop"] = list(stop)
        return _completion(self._post(body))

    def _post(self, body: dict[str, Any]) -> httpx.Response:
        """The first good response; waits and tries again while that can help."""
        attempt = 0
        while True:
            response, problem = self._try(body)
            if response is not None and problem is None:
                return response
            if problem is not None and (attempt == self.retries or not _can_pass(problem)):
                raise problem
            time.sleep(_wait(response, self.backoff * 2**attempt))
            attempt += 1

    def _try(self, body: dict[str, Any]) -> tuple[httpx.Response | None, ModelError | None]:
        import httpx

        try:
            response = self._client.post(self._url, json=body)
        except httpx.TimeoutException as error:
            return None, _error("model_timeout", f"no reply in time from {self._url}", error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return None, _error("model_unreachable", f"{self._url}: {error}", error)
        return response, _problem(response)


_HINTS = {
    "model_timeout": "raise timeout, or ask for fewer tokens",
    "model_unreachable": "check base_url and that the server runs",
    "model_auth": "check the key in the environment variable named by key_variable",
    "model_overloaded": "try again later, or raise retries",
    "model_request": "check the model's name and what it accepts",
    "model_reply": "check that base_url is an OpenAI-style interface (it often ends in /v1)",
    "model_missing": "give a folder with config.json, a tokenizer and model.safetensors",
    "model_text_only": "use a model that reads images",
}


def _error(code: str, message: str, cause: Exception | None = None) -> ModelError:
    error = ModelError(message, code=code, hint=_HINTS[code])
    error.__cause__ = cause
    return error


def _problem(response: httpx.Response) -> ModelError | None:
    status = response.status_code
    if status < 300:
        return None
    said = f"HTTP {status}: {response.text[:200]}"
    if status in (401, 403):
        return _error("model_auth", said)
    if status == 408 or status == 429 or status >= 500:
        return _error("model_overloaded", said)
    return _error("model_request", said)


def _can_pass(problem: ModelError) -> bool:
    return problem.code in ("model_overloaded", "model_unreachable", "model_timeout")


def _wait(response: httpx.Response | None, planned: float) -> float:
    asked = response.headers.get("retry-after", "") if response is not None else ""
    seconds = float(asked) if asked.replace(".", "", 1).isdigit() else planned
    return min(seconds, _LONGEST_WAIT)


def _completion(response: httpx.Response) -> Completion:
    try:
        data = response.json()
        text = data["choices"][0]["message"]["content"]
        usage = data.get("usage") or {}
        counts = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _error("model_reply", f"not a chat completion: {response.text[:200]}") from error
    if not isinstance(text, str):
        raise _error("model_reply", "the completion has no text")
    return Completion(text, *counts)


def _chat_message(message: Message) -> dict[str, Any]:
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    if len(texts) == len(message.parts):
        return {"role": message.role, "content": "\n".join(texts)}
    return {"role": message.role, "content": [_chat_part(part) for part in message.parts]}


def _chat_part(part: TextPart | ImagePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    url = f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


class TransformersModel:
    """A causal language model in a local folder (safetensors), loaded at once; text only.

    Nothing is downloaded. Messages go through the tokenizer's chat template where it has one; the
    special tokens of the prompt are the template's alone, those in a message are broken up.
    """

    def __init__(self, path: str, *, device: str = "cpu") -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if not Path(path).is_dir():
            raise _error("model_missing", f"no model folder at {path}")
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
            self._model = AutoModelForCausalLM.from_pretrained(
                path, local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError) as error:
            raise _error("model_missing", f"{path}: {error}") from error
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
            self._prompt(messages),
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

    def _prompt(self, messages: Sequence[Message]) -> str:
        special = {str(token) for token in self._tokenizer.all_special_tokens} | {
            str(token) for token in self._tokenizer.added_tokens_decoder.values() if token.special
        }
        chat = [
            {"role": message.role, "content": _without(special, _only_text(message))}
            for message in messages
        ]
        if self._tokenizer.chat_template:
            prompt = self._tokenizer.apply_chat_template(
                chat, tokenize=False, add_generation_prompt=True
            )
            return str(prompt)
        return "\n\n".join([*(f"{turn['role']}: {turn['content']}" for turn in chat), "assistant:"])


def _without(special: Collection[str], text: str) -> str:
    """A text whose special tokens are broken by a sign that does not show."""
    for token in sorted((token for token in special if len(token) > 1), key=len, reverse=True):
        text = text.replace(token, f"{token[0]}\u200d{token[1:]}")
    return text


def _only_text(message: Message) -> str:
    if any(isinstance(part, ImagePart) for part in message.parts):
        raise _error("model_text_only", "this model cannot read images")
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def _cut(text: str, stop: Sequence[str]) -> str:
    ends = [text.find(mark) for mark in stop if mark in text]
    return text[: min(ends)] if ends else text
