"""Terms in many languages, each in several wordings."""

from __future__ import annotations

from docpipe.datasets.synthetic_kie.vocabulary import Chooser

Terms = dict[str, dict[str, tuple[str, ...]]]


def parse_terms(text: str) -> Terms:
    """Terms from lines such as `total | en=Total,Amount due | de=Summe`."""
    terms: Terms = {}
    for line in text.strip().split("\n"):
        name, *languages = line.split(" | ")
        pairs = (part.split("=", 1) for part in languages)
        terms[name.strip()] = {lang.strip(): tuple(words.split(",")) for lang, words in pairs}
    return terms


def term(chance: Chooser, terms: Terms, lang: str, name: str, capitals: float = 0.08) -> str:
    """One wording of a term in a language, English where it is not known; at times in capitals."""
    text = chance.one(terms[name].get(lang) or terms[name]["en"]).strip()
    return text.upper() if "{" not in text and chance.chance(capitals) else text
