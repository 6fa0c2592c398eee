"""Till receipts of shops and restaurants."""

from __future__ import annotations

from docpipe.datasets.synthetic_kie.receipt_facts import Line, ReceiptFacts, receipt_facts
from docpipe.datasets.synthetic_kie.receipt_taxes import set_taxes
from docpipe.datasets.synthetic_kie.receipt_words import TERMS
from docpipe.datasets.synthetic_kie.sheet import PLAIN, Align, Family, Mark, Sheet, Style, wrap
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, brand, email, person
from docpipe.datasets.synthetic_kie.wording import term

FAMILIES = ("line", "under", "columns", "codes", "before", "wide", "times", "table", "mixed")
TEST_FAMILIES = 3
_HEADS = ("head_description", "head_quantity", "head_price", "head_amount")


class Receipt:
    """One receipt being set, from top to bottom."""

    def __init__(self, chance: Chooser) -> None:
        self.chance = chance
        self.facts: ReceiptFacts = receipt_facts(chance)
        self.width = chance.uniform(180, 300)
        margin = chance.uniform(4, 24)
        # Photographs show what the receipt lies on, too.
        around = chance.uniform(0, 0.3) * self.width if chance.chance(0.4) else 0.0
        self.left = margin + around * chance.uniform(0.3, 1.7)
        self.right = self.left + self.width - 2 * margin
        self.sheet = Sheet(self.width + 2 * around, 1000)
        self.y = margin + around
        self.around = around
        if chance.chance(0.7):
            self.sheet.ascent, self.sheet.descent = chance.one(
                [(0.78, 0.2), (0.95, 0.25), (0.72, 0.05)]
            )
        family: Family = chance.one(["mono", "mono", "mono", "sans", "sans", "serif"])
        size = chance.uniform(6.5, 9.5) * (0.85 if family == "mono" else 1.0)
        self.style = Style(family, size, leading=chance.uniform(1.05, 1.5))
        self.values: dict[str, str] = {}
        self.rows: list[dict[str, str]] = []
        self.clock = ""
        self.lang = self.facts.locale.lang
        self.align: Align = chance.one(["center", "center", "center", "left"])
        self.cropped = chance.chance(0.2)

    @property
    def inner(self) -> float:
        return self.right - self.left

    def term(self, name: str) -> str:
        return term(self.chance, TERMS, self.lang, name)

    def line(self, text: str, mark: Mark | str = PLAIN, style: Style | None = None) -> None:
        style = style or self.style
        for part in wrap(text, style, self.inner):
            self.sheet.text(
                self.left,
                self.y + style.size,
                part,
                style,
                mark,
                align=self.align,
                width=self.inner,
            )
            self.y += style.line

    def pair(
        self, key: str, value: str, mark: Mark | str = PLAIN, style: Style | None = None
    ) -> None:
        """A key at the left and its value at the right, or both in one."""
        style, chance = style or self.style, self.chance
        y = self.y + style.size
        joined = style.width(f"{key} {value}") + style.size
        if self.inline or joined > self.inner:
            self.sheet.text(self.left, y, f"{key} {value}", style, mark)
        else:
            self.sheet.text(self.left + self.indent, y, key, style)
            end = self.sheet.text(
                self.left, y, self.before + value, style, mark, align="right", width=self.value_end
            )
            if self.tax_letter and chance.chance(0.5) and end + 16 < self.right:
                self.sheet.text(end + 12, y, self.tax_letter, style)
        self.y += style.line

    def ruled(self) -> None:
        char = self.chance.one(["-", "=", "", "", "line", "*"])
        if char == "line":
            self.sheet.rule(self.left, self.y + 2, self.right)
            self.y += 5
        elif char:
            count = int(self.inner / self.style.width(char))
            self.sheet.text(self.left, self.y + self.style.size, char * count, self.style)
            self.y += self.style.line

    # ── The whole ────────────────────────────────────────────────────────────────────────────────

    def set(self) -> None:
        chance = self.chance
        self.inline = chance.chance(0.15)
        self.indent = chance.choice([0.0, 0.0, 0.0, 0.3 * self.inner])
        self.before = chance.one(["", "", "", "", ": ", "RM " if self.lang == "en" else ""])
        self.tax_letter = chance.one(["", "", "", "A", "SR", "T", "*"])
        self.value_end = self.inner * (0.88 if self.tax_letter else 1.0)
        if not self.cropped:
            self._head()
        if chance.chance(0.75) or self.cropped:
            self._data(before=True)
        self.ruled()
        _Items(self).set()
        self.ruled()
        self._sums()
        self.ruled()
        if "date" not in self.values and not self.cropped:
            self._data(before=False)
        if not self.cropped:
            self._foot()
        self.sheet.height = self.y + self.around + chance.uniform(2, 30)

    def _head(self) -> None:
        chance, facts = self.chance, self.facts
        large = Style(
            self.style.family, self.style.size * chance.one([1, 1.2, 1.5]), chance.chance(0.5)
        )
        name, *number = facts.company
        if chance.chance(0.15):
            self.line(self.term("title") if chance.chance(0.5) else self._clutter())
        self.line(name, "company", large)
        self.values["company"] = name
        if number:
            self.line(number[0])
        if chance.chance(0.12):  # which of the shops it was
            place = facts.address[-1].split(",")[0]
            self.line(chance.one(["({})", "{} BRANCH", "OUTLET: {}", "{}"]).format(place))
        if chance.chance(0.15):
            self.line(self.term("thanks"))
        if chance.chance(0.92):
            for text in facts.address:
                self.line(text, "address")
            self.values["address"] = " ".join(facts.address)
        phone, joiner = chance.pattern(facts.locale.phone), chance.one([": ", " : ", " ", ":"])
        tax_id = chance.pattern(chance.one(facts.locale.tax_ids))
        extras = [
            f"{self.term('phone')}{joiner}{phone}",
            f"{self.term('tax_id')}{joiner}{tax_id}",
            self.term("title"),
        ]
        chance.shuffle(extras)
        if chance.chance(0.25):
            extras.insert(0, self._clutter())
        for text in extras[: chance.randint(0, 3)]:
            if chance.chance(0.2):
                self.ruled()
            self.line(text)
        self.y += chance.uniform(0, 10)

    def _data(self, *, before: bool) -> None:
        """The receipt's number, date, cashier and the like."""
        chance, facts = self.chance, self.facts
        entries = [
            (
                self.term("number"),
                chance.pattern(chance.one(["######", "###-####", "CS######", "#-#####"])),
            ),
            (self.term("cashier"), person(chance, facts.locale).given),
            (self.term("table"), str(chance.randint(1, 60))),
        ]
        entries = chance.sample(entries, chance.randint(0, 3))
        left: Align = "left"
        align, self.align = self.align, left
        if chance.chance(0.85 if not self.cropped else 0.15):
            entries.insert(chance.randint(0, len(entries)), ("date", ""))
        joiner = chance.one([": ", " : ", " ", ":"])
        layout = chance.one(["lines", "lines", "two", "columns"])
        texts: list[tuple[str, Mark | str]] = []
        for key, value in entries:
            if key == "date":
                texts.append((self._date(joiner), "date"))
                self.values["date"] = facts.date.isoformat()
                if chance.chance(0.3):
                    texts.append((f"{chance.one(['', '', 'Time: ', 'TIME '])}{self.clock}", PLAIN))
            else:
                texts.append((f"{key}{joiner}{value}", PLAIN))
        for at, (text, mark) in enumerate(texts):
            if layout == "columns" and text.partition(joiner.strip() or ":")[0].isalpha():
                self._column(text, mark, joiner)
            elif layout == "two" and at and self._beside(text, mark):
                continue
            else:
                self.line(text, mark)
            if chance.chance(0.06):
                self.line(self._clutter())
        self.align = align

    def _clutter(self) -> str:
        """Something that stands on receipts and is of no field."""
        chance = self.chance
        someone = person(chance, self.facts.locale).full
        hour = f"{chance.randint(6, 11):02d}:00"
        texts = (
            someone.upper() if chance.chance(0.6) else someone,
            chance.pattern(chance.one(["####", "########", "##", "(#)", "#########", "####-####"])),
            chance.pattern(self.facts.locale.phone),
            email(chance, brand(chance)),
            f"www.{brand(chance).lower()}.example",
            f"{hour} - {chance.randint(18, 23)}:00",
            chance.pattern(
                chance.one(["SITE: ####", "Till ## Store ###", "POS## #####", "#### ####"])
            ),
            f"{brand(chance)} {chance.one(['CAFE', 'GROUP', 'OUTLET', 'BRANCH', 'CITY', 'MALL'])}",
            chance.one(["TAX INVOICE", "DINE IN", "TAKE AWAY", "REPRINT", "ORIGINAL", "DUPLICATE"]),
            f"{chance.uniform(1, 99):.2f} LITRE PUMP {chance.randint(1, 12)}",
            f"[{chance.pattern('######')}] {chance.pattern('?##')}",
        )
        return chance.one(texts)

    def _column(self, text: str, mark: Mark | str, joiner: str) -> None:
        key, _, value = text.partition(joiner.strip() or ":")
        y = self.y + self.style.size
        start = self.left + 0.3 * self.inner
        end = self.sheet.text(self.left, y, key.strip(), self.style)
        self.sheet.text(max(start, end + 4), y, f": {value.strip()}", self.style, mark)
        self.y += self.style.line

    def _beside(self, text: str, mark: Mark | str) -> bool:
        """Set a text at the right of the last line where there is room."""
        y = self.y - self.style.line + self.style.size
        taken = max((run.x1 for run in self.sheet.runs if abs(run.y - y) < 2), default=self.left)
        if taken + self.style.width(text) + 14 > self.right:
            return False
        self.sheet.text(self.left, y, text, self.style, mark, align="right", width=self.inner)
        return True

    def _date(self, joiner: str) -> str:
        chance, locale = self.chance, self.facts.locale
        day = locale.date(self.facts.date, chance.one(locale.dates))
        hour, minute = chance.randint(7, 22), chance.randint(0, 59)
        time = chance.one(["{:02d}:{:02d}", "{:02d}:{:02d}:07", "{}:{:02d} PM", "{:02d}:{:02d}"])
        key = self.term("date") + joiner if chance.chance(0.6) else ""
        self.clock = time.format(hour, minute)
        clock = f" {self.clock}" if chance.chance(0.5) else ""
        return f"{key}{day.upper() if chance.chance(0.3) else day}{clock}"

    def _sums(self) -> None:
        facts, chance, money = self.facts, self.chance, self.facts.money
        bold = self.style._replace(
            bold=chance.chance(0.5), size=self.style.size * chance.one([1, 1, 1.25, 1.6])
        )
        entries: list[tuple[str, int, str, Style]] = []

        def add(name: str, cents: int, label: str, style: Style = self.style) -> None:
            entries.append((self.term(name), cents, label, style))
            if label:
                self.values[label] = _plain(abs(cents))

        plain_total = facts.subtotal == facts.total
        if chance.chance(0.25 if plain_total else 0.85):
            add("subtotal", facts.subtotal, "subtotal")
        if facts.discount:
            add("discount", -facts.discount, "discount")
        if facts.service:
            add("service", facts.service, "service")
        if facts.tax:
            add("tax", facts.tax, "tax")
        if facts.rounding:
            add("rounding", facts.rounding, "")
        add("total", facts.total, "total", bold)
        if facts.cash:
            add("cash", facts.cash, "cash")
            if facts.cash > facts.total or chance.chance(0.4):
                sign = -1 if chance.chance(0.1) else 1
                add("change", sign * (facts.cash - facts.total), "change")
        elif chance.chance(0.8):
            add("card", facts.total, "card")
        place = chance.choice([0, len(entries) - 1, -1, -1])
        colon = chance.one(["", "", ":", " :", ""])
        for at, (key, cents, label, style) in enumerate(entries):
            if at == place:
                self._count()
            also = ("total",) if cents == facts.total and label != "total" else ()
            self.pair(key + colon, money(cents), Mark(label or "other", also), style)
            if label == "total" and chance.chance(0.4):
                self.ruled()
        if chance.chance(0.3):
            set_taxes(self)

    def _count(self) -> None:
        count, chance = self.facts.pieces, self.chance
        text = f"{self.term('count')}{chance.one([': ', ' : ', ' ', '  '])}{count}"
        if chance.chance(0.3):
            text = f"{count} {chance.one(['Items', 'items', 'Item(s)', 'ITEM'])}"
        self.values["item_count"] = str(count)
        y = self.y + self.style.size
        if chance.chance(0.35):
            self.pair(self.term("count"), str(count), "item_count")
            return
        self.sheet.text(self.left, y, text, self.style, "item_count")
        self.y += self.style.line

    def _foot(self) -> None:
        chance = self.chance
        for _ in range(chance.randint(0, 5)):
            text = self.term("thanks") if chance.chance(0.6) else self._clutter()
            if "date" in self.values and chance.chance(0.1):
                again = self.facts.locale.date(self.facts.date, self.facts.locale.dates[0])
                self.line(f"{again} {self.clock}", Mark("other", ("date",)))
            if chance.chance(0.25):
                text = chance.pattern(
                    chance.one(
                        [
                            "POINTS: ###",
                            "Approval code: ######",
                            "Terminal ####",
                            "**** **** **** ####",
                            "ID: ##########",
                        ]
                    )
                )
            self.line(text)
            self.y += chance.choice([0, 0, 3])


