"""Questions and answers of forms, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from docpipe.datasets.synthetic_kie.form_words import (
    COMPOUNDS,
    MODIFIERS,
    NOUNS,
    PARTICIPLES,
    QUESTIONS,
    SENTENCES,
    WORDS,
)
from docpipe.datasets.synthetic_kie.locales import LOCALES, Locale
from docpipe.datasets.synthetic_kie.vocabulary import (
    Chooser,
    address,
    brand,
    company,
    email,
    names,
    person,
)

WordKind = Literal["title", "section", "note", "group", "option", "column", "row", "word"]
_LANGUAGES = {
    "en": 10.0,
    "de": 2.0,
    "fr": 2.0,
    "es": 1.5,
    "it": 1.2,
    "nl": 1.2,
    "pt": 1.0,
    "pl": 1.0,
}
_KINDS = {
    "name": 5.0,
    "date": 4,
    "phone": 1.5,
    "company": 2,
    "address": 1.5,
    "city": 1.5,
    "state": 0.7,
}
_KINDS |= {
    "code": 3.5,
    "money": 3,
    "number": 4,
    "percent": 0.8,
    "text": 5,
    "time": 0.5,
    "email": 0.5,
}


class Question(NamedTuple):
    text: str
    kind: str


class FormText:
    """Where the words of one form come from."""

    def __init__(self, chance: Chooser) -> None:
        self.chance = chance
        self.lang = chance.choices(list(_LANGUAGES), list(_LANGUAGES.values()))[0]
        self.locale: Locale = chance.one([one for one in LOCALES if one.lang == self.lang])
        self.date_pattern = chance.one(self.locale.dates)
        cases: list[Callable[[str], str]] = [str, str, str.upper, str.upper, str.title]
        self.case = chance.one(cases)
        self.shout = chance.chance(0.2)  # answers in capitals, as typewriters wrote them
        self.used: set[str] = set()

    def word(self, kind: WordKind) -> str:
        words = WORDS.get(self.lang, WORDS["en"])
        return self.chance.held(words[kind])

    def question(self, kind: str = "") -> Question:
        """A question that the form has not asked yet, and what kind of answer it wants."""
        chance, known = self.chance, QUESTIONS[self.lang]
        for _ in range(4):
            picked = kind or chance.choices(list(_KINDS), list(_KINDS.values()))[0]
            if self.lang == "en" and picked in COMPOUNDS and chance.chance(0.45):
                text = self._compound(picked)
            else:
                text = chance.held(known[picked])
            if text not in self.used:
                break
        self.used.add(text)
        if chance.chance(0.06):
            text += chance.one(
                [" (if any)", "(s)", " *", " (specify)", " #", " (required)", "/No."]
            )
        return Question(self.case(text), picked)

    def _compound(self, kind: str) -> str:
        """A question made of nouns."""
        chance = self.chance
        pattern = chance.one(COMPOUNDS[kind])
        nouns = iter([chance.held(NOUNS), chance.held(NOUNS)])
        text = pattern.replace("{v}", chance.one(PARTICIPLES))
        text = text.replace("{m}", chance.held(MODIFIERS).lower())
        while "{n}" in text:
            text = text.replace("{n}", next(nouns), 1)
        return text[0].upper() + text[1:]

    def sentence(self) -> Question:
        """A question that is a sentence of its own."""
        chance = self.chance
        known = names(self.locale.names, chance.split)
        pattern = chance.one(SENTENCES.get(self.lang, SENTENCES["en"]))
        words = (chance.one(known.words).lower() for _ in range(pattern.count("{w}")))
        text = pattern.replace("{w}", "{}").format(*words)
        if chance.chance(0.25):
            text += f" ({self.sentences(1)[:-1].lower()})"
        return Question(
            text, chance.one(["word", "text", "number", "long", "name", "date", "choice"])
        )

    def row_name(self) -> str:
        """What stands at the left of a row of a table."""
        chance = self.chance
        known = names(self.locale.names, chance.split)
        forms = (
            self.word("row"),
            self.word("row"),
            chance.one(known.cities),
            chance.one(known.states),
            f"{brand(chance)} {chance.one(['100', 'KS', '', 'Light', str(chance.randint(1, 99))])}",
            company(chance, self.locale),
            chance.pattern(chance.one(["####", "??-##", "#-##"])),
            f"{chance.held(NOUNS).capitalize()} {chance.one(known.words)}",
            self._period(),
        )
        return self.case(chance.one(forms))

    def _period(self) -> str:
        """A day, a year or a range of numbers as tables have them above their columns."""
        chance = self.chance
        low = chance.randint(1, 60)
        forms = (
            self.locale.date(chance.day(), "{mon} {d}"),
            f"{low}-{low + chance.randint(4, 14)}",
            f"{low}+",
            f"< {low}",
            str(chance.randint(1970, 2026)),
            f"Q{chance.randint(1, 4)}",
            f"{low}%",
        )
        return chance.one(forms)

    def answer(self, kind: str) -> str:
        """An answer of a kind, on one line."""
        text = self._answer(kind)
        if self.chance.chance(0.04):
            return self.chance.one(
                ["N/A", "None", "see attached", "-", "TBD", "n/a", "same", "none"]
            )
        return text.upper() if self.shout and kind != "email" else text

    def _answer(self, kind: str) -> str:
        chance, locale = self.chance, self.locale
        known = names(locale.names, chance.split)
        match kind:
            case "name":
                return self._name()
            case "date":
                pattern = self.date_pattern if chance.chance(0.8) else chance.one(locale.dates)
                return locale.date(chance.day(1970, 2026), pattern)
            case "phone":
                return chance.pattern(locale.phone)
            case "company":
                return company(chance, locale)
            case "address":
                return ", ".join(address(chance, locale).lines)
            case "city" | "state":
                known_places = known.cities if kind == "city" or self.lang != "en" else known.states
                return chance.one(known_places)
            case "code":
                forms = (
                    "####",
                    "#####",
                    "??-####",
                    "###-##-####",
                    "#######",
                    "?##",
                    "##-###",
                    "###",
                )
                return chance.pattern(chance.one(forms))
            case "money":
                cents = int(10 ** chance.uniform(2, 7.5))
                text = locale.money(cents if chance.chance(0.6) else cents // 100 * 100)
                text = text[:-3] if text.endswith("00") and chance.chance(0.8) else text
                symbol = chance.one(locale.symbols)
                return chance.one(
                    ["{0}", "{1}{0}" if len(symbol) < 2 else "{0} {1}", "{1} {0}"]
                ).format(text, symbol)
            case "number":
                return self._number()
            case "choice":
                return self.word("option")
            case "percent":
                return (
                    f"{chance.randint(1, 100)}{chance.one(['%', ' %', '%', f'{locale.decimal}5%'])}"
                )
            case "time":
                half = chance.one([" am", " PM", "", "h"])
                return f"{chance.randint(1, 12)}:{chance.randint(0, 59):02d}{half}"
            case "email":
                return email(chance, brand(chance))
            case "long":
                return self.sentences(chance.randint(1, 4))
            case _:
                return self._text()

    def _name(self) -> str:
        chance = self.chance
        someone = person(chance, self.locale)
        initial = f"{someone.given[0]}. {chance.one('ABCDEFGHJKLMPRSTW')}. {someone.surname}"
        title = chance.one(["Mr.", "Ms.", "Dr."]) if self.lang == "en" else ""
        forms = (
            *(someone.full, someone.full, initial, f"{someone.given[0]}. {someone.surname}"),
            *(f"{title} {someone.full}".strip(), f"{someone.surname}, {someone.given}"),
        )
        text = chance.one(forms)
        return text.upper() if chance.chance(0.25) else text

    def _number(self) -> str:
        chance = self.chance
        forms = (
            str(chance.randint(1, 30)),
            str(chance.randint(1, 999)),
            f"{chance.randint(1, 900)},{chance.randint(0, 999):03d}",
            f"{chance.uniform(0, 99):.1f}",
            f"{chance.uniform(0, 9):.2f}",
        )
        unit = chance.one(
            ["", "", "", " mm", " kg", " mg", " lbs", " cm", " units", " ml", " hrs", " g"]
        )
        return chance.one(forms).replace(".", self.locale.decimal) + unit

    def _text(self) -> str:
        chance = self.chance
        known = names(self.locale.names, chance.split)
        forms = (
            self.word("word"),
            self.word("word"),
            f"{self.word('word')} {chance.one(known.words)}",
            f"{brand(chance)} {self.word('word')}",
            f"{brand(chance)} {chance.randint(1, 100)}",
            chance.one(known.jobs),
            " ".join(chance.one(known.words) for _ in range(chance.randint(2, 6))).capitalize(),
        )
        text = chance.one(forms)
        return text.upper() if chance.chance(0.15) else text

    def sentences(self, count: int) -> str:
        """Sentences of words of the language in no order of sense."""
        chance = self.chance
        known = names(self.locale.names, chance.split)
        made = []
        for _ in range(count):
            words = [chance.one(known.words).lower() for _ in range(chance.randint(4, 16))]
            if chance.chance(0.3):
                words[len(words) // 2] = chance.one(
                    [self.word("word"), self._number(), brand(chance)]
                )
            made.append(" ".join(words).capitalize() + ".")
        return " ".join(made)

    def heading(self) -> str:
        """The name of a part: one of the usual, or made up."""
        chance = self.chance
        if self.lang == "en" and chance.chance(0.4):
            return self._compound(chance.one(["text", "text", "long"]))
        return self.word("section")
