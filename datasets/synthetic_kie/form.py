"""Filled forms of offices, firms, schools and hospitals: each a title and a mixture of parts."""

from __future__ import annotations

from collections.abc import Callable

from docpipe.datasets.synthetic_kie.form_blocks import FormLook, FormPage, Place, RowLayout
from docpipe.datasets.synthetic_kie.form_facts import FormText
from docpipe.datasets.synthetic_kie.sheet import PLAIN, Align, Family, Sheet, Style
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, address, company

# Family: how often it has each part.
FAMILIES: dict[str, dict[str, float]] = {
    "office": {
        "rows": 5,
        "inquiry": 0.5,
        "beside": 3,
        "free": 2,
        "section": 1.5,
        "choices": 1,
        "table": 1,
    },
    "boxes": {"boxed": 5, "section": 1.5, "choices": 1, "table": 1, "note": 1, "free": 0.7},
    "memo": {"rows": 3, "free": 3, "note": 0.5, "beside": 1},
    "fax": {"rows": 3, "note": 2, "beside": 1, "choices": 0.6, "free": 1},
    "survey": {"choices": 4, "inquiry": 4, "section": 1.5, "beside": 1, "free": 1, "note": 1},
    "sheet": {"table": 4, "beside": 2, "section": 1, "rows": 1, "note": 0.5},
    "application": {
        "inquiry": 1,
        "beside": 5,
        "rows": 2,
        "section": 2,
        "choices": 1.5,
        "note": 1,
        "table": 0.5,
    },
    "grid": {"grid": 4, "section": 1.5, "table": 1, "free": 1, "choices": 0.7},
    "columns": {"rows": 5, "section": 1.5, "choices": 1.5, "free": 1},
    "mixed": {
        "rows": 2,
        "inquiry": 1,
        "beside": 2,
        "boxed": 1,
        "grid": 1,
        "table": 1.5,
        "choices": 1,
        "free": 1,
    },
    "dense": {"boxed": 3, "table": 2, "beside": 3, "note": 1, "section": 1.5},
    "lines": {"inquiry": 1.5, "beside": 3, "rows": 3, "choices": 1, "section": 1.5, "note": 1},
}
TEST_FAMILIES = 3