class _Items:
    """The goods of a receipt, line by line."""

    def __init__(self, receipt: Receipt) -> None:
        self.receipt = receipt
        self.chance = receipt.chance
        self.family = self.chance.family(FAMILIES, TEST_FAMILIES)
        self.money = receipt.facts.money
        if self.chance.chance(0.5):
            self.money = self.money._replace(before="", after="")
        self.times = self.chance.one(
            ["{} x {}", "{}x {}", "{} X {}", "{} @ {}", "{}x{}", "{} x @{}"]
        )
        self.count_form = self.chance.one(["{}", "{}", "{}x", "{}X", "{}.00", "x{}"])
        self.at = self.chance.one(["", "", "@", "@ "])
        self.tax_code = self.chance.one(["", "", "", "", "", " A", " B", " 1", "*"])

    def set(self) -> None:
        receipt = self.receipt
        if self.family in ("columns", "codes", "table", "wide") and self.chance.chance(0.8):
            self._head()
        for line in receipt.facts.lines:
            getattr(self, f"_{self.family}")(line)
            row = {"item.description": line.name, "item.amount": _plain(line.amount)}
            if self.family not in ("line",):
                row["item.quantity"] = str(line.quantity)
            receipt.rows.append(row)
            if line.extra:
                text = f"{self.chance.one(['', '- ', '* ', '+ ', '-*', 'X'])}{line.extra}"
                self._put(12, text, "item.description")
                receipt.y += receipt.style.line

    def _put(
        self, x: float, text: str, mark: Mark | str, *, right: float = 0, y: float | None = None
    ) -> float:
        """A text `x` from the left, or ending `right` of the width."""
        receipt, style = self.receipt, self.receipt.style
        baseline = (receipt.y if y is None else y) + style.size
        if right:
            return receipt.sheet.text(
                receipt.left,
                baseline,
                text,
                style,
                mark,
                align="right",
                width=right * receipt.value_end,
            )
        return receipt.sheet.text(receipt.left + x, baseline, text, style, mark)

    def _name(self, x: float, line: Line, share: float) -> None:
        """The name from `x` on, on as many lines as it needs within a share of the width."""
        receipt = self.receipt
        parts = wrap(line.name, receipt.style, max(share * receipt.inner - x, 40))
        for part in parts:
            self._put(x, part, "item.description")
            receipt.y += receipt.style.line
        receipt.y -= receipt.style.line

    def _amount(self, line: Line) -> None:
        self._put(0, self.money(line.amount) + self.tax_code, "item.amount", right=1.0)
        self.receipt.y += self.receipt.style.line

    def _head(self) -> None:
        heads = [self.receipt.term(name) for name in _HEADS]
        if self.family == "columns":
            self._put(0, heads[1], PLAIN)
            self._put(0.14 * self.receipt.inner, heads[0], PLAIN)
        else:
            self._put(0, heads[0], PLAIN)
            self._put(0, heads[1], PLAIN, right=0.58)
            self._put(0, heads[2], PLAIN, right=0.78)
        self._put(0, heads[3], PLAIN, right=1.0)
        self.receipt.y += self.receipt.style.line
        if self.chance.chance(0.6):
            self.receipt.ruled()

    def _line(self, line: Line) -> None:
        self._name(0, line, 0.72)
        self._amount(line)

    def _under(self, line: Line) -> None:
        self._name(0, line, 1.0)
        self.receipt.y += self.receipt.style.line
        text = self.times.format(line.quantity, self.money(line.price))
        self._put(10, text, Mark("item.unit_price", ("item.quantity",)))
        self._amount(line)

    def _columns(self, line: Line) -> None:
        self._put(0, self.count_form.format(line.quantity), "item.quantity")
        self._name(max(0.14 * self.receipt.inner, 2.6 * self.receipt.style.size), line, 0.75)
        self._amount(line)

    def _codes(self, line: Line) -> None:
        """The name above, and below it a code, how many, at what price, and the sum."""
        self._name(0, line, 1.0)
        self.receipt.y += self.receipt.style.line
        if line.code:
            self._put(0, line.code, PLAIN)
        self._put(0, self.count_form.format(line.quantity), "item.quantity", right=0.5)
        self._put(0, self.at + self.money(line.price), "item.unit_price", right=0.75)
        self._amount(line)

    def _before(self, line: Line) -> None:
        self._name(0, line._replace(name=f"{line.quantity} {line.name}"), 0.74)
        self._amount(line)

    def _wide(self, line: Line) -> None:
        self._name(0, line, 0.42)
        self._put(0, self.count_form.format(line.quantity), "item.quantity", right=0.55)
        self._put(0, self.money(line.price), "item.unit_price", right=0.78)
        self._amount(line)

    def _times(self, line: Line) -> None:
        """How many at what price above the name."""
        self._put(0, self.count_form.format(line.quantity), "item.quantity")
        self._put(0.3 * self.receipt.inner, self.at + self.money(line.price), "item.unit_price")
        self.receipt.y += self.receipt.style.line
        self._name(0, line, 0.74)
        self._amount(line)

    def _table(self, line: Line) -> None:
        if line.quantity == 1 and not self.at:
            self._columns(line)
        else:
            self._codes(line)

    def _mixed(self, line: Line) -> None:
        if line.quantity == 1:
            self._line(line)
        else:
            self._under(line)


def _plain(cents: int) -> str:
    return f"{cents / 100:.2f}"
