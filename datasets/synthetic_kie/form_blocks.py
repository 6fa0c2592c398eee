"""The parts of forms: rows of questions, boxed questions, check boxes, tables, free text."""

from __future__ import annotations

from typing import Literal, NamedTuple

from docpipe.datasets.synthetic_kie.form_facts import FormText, Question
from docpipe.datasets.synthetic_kie.sheet import PLAIN, Align, Mark, Sheet, Style, wrap
from docpipe.datasets.synthetic_kie.vocabulary import Chooser

RowLayout = Literal["after", "column", "below", "line", "above"]
Place = tuple[float, float, float]  # left, top, width


class FormLook(NamedTuple):
    """How one form is set: `key` for questions, `fill` for answers."""

    key: Style
    fill: Style
    colon: str
    ruled: bool  # a line under answers
    apart: bool  # answers are entities of their own, however near
    empty: float  # share of questions without answer
    misplaced: float  # answers typed or written by hand are off their lines, in points
    space: float  # between rows


class FormPage:
    """A page of a form, on which the parts are set one below the other."""

    def __init__(self, chance: Chooser, sheet: Sheet, text: FormText, look: FormLook) -> None:
        self.chance, self.sheet, self.words, self.look = chance, sheet, text, look
        self.numbering = chance.one(["{}. ", "({}) ", "{}) ", "{} ", "Q{}. "])
        self.numbered = chance.chance(0.18)
        self.blanks = chance.chance(0.08)  # underscores, for who fills it by hand
        self._count = 0

    def question(self, kind: str = "") -> Question:
        question = self.words.question(kind)
        if self.numbered:
            self._count += 1
            number = self.numbering.format(self._count)
            return question._replace(text=number + question.text)
        return question

    def answer(self, kind: str, empty: float | None = None) -> str:
        """An answer, or nothing where it was left out."""
        share = self.look.empty if empty is None else empty
        return "" if self.chance.chance(share) else self.words.answer(kind)

    def put_key(
        self, x: float, y: float, text: str, style: Style, cell: int = 0
    ) -> tuple[float, int]:
        """A question with its baseline at `y`; where it ends, and its number."""
        number = self.sheet.next_number()
        mark = Mark("question", (), number)
        return self.sheet.text(x, y, text, style, mark, cell=cell), number

    def put_fill(
        self, x: float, y: float, lines: list[str], key: int, cell: int = 0, width: float = 0
    ) -> float:
        """An answer from the baseline `y` down; where it ends at the bottom."""
        look, chance = self.look, self.chance
        align: Align = "right" if width else "left"
        cell = self.sheet.next_cell() if look.apart and not cell else cell
        for line in lines:
            mark = Mark("answer", (), self.sheet.next_number())
            shift = chance.uniform(-1, 1) * look.misplaced
            self.sheet.text(
                x + shift, y + shift, line, look.fill, mark, cell=cell, align=align, width=width
            )
            self.sheet.links.append((key, mark.number))
            y += look.fill.line
        return y - look.fill.line

    # ── Questions with answers ───────────────────────────────────────────────────────────────────

    def rows(self, place: Place, count: int, layout: RowLayout, kind: str = "") -> float:
        """`count` questions one below the other; returns the bottom."""
        left, y, width = place
        questions = [self.question(kind) for _ in range(count)]
        look = self.look
        widest = max(look.key.width(q.text + look.colon) for q in questions)
        start = min(widest, 0.55 * width) + self.chance.one([0.4, 1.2, 2.5]) * look.key.size
        for question in questions:
            y = self._row((left, y, width), question, layout, start)
        return y

    def _row(self, place: Place, question: Question, layout: RowLayout, start: float) -> float:
        left, y, width = place
        look = self.look
        key = look.key
        baseline = y + max(key.size, look.fill.size)
        text = question.text + look.colon
        if layout == "above":
            return self._above(place, text, question.kind)
        if self.blanks and layout in ("after", "line"):
            room = max(width - key.width(text) - 20, 20)
            self.put_key(left, baseline, f"{text} {'_' * int(room / key.width('_'))}", key)
            return baseline + 0.35 * key.line + look.space
        end, number = self.put_key(left, baseline, text, key)
        if layout == "below":
            answer = wrap(self.answer(question.kind), look.fill, width)
            bottom = self.put_fill(left + 4, baseline + look.fill.line, answer, number)
            return max(bottom, baseline + key.line) + look.space
        gap = look.key.size * self.chance.one([0.4, 0.6, 1.6, 2.2, 3.0])
        x = left + start if layout == "column" else end + gap
        if layout == "column" and end > x - 2:
            x = end + gap
        answer = self._fitting(question.kind, left + width - x)
        bottom = self.put_fill(x, baseline, answer, number) if answer else baseline
        if look.ruled or layout == "line":
            self.sheet.rule(x - 2, baseline + 2, max(left + width - 6, x + 20), 0.5)
        return max(bottom, baseline) + 0.35 * key.line + look.space

    def _above(self, place: Place, text: str, kind: str) -> float:
        """The answer on a line, and what is asked in small below it."""
        left, y, width = place
        look = self.look
        baseline = y + look.fill.size
        key = look.key.scaled(0.85)
        _, number = self.put_key(left, baseline + key.line + 2, text, key)
        answer = self._fitting(kind, width)[:1]
        self.put_fill(left + 4, baseline, answer, number)
        self.sheet.rule(left, baseline + 2.5, left + width - 10, 0.5)
        return baseline + key.line + 5 + look.space

    def _fitting(self, kind: str, room: float) -> list[str]:
        """An answer that fits on one line where that can be, or its lines."""
        for _ in range(4):
            answer = self.answer(kind)
            if not answer or self.look.fill.width(answer) <= room:
                break
        if room < 140 and self.look.fill.width(answer) > room:
            return []
        return wrap(answer, self.look.fill, max(room, 60)) if answer else []

    def beside(self, place: Place, columns: int) -> float:
        """Some questions on one line, each with its answer."""
        left, y, width = place
        layout: RowLayout = self.chance.one(["after", "after", "line", "below", "above"])
        step = width / columns
        return max(self.rows((left + at * step, y, step - 8), 1, layout) for at in range(columns))

    # ── Boxes ────────────────────────────────────────────────────────────────────────────────────

    def boxed(self, place: Place, rows: int) -> float:
        """Rows of boxes, with the question small at the top of each and the answer below it."""
        left, y, width = place
        key = self.look.key.scaled(self.chance.one([0.75, 0.85, 1.0]))
        fill, pad = self.look.fill, 2.5
        height = key.line + fill.line + 2 * pad
        for _ in range(rows):
            x = left
            for share in self._shares():
                cell, room = self.sheet.next_cell(), share * width
                question = self.question()
                text = wrap(question.text + self.look.colon, key, room - 2 * pad)
                _, number = self.put_key(x + pad, y + pad + key.size, text[0], key, cell)
                answer = self._fitting(question.kind, room - 2 * pad)[:1]
                baseline = y + pad + key.line + fill.size
                self.put_fill(x + 2 * pad, baseline, answer, number, cell)
                self.sheet.box(x, y, x + room, y + height, 0.5)
                x += room
            y += height
        return y + self.look.space

    def _shares(self) -> list[float]:
        weights = [self.chance.uniform(1, 2.2) for _ in range(self.chance.randint(1, 4))]
        return [weight / sum(weights) for weight in weights]

    def grid(self, place: Place, rows: int) -> float:
        """A ruled table with questions at the left of their answers, in one or two columns."""
        left, y, width = place
        pairs = self.chance.one([1, 1, 2])
        share, pad = self.chance.uniform(0.3, 0.5), 3.0
        step = width / pairs
        height = max(self.look.key.line, self.look.fill.line) + 2 * pad
        for _ in range(rows):
            for at in range(pairs):
                x, question = left + at * step, self.question()
                keys, answers = self.sheet.next_cell(), self.sheet.next_cell()
                text = wrap(question.text + self.look.colon, self.look.key, share * step - 2 * pad)[
                    0
                ]
                baseline = y + pad + self.look.key.size
                _, number = self.put_key(x + pad, baseline, text, self.look.key, keys)
                answer = self._fitting(question.kind, (1 - share) * step - 2 * pad)[:1]
                self.put_fill(x + share * step + pad, baseline, answer, number, answers)
                self.sheet.box(x, y, x + share * step, y + height, 0.5)
                self.sheet.box(x + share * step, y, x + step, y + height, 0.5)
            y += height
        return y + self.look.space

    # ── Check boxes ──────────────────────────────────────────────────────────────────────────────

    def choices(self, place: Place) -> float:
        """A question with options to mark, in one row or below each other."""
        left, y, width = place
        chance, look = self.chance, self.look
        baseline = y + look.key.size
        end, number = self.put_key(left, baseline, self.words.word("group") + look.colon, look.key)
        options = list(
            dict.fromkeys(self.words.word("option") for _ in range(chance.randint(2, 6)))
        )
        marked = chance.randrange(len(options)) if chance.chance(0.85) else -1
        below = chance.chance(0.3)
        form = chance.one(
            [
                "box",
                "box",
                "brackets",
                "blank",
                "after",
                "letter",
                "sign",
                "glyph",
                "glyphs",
                "glyphs",
            ]
        )
        x = left + 12 if below else max(end + look.key.size * 2, left + 0.25 * width)
        baseline += look.key.line if below else 0
        start = x
        for at, option in enumerate(options):
            option_width = look.key.width(option) + 4.5 * look.key.size
            if x + option_width > left + width and x > start:
                x, baseline = start, baseline + look.key.line * 1.15
            self._option(x, baseline, option, form, at == marked, number)
            x += option_width
            if below and chance.chance(0.7):
                x, baseline = start, baseline + look.key.line * 1.15
        return baseline + look.key.line * 0.4 + look.space

    def _option(self, x: float, y: float, option: str, form: str, marked: bool, group: int) -> None:
        """An option with its box; the sign in the box is an answer to the option."""
        look, sheet = self.look, self.sheet
        size = look.key.size
        sign = self.chance.one(["X", "X", "x", "✓"])
        if form in ("brackets", "sign", "glyph"):
            inside = sign if marked else " _"[self.chance.chance(0.2)]
            ticked = {"brackets": f"[{inside}]", "sign": f"({inside})"}.get(form)
            ticked = ticked or (self.chance.one("☒☑") if marked else "☐")
            label = "answer" if marked else "question"
            number = sheet.next_number()
            swapped = form == "glyph" and self.chance.chance(0.25)
            text = f"{option} {ticked}" if swapped else f"{ticked} {option}"
            sheet.text(x, y, text, look.key, Mark(label, (), number))
            if marked:
                sheet.links.append((group, number))
            return
        if form == "after":
            end, number = self.put_key(x, y, option, look.key)
            box = end + size * 1.5
        else:
            box = x
            _, number = self.put_key(x + 2.3 * size, y, option, look.key)
        if form == "glyphs":
            glyph = Mark("answer" if marked else "other", (), sheet.next_number())
            sheet.text(box, y, self.chance.one("☒☑") if marked else "☐", look.key, glyph)
            if marked:
                sheet.links.append((number, glyph.number))
            return
        if form in ("box", "after"):
            sheet.box(box, y - 0.75 * size, box + 0.85 * size, y + 0.1 * size)
        elif form == "blank":
            sheet.rule(box - 2, y + 2, box + 1.3 * size)
        if marked:
            self.put_fill(box + 0.1 * size, y, [sign], number)

    # ── Tables and text ──────────────────────────────────────────────────────────────────────────

    def table(self, place: Place, rows: int) -> float:
        """A table with questions above its columns, and at times at the left of its rows."""
        left, y, width = place
        chance, look = self.chance, self.look
        has_rows = chance.chance(0.6)
        columns = chance.randint(2, 6)
        first = chance.uniform(0.2, 0.4) if has_rows else 0.0
        step = width * (1 - first) / columns
        ruled = chance.chance(0.5)
        heads = [self.put_head(left, first * width, y, "", ruled)] if has_rows else []
        for at in range(columns):
            heads.append(self.put_head(left + first * width + at * step, step, y, "column", ruled))
        kinds = [chance.one(["number", "money", "text", "code", "date", "percent"]) for _ in heads]
        height = look.key.line + (4 if ruled else 1) + look.space * 0.3
        y += height
        for _ in range(rows):
            self._table_row((left, y, first * width), step, heads, kinds, ruled)
            if ruled:
                sheet_right = left + width
                self.sheet.rule(left, y + height, sheet_right, 0.4)
            y += height
        if ruled:
            self.sheet.box(left, y - (rows + 1) * height, left + width, y, 0.5)
        return y + look.space

    def put_head(self, x: float, width: float, y: float, kind: str, ruled: bool) -> int:
        """The head of a column; its number, -1 for a corner without text."""
        style = self.look.key
        if not kind:
            return -1
        text = self.words.word("column")
        if self.chance.chance(0.25):
            text = self.words.row_name()
        elif self.chance.chance(0.3):
            text = self.words.question().text
        text = wrap(self.words.case(text), style, max(width - 4, 20))[0]
        cell = self.sheet.next_cell() if ruled else 0
        return self.put_key(x + 3, y + style.size + 1, text, style, cell)[1]

    def _table_row(
        self, place: Place, step: float, heads: list[int], kinds: list[str], ruled: bool
    ) -> None:
        left, y, first = place
        baseline = y + self.look.key.size + 1
        number = -1
        if first:
            text = wrap(self.words.row_name(), self.look.key, first - 6)[0]
            cell = self.sheet.next_cell() if ruled else 0
            number = self.put_key(left + 3, baseline, text, self.look.key, cell)[1]
        for at, (head, kind) in enumerate(zip(heads[1:] if first else heads, kinds, strict=False)):
            answer = self._fitting(kind, step - 8)[:1]
            if answer and self.look.fill.width(answer[0]) > step - 4:
                continue
            x = left + first + at * step + 3
            cell = self.sheet.next_cell() if ruled else 0
            right = kind in ("number", "money") and self.words.locale.decimal == ","
            width = step - 8 if right else 0
            self.put_fill(x, baseline, answer, number if number >= 0 else head, cell, width)
            if answer and number >= 0 and head >= 0:
                self.sheet.links.append((head, self.sheet._number))

    def free_text(self, place: Place) -> float:
        """A question with an answer of some lines below it, or hanging beside it."""
        left, y, width = place
        look = self.look
        question = self.question("long")
        baseline = y + look.key.size
        text = question.text + look.colon
        end, number = self.put_key(left, baseline, text, look.key)
        answer = self.answer("long", 0.12)
        if self.chance.chance(0.4) and end - left < 0.35 * width:
            x = end + look.key.size * self.chance.one([1.5, 2.5])
            lines = wrap(answer, look.fill, left + width - x)
            bottom = self.put_fill(x, baseline, lines, number) if lines else baseline
        else:
            lines = wrap(answer, look.fill, width - 10)
            x = left + self.chance.one([0, 6, 14])
            bottom = self.put_fill(x, baseline + look.fill.line, lines, number)
        return max(bottom, baseline) + look.fill.line * 0.5 + look.space

    def inquiry(self, place: Place) -> float:
        """A question that is a sentence, on as many lines as it takes, and a short answer."""
        left, y, width = place
        chance, look = self.chance, self.look
        question = self.words.sentence()
        self._count += 1
        number = self.numbering.format(self._count) if self.numbered else ""
        text = number + question.text
        share = chance.one([1.0, 1.0, 0.6, 0.45])
        lines = wrap(text, look.key, share * width)
        first = -1
        for line in lines:
            end, last = self.put_key(left, y + look.key.size, line, look.key)
            first = last if first < 0 else first
            y += look.key.line
        beside = share < 1 or end + 60 < left + width
        x = max(left + share * width + 10, end + 14) if share < 1 else end + 16
        if not beside:
            x, y = left + 12, y + look.fill.line
        answer = self._fitting(question.kind, left + width - x)
        bottom = (
            self.put_fill(x, y - look.key.line + look.fill.size, answer, first) if answer else y
        )
        return max(bottom + 0.4 * look.fill.line, y) + look.space

    def note(self, place: Place) -> float:
        """An instruction."""
        left, y, width = place
        style = self.look.key.scaled(self.chance.one([0.85, 0.85, 1.0]))
        text = " ".join(self.words.word("note") for _ in range(self.chance.one([1, 1, 2, 4])))
        if self.chance.chance(0.3):
            text = self.words.sentences(self.chance.one([1, 1, 2, 3, 6]))
        text = text.upper() if self.chance.chance(0.15) else text
        align: Align = self.chance.one(["left", "left", "center"])
        return self.sheet.paragraph(left, y, text, style, width, PLAIN, align) + self.look.space

    def stray(self, place: Place) -> float:
        """Short texts that neither ask nor answer: stamps, remarks in brackets, typists' marks."""
        left, y, width = place
        chance, words = self.chance, self.words
        for _ in range(chance.randint(1, 3)):
            style = self.look.key if chance.chance(0.5) else self.look.fill
            text = chance.one(
                (
                    chance.pattern(chance.one(["########", "####", "(##)", "#", "?-###", "##/##"])),
                    f"({words.sentences(1)[:28].rstrip(' .')})",
                    f"({words.word('note').rstrip('.')})",
                    words.answer("company"),
                    words.answer("name"),
                    words.answer("city"),
                    chance.one(
                        ["%", "$", "cc:", "USA", "R&D", "COPY", "CONFIDENTIAL", "DRAFT", "o/o"]
                    ),
                    words.word("word").upper(),
                )
            )
            room = max(width - style.width(text), 1)
            self.sheet.text(left + chance.uniform(0, room), y + style.size, text, style)
            y += style.line
        return y + self.look.space

    def section(self, place: Place) -> float:
        """The heading of a part."""
        left, y, width = place
        chance, key = self.chance, self.look.key
        style = key._replace(
            bold=chance.chance(0.75), size=key.size * chance.one([1, 1, 1.15, 1.3])
        )
        text = self.words.heading()
        text = text.upper() if chance.chance(0.65) else text
        text += chance.one(["", "", ":"])
        align: Align = chance.one(["left", "left", "left", "center"])
        if chance.chance(0.2):
            self.sheet.fill(left, y, left + width, y + style.line + 2, (0.85, 0.85, 0.85))
        self.sheet.text(
            left + 2, y + style.size + 1, text, style, "header", align=align, width=width - 4
        )
        if chance.chance(0.2):
            self.sheet.rule(left, y + style.line + 2, left + width)
        return y + style.line + 3 + self.look.space

    def signature(self, place: Place) -> float:
        """Lines to sign on, with what is asked below or before them."""
        layout: RowLayout = self.chance.one(["above", "line", "line"])
        left, y, width = place
        step = width / 2
        first = self.rows((left, y + 8, step - 10), 1, layout, "name")
        return max(first, self.rows((left + step, y + 8, step - 10), 1, layout, "date"))
