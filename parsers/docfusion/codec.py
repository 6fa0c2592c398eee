"""Boxes and location tokens; targets of the four tasks and what is read off an output.

A location token is one of `bins` equal parts of the page's width or height, the same tokens for
both [C]. Layout is a label followed by four tokens (x0 y0 x1 y1) for each box of it [C]:

    Text<x0><y0><x1><y1><x0><y0><x1><y1>Table<x0>…
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from docpipe.geometry import BBox
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.vocabulary import BOS, EOS, Vocabulary

Bins = tuple[int, int, int, int]


class Element(NamedTuple):
    """A labelled box, in the units of the page that it is on."""

    label: str
    bbox: BBox


class Found(NamedTuple):
    """A box read off an output; `positions` are those of its label's and its four tokens."""

    label: str
    bins: Bins
    positions: tuple[int, ...]


class Codec:
    """Targets and outputs of one model as token ids; targets are `<s>` … `</s>`."""

    def __init__(self, config: DocFusionConfig, vocabulary: Vocabulary) -> None:
        self.bins = config.bins
        self.first = config.first_bin
        self.labels = config.labels
        self.vocabulary = vocabulary

    def quantise(self, box: BBox, width: float, height: float) -> Bins:
        """The bins of a box on a page of this size; bin = floor(x * bins / width), in range."""
        x0, x1 = (self._bin(x, width) for x in (box.x0, box.x1))
        y0, y1 = (self._bin(y, height) for y in (box.y0, box.y1))
        return x0, y0, x1, y1

    def dequantise(self, bins: Bins, width: float, height: float) -> BBox:
        """The box whose corners are the centres of the bins, whichever way round they come."""
        x0, y0, x1, y1 = ((value + 0.5) / self.bins for value in bins)
        return BBox.of(x0 * width, y0 * height, x1 * width, y1 * height)

    def _bin(self, value: float, length: float) -> int:
        return min(max(int(value * self.bins // length), 0), self.bins - 1)

    def text_target(self, text: str) -> list[int]:
        """Ids of the target of a crop: its text, or LaTeX."""
        return [BOS, *self.vocabulary.encode(text), EOS]

    def layout_target(self, elements: Iterable[Element], width: float, height: float) -> list[int]:
        """Ids of the target of a page: labels in the model's order, boxes from the top [D].

        Raises KeyError for a label that the model has not.
        """
        groups: dict[str, list[Bins]] = {label: [] for label in self.labels}
        for label, box in elements:
            groups[label].append(self.quantise(box, width, height))
        ids = [BOS]
        for label, boxes in groups.items():
            if boxes:
                ids += self.vocabulary.label(label)
            for bins in sorted(boxes, key=lambda bins: (bins[1], bins[0])):
                ids += [self.first + value for value in bins]
        return [*ids, EOS]

    def is_location(self, id: int) -> bool:
        return self.first <= id < self.first + self.bins

    def read_text(self, ids: Sequence[int]) -> str:
        """The text of an output; location tokens in it are left out."""
        return self.vocabulary.decode([id for id in ids if not self.is_location(id)])

    def read_layout(self, ids: Sequence[int]) -> list[Found]:
        """The boxes of an output, as far as they are whole.

        Tolerant: text without a whole box after it, boxes before any label, what is left of a box
        that was cut off, and a label's characters beyond ASCII are passed over.
        """
        found: list[Found] = []
        text: list[int] = []
        locations: list[int] = []
        for at, id in enumerate([*ids, EOS]):
            if self.is_location(id):
                locations.append(at)
                continue
            if locations:
                found += self._boxes(ids, text, locations)
                text, locations = [], []
            text.append(at)
        return found

    def _boxes(self, ids: Sequence[int], text: list[int], places: list[int]) -> list[Found]:
        name = self.vocabulary.decode([ids[at] for at in text])
        label = name.encode("ascii", "ignore").decode().strip()
        if not label:
            return []
        return [
            Found(label, self._values(ids, quad), (*text, *quad))
            for quad in (places[at : at + 4] for at in range(0, len(places) - 3, 4))
        ]

    def _values(self, ids: Sequence[int], quad: Sequence[int]) -> Bins:
        x0, y0, x1, y1 = (ids[at] - self.first for at in quad)
        return x0, y0, x1, y1
