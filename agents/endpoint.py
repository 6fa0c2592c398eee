"""Language models behind an OpenAI-style HTTP interface, whole replies or as they are written.

Needs the extra `llm`. Failures are ModelErrors with the codes of `docpipe.agents.models`.
"""

from __future__ import annotations

import base64
import contextlib
import os
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from docpipe.agents.models import model_error
from docpipe.errors import ModelError
from docpipe.records import ImagePart, Message, TextPart
from docpipe.stages import Completion

if TYPE_CHECKING:
    import httpx

_LONGEST_WAIT = 30.0
_MILLION = 1e6
_NO_REPLY = "no reply in time from"


class OpenAiModel:
    """A chat model behind `POST {base_url}/chat/completions` (OpenAI, vLLM, llama.cpp, Ollama, …).

    The key is read from the environment variable `key_variable`, and left out where that is unset.
    Overload and lost connections are tried again `retries` times, after `backoff` seconds doubling
    each time or as long as the server asks for; `timeout` is in seconds for one try. With `stream`
    the reply is taken as it is written: `timeout` is then the longest pause, so that a slow model
    may write long. `input_price` and `output_price`, of a million tokens, give completions a cost.
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
        stream: bool = False,
        input_price: float = 0.0,
        output_price: float = 0.0,
    ) -> None:
        import httpx

        key = os.environ.get(key_variable)
        self.model = model
        self.retries = retries
        self.backoff = backoff
        self.stream = stream
        self.prices = input_price, output_price
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
        body = _body(self.model, messages, max_tokens, temperature, stop)
        if self.stream:
            return self._gathered(self._pieces(body))
        return self._priced(completion_of(_json(self._post(body, stream=False))))

    def pieces(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
    ) -> Iterator[str]:
        """The reply piece by piece, as the model writes it. Raises ModelError, also on the way."""
        return self._pieces(_body(self.model, messages, max_tokens, temperature, stop))

    def _gathered(self, pieces: Generator[str, None, Completion]) -> Completion:
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                done: Completion = end.value
                return done

    def _pieces(self, body: dict[str, Any]) -> Generator[str, None, Completion]:
        """Yields what is written, returns the whole."""
        options = {"stream": True, "stream_options": {"include_usage": True}}
        response = self._post(body | options, stream=True)
        text: list[str] = []
        counts = 0, 0
        with contextlib.closing(response):
            for event in self._events(response):
                counts = _counts(event) if event.get("usage") else counts
                if piece := _written(event):
                    text.append(piece)
                    yield piece
        return self._priced(Completion("".join(text), *counts))

    def _events(self, response: httpx.Response) -> Iterator[Mapping[str, Any]]:
        """The events of a reply that is streamed (server-sent events, `[DONE]` at the end)."""
        import httpx

        try:
            for line in response.iter_lines():
                data = line.removeprefix("data:").strip()
                if not line.startswith("data:"):
                    continue
                if data == "[DONE]":
                    return
                yield _event(data)
        except httpx.TimeoutException as error:
            raise model_error("model_timeout", f"{_NO_REPLY} {self._url}", error) from error
        except httpx.HTTPError as error:
            raise model_error("model_unreachable", f"{self._url}: {error}", error) from error

    def _priced(self, completion: Completion) -> Completion:
        given, written = self.prices
        cost = completion.prompt_tokens * given + completion.completion_tokens * written
        return msgspec.structs.replace(completion, cost=cost / _MILLION)

    def _post(self, body: dict[str, Any], *, stream: bool) -> httpx.Response:
        """The first good response; waits and tries again while that can help."""
        attempt = 0
        while True:
            response, problem = self._try(body, stream)
            if response is not None and problem is None:
                return response
            if problem is not None and (attempt == self.retries or not _can_pass(problem)):
                raise problem
            time.sleep(_wait(response, self.backoff * 2**attempt))
            attempt += 1

    def _try(
        self, body: dict[str, Any], stream: bool
    ) -> tuple[httpx.Response | None, ModelError | None]:
        import httpx

        try:
            request = self._client.build_request("POST", self._url, json=body)
            response = self._client.send(request, stream=stream)
            if response.status_code >= 300:
                response.read()
        except httpx.TimeoutException as error:
            return None, model_error("model_timeout", f"{_NO_REPLY} {self._url}", error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return None, model_error("model_unreachable", f"{self._url}: {error}", error)
        return response, _problem(response)


def completion_of(data: Any) -> Completion:
    """The completion in the JSON of a reply. Raises ModelError (`model_reply`)."""
    try:
        text = data["choices"][0]["message"]["content"]
        counts = _counts(data)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise model_error("model_reply", f"not a chat completion: {str(data)[:200]}") from error
    if not isinstance(text, str):
        raise model_error("model_reply", "the completion has no text")
    return Completion(text, *counts)


def chat_message(message: Message) -> dict[str, Any]:
    """A message as the interface has it; images as data URLs."""
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    if len(texts) == len(message.parts):
        return {"role": message.role, "content": "\n".join(texts)}
    return {"role": message.role, "content": [_chat_part(part) for part in message.parts]}


def _body(
    model: str,
    messages: Sequence[Message],
    max_tokens: int,
    temperature: float,
    stop: Sequence[str],
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [chat_message(message) for message in messages],
        "max_tokens": max_tokens,
        "temperature": temperature,
    }
    return body | ({"stop": list(stop)} if stop else {})


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise model_error("model_reply", f"no JSON: {response.text[:200]}") from error


def _event(data: str) -> Mapping[str, Any]:
    try:
        event = msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise model_error("model_reply", f"not an event of a reply: {data[:200]}") from error
    if "error" in event:
        raise model_error("model_reply", f"the reply broke off: {str(event['error'])[:200]}")
    return event


def _written(event: Mapping[str, Any]) -> str:
    try:
        return "".join(choice["delta"].get("content") or "" for choice in event["choices"][:1])
    except (LookupError, TypeError, AttributeError) as error:
        raise model_error("model_reply", f"not a part of a reply: {str(event)[:200]}") from error


def _counts(data: Mapping[str, Any]) -> tuple[int, int]:
    usage = data.get("usage") or {}
    return int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))


def _chat_part(part: TextPart | ImagePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    url = f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def _problem(response: httpx.Response) -> ModelError | None:
    status = response.status_code
    if status < 300:
        return None
    said = f"HTTP {status}: {response.text[:200]}"
    if status in (401, 403):
        return model_error("model_auth", said)
    if status == 408 or status == 429 or status >= 500:
        return model_error("model_overloaded", said)
    return model_error("model_request", said)


def _can_pass(problem: ModelError) -> bool:
    return problem.code in ("model_overloaded", "model_unreachable", "model_timeout")


def _wait(response: httpx.Response | None, planned: float) -> float:
    asked = response.headers.get("retry-after", "") if response is not None else ""
    seconds = float(asked) if asked.replace(".", "", 1).isdigit() else planned
    return min(seconds, _LONGEST_WAIT)
