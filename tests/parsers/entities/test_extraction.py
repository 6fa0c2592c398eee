"""The extractor: schema, weights and classifier together, and one value of `docpipe.extract`."""

from __future__ import annotations

from pathlib import Path

import pytest

import docpipe
from docpipe.config import Config, EntitiesConfig, load
from docpipe.errors import ConfigError, ModelError
from docpipe.parsers.entities.extraction import FieldExtractor, build_extractor, digest
from docpipe.parsers.entities.schema import FieldSchema, FieldSpec, find_schema
from docpipe.parsers.entities.weights import SavedConfig, save
from docpipe.testing.fakes import FakeClassifier, sample_document
from tests.parsers.entities.pages import SCHEMA, small_model
from tests.pdfs import write_pdf

LABELS = {"Date: 25/12/2018": "date", "TOTAL RM 9.00": "total", "TOTAL RM 4.50": "total"}
TWO = [["Book shop", "Date: 25/12/2018", "TOTAL RM 9.00"], ["Book shop", "TOTAL RM 4.50"]]
OWN = """
[[field]]
name = "total"
cardinality = "one"
type = "money"
[[field]]
name = "date"
cardinality = "one"
type = "date"
[[field]]
name = "address"
"""


def own_schema(folder: Path, text: str = OWN) -> Path:
    path = folder / "own.toml"
    path.write_text(text, "utf-8")
    return path


def weights(folder: Path) -> Path:
    model = small_model()
    save(folder / "model", model, SavedConfig(model.design, SCHEMA, (-9.0, -9.0)))
    return folder / "model"


def test_entities_and_fields_of_a_document() -> None:
    extractor = FieldExtractor(FakeClassifier(LABELS), find_schema("receipt"))
    document = extractor.extract(sample_document(TWO[:1]))
    assert [(field.name, field.value) for field in document.fields] == [
        ("date", "2018-12-25"),
        ("total", 9.0),
    ]
    for field in document.fields:
        [entity] = [each for each in document.entities if each.id in field.entities]
        assert field.source.regions == entity.source.regions
        assert field.raw == entity.text


def test_each_page_may_be_a_document_of_its_own() -> None:
    schema = FieldSchema((FieldSpec("total", "one", type="money"),))
    whole = FieldExtractor(FakeClassifier(LABELS), schema).extract(sample_document(TWO))
    assert [field.value for field in whole.fields] == [9.0, 4.5]
    apart = FieldExtractor(FakeClassifier(LABELS), schema, scope="page").extract(
        sample_document(TWO)
    )
    assert [(f.value, f.source.regions[0].page) for f in apart.fields] == [(9.0, 1), (4.5, 2)]


def test_in_python_in_one_call(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["\n".join(TWO[0])])
    document = docpipe.extract(path, own_schema(tmp_path), weights=weights(tmp_path))
    assert document.fields
    assert {field.name for field in document.fields} <= {"total", "date", "address"}
    assert document.issues == ()


def test_wrong_settings_say_what_to_do(tmp_path: Path) -> None:
    own = str(own_schema(tmp_path))
    cases = [
        (EntitiesConfig(schema="recipe"), ConfigError, "unknown field schema 'recipe'"),
        (EntitiesConfig(schema=str(tmp_path / "none.toml")), ConfigError, "no such field schema"),
        (EntitiesConfig(schema=own), ConfigError, "needs weights of its own"),
        (EntitiesConfig(schema=own, weights=str(tmp_path)), ModelError, "no trained entity model"),
        (
            EntitiesConfig(schema=own, weights=str(weights(tmp_path)), options={"speed": 9}),
            ConfigError,
            "speed",
        ),
        (
            EntitiesConfig(schema="invoice", weights=str(weights(tmp_path))),
            ConfigError,
            "'address'",
        ),
    ]
    for config, kind, message in cases:
        with pytest.raises(kind) as caught:
            build_extractor(config)
        assert message in str(caught.value)
        assert caught.value.hint


def test_a_locale_that_is_not_known_is_an_error(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["\n".join(TWO[0])])
    with pytest.raises(ConfigError, match="unknown locale 'xx_YY'"):
        docpipe.extract(path, own_schema(tmp_path), weights=weights(tmp_path), locale="xx_YY")


def test_the_digest_changes_with_all_that_fields_depend_on(tmp_path: Path) -> None:
    own, model = own_schema(tmp_path), weights(tmp_path)

    def now(**options: str) -> str:
        return digest(EntitiesConfig(schema=str(own), weights=str(model), **options))  # type: ignore[arg-type]

    seen = {now(), now(locale="de_DE"), now(scope="page")}
    own_schema(tmp_path, OWN.replace('"money"', '"text"'))
    seen.add(now())
    (model / "model.safetensors").write_bytes(b"other")
    seen.add(now())
    assert len(seen) == 5
    assert now() == now()


def test_the_table_in_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[entities]\nschema = "receipt"\nlocale = "de_DE"\ndevice = "cpu"\n', "utf-8")
    entities = load(path, ["entities.schema=invoice"]).entities
    assert entities == EntitiesConfig(schema="invoice", locale="de_DE", options={"device": "cpu"})
    assert Config().entities is None
    with pytest.raises(ConfigError, match="needs a schema"):
        load(None, ["entities.locale=de_DE"])
    with pytest.raises(ConfigError, match="scope"):
        load(None, ["entities.schema=id", "entities.scope=chapter"])
