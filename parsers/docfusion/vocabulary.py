"""Text to token ids and back.

The first four ids are BART's in every model. A location token is none of a vocabulary's business:
see codec.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from docpipe.errors import ModelError
from docpipe.parsers.docfusion.config import TASKS, DocFusionConfig, Task

BOS, PAD, EOS, UNK = range(4)
_SPECIALS = 4
_BYTES = 256
_BART_TEXT = 50265  # ids from here on are none of BART's text


class Vocabulary(Protocol):
    def encode(self, text: str) -> list[int]: ...
    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; those of no text are left out."""
        ...

    def label(self, name: str) -> list[int]:
        """The ids of a layout label."""
        ...

    def prompt(self, task: Task) -> list[int]: ...


class ByteVocabulary:
    """Bytes of UTF-8, and whole tokens for pieces of LaTeX, prompts and layout labels [D].

    The longest piece that fits is taken. Ids: 4 specials, 256 bytes, pieces, prompts, labels.
    """

    def __init__(self, pieces: Sequence[str], labels: Sequence[str]) -> None:
        first = _SPECIALS + _BYTES
        self._pieces = {piece: first + at for at, piece in enumerate(pieces)}
        first += len(pieces)
        self._prompts = {task: first + at for at, task in enumerate(TASKS)}
        first += len(TASKS)
        self._labels = {label: first + at for at, label in enumerate(labels)}
        self.size = first + len(labels)
        texts = self._pieces | self._labels
        self._bytes = {at: text.encode() for text, at in texts.items()}
        self._bytes |= {_SPECIALS + byte: bytes([byte]) for byte in range(_BYTES)}
        longest = sorted(pieces, key=len, reverse=True)
        self._split = re.compile("(" + "|".join(map(re.escape, longest)) + ")" if pieces else "$^")

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for part in self._split.split(text):
            piece = self._pieces.get(part)
            ids += [_SPECIALS + byte for byte in part.encode()] if piece is None else [piece]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join(self._bytes.get(id, b"") for id in ids).decode(errors="replace")

    def label(self, name: str) -> list[int]:
        return [self._labels[name]]

    def prompt(self, task: Task) -> list[int]:
        return [self._prompts[task]]


class BpeVocabulary:
    """BART's byte pairs by a tokenizer file; prompts are texts between `<s>` and `</s>` [D]."""

    def __init__(self, tokenizer: Any, prompts: dict[Task, str]) -> None:
        self._tokenizer = tokenizer
        self._prompts = prompts

    @classmethod
    def read(cls, folder: Path, prompts: dict[Task, str]) -> BpeVocabulary:
        """The tokenizer in `tokenizer.json`, or in `vocab.json` and `merges.txt`.

        Raises ModelError where the folder has neither, or they cannot be read.
        """
        from tokenizers import ByteLevelBPETokenizer, Tokenizer

        try:
            if (folder / "tokenizer.json").exists():
                return cls(Tokenizer.from_file(str(folder / "tokenizer.json")), prompts)
            parts = (str(folder / "vocab.json"), str(folder / "merges.txt"))
            return cls(ByteLevelBPETokenizer(*parts), prompts)
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError(
                f"no tokenizer can be read in {folder}: {error}",
                hint="tokenizer.json, or vocab.json and merges.txt, must lie beside the weights",
            ) from error

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        kept = [id for id in ids if _SPECIALS <= id < _BART_TEXT - 1]
        text: str = self._tokenizer.decode(kept, skip_special_tokens=False)
        return text

    def label(self, name: str) -> list[int]:
        return self.encode(name)

    def prompt(self, task: Task) -> list[int]:
        return [BOS, *self.encode(self._prompts[task]), EOS]


def build_vocabulary(config: DocFusionConfig, folder: Path) -> Vocabulary:
    """The vocabulary of a model in `folder`. Raises ModelError."""
    if config.tokens == "bytes":
        return ByteVocabulary(config.pieces, config.labels)
    return BpeVocabulary.read(folder, config.prompts)
