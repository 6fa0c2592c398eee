"""What follows the items of an invoice: the sums, the terms, and the foot of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docpipe.datasets.synthetic_kie.blocks import Pair, PairLayout, pair_design, set_pairs
from docpipe.datasets.synthetic_kie.sheet import PLAIN, Mark, Sheet, Style
from docpipe.datasets.synthetic_kie.vocabulary import grouped

if TYPE_CHECKING:
    from docpipe.datasets.synthetic_kie.invoice import Invoice


def set_sums(invoice: Invoice) -> None:
    """The sums, from subtotal to total, below the table."""
    facts, chance, look = invoice.facts, invoice.chance, invoice.look
    pairs = _sum_pairs(invoice)
    size = look.body._replace(leading=look.body.leading * chance.one([1, 1.15, 1.3]))
    layout: PairLayout = chance.one(["spread", "spread", "spread", "spread", "keys_right", "grid"])
    design = pair_design(chance, size, [layout])._replace(per_row=len(pairs))
    width = look.width * chance.uniform(0.35, 0.55)
    x = look.right - width if chance.chance(0.85) else look.left
    if layout == "grid":
        x, width = look.left, look.width
    y = invoice.y + chance.uniform(4, 16)
    if len(facts.rates) > 1 or chance.chance(0.12):
        y = _tax_table(invoice, y)
    if y + 14 * len(pairs) > invoice.sheet.height - 110:
        y = invoice.next_page()
    *others, total = pairs
    if layout == "grid" or chance.chance(0.4):
        invoice.y = set_pairs(invoice.sheet, x, y, width, pairs, design)
        return
    y = set_pairs(invoice.sheet, x, y, width, others, design)
    large = size.bolder().scaled(chance.one([1.0, 1.15, 1.4]))
    invoice.sheet.rule(x, y + 1, x + width)
    last = design._replace(key_style=large, value_style=large)
    invoice.y = set_pairs(invoice.sheet, x, y + 2, width, [total], last)


def _sum_pairs(invoice: Invoice) -> list[Pair]:
    facts, chance, term, money = invoice.facts, invoice.chance, invoice.term, invoice.look.sums
    values = invoice.values
    pairs = []
    if chance.chance(0.85):
        pairs.append(Pair(term("subtotal"), (money(facts.subtotal),), "subtotal"))
        values["subtotal"] = _plain(facts.subtotal)
    if facts.shipping:
        word = chance.one(["Shipping", "Delivery", "Freight", "P&P"])
        pairs.append(Pair(word, (money(facts.shipping),), PLAIN))
    if len(facts.rates) == 1:
        rate = facts.rates[0][0]
        key = term("tax").rstrip("@ ")
        form = chance.choice(["{} {}", "{} ({})", "{1} {0}", "{}", "{} @ {}", "{}"])
        mark: Mark | str = PLAIN
        if form != "{}":
            mark, values["tax_rate"] = "tax_rate", _rate(rate)
        pairs.append(Pair(form.format(key, rate), (money(facts.tax),), "tax", mark))
    else:
        if chance.chance(0.5):
            for rate, _, tax in facts.rates:
                pairs.append(Pair(f"{term('tax')} {rate}", (money(tax),), PLAIN))
        pairs.append(Pair(f"{term('tax')}", (money(facts.tax),), "tax"))
    values["tax"] = _plain(facts.tax)
    key = term("total")
    if chance.chance(0.2):
        key += f" {chance.one(facts.locale.symbols)}"
    pairs.append(Pair(key, (money(facts.total),), "total"))
    values["total"] = _plain(facts.total)
    return pairs


def _tax_table(invoice: Invoice, y: float) -> float:
    """Rates with their net amounts and taxes, in columns."""
    chance, look, sheet = invoice.chance, invoice.look, invoice.sheet
    style, step = look.small, look.width * 0.15
    heads = [invoice.term(name) for name in ("vat_column", "subtotal", "tax")]
    single = len(invoice.facts.rates) == 1
    for at, head in enumerate(heads):
        head = head if style.width(head) < step - 12 else head.split()[0]
        sheet.text(look.left + at * step, y + style.size, head, style.bolder(), cell=-at - 1)
    for rate, net, tax in invoice.facts.rates:
        y += style.line
        marks = ("tax_rate", "subtotal", "tax") if single else ("", "", "")
        texts = (rate, look.money(net), look.money(tax))
        for at, (text, label) in enumerate(zip(texts, marks, strict=True)):
            mark: Mark | str = Mark("other", (label,)) if label else PLAIN
            if label == "tax_rate" and label not in invoice.values:
                mark, invoice.values[label] = label, _rate(rate)
            sheet.text(look.left + at * step, y + style.size, text, style, mark, cell=-at - 1)
    return y + style.line + chance.uniform(2, 8)


def set_closing(invoice: Invoice) -> None:
    """Terms and thanks."""
    chance, look, facts = invoice.chance, invoice.look, invoice.facts
    y = invoice.y + chance.uniform(8, 24)
    for _ in range(chance.randint(0, 3)):
        if y > invoice.sheet.height - 110:
            return
        words = invoice.term("thanks")
        if chance.chance(0.3):
            words = f"{invoice.term('total')}: {look.sums(facts.total)} - {facts.day(facts.due)}"
        y = invoice.sheet.paragraph(look.left, y, words, look.body, look.width * 0.9) + 3
    invoice.y = y


def set_footer(invoice: Invoice, *, show_seller: bool) -> None:
    """Bank account and the like at the foot of the page, in columns or as lines."""
    chance, look, seller = invoice.chance, invoice.look, invoice.facts.seller
    columns: list[list[tuple[str, Mark | str]]] = []
    if show_seller or chance.chance(0.4):
        address: list[tuple[str, Mark | str]] = [
            (t, "seller_address") for t in seller.address.lines
        ]
        columns.append([(seller.name, "seller"), *address])
        invoice.values.setdefault("seller_address", " ".join(seller.address.lines))
    if chance.chance(0.5):
        columns.append([(f"{invoice.term('phone')} {seller.phone}", PLAIN), (seller.email, PLAIN)])
    if seller.iban and chance.chance(0.75):
        columns.append(_bank(invoice))
    key = "seller_tax_id"
    if key not in invoice.values and chance.chance(0.6):
        invoice.values[key] = seller.tax_id
        columns.append([(f"{invoice.term('tax_id')}: {seller.tax_id}", key)])
    if chance.chance(0.4):
        columns.append(
            [(invoice.term("page").format(len(invoice.sheets), len(invoice.sheets)), PLAIN)]
        )
    style, rows = look.small, max((len(column) for column in columns), default=0)
    y = invoice.sheet.height - 24 - rows * style.line
    if y < invoice.y + 6:
        y = invoice.next_page()
    if len(columns) > 2 and chance.chance(0.7):
        step = look.width / len(columns)
        for at, column in enumerate(columns):
            _column(invoice.sheet, look.left + at * step, y, column, style, step - 8, -at - 1)
        return
    y = min(y, invoice.y + chance.uniform(10, 40)) if chance.chance(0.5) else y - rows * style.line
    for column in columns:
        y = invoice.sheet.lines(look.left, y, column, style) + 2


def _column(
    sheet: Sheet,
    x: float,
    y: float,
    column: list[tuple[str, Mark | str]],
    style: Style,
    width: float,
    cell: int,
) -> None:
    for text, mark in column:
        smaller = style.scaled(min(max(width / style.width(text), 0.6), 1.0))
        y = sheet.paragraph(x, y, text, smaller, width, mark, cell=cell)


def _bank(invoice: Invoice) -> list[tuple[str, Mark | str]]:
    chance, seller = invoice.chance, invoice.facts.seller
    number = grouped(seller.iban) if chance.chance(0.7) else seller.iban
    invoice.values["iban"] = seller.iban
    lines: list[tuple[str, Mark | str]] = [
        (f"{chance.one(['', invoice.term('bank') + ': '])}{seller.bank}", PLAIN),
        (f"IBAN{chance.one([': ', ' '])}{number}", "iban"),
    ]
    if chance.chance(0.8):
        key = chance.one(["BIC: ", "BIC ", "SWIFT: ", "BIC/SWIFT: ", "SWIFT/BIC "])
        lines.append((f"{key}{seller.bic}", "bic"))
        invoice.values["bic"] = seller.bic
    return lines


def _rate(text: str) -> str:
    return text.strip("% ").replace(",", ".")


def _plain(cents: int) -> str:
    return f"{cents / 100:.2f}"
