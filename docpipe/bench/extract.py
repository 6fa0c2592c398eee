"""The bench `extract`: the part `values`, the field values of receipts from their photos through
OCR, and `labels`, `links` and `rows`, what becomes of right entities (see bench.assembly).

Data: the folder of sets that docs/data.md describes; for `values` the receipts of SROIE's training
part that have an image. Each receipt is read by a model trained on the receipts of other companies
(five parts); `work` keeps the models. `ocr` is the whole way with docpipe's own OCR, `gold` the
same with the texts and boxes of the data set, and `readable` says whether OCR has the letters of
the value at all, in one run of lines. With `library` the images are not read again: it has been
ingested from them.

Values are equal after upper-casing, by letters and digits; totals as numbers and dates as days.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options, chosen
from docpipe.datasets import kie_sources
from docpipe.datasets.kie import KieDocument, KiePage, company, grouped_folds
from docpipe.errors import ConfigError
from docpipe.pipeline import Pipeline
from docpipe.records import Document, Field, Page, Region, Source, TextBlock, Word

if TYPE_CHECKING:
    from docpipe.parsers.entities.extraction import FieldExtractor
    from docpipe.parsers.entities.schema import FieldSchema

FOLDS = 5
_FIELDS = ("company", "date", "address", "total")
_ROUTES = ("ocr", "gold")
_CONFIG = "sroie"


def run(data: Path, options: Options) -> Measured:
    """The parts that `options.parts` names. Raises ConfigError."""
    from docpipe.bench import assembly

    parts: dict[str, Callable[[], Measured]] = {
        "values": lambda: values(data, options),
        "labels": lambda: assembly.labels(data, options),
        "links": lambda: assembly.links(data, options),
        "rows": lambda: assembly.rows(options),
    }
    unknown = sorted(set(options.parts) - set(parts))
    if unknown:
        raise ConfigError(f"no such part: {unknown[0]!r}", hint=f"parts: {', '.join(parts)}")
    measured = [parts[name]() for name in options.parts or parts]
    return Measured(
        [row for each in measured for row in each.rows],
        {name: value for each in measured for name, value in each.figures.items()},
    )


def values(data: Path, options: Options) -> Measured:
    """Train what is not in `work`, then read and score each image. Raises ConfigError."""
    receipts = kie_sources.load("sroie", data / "sroie", "train")
    images = {path.stem: path for path in (data / "sroie" / "images").glob("*.jpg")}
    if not images:
        raise ConfigError(f"no images in {data / 'sroie' / 'images'}", hint="see docs/data.md")
    folds = grouped_folds(receipts, FOLDS, company)
    fold_of = {receipt.key: at for at, fold in enumerate(folds) for receipt in fold}
    some = chosen([receipt for receipt in receipts if receipt.key in images], options)
    with tempfile.TemporaryDirectory() as folder:
        models = _Models(data, options.work or Path(folder))
        reader = _Reader(options)
        rows = [
            _row(receipt, reader.read(images[receipt.key]), models[fold_of[receipt.key]])
            for receipt in options.track(some)
        ]
    return Measured(rows, _figures(rows))


class _Models(dict[int, "FieldExtractor"]):
    """An extractor for each part of the receipts, trained on the other parts."""

    def __init__(self, data: Path, work: Path) -> None:
        super().__init__()
        self._data, self._work = data, work

    def __missing__(self, fold: int) -> FieldExtractor:
        from docpipe.parsers.entities.classifier import KnnFormerClassifier
        from docpipe.parsers.entities.extraction import FieldExtractor

        folder = self._work / f"fold{fold}"
        if not (folder / "config.json").is_file():
            self._train(fold, folder)
        self[fold] = FieldExtractor(KnnFormerClassifier(folder), schema())
        return self[fold]

    def _train(self, fold: int, folder: Path) -> None:
        from docpipe.bench.knnformer.runs import Run, settings_of
        from docpipe.parsers.entities.weights import SavedConfig, save
        from docpipe.training.knnformer.splits import load_splits, schema_of
        from docpipe.training.train_knnformer import fit

        settings = settings_of(
            Run("extract", _CONFIG, fold=fold), None, self._data.resolve().parent
        )
        fields = schema_of(settings)
        fitted = fit(settings, fields, load_splits(settings, fields.labels[1:]), folder)
        save(folder, fitted.model, SavedConfig(settings.model, fields, fitted.thresholds))


class _Reader:
    """Documents of images, from the library if there is one."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._pipeline = Pipeline(msgspec.structs.replace(options.config, entities=None))

    @cached_property
    def _known(self) -> dict[str, Document]:
        from docpipe.library import Library

        if self._options.library is None:
            return {}
        library = Library.open(self._options.library)
        return {document.name: document for document in map(library.document, library.documents())}

    def read(self, image: Path) -> Document:
        return self._known.get(image.name) or self._pipeline.parse(image)


