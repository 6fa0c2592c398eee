"""A growing chat as token ids, in which what a model wrote stays as it wrote it.

Going from text back to ids can cut words otherwise than the model did: the next prompt would then
hold other tokens than those that were sampled and scored. So a prompt is the last prompt, the ids
that were written, and the ids of what follows by the chat template.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from docpipe.agents.mmdocr1.history import message
from docpipe.agents.mmdocr1.state import State
from docpipe.agents.models import chat_prompt
from docpipe.records import Message
from docpipe.training.rl.writing import Ids

_MARK = "\u2042reply\u2042"  # stands for a reply while the template is asked what follows it


class Chats:
    """Prompts of running chats; they are forgotten with their states."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._so_far: WeakKeyDictionary[State, tuple[int, Ids]] = WeakKeyDictionary()

    def prompt(self, state: State, messages: Sequence[Message]) -> Ids:
        """The ids of the messages, of which the last is what came back for the last reply; what is
        not known to have been written as ids is made of the text."""
        turns, before = self._so_far.get(state, (0, ()))
        if not turns or turns != len(state.steps):
            return self._ids(chat_prompt(self._tokenizer, messages), first=True)
        reply = message("assistant", _MARK)
        text = chat_prompt(self._tokenizer, [*messages[:-2], reply, messages[-1]])
        after = text[text.rindex(_MARK) + len(_MARK) :]
        end = str(self._tokenizer.eos_token or "")
        if end and before[-1] == self._tokenizer.eos_token_id:
            after = after.removeprefix(end)
        return before + self._ids(after)

    def wrote(self, state: State, prompt: Ids, response: Ids) -> None:
        """Keep what was written in the turn that comes after the state's steps."""
        self._so_far[state] = len(state.steps) + 1, prompt + response

    def response(self, text: str) -> Ids:
        """The ids of a reply that is to be imitated, with the end of turn."""
        return (*self._ids(text), int(self._tokenizer.eos_token_id))

    def text(self, response: Ids) -> str:
        return str(self._tokenizer.decode(list(response), skip_special_tokens=True))

    def _ids(self, text: str, *, first: bool = False) -> Ids:
        special = first and not self._tokenizer.chat_template  # a template writes its own
        return tuple(self._tokenizer(text, add_special_tokens=special)["input_ids"])
