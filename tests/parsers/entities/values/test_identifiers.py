"""Names, codes, and identifiers with check digits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.parsers.entities.values import mrz
from docpipe.parsers.entities.values.identifiers import bic, iban, tax_id
from docpipe.parsers.entities.values.names import code, company_name, is_contact, without_label

# The specimens of ICAO Doc 9303.
PASSPORT = (
    "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
    "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
)
CARD = (
    "I<UTOD231458907<<<<<<<<<<<<<<<",
    "7408122F1204159UTO<<<<<<<<<<<6",
    "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
)
SMALL = ("I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6")


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("GREENLEAF MARKET SDN BHD (139386 X)", "GREENLEAF MARKET SDN BHD"),
        ("99 QUICK MART S/B (519537-X)", "99 QUICK MART S/B"),
        ("KINGSWAY CAKES S/B 273500-U (KSB)", "KINGSWAY CAKES S/B"),
        ("OLDNEWS RETAIL SB(306295-X) FKA BIG STORES SB", "OLDNEWS RETAIL SB"),
        ("Harbour Foods Ltd. Company No. 1234567", "Harbour Foods Ltd."),
        ("Muster GmbH HRB 12345", "Muster GmbH"),
        ("BOOK CO. (TAMAN DAYA) SDN BHD", "BOOK CO. (TAMAN DAYA) SDN BHD"),
        ("24-SEVEN STORES", "24-SEVEN STORES"),
        ("TAX FREE SHOP 24", "TAX FREE SHOP 24"),
        ("(139386 X)", "139386 X)"),
    ],
)
def test_a_company_goes_without_its_registration_number(printed: str, name: str) -> None:
    assert company_name(printed) == name


@pytest.mark.parametrize(
    ("line", "contact"),
    [
        ("Tel. 0555 017 900", True),
        ("VAT no. LM 551 204", True),
        ("GST ID No: 001234567890", True),
        ("www.greenleaf.example", True),
        ("shop@greenleaf.example", True),
        ("Alder Street 40, Lindmoor", False),
        ("TELOK BLANGAH 12", False),
        ("Taxham 5, 5020 Salzburg", False),
        ("NO 8, JALAN 7/118B", False),
    ],
)
def test_lines_that_are_no_part_of_an_address(line: str, contact: bool) -> None:
    assert is_contact(line) is contact


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("Invoice no.: 2024-17", "2024-17"),
        ("Laskunumero FV-47/12/2026", "FV-47/12/2026"),
        ("Passport No AB 123456", "AB 123456"),
        ("5. 66ND36148", "66ND36148"),
        ("# 1990.8351", "1990.8351"),
        ("INVOICE NUMBER", ""),
    ],
)
def test_a_code_goes_without_its_label(printed: str, value: str) -> None:
    assert code(printed) == value


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("Place of birth: Aldern", "Aldern"),
        ("1. KELLER", "KELLER"),
        ("4c Town of Aldern", "Town of Aldern"),
    ],
)
def test_text_goes_without_label_and_number(printed: str, value: str) -> None:
    assert without_label(printed) == value


def test_bank_accounts_are_checked() -> None:
    text = "IBAN: DE89 3704 0044 0532 0130 00 BIC COBADEFFXXX"
    assert iban(text) == ("DE89370400440532013000", None)
    assert bic(text) == ("COBADEFFXXX", None)
    value, note = iban("IBAN DE88 3704 0044 0532 0130 00")
    assert value == "DE88370400440532013000"
    assert note is not None
    assert note.startswith("check_digits")
    assert iban("on request") == (None, "no_iban")


def test_vat_numbers_are_checked() -> None:
    assert tax_id("USt-IdNr.: DE136695976") == ("DE136695976", None)
    value, note = tax_id("USt-IdNr.: DE136695977")
    assert (value, note) == ("DE136695977", "check_digits: not those of a VAT number of DE")
    assert tax_id("NIP 123-456-32-18") == ("123-456-32-18", None)
    assert tax_id("VAT") == (None, "no_tax_id")


@pytest.mark.parametrize("lines", [PASSPORT, CARD, SMALL])
def test_zones_are_read(lines: tuple[str, ...]) -> None:
    zone = mrz.read(lines)
    assert zone is not None
    assert zone.problems == ()
    assert zone.fields["surname"] == "ERIKSSON"
    assert zone.fields["given_names"] == "ANNA MARIA"
    assert (zone.fields["birth_date"], zone.fields["expiry_date"]) == ("740812", "120415")
    assert (zone.fields["sex"], zone.fields["nationality"]) == ("F", "UTO")


@settings(deadline=None)
@given(st.sampled_from([PASSPORT, CARD, SMALL]), st.data())
def test_a_digit_read_wrongly_is_noticed(lines: tuple[str, ...], data: st.DataObject) -> None:
    row = 0 if len(lines) == 3 else 1
    places = [at for at, char in enumerate(lines[row]) if char.isdigit() and at >= 5]
    at = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != lines[row][at]]))
    wrong = [*lines]
    wrong[row] = f"{wrong[row][:at]}{digit}{wrong[row][at + 1 :]}"
    zone = mrz.read(wrong)
    assert zone is not None
    assert any(problem.startswith("check_digits") for problem in zone.problems)


def test_a_zone_in_one_line_and_one_cut_short() -> None:
    whole = mrz.read(["".join(PASSPORT)])
    assert whole is not None
    assert whole.lines == PASSPORT
    short = mrz.read([PASSPORT[0], PASSPORT[1][:-3]])
    assert short is not None
    assert (short.fields, short.problems) == ({}, ("mrz_incomplete",))
    assert mrz.read(["KELLER"]) is None
