"""Field schemas from TOML, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from docpipe.errors import ConfigError
from docpipe.parsers.entities.schema import (
    BUILT_IN,
    FieldSchema,
    FieldSpec,
    find_schema,
    load_schema,
)

RECEIPT = """
[[field]]
name = "total"
cardinality = "one"
required = true

[[field]]
name = "address"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "fields.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_schema_is_read(tmp_path: Path) -> None:
    schema = load_schema(written(tmp_path, RECEIPT))
    assert schema.labels == ("other", "total", "address")
    assert schema.ones == (1,)
    assert schema.required == (1,)
    assert schema.class_of("address") == 2
    assert schema.class_of("other") == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[field]]\nname = "a"\n[[field]]\nname = "a"', "defined twice"),
        ('[[field]]\nname = "other"', "no field"),
        ('[[field]]\nname = " "', "has no name"),
        ('[[field]]\nname = "a"\nrequired = true', "required but may stand many times"),
        ('[[field]]\nname = "a"\ncardinality = "two"', "'two'"),
        ('[[field]]\nname = "a"\nunique = true', "unique"),
        ("[[field]\n", "fields.toml"),
        ('[field]\nname = "a"', "[[field]]"),
    ],
)
def test_a_wrong_schema_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_schema(written(tmp_path, text))
    assert message in str(caught.value)


def test_a_missing_file_and_an_unknown_label(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no such field schema: .*none\.toml"):
        load_schema(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="fields: other, total"):
        FieldSchema((FieldSpec("total"),)).class_of("date")


CHECK = """
[[field]]
name = "total"
[[field]]
name = "tax"
[[check]]
"""


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ('kind = "sum"\nfields = ["net"]\nequals = ["total"]', "names 'net', which is no field"),
        ('kind = "sum"\nfields = ["tax"]', "not whole"),
        ('kind = "ascending"\nfields = ["tax"]\nequals = ["total"]', "not whole"),
        ('kind = "mean"\nfields = ["tax"]', "mean"),
    ],
)
def test_a_check_that_cannot_be_meant(tmp_path: Path, check: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_schema(written(tmp_path, CHECK + check))
    assert message in str(caught.value)
    assert "fields.toml" in str(caught.value)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_schemas_have_names(name: str) -> None:
    schema = find_schema(name)
    assert {*schema.single_names, *schema.row_names} == set(schema.labels[1:])
    assert schema.links_answers is (name == "form")


def test_a_field_that_is_repeated_stands_many_times(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="repeated but stands once"):
        load_schema(
            written(tmp_path, '[[field]]\nname = "a"\ncardinality = "one"\nrepeated = true')
        )


def test_the_schema_in_the_guide_is_one(tmp_path: Path) -> None:
    guide = Path(__file__).parents[3] / "docs" / "extraction.md"
    text = guide.read_text("utf-8").split("```toml\n")[1].split("```")[0]
    schema = load_schema(written(tmp_path, text))
    assert schema.row_names == ("item.weight",)
    assert schema.spec("container").repeated
