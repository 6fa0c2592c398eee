"""Text to token ids and back, with a token for each prompt and one for the mask."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.parsers.docfusion.vocabulary import EOS, PAD, ByteVocabulary
from docpipe.parsers.pabdm.config import KINDS
from docpipe.stages import ElementKind

__all__ = ["EOS", "PAD", "Tokens"]


class Tokens:
    """Bytes and pieces [D], as DocFusion has them; then a prompt for each kind [D], where the
    paper's model reads "Text Recognition." and the like [C]; then the `mask`.

    Ids below `text` are those of texts and the specials; `size` is the number of all.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self._bytes = ByteVocabulary(pieces, ())
        self.text = self._bytes.size
        self._prompts = {kind: self.text + at for at, kind in enumerate(KINDS)}
        self.mask = self.text + len(KINDS)
        self.size = self.mask + 1

    def encode(self, text: str) -> list[int]:
        return self._bytes.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; those of no text are left out."""
        return self._bytes.decode(ids)

    def prompt(self, kind: ElementKind) -> list[int]:
        return [self._prompts[kind]]

    def target(self, text: str) -> list[int]:
        """Ids of an answer with its end."""
        return [*self.encode(text), EOS]
