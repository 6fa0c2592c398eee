"""Fields of documents: which entities are one value, rows, and checks."""

from __future__ import annotations

import pytest

from docpipe.parsers.entities.schema import FieldSchema, FieldSpec, find_schema
from docpipe.parsers.entities.values.fields import assemble
from docpipe.parsers.entities.values.reading import Context, context_of
from docpipe.records import Entity, Field
from tests.parsers.entities.values.page import entity

RECEIPT = find_schema("receipt")
INVOICE = find_schema("invoice")
ID = find_schema("id")
ZONE = (
    "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
    "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
)


def fields(schema: FieldSchema, *entities: Entity, texts: tuple[str, ...] = ()) -> dict[str, Field]:
    """Fields by name; those of rows as "name/row"."""
    context = context_of([*(each.text for each in entities), *texts])
    found = assemble(entities, schema, context)
    return {f.name if f.row is None else f"{f.name}/{f.row}": f for f in found}


def test_lines_of_an_address_are_joined_as_they_are_read() -> None:
    found = fields(
        RECEIPT,
        entity("address", "81100 JOHOR", 60, 44),
        entity("address", "NO. 53,", 50, 30),
        entity("address", "JALAN SAGU 18,", 100, 31, score=0.7),
    )["address"]
    assert found.value == "NO. 53, JALAN SAGU 18, 81100 JOHOR"
    assert found.raw == "NO. 53, JALAN SAGU 18,\n81100 JOHOR"
    assert found.score == 0.7
    assert len(found.source.regions) == 3


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["OLD TOWN CAFE", "NORTH MILLS SDN. BHD. (12345-X)"], "NORTH MILLS SDN. BHD."),
        (["Sun Café", "Roth & Wein GmbH"], "Roth & Wein GmbH"),
        (["WESTERN LANE", "STATIONERY SDN. BHD"], "WESTERN LANE STATIONERY SDN. BHD"),
        (["THE TEA LEAF", "& BEANS (M) SDN BHD"], "THE TEA LEAF & BEANS (M) SDN BHD"),
        (["FRESH MARKET", "LINDMOOR"], "FRESH MARKET LINDMOOR"),
    ],
)
def test_the_name_below_that_of_a_shop_is_the_company(lines: list[str], name: str) -> None:
    found = fields(RECEIPT, *(entity("company", t, 50, 20 + 12 * n) for n, t in enumerate(lines)))
    assert found["company"].value == name


def test_of_two_places_the_likelier_is_the_address() -> None:
    found = fields(
        RECEIPT,
        entity("address", "MILL STREET 9", 50, 30),
        entity("address", "LINDMOOR", 50, 42),
        entity("address", "VISIT US SOON", 50, 400, score=0.95),
    )
    assert found["address"].value == "MILL STREET 9 LINDMOOR"


def test_of_two_places_the_one_at_the_company_is_the_address() -> None:
    found = fields(
        RECEIPT,
        entity("company", "NORTH MILLS", 50, 30, score=0.6),
        entity("address", "MILL STREET 9", 50, 44, score=0.5),
        entity("address", "BUYER AND SONS", 50, 200),
        entity("address", "LONG LANE 4, LINDMOOR", 50, 212),
    )
    assert found["address"].value == "MILL STREET 9"


def test_what_is_hardly_a_line_of_an_address_is_none() -> None:
    found = fields(
        RECEIPT,
        entity("address", "MILL STREET 9", 50, 30),
        entity("address", "VAT no. LM 551 204", 50, 42),
        entity("address", "LINDMOOR", 50, 54),
        entity("address", "DD: 05/08/2017", 50, 66, score=0.01),
    )["address"]
    assert found.value == "MILL STREET 9 LINDMOOR"
    assert found.score == 0.9


def test_values_have_the_type_of_their_field() -> None:
    found = fields(
        INVOICE,
        entity("seller", "NORTH MILLS SDN BHD (12345-X)", 40, 20),
        entity("invoice_date", "Date: 25/12/2018", 40, 60),
        entity("due_date", "03/01/2019", 40, 80),
        entity("invoice_number", "Invoice no. 2018-77", 40, 100),
        entity("total", "TOTAL RM 1,007.50", 40, 200),
        entity("tax_rate", "GST (6%)", 40, 220),
    )
    assert found["seller"].value == "NORTH MILLS SDN BHD"
    assert found["invoice_date"].value == "2018-12-25"
    assert found["due_date"].value == "2019-01-03"  # the other date says the day comes first
    assert found["invoice_number"].value == "2018-77"
    assert (found["total"].value, found["total"].unit) == (1007.5, "MYR")
    assert found["tax_rate"].value == 6
    assert all(field.notes == () for field in found.values())


