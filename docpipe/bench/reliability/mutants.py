"""Damaged copies of PDFs, each given by a seed and a number."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

MAX_SOURCE = 512 << 10  # bytes: larger files take longer without teaching more
_OBJECT = re.compile(rb"\d+ \d+ obj\b(.*?)endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n.*?endstream", re.DOTALL)


class Mutant(msgspec.Struct, frozen=True):
    """A damaged copy: what was done to which file."""

    name: str
    source: str
    damage: str
    data: bytes


def sources(data: Path) -> list[Path]:
    """The PDFs in a folder that mutants are made of, by name."""
    return [path for path in sorted(data.glob("*.pdf")) if 0 < path.stat().st_size <= MAX_SOURCE]


def mutant(files: Sequence[Path], seed: int, number: int) -> Mutant:
    """The mutant `number` of a seed; the same for the same files."""
    chance = random.Random(f"{seed}/{number}")
    source = chance.choice(files)
    damage = chance.choice(tuple(DAMAGES))
    data = DAMAGES[damage](source.read_bytes(), chance)
    return Mutant(f"{number:05d}-{damage}-{source.name}", source.name, damage, data)


def flip_bytes(data: bytes, chance: random.Random) -> bytes:
    """One to 64 bytes anywhere replaced."""
    found = bytearray(data)
    for _ in range(2 ** chance.randint(0, 6)):
        found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found)


def flip_structure(data: bytes, chance: random.Random) -> bytes:
    """As flip_bytes, outside streams: names, numbers and references are hit."""
    streams = [match.span() for match in _STREAM.finditer(data)]
    found, places = bytearray(data), _outside(streams, len(data))
    for _ in range(2 ** chance.randint(0, 4)):
        start, end = chance.choices(places, [end - start for start, end in places])[0]
        found[chance.randrange(start, end)] = chance.choice(b"0123456789/<>[]() R\x00\xff")
    return bytes(found)


def truncate(data: bytes, chance: random.Random) -> bytes:
    """The end cut off, or a piece of the middle."""
    start, end = sorted(chance.sample(range(len(data) + 1), 2))
    return data[:end] if chance.random() < 0.5 else data[:start] + data[end:]


def swap_objects(data: bytes, chance: random.Random) -> bytes:
    """The bodies of some objects exchanged, so that references lead to the wrong kind."""
    spans = [match.span(1) for match in _OBJECT.finditer(data)]
    if len(spans) < 2:
        return flip_bytes(data, chance)
    order = list(range(len(spans)))
    for _ in range(chance.randint(1, 3)):
        one, other = chance.sample(range(len(spans)), 2)
        order[one], order[other] = order[other], order[one]
    parts, position = [], 0
    for (start, end), other in zip(spans, order, strict=True):
        parts += [data[position:start], data[slice(*spans[other])]]
        position = end
    return b"".join([*parts, data[position:]])


DAMAGES = {
    "flips": flip_bytes,
    "structure": flip_structure,
    "truncation": truncate,
    "swap": swap_objects,
}


def _outside(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The gaps between spans; all there is when they leave none."""
    edges = [0, *(edge for span in spans for edge in span), length]
    gaps = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
    return gaps or [(0, length)]
