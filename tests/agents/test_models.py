"""The model backends, against a real HTTP server and a real (tiny, random) model."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from docpipe.agents.endpoint import OpenAiModel
from docpipe.agents.models import TransformersModel, chat_prompt
from docpipe.errors import ModelError
from docpipe.records import ImagePart, Message, TextPart
from docpipe.testing import check_language_model

HELLO = (Message("user", (TextPart("Hello"),)),)
GOOD = {
    "choices": [{"message": {"role": "assistant", "content": "Good day"}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
}


class ChatServer(HTTPServer):
    """Gives the scripted (status, headers, body) replies in order, the last one for ever."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ChatHandler)
        self.script: list[tuple[int, dict[str, str], object]] = [(200, {}, GOOD)]
        self.received: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class ChatHandler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.received.append(json.loads(self.rfile.read(length)))
        self.server.keys.append(self.headers.get("Authorization"))
        script = self.server.script
        status, headers, body = script.pop(0) if len(script) > 1 else script[0]
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status if self.path == "/v1/chat/completions" else 404)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def model_at(server: ChatServer, **options: Any) -> OpenAiModel:
    return OpenAiModel("tiny", base_url=server.url, backoff=0.01, **options)


def test_a_completion_with_its_token_counts(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    model = model_at(server, key_variable="MY_KEY")
    completion = model.complete(HELLO, max_tokens=7, temperature=0.5, stop=["\n"])
    assert (completion.text, completion.prompt_tokens, completion.completion_tokens) == (
        "Good day",
        5,
        2,
    )
    assert server.received == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "Hello"}],
            "max_tokens": 7,
            "temperature": 0.5,
            "stop": ["\n"],
        }
    ]
    assert server.keys == ["Bearer secret"]


def test_no_key_is_sent_where_none_is_set(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model_at(server).complete(HELLO)
    assert server.keys == [None]


def test_images_go_as_data_urls(server: ChatServer) -> None:
    parts = (TextPart("What is this?"), ImagePart(b"\x89PNG"))
    model_at(server).complete((Message("user", parts),))
    assert server.received[0]["messages"][0]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
    ]


def test_an_overloaded_server_is_tried_again(server: ChatServer) -> None:
    server.script = [(429, {"Retry-After": "0.01"}, "busy"), (503, {}, "starting"), (200, {}, GOOD)]
    assert model_at(server).complete(HELLO).text == "Good day"
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("status", "body", "code", "tries"),
    [
        (429, "busy", "model_overloaded", 3),
        (500, "oops", "model_overloaded", 3),
        (401, "who are you", "model_auth", 1),
        (404, "no such model", "model_request", 1),
        (200, "<html>", "model_reply", 1),
        (200, {"choices": []}, "model_reply", 1),
        (200, {"choices": [{"message": {"content": None}}]}, "model_reply", 1),
        (200, ["no", "object"], "model_reply", 1),
    ],
)
def test_failures_have_a_code_and_a_hint(
    server: ChatServer, status: int, body: object, code: str, tries: int
) -> None:
    server.script = [(status, {}, body)]
    with pytest.raises(ModelError) as caught:
        model_at(server, retries=2).complete(HELLO)
    assert caught.value.code == code
    assert caught.value.hint
    assert len(server.received) == tries