def schema() -> FieldSchema:
    """The fields that SROIE labels, typed as in the schema of receipts."""
    from docpipe.parsers.entities.schema import FieldSchema, find_schema

    receipt = find_schema("receipt")
    return FieldSchema(tuple(receipt.spec(name) for name in _FIELDS))


def gold_document(receipt: KieDocument) -> Document:
    """The texts of a receipt as words of a document, each in a block of its own: an entity."""
    pages = tuple(_gold_page(number, page) for number, page in enumerate(receipt.pages, start=1))
    return Document(id=receipt.key, name=receipt.key, pages=pages)


def _gold_page(number: int, page: KiePage) -> Page:
    entities = [entity for entity in page.entities if entity.text]
    return Page(
        number,
        str(number),
        page.width,
        page.height,
        words=tuple(Word(entity.text, entity.box) for entity in entities),
        blocks=tuple(
            TextBlock(
                f"p{number}/text{at}",
                Source((Region(number, entity.box),), "gold"),
                entity.text,
                "paragraph",
            )
            for at, entity in enumerate(entities, start=1)
        ),
    )


def _row(receipt: KieDocument, read: Document, extractor: FieldExtractor) -> Row:
    gold = {name: value for name in _FIELDS if (value := receipt.values.get(name, "").strip())}
    documents = dict(zip(_ROUTES, (read, gold_document(receipt)), strict=True))
    scores: dict[str, float] = {}
    for route, document in documents.items():
        found = extractor.extract(document)
        scores |= {f"{route}.{k}": v for k, v in _right(found, gold).items()}
    letters = [_letters(line) for line in _lines(read)]
    scores |= {f"readable.{name}": _is_readable(value, letters) for name, value in gold.items()}
    return Row(receipt.key, scores, group=company(receipt))


def _right(document: Document, gold: Mapping[str, str]) -> dict[str, float]:
    """1 for each value that is right, 0 for one that is wrong or missing; `found` counts values."""
    from docpipe.parsers.entities.values.reading import context_of
    from docpipe.parsers.entities.values.scoring import is_right

    context, fields = context_of(_lines(document)), schema()
    first: dict[str, Field] = {field.name: field for field in reversed(document.fields)}
    right = {
        name: float(name in first and is_right(first[name], value, fields.spec(name), context))
        for name, value in gold.items()
    }
    return right | {"found": float(len(first))}


def _lines(document: Document) -> list[str]:
    from docpipe.parsers.entities.segments import segments

    return [segment.text for page in document.pages for segment in segments(page)]


def _is_readable(value: str, lines: Sequence[str]) -> float:
    return float(_letters(value) in "".join(lines))


def _letters(text: str) -> str:
    return "".join(char for char in text.upper() if char.isalnum())


def _figures(rows: Sequence[Row]) -> dict[str, float]:
    """Micro F1 of values by route, over all receipts and fields."""
    return dict(_f1(rows))


def _f1(rows: Sequence[Row]) -> Iterator[tuple[str, float]]:
    for route in _ROUTES:
        named = [f"{route}.{name}" for name in _FIELDS]
        right = [row.scores[name] for row in rows for name in named if name in row.scores]
        found = sum(row.scores[f"{route}.found"] for row in rows)
        yield f"{route}.f1", 2 * sum(right) / max(found + len(right), 1)
