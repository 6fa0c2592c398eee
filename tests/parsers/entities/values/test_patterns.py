"""Values that prove themselves are found without entities."""

from __future__ import annotations

from docpipe.geometry import BBox
from docpipe.parsers.entities.schema import find_schema
from docpipe.parsers.entities.values.fields import assemble
from docpipe.parsers.entities.values.patterns import Line
from docpipe.parsers.entities.values.reading import Context
from docpipe.records import Field
from tests.parsers.entities.values.page import entity

BANK = "Bank: Seebank, IBAN: DE89 3704 0044 0532 0130 00, BIC: COBADEFFXXX"
OTHER_BANK = "IBAN: GB29 NWBK 6016 1331 9268 19"
ZONE = (
    "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
    "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
)


def found(schema: str, *texts: str) -> dict[str, Field]:
    lines = [
        Line(1, BBox(40, 20 + 12 * at, 400, 30 + 12 * at), text) for at, text in enumerate(texts)
    ]
    return {field.name: field for field in assemble([], find_schema(schema), Context(), lines)}


def test_a_bank_account_in_a_line_of_other_things() -> None:
    fields = found("invoice", "Thank you", BANK)
    assert fields["iban"].value == "DE89370400440532013000"
    assert fields["bic"].value == "COBADEFFXXX"
    assert fields["iban"].notes == ("found_by_pattern",)
    assert fields["iban"].source.regions[0].bbox == BBox(40, 32, 400, 42)


def test_nothing_is_taken_that_is_wrong_or_one_of_two() -> None:
    assert found("invoice", BANK.replace("DE89", "DE88")).keys() == {"bic"}
    assert "iban" not in found("invoice", BANK, OTHER_BANK)
    assert found("invoice", "LINDMOOR", "INVOICES") == {}


def test_an_entity_goes_first_unless_it_has_no_value() -> None:
    lines = [Line(1, BBox(40, 20, 400, 30), BANK)]
    schema = find_schema("invoice")
    [own, _] = assemble([entity("iban", OTHER_BANK, 40, 90)], schema, Context(), lines)
    assert own.value == "GB29NWBK60161331926819"
    [iban, _] = assemble([entity("iban", "IBAN:", 40, 90)], schema, Context(), lines)
    assert iban.value == "DE89370400440532013000"


def test_an_account_number_on_two_lines() -> None:
    parts = ("IBAN: DE89 3704 0044", "0532 0130 00")
    lines = [
        Line(1, BBox(40, 20 + 12 * at, 400, 30 + 12 * at), part) for at, part in enumerate(parts)
    ]
    schema = find_schema("invoice")
    [field] = assemble([entity("iban", parts[0], 40, 20)], schema, Context(), lines)
    assert field.value == "DE89370400440532013000"
    assert [region.bbox for region in field.source.regions] == [line.bbox for line in lines]


def test_a_machine_readable_zone() -> None:
    fields = found("id", "PASSPORT", "ERIKSSON", *ZONE)
    assert fields["mrz"].notes == ("found_by_pattern",)
    assert fields["mrz"].value == "\n".join(ZONE)
    assert found("id", "PASSPORT", ZONE[0], ZONE[1].replace("740812", "740813")) == {}


def test_the_zone_gives_what_was_not_found() -> None:
    schema = find_schema("id")
    zone = [entity("mrz", line, 40, 200 + 12 * at) for at, line in enumerate(ZONE)]
    printed = [entity("surname", "ERIKSSON", 40, 20), entity("birth_date", "born:", 40, 40)]
    fields = {field.name: field for field in assemble([*printed, *zone], schema, Context())}
    assert (fields["surname"].notes, fields["birth_date"].notes) == ((), ("from_mrz",))
    assert (fields["birth_date"].value, fields["birth_date"].raw) == ("1974-08-12", "born:")
    assert (fields["given_names"].value, fields["sex"].value) == ("ANNA MARIA", "F")
    assert fields["expiry_date"].value == "2012-04-15"
    assert fields["document_number"].source == fields["mrz"].source
    wrong = [
        entity("mrz", line.replace("740812", "740813"), 40, 200 + 12 * at)
        for at, line in enumerate(ZONE)
    ]
    assert {field.name for field in assemble(wrong, schema, Context())} == {"mrz"}