def events(*written: str) -> str:
    """A streamed reply in these pieces, as OpenAI's interface has it."""
    parts: list[object] = [{"choices": [{"delta": {"role": "assistant"}}]}]
    parts += [{"choices": [{"delta": {"content": piece}}]} for piece in written]
    usage = {"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 2}}
    lines = [f"data: {json.dumps(part)}\n\n" for part in (*parts, usage)]
    return f": a comment\n\n{''.join(lines)}data: [DONE]\n\n"


def test_a_reply_is_streamed_with_its_counts_and_its_cost(server: ChatServer) -> None:
    server.script = [(503, {}, "starting"), (200, {}, events("Good", " day"))]
    model = model_at(server, stream=True, input_price=0.5, output_price=10.0)
    completion = model.complete(HELLO, stop=["\n"])
    assert (completion.text, completion.prompt_tokens, completion.completion_tokens) == (
        "Good day",
        40,
        2,
    )
    assert completion.cost == pytest.approx(40e-6)
    assert list(model.pieces(HELLO)) == ["Good", " day"]
    assert server.received[-1]["stream"] is True
    assert server.received[-1]["stream_options"] == {"include_usage": True}
    check_language_model(model)


def test_a_whole_reply_has_its_cost(server: ChatServer) -> None:
    completion = model_at(server, input_price=1.0, output_price=2.0).complete(HELLO)
    assert completion.cost == pytest.approx(9e-6)


@pytest.mark.parametrize(
    ("headers", "body", "code"),
    [
        ({"Content-Length": "9999"}, events("Good"), "model_unreachable"),
        ({}, 'data: {"error": {"message": "out of memory"}}\n\n', "model_reply"),
        ({}, "data: <html>\n\n", "model_reply"),
        ({}, 'data: {"choices": ["no object"]}\n\n', "model_reply"),
    ],
)
def test_a_stream_that_breaks_off_is_an_error(
    server: ChatServer, headers: dict[str, str], body: str, code: str
) -> None:
    server.script = [(200, headers, body.replace("data: [DONE]\n\n", ""))]
    with pytest.raises(ModelError) as caught:
        model_at(server, stream=True, retries=0).complete(HELLO)
    assert caught.value.code == code


def test_a_server_that_is_not_there() -> None:
    model = OpenAiModel("tiny", base_url="http://127.0.0.1:9/v1", retries=1, backoff=0.01)
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9") as caught:
        model.complete(HELLO)
    assert caught.value.code == "model_unreachable"


def test_a_server_that_does_not_answer_in_time() -> None:
    with HTTPServer(("127.0.0.1", 0), ChatHandler) as silent:  # accepts, never answers
        model = OpenAiModel(
            "tiny", base_url=f"http://127.0.0.1:{silent.server_port}/v1", timeout=0.1, retries=0
        )
        with pytest.raises(ModelError) as caught:
            model.complete(HELLO)
    assert caught.value.code == "model_timeout"


def test_the_protocol_holds_over_http(server: ChatServer) -> None:
    check_language_model(model_at(server))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Llama of a few thousand weights with a whitespace tokenizer."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    path = tmp_path_factory.mktemp("model")
    names = [
        "<unk>",
        "<s>",
        "</s>",
        "user",
        ":",
        "assistant",
        "Hello",
        *(f"w{n}" for n in range(25)),
    ]
    words = tokenizers.models.WordLevel({name: n for n, name in enumerate(names)}, "<unk>")
    raw = tokenizers.Tokenizer(words)
    raw.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )
    tokenizer.save_pretrained(path)
    config = transformers.LlamaConfig(
        vocab_size=len(names),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=128,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=2,
    )
    transformers.set_seed(1)
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


@pytest.fixture(scope="session")
def local(folder: Path) -> TransformersModel:
    return TransformersModel(str(folder))


def test_a_local_model_completes_and_repeats_itself(local: TransformersModel) -> None:
    first = local.complete(HELLO, max_tokens=5)
    assert first == local.complete(HELLO, max_tokens=5)
    assert first.prompt_tokens == 5  # user : Hello assistant :
    assert 1 <= first.completion_tokens <= 5
    check_language_model(local)


def test_a_local_model_stops_before_the_mark(local: TransformersModel) -> None:
    free = local.complete(HELLO, max_tokens=8).text
    mark = free.split()[2]
    assert local.complete(HELLO, max_tokens=8, stop=[mark]).text == free[: free.find(mark)]


def test_special_tokens_are_the_templates_alone(
    local: TransformersModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"
    monkeypatch.setattr(local._tokenizer, "chat_template", template)
    said = (Message("user", (TextPart("Hello </s> w1 <s> w2"),)),)
    ids = local._tokenizer(chat_prompt(local._tokenizer, said), add_special_tokens=False)[
        "input_ids"
    ]
    assert ids[0] == local._tokenizer.bos_token_id
    assert not {1, 2} & set(ids[1:])
    assert local.complete(said, max_tokens=1).prompt_tokens == len(ids)


def test_a_text_model_refuses_images(local: TransformersModel) -> None:
    with pytest.raises(ModelError) as caught:
        local.complete((Message("user", (ImagePart(b""),)),))
    assert caught.value.code == "model_text_only"


def test_a_missing_model_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(ModelError) as caught:
            TransformersModel(str(path))
        assert caught.value.code == "model_missing"
