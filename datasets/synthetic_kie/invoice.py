"""Invoices: a heading with seller, buyer and the invoice's own data, a table of items, sums, and a
footer, each in many forms."""

from __future__ import annotations

from typing import NamedTuple

from docpipe.datasets.synthetic_kie.blocks import LAYOUTS, Pair, PairLayout, pair_design, set_pairs
from docpipe.datasets.synthetic_kie.invoice_facts import Facts, Money, Party, invoice_facts
from docpipe.datasets.synthetic_kie.invoice_sums import set_closing, set_footer, set_sums
from docpipe.datasets.synthetic_kie.invoice_table import set_items
from docpipe.datasets.synthetic_kie.invoice_words import TERMS
from docpipe.datasets.synthetic_kie.sheet import GREY, PLAIN, Align, Color, Mark, Sheet, Style
from docpipe.datasets.synthetic_kie.vocabulary import Chooser, domain
from docpipe.datasets.synthetic_kie.wording import term

RETURN_LINE = Mark("seller_address", ("seller",))
BOTH = {"seller": "seller_address", "buyer": "buyer_address"}
FAMILIES = (
    *("classic", "letter", "centred", "grid", "columns", "right", "boxes", "plain"),
    *("swapped", "footer", "side"),
)
TEST_FAMILIES = 3


class Look(NamedTuple):
    """What all parts of one invoice share."""

    body: Style
    accent: Color
    left: float
    right: float
    lang: str
    money: Money  # in the table
    sums: Money

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def small(self) -> Style:
        return self.body.scaled(0.8)


