"""Financial statements: which page is one, and which of them a question has to be answered from.

A ratio such as the return on assets stands nowhere in an annual report; its parts stand in the
balance sheet and the income statement. Names are `statement balance`, `income` and `cash`.
"""

from __future__ import annotations

import re

# A page is a statement when it starts with its title and is full of figures.
_TITLE_WORDS = 60
_MIN_FIGURES = 30

_TITLES = {
    "balance": r"balance sheets?|statements? of (?:financial (?:position|condition)|assets)",
    "income": (
        r"(?:income|earnings|profit and loss) (?:statements?|account)"
        r"|statements? of (?:consolidated )?(?:income|earnings|operations|profit)"
        r"|profit (?:and|&) loss"
    ),
    "cash": r"statements? of (?:consolidated )?cash flows?|cash[ -]flow statements?",
}
_ASKED = {
    "balance": (
        r"assets?|liabilit(?:y|ies)|equity|debt|goodwill|inventor(?:y|ies)|receivables?|payables?"
        r"|cash equivalents|retained earnings|working capital|book value|capital employed"
        r"|invested capital|capitali[sz]ation|leverage|current ratio|quick ratio|ro[aei]|roic|roce"
        r"|return on|solvency|liquidity|cash flow ratio"
    ),
    "income": (
        r"revenues?|net sales|turnover|cost of (?:sales|goods)|gross (?:profit|margins?)"
        r"|operating (?:income|profit|margin|expenses?)|net (?:income|profit|earnings|margin)"
        r"|ebita?d?a?|interest (?:expense|coverage)|coverage ratio|tax (?:rate|ratio|expense)"
        r"|earnings per|eps|ro[aei]|roic|roce|return on|after-tax|interest to|profit margins?"
        r"|sg&a|asset turnover|inventory turnover|income tax(?:es)?"
    ),
    "cash": (
        r"cash flows?|capital expenditures?|capex|free cash|depreciation|amorti[sz]ation|ebitd?a"
        r"|(?:operating|investing|financing) activities|dividends? paid|repurchase[sd]?"
    ),
}
_TITLE = {name: re.compile(rf"\b(?:{pattern})\b", re.I) for name, pattern in _TITLES.items()}
_ASKS = {name: re.compile(rf"\b(?:{pattern})\b", re.I) for name, pattern in _ASKED.items()}
_FIGURE = re.compile(r"\(?\d[\d,.]*\)?")


def statements_on(text: str) -> list[str]:
    """The names of the financial statements that a page with this text is."""
    if len(_FIGURE.findall(text)) < _MIN_FIGURES:
        return []
    start = " ".join(text.split()[:_TITLE_WORDS])
    return [f"statement {name}" for name, title in _TITLE.items() if title.search(start)]


def asked_statements(question: str) -> list[str]:
    """The names of the financial statements that hold what a question asks for."""
    return [f"statement {name}" for name, asks in _ASKS.items() if asks.search(question)]