@pytest.mark.parametrize(
    ("label", "text", "note"),
    [
        ("date", "03/04/1985", "ambiguous_date: 1985-03-04 or 1985-04-03"),
        ("date", "DATE:", "no_date"),
        ("date", "25/12/2018 26/12/2018", "several_dates: 2018-12-25, 2018-12-26"),
        ("total", "TOTAL", "no_amount"),
        ("total", "1.234", "ambiguous_amount: 1.234 or 1234"),
        ("item_count", "many", "no_number"),
    ],
)
def test_no_value_rather_than_a_guess(label: str, text: str, note: str) -> None:
    found = fields(RECEIPT, entity(label, text, 40, 20))[label]
    assert (found.value, found.raw, found.notes) == (None, text, (note,))


def test_the_amount_of_a_line_is_not_its_count_or_rate() -> None:
    assert (
        fields(RECEIPT, entity("total", "TOTAL (2 ITEMS, GST 6%) 53.14", 40, 20))["total"].value
        == 53.14
    )


def test_one_total_on_several_lines_is_one_value() -> None:
    schema = FieldSchema((FieldSpec("total", repeated=True, type="money"),))
    found = assemble(
        [
            entity("total", text, 40, y)
            for text, y in (("53.14", 20), ("RM 53.14", 80), ("60.00", 140))
        ],
        schema,
        Context(),
    )
    assert [(field.value, len(field.entities)) for field in found] == [(53.14, 2), (60.0, 1)]


def item(y: float, description: str, quantity: str, price: str, amount: str) -> list[Entity]:
    return [
        entity(f"item.{name}", text, x, y)
        for name, text, x in (
            ("description", description, 40),
            ("quantity", quantity, 300),
            ("unit_price", price, 360),
            ("amount", amount, 440),
        )
        if text
    ]


def test_items_are_rows_whose_descriptions_may_have_many_lines() -> None:
    found = fields(
        INVOICE,
        *item(100, "Desk lamp Arc,", "6", "39.90", "239.40"),
        *item(112, "LED, white", "", "", ""),
        *item(130, "Copy paper", "24", "22.50", "540.00"),
        entity("item.description", "Toner", 40, 40, page=2),
        entity("item.amount", "421.00", 440, 40, page=2),
    )
    assert found["item.description/1"].value == "Desk lamp Arc, LED, white"
    assert [found[f"item.amount/{row}"].value for row in (1, 2, 3)] == [239.4, 540.0, 421.0]
    assert found["item.quantity/2"].value == 24
    assert "item.quantity/3" not in found
    assert found["item.amount/3"].source.regions[0].page == 2


def test_items_whose_name_stands_above_the_amount() -> None:
    found = fields(
        RECEIPT,
        *item(100, "WHOLE MILK", "", "", ""),
        *item(112, "", "2", "1.35", "2.70"),
        *item(124, "DARK CHOCOLATE", "", "", ""),
        *item(136, "", "3", "1.79", "5.37"),
    )
    assert found["item.description/1"].value == "WHOLE MILK"
    assert found["item.amount/1"].value == 2.7
    assert found["item.description/2"].value == "DARK CHOCOLATE"
    assert found["item.quantity/2"].value == 3


def test_items_whose_count_stands_above_the_name() -> None:
    found = fields(
        RECEIPT,
        *item(100, "", "2.00", "5.70", ""),
        *item(112, "MAGAZINE", "", "", "11.40"),
        *item(124, "", "1.00", "3.45", ""),
        *item(136, "PIZZA", "", "", "3.45"),
    )
    assert [found[f"item.quantity/{row}"].value for row in (1, 2)] == [2, 1]
    assert [found[f"item.unit_price/{row}"].value for row in (1, 2)] == [5.7, 3.45]
    assert all(field.notes == () for field in found.values())


@pytest.mark.parametrize("printed", ["2 x 1.35", "2x RM1.35", "2 PCS @ 1.35", "2 × 1,35"])
def test_count_and_price_in_one_text(printed: str) -> None:
    for column in ("quantity", "unit_price"):
        label = entity(f"item.{column}", printed, 40, 112)
        found = fields(
            RECEIPT, *item(100, "MILK", "", "", ""), label, entity("item.amount", "2.70", 440, 112)
        )
        assert found["item.quantity/1"].value == 2
        assert found["item.unit_price/1"].value == 1.35
        assert found["item.quantity/1"].source == found["item.unit_price/1"].source


def test_what_does_not_add_up_is_noted_and_left_alone() -> None:
    found = fields(
        INVOICE,
        *item(100, "Desk lamp", "6", "39.90", "240.00"),
        *item(112, "Paper", "2", "10.00", "20.00"),
        entity("subtotal", "260.00", 440, 200),
        entity("tax", "52.00", 440, 212),
        entity("total", "999.00", 440, 224),
    )
    assert found["item.amount/1"].notes == ("product: item.quantity × item.unit_price is 239.40",)
    assert found["item.amount/2"].notes == ()
    assert found["subtotal"].notes == ()
    assert found["total"].value == 999.0
    assert found["total"].notes == ("sum: subtotal tax is 260.00 +52.00",)


