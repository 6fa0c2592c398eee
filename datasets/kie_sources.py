"""Loaders for public sets of labelled entities, from folders in the form docs/data.md describes.

Each gives KieDocuments of one page, and FIELDS says which fields a set has and how often each may
stand in a document ("one" or "many").
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from docpipe.datasets.kie import OTHER, KieDocument, KieEntity, KiePage
from docpipe.errors import ConfigError, SchemaError
from docpipe.geometry import BBox

Fields = dict[str, Literal["one", "many"]]
Source = Literal["sroie", "cord-r", "cord-r-values", "funsd", "ec-funsd"]

_CORD_MANY = (
    *("nm", "num", "unitprice", "cnt", "discountprice", "price", "itemsubtotal", "vatyn", "etc"),
    *("sub.nm", "sub.unitprice", "sub.cnt", "sub.price", "sub.etc"),
)
_CORD_SUB_TOTAL = ("subtotal", "discount", "service", "othersvc", "tax")
_CORD_TOTAL = (
    *("total_price", "cashprice", "changeprice", "creditcardprice", "emoneyprice"),
    *("menutype_cnt", "menuqty_cnt"),
)
_FORM: Fields = {"question": "many", "answer": "many", "header": "many"}

_CORD: Fields = {
    **{f"menu.{name}": "many" for name in _CORD_MANY},
    "void_menu.nm": "many",
    "void_menu.price": "many",
    **{f"sub_total.{name}_price": "one" for name in _CORD_SUB_TOTAL},
    "sub_total.etc": "many",
    **{f"total.{name}": "one" for name in _CORD_TOTAL},
    "total.total_etc": "many",
}

FIELDS: dict[Source, Fields] = {
    "sroie": {"company": "many", "date": "one", "address": "many", "total": "one"},
    "cord-r": dict.fromkeys(_CORD, "many"),
    "cord-r-values": _CORD,
    "funsd": _FORM,
    "ec-funsd": _FORM,
}

# What the labels of a set of receipts are called in docpipe's own schema "receipt"; others are no
# field of it.
RECEIPT_LABELS: dict[Source, dict[str, str]] = {
    "sroie": {name: name for name in ("company", "address", "date", "total")},
    "cord-r-values": {
        "menu.nm": "item.description",
        "menu.sub.nm": "item.description",
        "menu.cnt": "item.quantity",
        "menu.sub.cnt": "item.quantity",
        "menu.unitprice": "item.unit_price",
        "menu.sub.unitprice": "item.unit_price",
        "menu.price": "item.amount",
        "menu.sub.price": "item.amount",
        "sub_total.subtotal_price": "subtotal",
        "sub_total.discount_price": "discount",
        "sub_total.service_price": "service",
        "sub_total.tax_price": "tax",
        "total.total_price": "total",
        "total.cashprice": "cash",
        "total.creditcardprice": "card",
        "total.emoneyprice": "card",
        "total.changeprice": "change",
        "total.menuqty_cnt": "item_count",
    },
}


def load(source: Source, folder: Path, split: str) -> list[KieDocument]:
    """One split of a set, by key. Raises ConfigError for an unknown set or split, SchemaError for
    files that are not of the set's form."""
    loaders: dict[Source, Callable[[Path, str], Iterator[KieDocument]]] = {
        "sroie": _sroie,
        "cord-r": partial(_cord, values_only=False),
        "cord-r-values": partial(_cord, values_only=True),
        "funsd": _funsd,
        "ec-funsd": _ec_funsd,
    }
    if source not in loaders:
        raise ConfigError(f"unknown data set {source!r}", hint=f"known: {', '.join(loaders)}")
    return sorted(loaders[source](folder, split), key=lambda document: document.key)


def relabelled(document: KieDocument, names: Mapping[str, str]) -> KieDocument:
    """The document with its labels called `names` of them, and said to have only those annotated;
    labels without a name are OTHER."""
    pages = tuple(
        msgspec.structs.replace(page, entities=tuple(_renamed(e, names) for e in page.entities))
        for page in document.pages
    )
    values = {names[name]: value for name, value in document.values.items() if name in names}
    annotated = tuple(dict.fromkeys(names.values()))
    return msgspec.structs.replace(document, pages=pages, values=values, annotated=annotated)


def _renamed(entity: KieEntity, names: Mapping[str, str]) -> KieEntity:
    also = tuple(names[name] for name in entity.also if name in names)
    return msgspec.structs.replace(entity, label=names.get(entity.label, OTHER), also=also)


# ── SROIE: lines of receipts, four values a receipt ──────────────────────────────────────────────


def _sroie(folder: Path, split: str) -> Iterator[KieDocument]:
    for where, raw in _rows(folder / f"entities_{split}.jsonl"):
        with _Form(where):
            values = {name: field["value"] for name, field in raw["fields"].items()}
            total = amount(values.get("total", ""))
            date = values.get("date", "").strip()
            lines = [_sroie_line(line, total, date) for line in raw["lines"]]
            yield _one_page(raw["key"], raw["image_size"], lines, values)


def _sroie_line(line: dict[str, Any], total: str, date: str) -> KieEntity:
    """Lines that carry the total or the date of the receipt once more are equally right for it."""
    text, label = line["text"], line["label"]
    same = {"total": bool(total) and amount_of(text) == total, "date": bool(date) and date in text}
    also = tuple(field for field, holds in same.items() if holds and label != field)
    return KieEntity(text, _box(line["box"]), label, also)


