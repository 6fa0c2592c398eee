"""Identity cards, passports, residence permits and driving licences of known and invented
countries, one side of a card or one page."""

# ruff: noqa: E501 (orders of fields)

from __future__ import annotations

from collections.abc import Callable

from docpipe.datasets.synthetic_kie import mrz
from docpipe.datasets.synthetic_kie.id_facts import IdFacts, id_facts
from docpipe.datasets.synthetic_kie.id_words import DOCUMENTS, EXTRAS, LABELS, label
from docpipe.datasets.synthetic_kie.sheet import PLAIN, Color, Family, Mark, Sheet, Style, wrap
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, names

# Where labels stand. Only the pairs, two lines of fields in one, are for testing alone: that a label
# may stand below its value cannot be guessed by who has only seen it above.
FAMILIES = (
    *("above", "above", "above", "left", "licence", "inline", "left", "below"),
    *("paired above", "paired below"),
)
TEST_FAMILIES = 2
_PLACES: tuple[Color, ...] = ((0, 0, 0), (0, 0, 0), (0.15, 0.15, 0.3), (0.3, 0.1, 0.1))
# The fields of one line, in the orders in which cards have them.
_ROWS = (
    "surname|given_names|sex nationality birth_date|birth_place|document_number expiry_date",
    "surname|given_names|birth_date nationality|birth_place|expiry_date|document_number",
    "document_number|surname|given_names|nationality|birth_date|sex birth_place|issue_date authority|expiry_date",
    "surname|given_names|nationality|birth_date personal_number|sex birth_place|issue_date|expiry_date authority",
    "document_number|given_names|surname|birth_date sex|nationality|address",
    "personal_number|surname|given_names|birth_date sex|document_number nationality|expiry_date",
    "surname|given_names|birth_place birth_date|sex|personal_number|address|issue_date expiry_date|authority",
    "surname|given_names|sex birth_date|nationality document_number|personal_number|expiry_date",
    "document_number expiry_date|surname|given_names|birth_date|address|sex",
    "surname given_names|birth_date birth_place|nationality sex|issue_date expiry_date|authority personal_number",
    "personal_number|given_names|birth_place|birth_date sex|address|nationality|expiry_date",
    "given_names|surname|birth_date|document_number|issue_date|expiry_date|address",
    "nationality|surname|given_names|personal_number sex|birth_date birth_place|issue_date authority|expiry_date",
    "authority|address|personal_number|issue_date expiry_date|birth_place",
    "surname|given_names|birth_date|birth_place|authority|issue_date|document_number",
)
_SHORT = {"sex", "birth_date", "issue_date", "expiry_date", "nationality", "document_number"}


