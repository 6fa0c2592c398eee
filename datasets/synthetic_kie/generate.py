"""Documents of a schema, one after another, always the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Literal, NamedTuple, get_args

from docpipe.datasets.kie import KieDocument
from docpipe.datasets.synthetic_kie.form import Form
from docpipe.datasets.synthetic_kie.identity import Card
from docpipe.datasets.synthetic_kie.invoice import Invoice
from docpipe.datasets.synthetic_kie.receipt import Receipt
from docpipe.datasets.synthetic_kie.sheet import Sheet
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, Split
from docpipe.errors import ConfigError

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
    schema: Schema | str, count: int, seed: int, split: Split | str = "train"
) -> Iterator[KieDocument]:
    """`count` labelled documents. Raises ConfigError for an unknown schema or split."""
    return (draft.document() for draft in drafts(schema, count, seed, split))


def drafts(
    schema: Schema | str, count: int, seed: int, split: Split | str = "train"
) -> Iterator[Draft]:
    """The documents of `generate` as they are typeset. Raises ConfigError as it does."""
    make = _MAKERS.get(schema)
    if make is None:
        raise ConfigError(
            f"no documents are made for {schema!r}", hint=f"known: {', '.join(SCHEMAS)}"
        )
    if split not in ("train", "test"):
        raise ConfigError(f"unknown split {split!r}", hint="use train or test")
    if find_spec("faker") is None:
        raise ConfigError("making documents needs Faker", hint="pip install 'docpipe[train]'")
    side: Split = "test" if split == "test" else "train"
    keys = (f"{schema}-{split}-{seed}-{number}" for number in range(count))
    return (make(key, Chooser(key, side)) for key in keys)


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


_MAKERS: dict[str, Callable[[str, Chooser], Draft]] = {
    "invoice": _invoice,
    "id": _id,
    "form": _form,
    "receipt": _receipt,
}
