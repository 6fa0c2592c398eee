"""The table of taxes at the foot of a receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docpipe.datasets.synthetic_kie.sheet import PLAIN, Align, Mark

if TYPE_CHECKING:
    from docpipe.datasets.synthetic_kie.receipt import Receipt

# Rate, net, tax, gross.
_TAX_HEADS = {
    "en": [
        ("VAT", "net", "tax", "gross"),
        ("GST Summary", "Amount(RM)", "Tax(RM)", "Total(RM)"),
        ("%", "Net", "Tax", "Total"),
        ("Rate", "Goods", "VAT", "Gross"),
    ],
    "de": [("MwSt%", "Netto", "MwSt", "Brutto"), ("Steuer", "Netto", "Steuer", "Brutto")],
    "fr": [("Taux", "HT", "TVA", "TTC"), ("TVA", "Base HT", "Montant", "TTC")],
    "es": [("IVA", "Base", "Cuota", "Total")],
    "it": [("Aliq.", "Imponibile", "IVA", "Totale")],
    "nl": [("BTW", "Netto", "BTW", "Bruto")],
    "pl": [("PTU", "Netto", "PTU", "Brutto")],
}


def set_taxes(receipt: Receipt) -> None:
    """A table of what is taxed at which rate. Its tax is a field where it stands nowhere else,
    as where prices include it."""
    facts, chance, money, style = receipt.facts, receipt.chance, receipt.facts.money, receipt.style
    rate = chance.one([rate for rate in facts.locale.vat if _percent(rate)])
    tax = facts.tax or round(facts.total * _percent(rate) / (100 + _percent(rate)))
    gross = facts.total - facts.rounding
    label = Mark("other", ("tax",)) if facts.tax else "tax"
    if not facts.tax:
        receipt.values["tax"] = f"{tax / 100:.2f}"
    known: dict[str, tuple[str, Mark | str]] = {
        "net": (money(gross - tax), PLAIN),
        "tax": (money(tax), label),
        "gross": (money(gross), Mark("other", ("total",)) if gross == facts.total else PLAIN),
    }
    heads = _TAX_HEADS.get(receipt.lang, _TAX_HEADS["en"])
    order = chance.one([("net", "tax", "gross"), ("gross", "net", "tax"), ("net", "tax")])
    named = dict(zip(("rate", "net", "tax", "gross"), chance.one(heads), strict=True))
    code = chance.one([f"{chance.one('ABS')} {rate}", rate, f"SR @ {rate}", f"{rate} ="])
    rows: list[list[tuple[str, Mark | str]]] = [
        [(named[name], PLAIN) for name in ("rate", *order)],
        [(code, PLAIN), *(known[name] for name in order)],
    ]
    if chance.chance(0.3):
        rows.append([("B 0%", PLAIN), *((money(0), PLAIN) for _ in order)])
    for row in rows if chance.chance(0.9) else rows[1:]:
        for at, (text, mark) in enumerate(row):
            wide = receipt.inner * (at + 1) / len(row) if at else 0.0
            align: Align = "right" if at else "left"
            receipt.sheet.text(
                receipt.left, receipt.y + style.size, text, style, mark, align=align, width=wide
            )
        receipt.y += style.line


def _percent(rate: str) -> float:
    return float(rate.strip("% ").replace(",", "."))