def test_sums_with_tax_included_or_with_an_amount_of_no_field_are_fine() -> None:
    totals = [entity("subtotal", "100.00", 440, 200), entity("tax", "6.00", 440, 212)]
    assert fields(RECEIPT, *totals, entity("total", "100.00", 440, 224))["total"].notes == ()
    shipping = fields(
        RECEIPT, *totals, entity("total", "118.50", 440, 224), texts=("Freight 12.50",)
    )
    assert shipping["total"].notes == ()


def test_dates_out_of_order_are_noted() -> None:
    found = fields(
        ID,
        entity("birth_date", "12.08.1974", 40, 20),
        entity("issue_date", "01.02.2020", 40, 40),
        entity("expiry_date", "01.02.2010", 40, 60),
    )
    assert found["issue_date"].notes == ()
    assert found["expiry_date"].notes == ("order: before issue_date",)


def test_a_birth_is_never_in_the_future() -> None:
    found = fields(
        ID, entity("birth_date", "05.04.63", 40, 20), entity("expiry_date", "05.04.31", 40, 40)
    )
    assert found["birth_date"].value == "1963-04-05"
    assert found["expiry_date"].value == "2031-04-05"


def test_the_zone_proves_and_contradicts_what_is_printed() -> None:
    found = fields(
        ID,
        entity("surname", "Érikssön", 40, 20),
        entity("given_names", "ANNA", 40, 32),
        entity("sex", "Sex: M", 40, 44),
        entity("birth_date", "08/12/1974", 40, 56),
        entity("document_number", "L898902C3", 40, 68),
        *(entity("mrz", line, 40, 200 + 12 * at) for at, line in enumerate(ZONE)),
    )
    assert found["birth_date"].value == "1974-08-12"  # of two readings, the zone has this one
    assert found["mrz"].value == "\n".join(ZONE)
    assert found["sex"].notes == ("differs_from_mrz: F",)
    for name in ("surname", "birth_date", "document_number", "mrz"):
        assert found[name].notes == ()
    assert found["given_names"].notes == ("differs_from_mrz: ANNA MARIA",)


def test_numbers_of_rows_are_no_part_of_their_texts() -> None:
    found = fields(
        INVOICE,
        *item(100, "1 Desk lamp", "", "", "5.00"),
        *item(112, "2 Paper", "", "", "6.00"),
    )
    assert [found[f"item.description/{row}"].value for row in (1, 2)] == ["Desk lamp", "Paper"]


def test_some_items_on_one_line_and_some_on_two() -> None:
    found = fields(
        RECEIPT,
        *item(100, "BREAD", "", "", "4.20"),
        *item(112, "WHOLE MILK", "", "", ""),
        *item(124, "", "2", "1.35", "2.70"),
        *item(136, "EGGS", "", "", "3.49"),
        *item(148, "free range", "", "", ""),
        *item(160, "CHOCOLATE", "", "", ""),
        *item(172, "", "3", "1.79", "5.37"),
    )
    texts = [found[f"item.description/{row}"].value for row in (1, 2, 3, 4)]
    assert texts == ["BREAD", "WHOLE MILK", "EGGS free range", "CHOCOLATE"]


def test_counts_in_front_of_all_texts_are_quantities() -> None:
    rows = [*item(100, "3 COFFEE", "", "", "6.00"), *item(112, "10x 332 BAG", "", "", "5.00")]
    found = fields(RECEIPT, *rows)
    assert [found[f"item.quantity/{row}"].value for row in (1, 2)] == [3, 10]
    assert [found[f"item.description/{row}"].value for row in (1, 2)] == ["COFFEE", "332 BAG"]
    mixed = fields(RECEIPT, *rows, *item(124, "7UP", "", "", "2.00"))
    assert mixed["item.description/1"].value == "3 COFFEE"
    one = fields(
        RECEIPT,
        entity("item.quantity", "10X COOKING OIL", 40, 100),
        entity("item.amount", "7.00", 440, 100),
    )
    assert (one["item.quantity/1"].value, one["item.description/1"].value) == (10, "COOKING OIL")


def test_a_wish_goes_on_with_the_row_above() -> None:
    found = fields(
        RECEIPT,
        *item(100, "CANDY", "", "", ""),
        *item(112, "", "1", "5.10", "5.10"),
        *item(124, "* WELL DONE", "", "", ""),
        *item(136, "BURGER", "", "", ""),
        *item(148, "", "2", "1.00", "2.00"),
        *item(160, "TEA", "", "", ""),
        *item(172, "", "1", "1.50", "1.50"),
    )
    texts = [found[f"item.description/{row}"].value for row in (1, 2, 3)]
    assert texts == ["CANDY * WELL DONE", "BURGER", "TEA"]


def test_discounts_are_taken_off_whatever_their_sign() -> None:
    totals = [entity("subtotal", "100.00", 440, 200), entity("total", "90.00", 440, 224)]
    for printed in ("10.00", "-10.00"):
        found = fields(RECEIPT, *totals, entity("discount", printed, 440, 212))
        assert found["total"].notes == ()