def amount_of(line: str) -> str:
    """The amount that a line is or that alone ends it, as in "TOTAL: RM8.20"; "" for none."""
    end = re.fullmatch(
        r"[^\d.]*[^\d\s.]\s+(?:RM|MYR|\$)?\s*(\d[\d,]*\.\d\d)", line.strip(), re.IGNORECASE
    )
    return amount(end[1] if end else line)


def amount(text: str) -> str:
    """The number that a text is, with two decimals, currency and blanks aside; "" for none."""
    found = re.fullmatch(r"\W*(?:RM|MYR)?\s*(\d[\d,]*)(\.\d{1,2})?\W*", text.strip(), re.IGNORECASE)
    if not found:
        return ""
    return f"{float(found[1].replace(',', '') + (found[2] or '')):.2f}"


# ── CORD-r: segments of receipts; a segment has the label that covers most of its characters ─────
#
# A total spans two segments, its printed key and its amount, so by segments no field stands once.
# In "cord-r-values" only the amount has the label of a field that stands once.


def _cord(folder: Path, split: str, values_only: bool) -> Iterator[KieDocument]:
    for where, raw in _rows(folder / f"{split}.jsonl"):
        with _Form(where):
            covered: dict[int, Counter[str]] = {}
            for entity in raw["entities"]:
                once = values_only and _CORD.get(entity["label"]) == "one"
                for part in _amount_part(entity["parts"]) if once else entity["parts"]:
                    count = covered.setdefault(part["segment"], Counter())
                    count[entity["label"]] += len(part["text"])
            segments = [
                KieEntity(
                    segment["text"], _box(segment["box"]), _commonest(covered.get(segment["id"]))
                )
                for segment in raw["segments"]
            ]
            yield _one_page(raw["uid"], raw, segments)


def _amount_part(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last part with a digit; all parts if none has one."""
    numbers = [part for part in parts if any(char.isdigit() for char in part["text"])]
    return numbers[-1:] or parts


# ── FUNSD: entities of forms; EC-FUNSD: segments of the same forms, labelled anew ────────────────


def _funsd(folder: Path, split: str) -> Iterator[KieDocument]:
    names = {"train": "training_data", "test": "testing_data"}
    part = folder / names.get(split, split)
    paths = sorted((part / "annotations").glob("*.json"))
    if not paths:
        raise _no_such_split(part / "annotations")
    for path in paths:
        with _Form(str(path)):
            form = json.loads(path.read_text("utf-8"))["form"]
            entities = [KieEntity(e["text"], _box(e["box"]), e["label"]) for e in form]
            size = _image_size(part / "images" / f"{path.stem}.png")
            yield _one_page(path.stem, size, entities)


def _image_size(path: Path) -> dict[str, int]:
    from PIL import Image

    try:
        with Image.open(path) as image:
            return {"width": image.width, "height": image.height}
    except OSError as error:
        raise SchemaError(
            f"{path} cannot be read: {error}",
            code="dataset",
            hint="the page size is that of the image beside the annotations",
        ) from error


def _ec_funsd(folder: Path, split: str) -> Iterator[KieDocument]:
    listing = folder / f"data.{split}.txt"
    if not listing.is_file():
        raise _no_such_split(listing)
    for name in listing.read_text("utf-8").split():
        path = folder / "jsons" / name
        with _Form(str(path)):
            raw = json.loads(path.read_text("utf-8"))
            label_of = {
                word: entity["label"]
                for entity in raw["label_entities"]
                for word in entity["word_idx"]
            }
            segments = [
                KieEntity(
                    segment["text"],
                    _box(segment["box"]),
                    _commonest(Counter(label_of.get(w["id"], OTHER) for w in segment["words"])),
                )
                for segment in raw["document"]
            ]
            yield _one_page(raw["uid"], raw["img"], segments)


# ── Shared ───────────────────────────────────────────────────────────────────────────────────────


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of a JSONL file with where they stand."""
    if not path.is_file():
        raise _no_such_split(path)
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            with _Form(where):
                row = json.loads(line)
            yield where, row


class _Form:
    """Turns whatever a malformed file makes fail into a SchemaError that says where."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: Any
    ) -> None:
        if isinstance(error, KeyError):
            problem = f"{error} is missing"
        elif isinstance(error, TypeError | ValueError | AttributeError | OSError):
            problem = str(error)
        else:
            return
        raise SchemaError(
            f"{self.where}: {problem}", code="dataset", hint="see docs/data.md for the form"
        ) from error


def _no_such_split(path: Path) -> ConfigError:
    return ConfigError(f"no such split: {path}", hint="check the folder and the name of the split")


def _commonest(labels: Counter[str] | None) -> str:
    return labels.most_common(1)[0][0] if labels else OTHER


def _box(corners: list[float]) -> BBox:
    x0, y0, x1, y1 = corners
    return BBox.of(x0, y0, x1, y1)


def _one_page(
    key: str, size: dict[str, Any], entities: list[KieEntity], values: dict[str, str] | None = None
) -> KieDocument:
    page = KiePage(float(size["width"]), float(size["height"]), tuple(entities))
    return KieDocument(key, (page,), values or {})
