"""What an identity document says of its holder, before it is set."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from docpipe.datasets.synthetic_kie import mrz
from docpipe.datasets.synthetic_kie.id_words import State, state
from docpipe.datasets.synthetic_kie.locales import LOCALES, MONTHS
from docpipe.datasets.synthetic_kie.vocabulary import (
    Chooser,
    Person,
    address,
    brand,
    names,
    person,
)

_SEXES = {
    "en": ("M F", "M F", "MALE FEMALE", "Male Female"),
    "fr": ("M F", "M F", "H F"),
    "es": ("M F", "H M", "V M"),
    "pl": ("M K",),
    "cs": ("M F", "M Ž", "MUŽ ŽENA"),
    "sk": ("M F", "M Ž"),
    "fi": ("M N", "M/M N/F"),
    "et": ("M N", "M/M N/F"),
    "hu": ("F N", "FÉRFI/M NŐ/F"),
    "sl": ("M Ž", "M F"),
    "hr": ("M Ž", "M/M Ž/F"),
    "sr": ("М Ж", "M Ž", "M F"),
    "bg": ("М/M Ж/F",),
    "ru": ("М Ж", "МУЖ. ЖЕН.", "М/M Ж/F"),
    "uk": ("Ч/M Ж/F",),
    "el": ("Α/M Θ/F", "M F"),
    "tr": ("E/M K/F", "E K"),
    "az": ("K/M Q/F", "M F"),
    "id": ("LAKI-LAKI PEREMPUAN", "L/M P/F"),
    "ms": ("LELAKI PEREMPUAN", "L-M P-F"),
    "sv": ("M F", "M/M K/F"),
    "lv": ("V/M S/F", "VĪR. SIEV."),
    "lt": ("V/M M/F",),
    "pt": ("M F",),
    "nl": ("M/M V/F", "M V"),
}
_DATES = (
    *("{dd}.{mm}.{yyyy}", "{dd}.{mm}.{yyyy}", "{dd}/{mm}/{yyyy}", "{dd} {mm} {yyyy}"),
    *("{dd}-{mm}-{yyyy}", "{yyyy}-{mm}-{dd}", "{dd} {mon} {yyyy}", "{dd} {mon}/{mon} {yyyy}"),
    *("{dd} {mon} / {eng} {yyyy}", "{dd} {mm}/{eng} {yyyy}", "{mm}/{dd}/{yyyy}", "{dd} {eng} {yy}"),
    *("{dd}.{mm}.{yy}", "{yyyy}.{mm}.{dd}", "{dd} {eng} {yyyy}"),
)
_NUMBERS: tuple[str, ...] = (
    "?########",
    "#########",
    "??#######",
    "########",
    "?? ######",
    "?#######?",
    "#######",
)
_NUMBERS += (
    "???######",
    "######-####",
    "## ## ######",
    "??##????##",
    "?##-###-###-###",
    "##??#####",
)
_PERSONAL: tuple[str, ...] = (
    "###########",
    "##########",
    "######/####",
    "######-####",
    "#############",
    "########-?",
)
_PERSONAL += (
    "#-####-#####-##-#",
    "################",
    "### ### ###",
    "#########",
    "?#######?",
    "######-##-####",
)
_AUTHORITIES = {
    "en": "{c}|{c} Passport Office|HM PASSPORT OFFICE|Department of State|Ministry of Interior|"
    "{c} Police|DVLA|DMV",
    "de": "STADT {c}|Landratsamt {c}|Stadtverwaltung {c}|Bezirksamt {c}|BH {c}",
    "fr": "Préfecture de {c}|Mairie de {c}|Sous-préfecture de {c}|Commune de {c}",
    "es": "EQUIPO {c}|DGP {c}|Jefatura de {c}|Registraduría",
    "it": "COMUNE DI {c}|Questura di {c}|MIT-UCO|Ministero Affari Esteri",
    "nl": "Burg. van {c}|Gemeente {c}|Burgemeester van {c}",
    "pl": "PREZYDENT MIASTA {c}|BURMISTRZ {c}|WOJEWODA {c}|Starosta {c}",
    "cs": "Městský úřad {c}|MÚ {c}|Magistrát {c}",
    "sk": "OR PZ {c}|{c}",
    "ru": "ОУФМС РОССИИ {c}|МВД {c}|ГИБДД ####|УМВД {c}",
    "uk": "####|МРЕО {c}",
    "bg": "МВР {c}|MBP {c}",
    "el": "Α.Ε.Α./Δ.Δ. {c}|Υ.Α. {c}",
    "sr": "ПУ {c}|МУП Р {c}",
    "hr": "PU {c}|MUP {c}",
    "id": "POLDA {c}|KANIM {c}|{c}",
    "ro": "SPCLEP {c}|Pașapoarte {c}",
    "lv": "PMLP {c}|{c}",
}


class IdFacts(NamedTuple):
    """The holder and the document; `values` are the texts of the fields as lines."""

    state: State
    holder: Person
    texts: dict[str, tuple[str, ...]]
    values: dict[str, str]
    zone: mrz.Holder


def id_facts(chance: Chooser) -> IdFacts:
    where = state(chance, brand(chance))
    locale = next((one for one in LOCALES if one.lang == where.lang), LOCALES[6])
    locale = locale._replace(names=where.names, country=where.title.title())
    holder = _holder(chance, where)
    born = chance.day(1938, 2008)
    issued = chance.day(2004, 2026)
    expiry = _later(issued, chance.one([5, 10, 10, 10, 15]), chance)
    number, personal = chance.pattern(chance.one(_NUMBERS)), chance.pattern(chance.one(_PERSONAL))
    case = str.upper if chance.chance(0.8) else str
    pattern = chance.one(_DATES)
    days = {"birth_date": born, "issue_date": issued, "expiry_date": expiry}
    city = chance.one(names(where.names, chance.split).cities)
    place = chance.choice([city, city, f"{city} ({where.code[:2]})", f"{city}, {where.code}"])
    home = address(chance, locale)
    texts = {
        "surname": (case(holder.surname),),
        "given_names": (case(holder.given),),
        "sex": (chance.one(_SEXES.get(where.lang, ("M F",))).split()[holder.female],),
        "nationality": (chance.choice([where.citizen, where.citizen, where.code]),),
        "birth_place": (case(place),),
        "document_number": (number,),
        "personal_number": (personal,),
        "authority": (_authority(chance, where),),
        "address": tuple(case(line) for line in home.lines),
        **{name: (date_text(day, pattern, where.lang),) for name, day in days.items()},
    }
    values = {name: " ".join(lines) for name, lines in texts.items()}
    values |= {name: day.isoformat() for name, day in days.items()}
    zone = mrz.Holder(
        chance.one(["I", "ID", "AR", "IR"]),
        where.code.ljust(3, "<"),
        where.code.ljust(3, "<"),
        number,
        holder.surname,
        holder.given,
        born,
        holder.female,
        expiry,
        personal if chance.chance(0.5) else "",
    )
    return IdFacts(where, holder, texts, values, zone)


def date_text(day: datetime.date, pattern: str, lang: str) -> str:
    english = MONTHS["en"].split()[day.month - 1][:3].upper()
    month = MONTHS.get(lang, MONTHS["en"]).split()[day.month - 1][:3].upper()
    return pattern.format(
        dd=f"{day.day:02d}",
        mm=f"{day.month:02d}",
        yy=f"{day.year % 100:02d}",
        yyyy=day.year,
        mon=month,
        eng=english,
    )


def _holder(chance: Chooser, where: State) -> Person:
    locale = LOCALES[0]._replace(names=where.names)
    holder = person(chance, locale)
    if where.lang in ("ru", "uk", "bg", "el", "sr") and chance.chance(0.35):
        latin = mrz.transliterate(holder.surname), mrz.transliterate(holder.given)
        return Person(f"{holder.given}/{latin[1]}", f"{holder.surname}/{latin[0]}", holder.female)
    return holder


def _later(day: datetime.date, years: int, chance: Chooser) -> datetime.date:
    whole = day.replace(year=day.year + years, day=min(day.day, 28))
    return whole - datetime.timedelta(days=chance.one([0, 0, 1]))


def _authority(chance: Chooser, where: State) -> str:
    city = chance.one(names(where.names, chance.split).cities)
    pattern = chance.one(_AUTHORITIES.get(where.lang, "{c}|{c} ####|Police {c}").split("|"))
    text = chance.pattern(pattern.replace("{c}", "{}").replace("?", "")).format(city)
    return text.upper() if chance.chance(0.6) else text