class Card:
    """One side of a document being set. `unit` is a hundredth of its width."""

    def __init__(self, chance: Chooser) -> None:
        self.chance = chance
        self.facts: IdFacts = id_facts(chance)
        lang = self.facts.state.lang
        others = [code for code in ("en", "en", "fr", chance.one(sorted(LABELS))) if code != lang]
        count = chance.choices([0, 1, 2], [5, 6, 2])[0]
        self.languages = list(dict.fromkeys([lang, *others[-count:]])) if count else [lang]
        if count and chance.chance(0.7):
            self.languages = list(dict.fromkeys([lang, *others[:count]]))
        self.is_passport = chance.chance(0.3)
        width = chance.uniform(230, 900)
        height = width * (chance.uniform(0.68, 0.75) if self.is_passport else 0.63)
        self.unit, self.x0, self.y0 = width / 100, 0.0, 0.0
        self.sheet = self._paper(width, height)
        self.height = height
        self.values: dict[str, str] = {}
        self.extra = "-"
        self.y = self.y0
        self._styles()

    def _paper(self, width: float, height: float) -> Sheet:
        """The card alone, with some of what it lies on, or somewhere on a copy."""
        chance = self.chance
        if chance.chance(0.15):
            sheet = Sheet(width / 0.45, width / 0.45 * 1.414)
            self.x0 = chance.uniform(0.05, 0.5) * sheet.width
            self.y0 = chance.uniform(0.05, 0.6) * sheet.height
        else:
            margin = chance.choice([0.0, 0.0, chance.uniform(0, 0.25)]) * width
            sheet = Sheet(width + 2 * margin, height + 2 * margin)
            self.x0, self.y0 = margin * chance.uniform(0.2, 1.8), margin * chance.uniform(0.2, 1.8)
        if chance.chance(0.6):
            sheet.ascent, sheet.descent = chance.one([(0.75, 0.2), (0.905, 0.212), (0.72, 0.02)])
        return sheet

    def _styles(self) -> None:
        chance, unit = self.chance, self.unit
        family: Family = chance.one(["sans", "sans", "sans", "serif", "mono"])
        size = unit * chance.uniform(2.4, 4.0)
        color = chance.one(_PLACES)
        face: Family = chance.one([family, family, "sans"])
        self.value = Style(face, size, chance.chance(0.5))
        ratio = chance.uniform(0.55, 0.85)
        self.small = Style(family, size * ratio, False, color, leading=1.15)
        self.separator = chance.one(["/", " / ", "/", " · ", ", "])
        self.stacked = len(self.languages) > 1 and chance.chance(0.15)
        self.numbered = chance.chance(0.25)
        self.colon = chance.one(["", "", "", ":", "."])
        self.capitals = chance.chance(0.25)
        self._count = 0

    # ── Labels and values ────────────────────────────────────────────────────────────────────────

    def label(self, field: str) -> list[str]:
        words = label(self.chance, field, self.languages) if field != "extra" else [self._extra()]
        words = list(dict.fromkeys(word.upper() if self.capitals else word for word in words))
        self._count += 1
        number = f"{self._count}. " if self.numbered else ""
        if self.stacked:
            return [number + words[0] + self.colon, *words[1:]]
        return [number + self.separator.join(words) + self.colon]

    def _extra(self) -> str:
        """The label of something that is no field; its value is then in `extra`."""
        labels, values = self.chance.one(EXTRAS)
        known = names(self.facts.state.names, self.chance.split)
        value = self.chance.one(values)
        self.extra = value.format(n=self.chance.one(known.men), c=self.chance.one(known.cities))
        return self.chance.one(labels)

    def text(self, field: str) -> tuple[tuple[str, ...], Mark | str]:
        """The lines of a value and their label, and that it has been said."""
        if field in ("height", "signature"):
            height = f"{self.chance.randint(150, 198)} cm" if field == "height" else ""
            return ((height,) if height else ()), PLAIN
        if field == "extra":
            return (self.extra,), PLAIN
        if field in self.values:
            return self.facts.texts[field], Mark("other", (field,))
        self.values[field] = self.facts.values[field]
        return self.facts.texts[field], field

    def fit(self, lines: list[str], style: Style, width: float) -> list[str]:
        return [part for line in lines for part in wrap(line, style, max(width, 20))]

    def put_above(self, field: str, x: float, y: float, width: float) -> float:
        y = self._lines(x, y, self.label(field)[: 3 if self.stacked else 1], self.small, width)
        texts, mark = self.text(field)
        return self._value(x, y, list(texts), width, mark) + self.gap

    def put_below(self, field: str, x: float, y: float, width: float) -> float:
        words = self.label(field)
        texts, mark = self.text(field)
        y = self._value(x, y, list(texts), width, mark)
        return self._lines(x, y, words, self.small, width) + self.gap

    def put_left(self, field: str, x: float, y: float, width: float) -> float:
        key = self.key_width
        baseline_gap = self.value.size - self.small.size
        labels = self.fit(self.label(field), self.small, key)
        end = self.sheet.lines(x, y + baseline_gap, [(t, PLAIN) for t in labels], self.small)
        texts, mark = self.text(field)
        if self.value_colon and texts:
            texts = (f": {texts[0]}", *texts[1:])
        values = self._value(x + key + self.unit, y, list(texts), width - key, mark)
        return max(end, values) + 0.5 * self.gap

    def put_inline(self, field: str, x: float, y: float, width: float) -> float:
        words = self.label(field)
        texts, mark = self.text(field)
        line = f"{' '.join(words)} {' '.join(texts)}"
        return self._value(x, y, [line], width, mark) + 0.5 * self.gap

    def _value(self, x: float, y: float, lines: list[str], width: float, mark: Mark | str) -> float:
        """A value, smaller where it would not fit. What stands on a second line for all that is
        no second value of a field that has one."""
        widest = max((self.value.width(line) for line in lines), default=0.0)
        style = self.value.scaled(min(max(width / max(widest, 1.0), 0.7), 1.0))
        if mark == "address":
            return self._lines(x, y, lines, style, width, mark)
        fitted = self.fit(lines, style, width)
        rest: Mark | str = Mark("other", (mark,)) if isinstance(mark, str) else mark
        marks = [mark, *[rest] * len(fitted)]
        return self.sheet.lines(x, y, list(zip(fitted, marks, strict=False)), style)

    def _lines(
        self,
        x: float,
        y: float,
        lines: list[str],
        style: Style,
        width: float,
        mark: Mark | str = PLAIN,
    ) -> float:
        fitted = self.fit(lines, style, width)
        return self.sheet.lines(x, y, [(line, mark) for line in fitted], style)

    # ── The whole ────────────────────────────────────────────────────────────────────────────────

    def set(self) -> None:
        chance, unit = self.chance, self.unit
        family = chance.family(FAMILIES, TEST_FAMILIES)
        self.gap = unit * chance.uniform(0.3, 1.6)
        self.key_width = unit * chance.uniform(20, 30)
        self.value_colon = chance.chance(0.4)
        self.y = self.y0 + unit * chance.uniform(2, 5)
        self._title()
        photo = chance.one(["left", "left", "left", "right", "none"])
        left = self.x0 + unit * (chance.uniform(30, 38) if photo == "left" else 4)
        right = self.x0 + unit * (68 if photo == "right" else 97)
        if photo == "left" and chance.chance(0.2):
            self._under_photo()
        zone = self._zone_lines()
        bottom = self.y0 + self.height - (len(zone) + 0.7) * 0.062 * 100 * unit * 0.75
        if self.is_passport and chance.chance(0.7):
            self._passport_row(left)
        if family == "licence":
            self._licence(left, right)
        else:
            self._rows(family, left, right, bottom)
        self._distractors(right)
        if zone:
            self._zone(zone)
        right = max(run.x1 for run in self.sheet.runs)
        self.sheet.width = max(self.sheet.width, right + unit)
        self.sheet.height = max(self.sheet.height, self.sheet.bottom() + unit)

    def _title(self) -> None:
        chance, unit, state = self.chance, self.unit, self.facts.state
        names = [chance.one(DOCUMENTS[lang]) for lang in self.languages if lang in DOCUMENTS]
        style = Style(self.small.family, unit * chance.uniform(3, 5), chance.chance(0.6))
        title = state.title if chance.chance(0.8) else state.title.title()
        x = self.x0 + unit * chance.choice([4, 4, chance.uniform(10, 34)])
        lines = [title, self.separator.join(dict.fromkeys(names))]
        if chance.chance(0.3):
            lines.reverse()
        second = style.scaled(0.8)
        free = unit * 94 - (x - self.x0) - style.width(lines[0]) - second.width(lines[1])
        room = unit * 97 - (x - self.x0)
        if free > 0 and chance.chance(0.4):
            self.sheet.text(x, self.y + style.size, lines[0], style)
            self.sheet.text(
                x,
                self.y + style.size,
                lines[1],
                second,
                align="right",
                width=unit * 96 - x + self.x0,
            )
            self.y += style.line * 1.2
            return
        self.y = self._lines(x, self.y, lines[: chance.one([1, 2, 2])], style, room) + unit

    def _rows(self, family: str, left: float, right: float, bottom: float) -> None:
        put: Callable[[str, float, float, float], float] = {
            "above": self.put_above,
            "below": self.put_below,
            "left": self.put_left,
            "inline": self.put_inline,
        }[family.removeprefix("paired ")]
        joined = family not in ("left", "inline")
        rows = [row.split() for row in self.chance.one(_ROWS).split("|")]
        if not joined:
            rows = [[field] for row in rows for field in row]
        if self.chance.chance(0.2):
            self.chance.shuffle(rows)
        if self.chance.chance(0.2):
            rows[-1:] = [*rows[-1:], ["height"]]
        for _ in range(self.chance.one([0, 0, 0, 1, 2, 3])):
            rows.insert(self.chance.randint(0, len(rows)), ["extra"])
        if family.startswith("paired "):
            rows = [
                [field for row in rows[at : at + 2] for field in row]
                for at in range(0, len(rows), 2)
            ]
        for row in rows:
            if self.y + self.value.line + self.small.line > bottom:
                break
            self.y = self._row(row, put, left, right)

    def _row(
        self,
        row: list[str],
        put: Callable[[str, float, float, float], float],
        left: float,
        right: float,
    ) -> float:
        shares = [0.7 if field in _SHORT else 1.0 for field in row]
        room = (right - left) / sum(shares)
        if any(
            self.value.width(line) > room * share - 3 * self.unit
            for field, share in zip(row, shares, strict=True)
            for line in self.facts.texts.get(field, ())
        ):
            for field in row:
                self.y = put(field, left, self.y, right - left)
            return self.y
        x, ends = left, []
        for field, share in zip(row, shares, strict=True):
            width = (right - left) * share / sum(shares)
            ends.append(put(field, x, self.y, width - 2 * self.unit))
            x += width
        return max(ends)

    def _licence(self, left: float, right: float) -> None:
        """The numbered entries of driving licences; their labels are numbers alone."""
        chance, sheet, style = self.chance, self.sheet, self.value
        step = self.unit * chance.choice([4, 5, 6, 7, 8])
        entries = [("1.", "surname"), ("2.", "given_names"), ("3.", "birth_date birth_place")]
        entries += [("4a.", "issue_date"), ("4b.", "expiry_date"), ("4c.", "authority")]
        entries += [("4d.", "personal_number")] * chance.chance(0.5)
        entries += [("5.", "document_number")]
        entries += [("8.", "address")] * chance.chance(0.4)
        dot = chance.one(["", "."])
        pairs = chance.chance(0.4)
        y = last = self.y
        for key, fields in entries:
            x = left
            same_line = pairs and key in ("4c.", "4d.")
            if same_line:
                x, y = left + 0.5 * (right - left), last
            last = y
            sheet.text(x, y + style.size, key.rstrip(".") + dot, style.scaled(0.85))
            x += step
            top = y
            for field in fields.split():
                texts, mark = self.text(field)
                room = right - x
                y = max(y, self._value(x, top, list(texts), room, mark))
                x += style.width(texts[0]) + style.size * chance.one([0.3, 1.6, 2.5])
            y += 0.4 * self.gap
        classes = " ".join(chance.sample(["AM", "A1", "A", "B1", "B", "C", "BE", "CE", "D"], 3))
        sheet.text(left, y + style.size, "9.", style.scaled(0.85))
        sheet.text(left + step, y + style.size, classes, style)
        self.y = y + style.line

    def _passport_row(self, left: float) -> None:
        """Type and code of passports, and at times their number."""
        x, y = left, self.y + self.small.size
        entries: list[tuple[str, str, Mark | str]] = [
            (self.chance.one(["Type", "Type/Type", "Typ", "Tipo"]), "P", PLAIN),
            (
                self.chance.one(["Code", "Country code", "Code of State"]),
                self.facts.state.code,
                PLAIN,
            ),
        ]
        if self.chance.chance(0.6):
            texts, mark = self.text("document_number")
            entries.append((self.label("document_number")[0], texts[0], mark))
        for key, value, mark in entries:
            self.sheet.text(x, y, key, self.small)
            self.sheet.text(x, y + self.value.line, value, self.value, mark)
            x += max(self.small.width(key), self.value.width(value)) + 3 * self.unit
        self.y = y + self.value.line + self.gap + self.small.size

    def _under_photo(self) -> None:
        """The number of the document, small, at the photo."""
        texts, mark = self.text("document_number")
        y = self.y0 + self.height * self.chance.uniform(0.6, 0.75)
        self.sheet.text(self.x0 + 5 * self.unit, y, texts[0], self.value.scaled(0.8), mark)

    def _distractors(self, right: float) -> None:
        chance, unit = self.chance, self.unit
        if "document_number" not in self.values and chance.chance(0.7):
            texts = self.facts.texts["document_number"]
            style = self.value.scaled(chance.one([0.9, 1.0, 1.3]))
            y = self.y0 + unit * chance.uniform(4, 8)
            taken = max(
                (run.x1 for run in self.sheet.runs if abs(run.y - y) < style.size), default=0
            )
            x = self.x0 + 96 * unit - style.width(texts[0])
            if x > taken + unit:
                self.sheet.text(x, y, texts[0], style, self.text("document_number")[1])
        if chance.chance(0.4) and self.y < self.y0 + self.height * 0.85:
            words = self.label("signature")
            self.sheet.text(self.x0 + unit * 5, self.y + self.small.size, words[0], self.small)

    def _zone_lines(self) -> list[str]:
        chance, holder = self.chance, self.facts.zone
        if self.is_passport:
            return mrz.lines("TD3", holder._replace(code="P")) if chance.chance(0.85) else []
        if chance.chance(0.3):
            kind: mrz.MrzKind = chance.one(["TD1", "TD1", "TD2"])
            return mrz.lines(kind, holder)
        return []

    def _zone(self, zone: list[str]) -> None:
        width = self.unit * self.chance.uniform(88, 95)
        style = Style("mono", 10)
        style = style.scaled(width / style.width(zone[0]))._replace(
            leading=self.chance.uniform(1.3, 1.7)
        )
        y = self.y0 + self.height - len(zone) * style.line - self.unit
        y = max(y, self.sheet.bottom() if self.sheet.bottom() < self.y0 + self.height else y)
        self.values["mrz"] = "\n".join(zone)
        lines: list[tuple[str, Mark | str]] = [(line, "mrz") for line in zone]
        y = self.sheet.lines(self.x0 + 3 * self.unit, y, lines, style)
        self.sheet.height = max(self.sheet.height, y + self.unit)