class Invoice:
    """One invoice being set."""

    def __init__(self, chance: Chooser) -> None:
        self.chance = chance
        self.facts = invoice_facts(chance)
        self.sheets = [_paper(chance, self.facts)]
        self.look = _look(chance, self.facts, self.sheets[0])
        self.values: dict[str, str] = {}
        self.rows: tuple[dict[str, str], ...] = ()
        self.y = chance.uniform(28, 60)

    @property
    def sheet(self) -> Sheet:
        return self.sheets[-1]

    def term(self, name: str) -> str:
        return term(self.chance, TERMS, self.look.lang, name)

    def set(self) -> None:
        family = self.chance.family(FAMILIES, TEST_FAMILIES)
        getattr(self, f"_head_{family}")()
        if self.chance.chance(0.2):
            words = self.term("thanks")
            self.y = self.sheet.paragraph(
                self.look.left, self.y + 6, words, self.look.body, self.look.width
            )
        self.y = set_items(self, self.y + self.chance.uniform(8, 26))
        set_sums(self)
        set_closing(self)
        set_footer(self, show_seller=family == "footer")

    def next_page(self) -> float:
        """Begin another page; returns where its text begins."""
        last, look, chance = self.sheet, self.look, self.chance
        sheet = Sheet(last.width, last.height)
        sheet.ascent, sheet.descent = last.ascent, last.descent
        self.sheets.append(sheet)
        y = chance.uniform(30, 60)
        if chance.chance(0.6):
            text = f"{self.term('title')} {self.facts.number}"
            mark = Mark("other", ("invoice_number",))
            sheet.text(look.left, y, text, look.small, mark)
            text = self.term("page").format(2, 2)
            sheet.text(look.left, y, text, look.small, align="right", width=look.width)
            y += 14
        return y

    # ── Headings ─────────────────────────────────────────────────────────────────────────────────

    def _head_classic(self) -> None:
        look = self.look
        half = look.left + 0.55 * look.width
        end = self._seller(look.left, self.y, 0.5 * look.width)
        self._title(half, self.y, look.right - half, self.chance.one(["left", "right"]))
        meta = self._meta(half, self.y + 34, look.right - half)
        buyer = self._party("buyer", look.left, max(end + 18, self.y + 70), 0.5 * look.width)
        self.y = max(meta, buyer, end)

    def _head_letter(self) -> None:
        look, facts = self.look, self.facts
        half = look.left + 0.6 * look.width
        self._logo(half, self.y, look.right - half, "right")
        top = self.chance.uniform(110, 140)
        line = ", ".join([facts.seller.name, *facts.seller.address.lines[:2]])
        joiner = self.chance.one([", ", " · ", " - ", " | "])
        self.sheet.text(look.left, top, line.replace(", ", joiner), look.small, RETURN_LINE)
        end = self._party("buyer", look.left, top + 6, 0.5 * look.width, heading=False)
        if self.chance.chance(0.5):
            self._details("seller", half, self.y + 40, look.small)
        meta = self._meta(half, top + 10, look.right - half)
        self.y = max(end, meta) + 22
        self._title(look.left, self.y, look.width, "left")
        self.y += 26

    def _head_centred(self) -> None:
        look = self.look
        self.y = self._seller(look.left, self.y, look.width, "center")
        self._title(look.left, self.y + 6, look.width, "center")
        self.y += 36
        half = look.left + 0.55 * look.width
        meta = self._meta(half, self.y, look.right - half)
        self.y = max(meta, self._party("buyer", look.left, self.y, 0.5 * look.width))

    def _head_grid(self) -> None:
        look = self.look
        half = look.left + 0.55 * look.width
        self._title(half, self.y, look.right - half, "right")
        self.y = self._seller(look.left, self.y, 0.5 * look.width) + 10
        end = self._party("buyer", look.left, self.y, 0.5 * look.width)
        self.y = max(end, self._other_address(half, self.y)) + 10
        self.y = self._meta(look.left, self.y, look.width, ("grid", "row"))

    def _head_columns(self) -> None:
        look = self.look
        self._title(look.left, self.y, look.width, self.chance.one(["left", "left", "center"]))
        self.y += 40
        half = look.left + 0.52 * look.width
        seller = self._party("seller", look.left, self.y, 0.46 * look.width)
        buyer = self._party("buyer", half, self.y, look.right - half)
        self.y = max(seller, buyer) + 12
        self.y = self._meta(look.left, self.y, look.width * self.chance.one([0.5, 1.0]))

    def _head_right(self) -> None:
        look = self.look
        half = look.left + 0.55 * look.width
        align: Align = self.chance.one(["left", "right"])
        end = self._seller(half, self.y, look.right - half, align)
        buyer = self._party("buyer", look.left, self.y + 46, 0.5 * look.width)
        self.y = max(end, buyer) + 12
        self._title(look.left, self.y, look.width, "left")
        self.y = self._meta(look.left, self.y + 34, 0.5 * look.width)

    def _head_boxes(self) -> None:
        look = self.look
        half = look.left + 0.5 * look.width
        self._title(half, self.y, look.right - half, "right")
        end = self._seller(look.left, self.y, 0.45 * look.width)
        meta = self._meta(half + 20, self.y + 32, look.right - half - 20, ("grid", "row", "column"))
        top = max(end, meta) + 12
        bottom = self._party("buyer", look.left + 5, top + 4, 0.44 * look.width)
        bottom = max(bottom, self._other_address(half + 10, top + 4)) + 5
        self.sheet.box(look.left, top, half - 8, bottom)
        self.sheet.box(half + 5, top, look.right, bottom)
        self.y = bottom

    def _head_plain(self) -> None:
        look = self.look
        self.y = self._seller(look.left, self.y, look.width) + 10
        self.y = self._party("buyer", look.left, self.y, look.width) + 10
        self._title(look.left, self.y, look.width, "left")
        self.y = self._meta(look.left, self.y + 32, 0.6 * look.width)

    def _head_swapped(self) -> None:
        look = self.look
        half = look.left + 0.55 * look.width
        buyer = self._party("buyer", look.left, self.y, 0.5 * look.width)
        end = self._party("seller", half, self.y, look.right - half)
        self.y = max(buyer, end) + 14
        self._title(look.left, self.y, look.width, self.chance.one(["left", "right"]))
        self.y = self._meta(look.left, self.y + 34, look.width, ("grid", "row", "inline"))

    def _head_footer(self) -> None:
        look = self.look
        self._logo(look.left, self.y, look.width, "left")
        self.y += 40
        self._title(look.left, self.y, 0.5 * look.width, "left")
        half = look.left + 0.55 * look.width
        buyer = self._party("buyer", half, self.y, look.right - half)
        self.y = max(buyer, self._meta(look.left, self.y + 34, 0.45 * look.width))

    def _head_side(self) -> None:
        look = self.look
        third = look.left + 0.34 * look.width
        self._title(third, self.y, look.right - third, "left")
        end = self._seller(look.left, self.y, 0.3 * look.width)
        end = self._meta(look.left, end + 10, 0.3 * look.width, ("below", "inline", "column"))
        self.y = max(end, self._party("buyer", third, self.y + 40, look.right - third))

    # ── Parts of headings ────────────────────────────────────────────────────────────────────────

    def _title(self, x: float, y: float, width: float, align: Align) -> None:
        size = self.chance.one([11, 14, 16, 18, 20, 24])
        style = Style(self.look.body.family, size, self.chance.chance(0.7), self.look.accent)
        text = self.term("title")
        mark: Mark | str = PLAIN
        if self.chance.chance(0.12):
            text += f" {self.chance.one(['', 'Nr. ', 'No. ', '# '])}{self.facts.number}"
            mark = "invoice_number"
            self.values["invoice_number"] = self.facts.number
        self.sheet.text(x, y + size, text, style, mark, align=align, width=width)
        plain, date = self.look.body, self._written_date()
        room = width - style.width(text) - plain.width(date) - 40
        free = align == "left" and room > 0 and width > 0.9 * self.look.width
        if free and "invoice_date" not in self.values and self.chance.chance(0.25):
            self.values["invoice_date"] = self.facts.date.isoformat()
            self.sheet.text(x, y + size, date, plain, "invoice_date", align="right", width=width)

    def _written_date(self) -> str:
        """The date as letters have it, with the place or without."""
        facts = self.facts
        place = f"{facts.seller.address.city}, {self.chance.one(['', '', 'den '])}"
        return f"{self.chance.one(['', place])}{facts.day(facts.date)}"

    def _logo(self, x: float, y: float, width: float, align: Align) -> float:
        """The seller's name, large, at times shortened or with a motto."""
        name, body = self.facts.seller.name, self.look.body
        size = self.chance.one([12, 14, 16, 20, 24])
        style = Style(self.chance.one(["sans", "serif", body.family]), size, True, self.look.accent)
        while style.width(name) > width and style.size > 7:
            style = style.scaled(0.85)
        self.values.setdefault("seller", name)
        y = self.sheet.lines(x, y, [(name, "seller")], style, align=align, width=width)
        if self.chance.chance(0.15):
            words = self.term("thanks")
            y = self.sheet.paragraph(x, y, words, self.look.small, width, align=align)
        return y

    def _seller(self, x: float, y: float, width: float, align: Align = "left") -> float:
        """The seller's name and address and whatever else stands there; returns the bottom."""
        if self.chance.chance(0.8):
            y = self._logo(x, y, width, align) + 2
        else:
            name = self.facts.seller.name
            self.values.setdefault("seller", name)
            style = self.look.body.bolder()
            y = self.sheet.paragraph(x, y, name, style, width, "seller", align)
        return self._details("seller", x, y, self.look.body, align, width)

    def _party(
        self, role: str, x: float, y: float, width: float, *, heading: bool | None = None
    ) -> float:
        """A block of name and address under a word that says whose; returns its bottom."""
        party: Party = getattr(self.facts, role)
        sheet, style, chance = self.sheet, self.look.body, self.chance
        if heading if heading is not None else chance.chance(0.8 if role == "buyer" else 0.9):
            head = self.term(role)
            head += "" if head.endswith(":") else chance.one(["", ":"])
            bold = style._replace(bold=chance.chance(0.6), color=chance.one([style.color, GREY]))
            y = sheet.lines(x, y, [(head, PLAIN)], bold)
        self.values.setdefault(role, party.name)
        name = style._replace(bold=chance.chance(0.4))
        y = sheet.paragraph(x, y, party.name, name, width, role)
        if chance.chance(0.25) and party.contact != party.name:
            y = sheet.lines(x, y, [(party.contact, PLAIN)], style)
        return self._details(role, x, y, style, "left", width)

    def _details(
        self,
        role: str,
        x: float,
        y: float,
        style: Style,
        align: Align = "left",
        width: float = 0,
    ) -> float:
        """Address, and at times telephone, mail and tax number of a party."""
        party: Party = getattr(self.facts, role)
        chance, lines = self.chance, list(party.address.lines)
        if chance.chance(0.15):
            lines = [chance.one([", ", " · ", " "]).join(lines)]
        if width and any(style.width(line) > width for line in lines):
            lines = list(party.address.lines)
        self.values.setdefault(BOTH[role], " ".join(lines))
        texts: list[tuple[str, Mark | str]] = [(line, BOTH[role]) for line in lines]
        extra: list[tuple[str, Mark | str]] = []
        seller = role == "seller"
        if chance.chance(0.6 if seller else 0.15):
            extra.append((f"{self.term('phone')}{chance.one([': ', ' '])}{party.phone}", PLAIN))
        if chance.chance(0.5 if seller else 0.1):
            extra.append((f"{chance.one(['', 'E-Mail: ', 'Email: '])}{party.email}", PLAIN))
        if seller and chance.chance(0.3):
            extra.append((f"www.{domain(party.name)}", PLAIN))
        key = f"{role}_tax_id"
        if key not in self.values and chance.chance(0.4):
            self.values[key] = party.tax_id
            extra.append((f"{self.term('tax_id')}{chance.one([': ', ' '])}{party.tax_id}", key))
        if chance.chance(0.3):
            chance.shuffle(extra)
        texts += extra
        widest = max(style.width(text) for text, _ in texts)
        if width and widest > width:
            style = style.scaled(max(width / widest, 0.7))
        return self.sheet.lines(x, y, texts, style, align=align, width=width)

    def _other_address(self, x: float, y: float) -> float:
        """Where the goods go: in all senses a distractor."""
        if self.chance.chance(0.4):
            return y
        style, buyer = self.look.body, self.facts.buyer
        y = self.sheet.lines(x, y, [(self.term("ship"), PLAIN)], style.bolder())
        lines = (buyer.name, *buyer.address.lines)
        return self.sheet.lines(x, y, [(line, PLAIN) for line in lines], style)

    def _meta(
        self, x: float, y: float, width: float, layouts: tuple[PairLayout, ...] = LAYOUTS
    ) -> float:
        """The invoice's number, dates and more of the kind; returns the bottom."""
        design = pair_design(self.chance, self.look.body, layouts)
        return set_pairs(self.sheet, x, y, width, self._meta_pairs(), design)

    def _meta_pairs(self) -> list[Pair]:
        facts, chance, term = self.facts, self.chance, self.term
        date, due = facts.day(facts.date), facts.day(facts.due)
        pairs = []
        if "invoice_number" not in self.values:
            pairs.append(Pair(term("number"), (facts.number,), "invoice_number"))
            self.values["invoice_number"] = facts.number
        if "invoice_date" not in self.values:
            key = "" if chance.chance(0.05) else term("date")
            pairs.append(Pair(key, (date,), "invoice_date"))
            self.values["invoice_date"] = facts.date.isoformat()
        if chance.chance(0.5):
            pairs.append(Pair(term("due"), (due,), "due_date"))
            self.values["due_date"] = facts.due.isoformat()
        if chance.chance(0.4):
            pairs.append(Pair(term("order"), (facts.order,), "order_number"))
            self.values["order_number"] = facts.order
        for role in ("seller", "buyer"):
            key = f"{role}_tax_id"
            if key not in self.values and chance.chance(0.1 if role == "buyer" else 0.05):
                party: Party = getattr(facts, role)
                pairs.append(Pair(f"{term(role)} {term('tax_id')}", (party.tax_id,), key))
                self.values[key] = party.tax_id
        distractors = (
            ("customer_no", chance.pattern(chance.one(["#####", "K-####", "######"])), 0.4),
            ("delivery_date", date if chance.chance(0.5) else due, 0.25),
            ("terms", chance.one(["30 days", "Net 30", "COD", "14 T", "30 jours", "Cash"]), 0.25),
            ("contact", facts.seller.contact, 0.25),
            ("page", "1/1", 0.0),
        )
        for name, value, share in distractors:
            if chance.chance(share):
                pairs.append(Pair(term(name), (value,), PLAIN))
        if chance.chance(0.5):
            chance.shuffle(pairs)
        return pairs


