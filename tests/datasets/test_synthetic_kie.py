"""Made-up documents: what their labels promise, and that PDFs of them read the same."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from docpipe.datasets.kie import KieDocument, check_jsonl, write_jsonl
from docpipe.datasets.synthetic_kie import SCHEMAS, Schema, drafts, generate, mrz, write_pdf
from docpipe.datasets.synthetic_kie.locales import LOCALES
from docpipe.datasets.synthetic_kie.sheet import Mark, Sheet, Style
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, iban, names
from docpipe.errors import ConfigError
from docpipe.parsers.entities import schema as schemas
from docpipe.parsers.entities.schema import FieldSchema, load_schema
from docpipe.parsers.entities.segments import segments
from docpipe.pipeline import parse

COUNT = 40


def fields(schema: Schema) -> FieldSchema:
    return load_schema(Path(schemas.__file__).parent / "schemas" / f"{schema}.toml")


@pytest.fixture(scope="module")
def made() -> dict[str, list[KieDocument]]:
    return {schema: list(generate(schema, COUNT, 5)) for schema in SCHEMAS}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_same_seed_gives_the_same_documents(
    schema: Schema, made: dict[str, list[KieDocument]]
) -> None:
    assert list(generate(schema, 5, 5)) == made[schema][:5]
    assert list(generate(schema, 5, 6)) != made[schema][:5]


def test_another_process_gives_the_same_names() -> None:
    """Sets of words are in another order in each process."""
    code = (
        "from docpipe.datasets.synthetic_kie.vocabulary import names; print(names('it_IT', 'test'))"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert other.stdout.strip() == str(names("it_IT", "test"))


@pytest.mark.parametrize("schema", SCHEMAS)
def test_documents_are_of_the_format_and_the_schema(
    schema: Schema, made: dict[str, list[KieDocument]], tmp_path: Path
) -> None:
    path = tmp_path / "train.jsonl"
    write_jsonl(path, made[schema])
    assert check_jsonl(path, fields(schema).labels[1:]) == []
    used = {entity.label for document in made[schema] for entity in document.entities()}
    assert used >= set(fields(schema).labels) - {"card"}
    texts = [e.text for document in made[schema] for e in document.entities()]
    assert all(text.strip() for text in texts)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_field_that_stands_once_has_one_entity(
    schema: Schema, made: dict[str, list[KieDocument]]
) -> None:
    ones = {fields(schema).labels[c] for c in fields(schema).ones}
    twice = [
        (document.key, label)
        for document in made[schema]
        for label, count in Counter(e.label for e in document.entities()).items()
        if label in ones and count > 1
    ]
    assert len(twice) <= 0.05 * COUNT, twice


def test_the_sums_of_an_invoice_are_right(made: dict[str, list[KieDocument]]) -> None:
    checked = 0
    for document in made["invoice"]:
        values = {name: document.values.get(name) for name in ("subtotal", "tax", "total")}
        rows = sum(round(100 * float(row["item.amount"])) for row in document.rows)
        if values["subtotal"]:
            assert rows == round(100 * float(values["subtotal"])), document.key
            checked += 1
        assert values["tax"] is not None
        assert values["total"] is not None
        assert float(values["total"]) >= float(values["tax"])
    assert checked > COUNT / 2


def test_values_are_printed_where_the_labels_say(made: dict[str, list[KieDocument]]) -> None:
    for name in ("invoice_number", "order_number", "seller_tax_id"):
        for document in made["invoice"]:
            found = " ".join(e.text for e in document.entities() if e.label == name)
            assert document.values.get(name, "") in found, (document.key, name)


def test_no_name_of_the_training_documents_is_in_the_test_documents() -> None:
    train, test = (
        {document.values["seller"] for document in generate("invoice", 60, 1, split)}
        for split in ("train", "test")
    )
    assert not train & test
    train, test = (
        {
            d.values["surname"].casefold()
            for d in generate("id", 60, 1, split)
            if "surname" in d.values
        }
        for split in ("train", "test")
    )
    assert not train & test


def test_links_lead_from_questions_to_answers(made: dict[str, list[KieDocument]]) -> None:
    linked = 0
    for document in made["form"]:
        for page in document.pages:
            for start, end in page.links:
                assert page.entities[start].label in ("question", "answer")
                assert page.entities[end].label == "answer"
                linked += 1
    assert linked > 10 * COUNT


def test_the_zone_of_the_standard() -> None:
    """The specimen of ICAO Doc 9303, part 4, appendix B, and part 5."""
    holder = mrz.Holder(
        code="P",
        issuer="UTO",
        nationality="UTO",
        number="L898902C3",
        surname="Eriksson",
        given="Anna Maria",
        born=datetime.date(1974, 8, 12),
        female=True,
        expiry=datetime.date(2012, 4, 15),
        personal="ZE184226B",
    )
    assert mrz.lines("TD3", holder) == [
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
        "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
    ]
    card = holder._replace(code="I", number="D23145890", personal="")
    assert mrz.lines("TD1", card)[:2] == [
        "I<UTOD231458907<<<<<<<<<<<<<<<",
        "7408122F1204159UTO<<<<<<<<<<<6",
    ]


def test_the_zone_agrees_with_the_fields(made: dict[str, list[KieDocument]]) -> None:
    zones = [document for document in made["id"] if "mrz" in document.values]
    assert zones
    for document in zones:
        lines = document.values["mrz"].split("\n")
        assert len({len(line) for line in lines}) == 1
        born = document.values.get("birth_date")
        if born:
            assert born[2:].replace("-", "") in document.values["mrz"]


def test_account_numbers_have_right_check_digits() -> None:
    chance = Chooser("accounts", "train")
    for country in {locale.iban for locale in LOCALES} - {""}:
        number = iban(chance, country)
        digits = "".join(str(int(char, 36)) for char in number[4:] + number[:4])
        assert int(digits) % 97 == 1


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_pdf_is_read_as_the_labels_say(schema: Schema, tmp_path: Path) -> None:
    wanted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for draft in drafts(schema, 3, 8):
        path = tmp_path / f"{draft.key}.pdf"
        path.write_bytes(write_pdf(draft.sheets))
        document = parse(path)
        assert len(document.pages) == len(draft.sheets)
        for page in draft.document().pages:
            wanted.update(entity.text for entity in page.entities)
        for read in document.pages:
            found.update(segment.text for segment in segments(read))
    assert (wanted & found).total() >= 0.85 * wanted.total(), wanted - found


def test_words_that_are_close_are_one_entity() -> None:
    style = Style(size=10)
    sheet = Sheet(300, 100)
    end = sheet.text(20, 40, "Date:", style, Mark("question", (), 1))
    sheet.text(end + 5, 40, "4 May", style, Mark("answer", (), 2))
    sheet.text(200, 40, "Total", style, "question")
    assert [(e.text, e.label) for e in sheet.page().entities] == [
        ("Date: 4 May", "answer"),
        ("Total", "question"),
    ]


def test_an_unknown_schema_or_split_is_an_error() -> None:
    with pytest.raises(ConfigError, match="menu"):
        generate("menu", 1, 0)
    with pytest.raises(ConfigError, match="dev"):
        generate("form", 1, 0, "dev")
