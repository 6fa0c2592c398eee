"""What a question asks for, read off its wording: the kind and format of the answer, the words that
evidence must speak of, and whether text can settle it at all.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from docpipe.agents.terms import STOP, content_words, fold, words
from docpipe.records import AnswerFormat

Kind = Literal[
    "count",
    "percentage",
    "money",
    "amount",
    "measure",
    "date",
    "person",
    "place",
    "yes_no",
    "choice",
    "list",
    "reason",
    "contact",
    "what",
]
Element = Literal["figure", "table", "page", "chapter"]


class Question(msgspec.Struct, frozen=True):
    """A question taken apart.

    `text` is without the instructions on how to write the answer. `terms` are its content words,
    `names` the capitalised names, codes, numbers and quoted strings that evidence has to mention.
    `focus` are the words of what is asked for ("how many *membership warehouses*"), `unit` the form
    of the units that measure it, `lead` the preposition before what is asked ("*by* how much"),
    `grain` the part of a date ("in which *month*"). `visual`: only the look of the page tells, as
    the words in `looks` say. `derived`: the answer is computed from several facts. `element`: the
    count asked for is one of parts of the document itself; `is_title`: its title is asked for.
    """

    text: str
    kind: Kind
    format: AnswerFormat
    terms: tuple[str, ...]
    names: tuple[str, ...]
    focus: tuple[str, ...] = ()
    unit: str = ""
    lead: str = ""
    grain: str = ""
    options: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    visual: bool = False
    looks: tuple[str, ...] = ()
    derived: bool = False
    element: Element | None = None
    is_title: bool = False


_INSTRUCTION = re.compile(
    r"""\b(please\b|(directly\s+)?(answer|anwser)\b|(your|the)\s+answer\b|write\b|return\s+me\b
    |give\s+me\b|round(ed)?\b|format\b|e\.g\.|for\s+example\b|in\s+list\s+format)""",
    re.IGNORECASE | re.VERBOSE,
)
_FISCAL = re.compile(r"\bFY\s?(?=\d)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[?!])\s*(?=\S)|(?<=\w\w[.])\s+(?=[A-Z])")
_QUOTED = re.compile(r"[\"“”`]([^\"“”`]{2,}?)[\"“”`]|(?<!\w)['‘]([^'’]{2,}?)['’](?!\w)")
_NAME = re.compile(
    r"(?<!\w)(?:[A-Z][\w.&'’+-]*|[a-z]+[A-Z]\w*|\d[\w.,/-]*\w|\d)(?:\s+(?:of\s+(?:the\s+)?)?[A-Z][\w.&'’+-]*)*(?:(?<=[a-z])\s+\d{1,3}\b(?![.,%]\d))?"
)
# What the answer is, not what it is about.
_OF_ANSWERS = frozenset(
    content_words("percentage percent proportion number amount year month day date kind share")
    + content_words("telephone phone fax email mail address website")
)
_POSSESSIVE = re.compile(r"['’]s?$")
_PAGES = re.compile(r"\b(?:page|slide|p\.)\s*(?:no\.?\s*|number\s*)?(\d{1,4}|[ivxl]{1,6})\b", re.I)
_ORDINAL_PAGE = re.compile(r"\b(first|second|third|fourth|fifth)\s+(?:page|slide)\b", re.I)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_VISUAL = re.compile(
    r"""\b(colou?rs?|colou?red|red|blue|green|yellow|orange|black|white|grey|gray|purple|pink|brown
    |photos?|photographs?|pictured|icons?|logos?|standing|sitting|wearing|glasses|sunglasses|scarf
    |shapes?|arrows?|bars|dotted|dashed|handwritten|manually|signatures?|screenshots?|highlighted
    |font|background|(?:left|right)\s+side|drawn|pictures?)\b
    |\bhow\s+many\b.*\bin\s+the\s+(?:figure|image|photo|map|diagram)\b
    |\bin\s+the\s+(?:figure|image|photo|map|diagram)\b.*\bhow\s+many\b
    |\bhow\s+many\s+(?:people|persons|men|women|males?|dogs|cats)\b.*\bpage\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DERIVED = re.compile(
    r"""\b(difference|how\s+(?:much|many)\s+(?:more|less|higher|lower|fewer|greater)
    |more\s+times|total\s+number|in\s+total|combined|sum|collectively|ratio|average|multiple\s+of
    |increased?\s+by|change\s+(?:of|in)|compared\s+(?:to|with)|times\s+(?:more|higher|larger)
    |(?:debt|liabilit(?:y|ies)|assets?|flow|profit|equity|income|sales|revenues?|interest)
     \s+to\s+(?:\w+\s+){0,2}(?:debt|liabilit(?:y|ies)|assets?|ebitda|equity|income|sales|revenues?)
    |return\s+on|roa|roe|(?:more|less|fewer|greater|higher|lower)\s+than)(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_ELEMENTS: dict[Element, re.Pattern[str]] = {
    "figure": re.compile(
        r"how many (?:\w+ ){0,2}?(figures|charts|diagrams|images|graphs|plots)\b", re.I
    ),
    "table": re.compile(r"how many (?:\w+ ){0,1}?tables\b", re.I),
    "page": re.compile(r"how many pages\b(?!.*\b(?:with|have|show|include|contain|appear))", re.I),
    "chapter": re.compile(r"how many (?:main )?(chapters|sections)\b", re.I),
}
_TITLE = re.compile(
    r"\btitle of (?:the|this) (?:paper|document|report|article|book|manual|presentation|file)\b"
    r"|\b(?:this|the) (?:paper|document|report|article|book|manual) called\b",
    re.I,
)
_YES_NO = re.compile(
    r"(?:^|,\s*)(is|are|was|were|does|do|did|has|have|had|can|could|will|should)\b", re.I
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("contact", re.compile(r"\b(e-?mail|telephone|phone|fax|website|url|web\s*site)\b", re.I)),
    ("amount", re.compile(r"\bby how much\b", re.I)),
    (
        "percentage",
        re.compile(
            r"\bpercent(age)?s?\b|\bproportion\b|\b(what|which) (share|rate|cagr)\b|\bcagr\b|%",
            re.I,
        ),
    ),
    (
        "money",
        re.compile(
            r"\bhow much (money|did|was|were|does|is|will|must|to)\b"
            r"|\b(price|cost|salary|fee|rent)s?\b",
            re.I,
        ),
    ),
    (
        "count",
        re.compile(
            r"\bhow (many|much|old|long|large|far)\b|\bwhat (is|was) the \w* ?number of\b", re.I
        ),
    ),
    (
        "date",
        re.compile(
            r"^(?:[^,]+, )?when\b(?! (?:a|the|you)\b)|\b(what|which) (year|date|month|day)\b"
            r"|\bwhat (?:is|was) the (?:\w+ )?date\b",
            re.I,
        ),
    ),
    ("person", re.compile(r"\bwhom?\b|\bname of the (person|author|ceo|judge)\b", re.I)),
    (
        "place",
        re.compile(r"\bwhere\b|\b(what|which) (city|country|state|continent|county|town)\b", re.I),
    ),
    ("reason", re.compile(r"\bwhy\b|\bhow (do|does|did|is|are|to|can|should)\b", re.I)),
)
_TIME = "seconds?|minutes?|hours?|days?|weeks?|months?|years?|min|ms|s|h"
_LENGTH = "(?:milli|centi|kilo)?met(?:er|re)s?|feet|foot|miles?|inch(?:es)?|[mck]?m|ft"
# What is measured, and the units that measure it.
_UNITS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.I), units)
    for words, units in (
        (r"how long|how old|duration|what age|how much time", _TIME),
        (r"how (?:far|tall|high|wide|deep|thick)|height|width|length|distance", _LENGTH),
        (
            r"how heavy|weigh[st]?|weight|mass",
            r"kilograms?|grams?|tons?|tonnes?|[km]?g|t|lbs?|pounds?",
        ),
        (r"torque", r"Nm|N·m"),
        (r"voltage", r"[mk]?V|volts?"),
        (r"(?:electric )?current of|amperage", r"[mk]?A|amperes?"),
        (r"(?:what|which) power|wattage", r"[mkM]?W|watts?"),
        (r"speed|how fast", r"m/s|km/h|mph|knots?|kn"),
        (r"temperature|how (?:hot|cold|warm)", r"°\s?[CF]|K|degrees(?: \w+)?"),
        (r"pressure", r"[hkM]?Pa|bar|psi"),
        (r"frequency", r"[kMG]?Hz"),
        (r"capacity", r"[mk]?Ah|[mkMG]?Wh|[kMGT]B|lit(?:er|re)s?|l|ml"),
    )
)
_LEAD = re.compile(
    r"(?:^|,\s*)(by|at|in|on|with|from|to|for|under|of|since|until)\s+(?:how|which|what|whom)\b",
    re.I,
)
_GRAIN = re.compile(r"\b(?:which|what) (year|month)\b", re.I)
_LIST = re.compile(
    r"""\blist(\s+(all|the|out)|s\b)|\benumerate\b|\bin\s+(a\s+)?list\b|\blist\s+format\b
    |^(what|which)\s+(are|were)\b|^who\s+are\b|\bwhat\s+are\s+the\b|\bnames?\s+of\s+the\s+\w+s\b
    |\bwhat\s+(?:are\s+)?(two|three|four|five)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_FOCUS = re.compile(
    r"\b(?:how (?:many|much)|which|what|number of|list (?:all )?(?:the )?|percentage of)\s+"
    r"((?:[\w'’-]+\s*){1,6})",
    re.I,
)
_FOCUS_END = re.compile(
    r"\b(is|are|was|were|do|does|did|has|have|had|can|of|in|on|for|that|which|to|with|from|by)\b",
    re.I,
)
_OPTIONS = re.compile(r"['\"‘“](\w[\w .-]*)['\"’”] or ['\"‘“](\w[\w .-]*)['\"’”]")
_EITHER = re.compile(r"([A-Z][\w.&'’ -]*?),? or ([A-Z][\w.&'’-]*(?: [A-Z][\w.&'’-]*)*)")


def analyse(question: str) -> Question:
    """Take a question apart. Never fails: what is not understood is a `what` question."""
    sentences = [part for part in _SENTENCE.split(question.strip()) if part.strip()]
    asked = [part for part in sentences if "?" in part or not _INSTRUCTION.search(part)]
    text = _FISCAL.sub("", " ".join(asked) or question.strip())
    options = _options(question, text)
    names = _names(text)
    kind = _kind(text, options)
    unit = _unit(text) if kind in ("what", "count", "money") else ""
    if unit and kind in ("what", "count"):
        kind = "measure"
    lead, grain = _LEAD.search(text), _GRAIN.search(text)
    looks = [found.group() for found in _VISUAL.finditer(_QUOTED.sub(" ", text))]
    element = next((name for name, form in _ELEMENTS.items() if form.search(text)), None)
    return Question(
        text=text,
        kind=kind,
        format=_format(kind, question),
        terms=_terms(text, names),
        names=names,
        focus=_focus(text),
        unit=unit,
        lead=lead[1].casefold() if lead else "",
        grain=grain[1].casefold() if grain else "",
        options=options,
        pages=_pages(text),
        visual=bool(looks),
        looks=tuple(dict.fromkeys(word for look in looks for word in content_words(look))),
        derived=bool(_DERIVED.search(text)),
        element=element if kind == "count" else None,
        is_title=bool(_TITLE.search(text)),
    )


def _kind(text: str, options: tuple[str, ...]) -> Kind:
    if options:
        return "yes_no" if set(map(fold, options)) == {"yes", "no"} else "choice"
    if _LIST.search(text):
        return "list"
    if _YES_NO.match(text):
        return "yes_no"
    return next((kind for kind, form in _KINDS if form.search(text)), "what")


def _unit(text: str) -> str:
    """The form of the units that a question is answered in; empty where it asks no measure."""
    if re.search(r"\bhow (many|much)\b|\bnumber of\b", text, re.I):
        return ""
    units = next((units for form, units in _UNITS if form.search(text)), "")
    named = re.search(rf"\bin ({units})(?!\w)", text, re.I) if units else None
    return re.escape(named[1]) if named else units


def _format(kind: Kind, question: str) -> AnswerFormat:
    if kind == "list" or re.search(r"\blist format\b|\bin a list\b", question, re.I):
        return "list"
    if re.search(r"\binteger\b|\bint format\b", question, re.I):
        return "int"
    if kind == "count":
        return "int"
    return "float" if kind in ("percentage", "money") else "str"


def _options(question: str, text: str) -> tuple[str, ...]:
    """The answers a question offers: quoted ones, or the names on both sides of its "or"."""
    found = _OPTIONS.search(question)
    if found is None and re.search(r"\b(which|whether|who)\b", text, re.I):
        found = _EITHER.search(text)
    return tuple(option.strip() for option in found.groups()) if found else ()


def _names(text: str) -> tuple[str, ...]:
    """Names, codes, numbers and quoted strings, without the word that opens a sentence."""
    quoted = [a or b for a, b in _QUOTED.findall(text)]
    rest = _PAGES.sub(" ", _QUOTED.sub(" ", text))
    found = []
    for match in _NAME.finditer(rest):
        parts = [_POSSESSIVE.sub("", part) for part in match.group().rstrip(".,").split()]
        if match.start() == 0 or rest[: match.start()].rstrip()[-1:] in "?.!":
            parts = parts[1:]
        parts = [part for part in parts if fold(part) not in STOP or len(parts) > 1]
        if parts:
            found.append(" ".join(parts))
    return tuple(dict.fromkeys([*quoted, *found]))


def _terms(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The content words, and single letters that belong to a name ("Recruiter C")."""
    letters = [
        word for name in names for word in words(name) if len(word) == 1 and len(words(name)) > 1
    ]
    subject = [word for word in content_words(text) if word not in _OF_ANSWERS]
    return tuple(dict.fromkeys([*subject, *letters]))


def _focus(text: str) -> tuple[str, ...]:
    match = _FOCUS.search(text)
    if match is None:
        return ()
    return tuple(content_words(_FOCUS_END.split(match.group(1), maxsplit=1)[0]))


def _pages(text: str) -> tuple[str, ...]:
    numbers = [fold(number) for number in _PAGES.findall(text)]
    ordinals = [str(_ORDINALS.index(fold(word)) + 1) for word in _ORDINAL_PAGE.findall(text)]
    return tuple(dict.fromkeys(numbers + ordinals))