def _paper(chance: Chooser, facts: Facts) -> Sheet:
    is_letter = facts.locale.country in ("United States", "Canada", "México")
    sheet = Sheet(612, 792) if is_letter else Sheet(595, 842)
    if chance.chance(0.3):  # as OCR and other programs give boxes
        sheet.ascent, sheet.descent = chance.one([(0.75, 0.2), (0.905, 0.212), (0.72, 0.02)])
    return sheet


def _look(chance: Chooser, facts: Facts, sheet: Sheet) -> Look:
    locale, symbol = facts.locale, chance.one(facts.locale.symbols)
    thousands = chance.chance(0.85)
    forms = [("", ""), ("", ""), (symbol, ""), (f"{symbol} ", ""), ("", f" {symbol}")]
    if locale.lang != "en":
        forms[2] = ("", f" {symbol}")
    table = chance.one(forms)
    sums = table if chance.chance(0.6) else chance.one(forms)
    margin = chance.uniform(28, 64)
    return Look(
        body=Style(
            chance.one(["sans", "sans", "sans", "sans", "serif", "serif", "mono"]),
            chance.one([7.5, 8, 8.5, 9, 9, 9.5, 10]),
            leading=chance.uniform(1.15, 1.5),
        ),
        accent=chance.one(
            [(0, 0, 0), (0, 0, 0), (0.1, 0.3, 0.5), (0.6, 0.1, 0.1), (0.1, 0.4, 0.3)]
        ),
        left=margin,
        right=sheet.width - margin,
        lang=locale.lang if chance.chance(0.9) else "en",
        money=Money(locale, *table, thousands, facts.cents),
        sums=Money(locale, *sums, thousands, facts.cents),
    )
