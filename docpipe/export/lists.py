"""Lists as exports need them: runs of list items with depth, and number or bullet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from docpipe.records import Block, TextBlock

# Dashes and asterisks count as bullets only before a blank: "-5 degrees" is not an item marker.
_BULLET = re.compile(r"(?:[•‣⁃◦▪▫■□●○◆◇➢➤►▶✓✔❖·∙\uf0b7\uf0a7]\s*|[-–—*+o]\s+)(?=\S)")
_NUMBER = re.compile(r"(\d{1,9})([.)])\s+(?=\S)")


class Item(NamedTuple):
    """A list item: `depth` 0 is outermost and grows by at most 1; `number` None is a bullet."""

    block: TextBlock
    depth: int
    number: int | None
    delimiter: str
    text: str
    restarts: bool  # is numbered like the item before it at its depth, but not the next number


def groups(blocks: Iterable[Block]) -> Iterator[Block | list[Item]]:
    """`blocks` with each run of list items put together."""
    run: list[TextBlock] = []
    for block in blocks:
        if isinstance(block, TextBlock) and block.role == "list_item":
            run.append(block)
            continue
        if run:
            yield _items(run)
            run = []
        yield block
    if run:
        yield _items(run)


def _items(run: list[TextBlock]) -> list[Item]:
    items: list[Item] = []
    levels: list[int] = []
    last: dict[int, Item] = {}
    for block in run:
        level = block.level or 1
        while levels and levels[-1] > level:
            levels.pop()
        if not levels or levels[-1] < level:
            levels.append(level)
        depth = len(levels) - 1
        last = {key: item for key, item in last.items() if key <= depth}
        last[depth] = _item(block, depth, last.get(depth))
        items.append(last[depth])
    return items


def _item(block: TextBlock, depth: int, before: Item | None) -> Item:
    text = block.text.strip()
    if match := _NUMBER.match(text):
        number, delimiter = int(match[1]), match[2]
        restarts = (
            before is not None and before.delimiter == delimiter and before.number != number - 1
        )
        return Item(block, depth, number, delimiter, text[match.end() :], restarts)
    return Item(block, depth, None, "", text[_bullet_end(text) :], False)


def _bullet_end(text: str) -> int:
    match = _BULLET.match(text)
    return match.end() if match else 0
