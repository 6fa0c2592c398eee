"""Documents of a schema, one after another, always the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, get_args

from docpipe.datasets.kie import KieDocument
from docpipe.datasets.synthetic_kie.form import Form
from docpipe.datasets.synthetic_kie.identity import Card
from docpipe.datasets.synthetic_kie.invoice import Invoice
from docpipe.datasets.synthetic_kie.receipt import Receipt
from docpipe.datasets.synthetic_kie.sheet import Sheet
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, Split

Schema = Literal["invoice", "id", "form", "receipt"]
SCHEMAS: tuple[Schema, ...] = get_args(Schema)


class Draft(NamedTuple):
    """A document as typeset, with its values and the values of its rows."""

    key: str
    sheets: tuple[Sheet, ...]
    values: dict[str, str]
    rows: tuple[dict[str, str], ...] = ()

    def document(self) -> KieDocument:
        pages = tuple(sheet.page() for sheet in self.sheets)
        return KieDocument(self.key, pages, self.values, self.rows)


def generate(
    schema: Schema, count: int, seed: int, split: Split = "train"
) -> Iterator[KieDocument]:
    """`count` labelled documents. Raises ConfigError for an unknown schema or split."""
    return (draft.document() for draft in drafts(schema, count, seed, split))


def drafts(schema: Schema, count: int, seed: int, split: Split = "train") -> Iterator[Draft]:
    """The documents of `generate` as they are typeset."""
    for number in range(count):
        key = f"{schema}-{split}-{seed}-{number}"
        yield _MAKERS[schema](key, Chooser(key, split))


def _invoice(key: str, chance: Chooser) -> Draft:
    invoice = Invoice(chance)
    invoice.set()
    return Draft(key, tuple(invoice.sheets), invoice.values, invoice.rows)


def _id(key: str, chance: Chooser) -> Draft:
    card = Card(chance)
    card.set()
    return Draft(key, (card.sheet,), card.values)


def _receipt(key: str, chance: Chooser) -> Draft:
    receipt = Receipt(chance)
    receipt.set()
    return Draft(key, (receipt.sheet,), receipt.values, tuple(receipt.rows))


def _form(key: str, chance: Chooser) -> Draft:
    form = Form(chance)
    form.set()
    return Draft(key, (form.sheet,), {})


_MAKERS: dict[Schema, Callable[[str, Chooser], Draft]] = {
    "invoice": _invoice,
    "id": _id,
    "form": _form,
    "receipt": _receipt,
}
