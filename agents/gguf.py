"""Language models in a GGUF file, run in this process by llama.cpp.

The binding is xllamacpp, which comes as a ready wheel (llama-cpp-python has to be compiled). It
needs the extra `llm`. Failures are ModelErrors with the codes of `docpipe.agents.models`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docpipe.agents.endpoint import chat_message, completion_of
from docpipe.agents.models import model_error, only_text
from docpipe.records import Message
from docpipe.stages import Completion


class GgufModel:
    """A chat model in a `.gguf` file, loaded at once; text only.

    `context` is the most tokens of a prompt with its reply, `threads` the processor cores to use
    (default: all but one), `gpu_layers` how many layers a GPU runs where the binding was built for
    one. Messages go through the chat template in the file.
    """

    def __init__(
        self, path: str, *, context: int = 4096, threads: int = 0, gpu_layers: int = 0
    ) -> None:
        import xllamacpp

        if not Path(path).is_file():
            raise model_error("model_missing", f"no GGUF file at {path}")
        params = xllamacpp.CommonParams()
        params.model.path = path
        params.n_ctx, params.n_parallel, params.n_gpu_layers = context, 1, gpu_layers
        params.cpuparams.n_threads = threads or max(1, (os.cpu_count() or 2) - 1)
        params.warmup = False
        # llama.cpp's server listens on a port, too: nobody else is to use it.
        params.hostnames, params.port = ["127.0.0.1"], 0
        params.api_keys = [secrets.token_hex(16)]
        params.ui = params.endpoint_slots = False
        params.verbosity = -1
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise model_error("model_missing", f"{path} cannot be loaded: {error}") from error

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
    ) -> Completion:
        """The model's reply with its token counts. Raises ModelError: `model_request` for a prompt
        that is longer than the context, `model_text_only` for images."""
        for message in messages:
            only_text(message)
        body: dict[str, Any] = {
            "messages": [chat_message(message) for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stop": list(stop),
        }
        try:
            reply = self._server.handle_chat_completions(body)
        except RuntimeError as error:
            raise model_error("model_request", str(error)) from error
        if isinstance(reply, dict) and "choices" not in reply:
            problem = reply.get("error", reply)
            raise model_error("model_request", str(problem.get("message", problem))[:200])
        return completion_of(reply)
