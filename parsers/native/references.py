"""The list of references: the blocks below its heading."""

from __future__ import annotations

import re

import msgspec

from docpipe.records import TextBlock
from docpipe.stages import Draft

_HEADING = re.compile(
    r"^(?:\d+\.?\s+)?(?:references|bibliography|works cited|literature cited|literatur|"
    r"literaturverzeichnis|références|bibliographie|referencias|bibliografía|参考文献)[\s:.]*$",
    re.IGNORECASE,
)


def mark_references(pages: list[list[Draft]]) -> list[list[Draft]]:
    """`pages` with the text between that heading and the next one typed as references."""
    inside = False
    marked: list[list[Draft]] = []
    for drafts in pages:
        row: list[Draft] = []
        for draft in drafts:
            block = draft.block
            if isinstance(block, TextBlock):
                if block.role in ("heading", "title"):
                    inside = _HEADING.match(block.text) is not None
                elif inside and block.role in ("paragraph", "list_item"):
                    block = msgspec.structs.replace(block, role="reference")
                    draft = msgspec.structs.replace(draft, block=block)
            row.append(draft)
        marked.append(row)
    return marked
