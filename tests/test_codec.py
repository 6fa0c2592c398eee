from __future__ import annotations

import pytest

from docpipe import codec
from docpipe.errors import SchemaError
from docpipe.geometry import BBox
from docpipe.records import (
    Cell,
    Document,
    Figure,
    Formula,
    Page,
    Region,
    Source,
    Table,
    TextBlock,
    Word,
)

SOURCE = Source((Region(1, BBox(1.0, 2.0, 3.0, 4.0)),), "native", 0.5)
BLOCKS = (
    TextBlock("p1/text1", SOURCE, "Größe ≥ 3 \u202eevil", "heading", level=2, raw="Grö-\nße"),
    Table("p1/table1", SOURCE, (Cell(0, 0, "a", row_span=2, is_header=True),), caption="T"),
    Formula("p1/formula1", SOURCE, r"E = mc^2", label="(1)"),
    Figure("p1/figure1", SOURCE, caption="F", description="a mill"),
)
PAGE = Page(1, "iv", 595.0, 842.0, words=(Word("Größe", BBox(1.0, 2.0, 3.0, 4.0)),), blocks=BLOCKS)
DOCUMENT = Document(id="0123456789abcdef", name="ä.pdf", pages=(PAGE,), metadata={"title": "x"})


def test_document_survives_json_unchanged() -> None:
    data = codec.encode(DOCUMENT)
    assert data.startswith(b'{"schema":1,')
    assert codec.decode_document(data) == DOCUMENT
    assert codec.encode(codec.decode_document(data)) == data


def test_newer_schema_is_refused_with_advice() -> None:
    data = codec.encode(DOCUMENT).replace(b'"schema":1', b'"schema":2', 1)
    with pytest.raises(SchemaError, match="upgrade docpipe") as caught:
        codec.decode_document(data)
    assert caught.value.code == "newer_schema"


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"schema":1}', codec.encode(DOCUMENT).replace(b'"iv"', b"7")],
)
def test_damaged_json_is_a_schema_error(data: bytes) -> None:
    with pytest.raises(SchemaError):
        codec.decode_document(data)


def test_errors_name_the_place() -> None:
    broken = codec.encode(DOCUMENT).replace(b'"role":"heading"', b'"role":"banner"')
    with pytest.raises(SchemaError, match=r"pages.*blocks.*role"):
        codec.decode_document(broken)