class Form:
    """One form of one page being set."""

    def __init__(self, chance: Chooser) -> None:
        self.chance = chance
        self.sheet = Sheet(612, 792) if chance.chance(0.5) else Sheet(595, 842)
        if chance.chance(0.6):
            self.sheet.ascent, self.sheet.descent = chance.one(
                [(0.75, 0.2), (0.95, 0.25), (0.72, 0.05), (0.85, 0.3)]
            )
        self.text = FormText(chance)
        self.left = chance.uniform(26, 80)
        self.width = self.sheet.width - self.left - chance.uniform(26, 70)
        self.family = chance.family(list(FAMILIES), TEST_FAMILIES)
        self.look = _look(chance, self.family)
        self.page = FormPage(chance, self.sheet, self.text, self.look)
        self.limit = self.sheet.height - chance.uniform(50, 110)

    def set(self) -> None:
        chance = self.chance
        y = self._head(chance.uniform(24, 60))
        if self.family in ("memo", "fax") or chance.chance(0.15):
            y = self.page.rows((self.left, y, self.width), chance.randint(3, 6), "column") + 6
            if chance.chance(0.4):
                self.sheet.rule(self.left, y, self.left + self.width)
                y += 8
        if self.family == "columns" or chance.chance(0.05):
            half = 0.5 * self.width
            self._body((self.left, y, half - 10))
            y = self._body((self.left + half + 10, y, half - 10))
        else:
            y = self._body((self.left, y, self.width))
        if y < self.limit - 50 and chance.chance(0.4):
            self.page.signature((self.left, y + 6, self.width))
        self._foot()
        if chance.chance(0.25):  # a number stamped at the edge
            style = self.look.key.scaled(chance.one([0.9, 1.2]))
            x = chance.one([self.sheet.width - style.width("00000000") - 6, 6.0])
            top = chance.uniform(0.1, 0.98) * self.sheet.height
            if all(abs(run.y - top) > style.line or run.x1 < x for run in self.sheet.runs):
                self.sheet.text(x, top, chance.pattern("########"), style)

    def _body(self, place: Place) -> float:
        """Parts of the family down to the end of the page, or sooner."""
        left, y, width = place
        chance = self.chance
        weights = FAMILIES[self.family] | {"stray": 0.45}
        weights["section"] = 1.6 * weights.get("section", 0.5)
        last = ""
        for _ in range(chance.randint(4, 24)):
            part = chance.choices(list(weights), list(weights.values()))[0]
            if part == last and part in ("section", "note", "free"):
                continue
            if y > self.limit - 70:
                break
            y = self._part(part, (left, y, width))
            y += chance.uniform(0, 10)
            last = part
        return y

    def _part(self, part: str, place: Place) -> float:
        chance, page = self.chance, self.page
        room = int((self.limit - place[1]) / (self.look.key.line + self.look.space + 8))
        rows = max(min(chance.randint(1, 7), room), 1)
        wide = place[2] > 300
        layout: RowLayout = chance.one(["after", "after", "column", "column", "line", "below"])
        parts: dict[str, Callable[[], float]] = {
            "rows": lambda: page.rows(place, rows, layout),
            "beside": lambda: page.beside(
                place, chance.one([2, 2, 3, 4] if place[2] > 460 else [2, 3]) if wide else 2
            ),
            "boxed": lambda: page.boxed(place, max(rows // 2, 1)),
            "grid": lambda: page.grid(place, rows),
            "choices": lambda: page.choices(place),
            "table": lambda: page.table(place, rows),
            "free": lambda: page.free_text(place),
            "inquiry": lambda: page.inquiry(place),
            "note": lambda: page.note(place),
            "section": lambda: page.section(place),
            "stray": lambda: page.stray(place),
        }
        return parts[part]()

    def _head(self, y: float) -> float:
        """Who issued the form, its title, and small print about it."""
        chance, key = self.chance, self.look.key
        align: Align = chance.one(["center", "center", "left"])
        title = Style(key.family, key.size * chance.one([1.1, 1.3, 1.6, 2]), chance.chance(0.8))
        if chance.chance(0.3):
            number = chance.pattern(chance.one(["Form ####", "F-###", "Rev. #/##", "##########"]))
            side: Align = chance.one(["left", "right"])
            self.sheet.text(
                self.left, y, number, key.scaled(0.8), PLAIN, align=side, width=self.width
            )
            y += key.line
        if chance.chance(0.55):
            name = company(chance, self.text.locale)
            name = name.upper() if chance.chance(0.6) else name
            y = self.sheet.lines(
                self.left, y, [(name, "header")], title.scaled(0.9), align=align, width=self.width
            )
            if chance.chance(0.35):
                lines = [(line, PLAIN) for line in address(chance, self.text.locale).lines]
                y = self.sheet.lines(
                    self.left, y, lines, key.scaled(0.85), align=align, width=self.width
                )
        if chance.chance(0.9):
            text = self.text.word("title")
            text = text.upper() if chance.chance(0.75) else text
            y = self.sheet.lines(
                self.left, y + 2, [(text, "header")], title, align=align, width=self.width
            )
        if chance.chance(0.3):
            y = self.page.note((self.left, y + 4, self.width))
        if chance.chance(0.15):
            y = self._letterhead(y)
        return y + chance.uniform(6, 20)

    def _letterhead(self, y: float) -> float:
        """Addresses of offices in columns."""
        style, count = self.look.key.scaled(0.85), self.chance.randint(1, 3)
        ends = [y]
        for at in range(count):
            lines = [*address(self.chance, self.text.locale).lines, self.text.answer("phone")]
            if self.chance.chance(0.5):
                lines.insert(0, company(self.chance, self.text.locale))
            x = self.left + at * self.width / count
            ends.append(self.sheet.lines(x, y + 2, [(line, PLAIN) for line in lines], style))
        return max(ends)

    def _foot(self) -> None:
        """Page numbers and codes at the foot of the page."""
        chance, y = self.chance, self.sheet.height - self.chance.uniform(16, 34)
        if self.sheet.bottom() > y - 12:
            return
        style = self.look.key.scaled(0.85)
        texts = [
            chance.pattern("#########"),
            "Page 1 of 1",
            "1",
            chance.pattern("Form ###-? (#/##)"),
        ]
        texts += [self.text.word("note"), chance.pattern("?######"), chance.pattern("########")]
        texts += [chance.pattern("########"), chance.pattern("#####-####"), chance.pattern("P.#/#")]
        places: list[Align] = ["left", "center", "right"]
        for align in chance.sample(places, chance.randint(0, 3)):
            text = chance.one(texts)
            if style.width(text) < self.width / 2:
                self.sheet.text(self.left, y, text, style, align=align, width=self.width)


def _look(chance: Chooser, family: str) -> FormLook:
    size = chance.uniform(7.5, 11.5) if family not in ("dense", "boxes") else chance.uniform(6, 8.5)
    face: Family = chance.one(["sans", "sans", "sans", "serif", "mono"])
    key = Style(face, round(size, 1), chance.chance(0.3), leading=chance.uniform(1.15, 1.5))
    typed = chance.chance(0.45)
    typewriter: Family = chance.one(["mono", "mono", "sans", "serif"]) if typed else face
    fill = Style(
        typewriter,
        round(size * chance.uniform(0.95, 1.3), 1) if typed else key.size,
        leading=key.leading,
    )
    return FormLook(
        key=key,
        fill=fill,
        colon=chance.one([":", ":", ":", "", "", "."]),
        ruled=chance.chance(0.35),
        apart=chance.chance(0.55),
        empty=chance.choice([0.0, 0.05, 0.15, 0.3, 0.6]),
        misplaced=chance.uniform(0, 1.5) if typed else 0.0,
        space=chance.uniform(0, 7),
    )
