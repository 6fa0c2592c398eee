"""How countries write numbers, dates, addresses and tax numbers."""
# ruff: noqa: E501 (lists of words)

from __future__ import annotations

import datetime
from typing import NamedTuple

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta "
    "syyskuuta lokakuuta marraskuuta joulukuuta",
    "hu": "január február március április május június július augusztus szeptember október november "
    "december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie "
    "decembrie",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου "
    "Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga "
    "prosinca",
}


class Locale(NamedTuple):
    """A country and a language.

    `dates` are patterns of d, dd, m, mm, mon, month, yy and yyyy in braces. `address` are lines of
    street, number, code, city and state in braces, and `code` and `tax_ids` patterns in which # is
    a digit and ? a letter.
    """

    lang: str
    country: str
    names: str
    currency: str
    symbols: tuple[str, ...]
    decimal: str
    thousands: str
    dates: tuple[str, ...]
    vat: tuple[str, ...]
    legal: tuple[str, ...]
    code: str
    address: tuple[str, ...]
    tax_ids: tuple[str, ...]
    phone: str
    iban: str = ""

    def money(self, cents: int, thousands: bool = True) -> str:
        """An amount in cents as the country writes it."""
        whole, rest = divmod(abs(cents), 100)
        mark = self.thousands if thousands else ""
        digits = f"{whole:,}".replace(",", mark)
        return f"{'-' if cents < 0 else ''}{digits}{self.decimal}{rest:02d}"

    def date(self, day: datetime.date, pattern: str) -> str:
        month = MONTHS[self.lang].split()[day.month - 1]
        parts = {
            "d": str(day.day),
            "dd": f"{day.day:02d}",
            "m": str(day.month),
            "mm": f"{day.month:02d}",
            "mon": month[:3],
            "month": month,
            "yy": f"{day.year % 100:02d}",
            "yyyy": str(day.year),
        }
        return pattern.format(**parts)


_DOTS = (
    "{dd}.{mm}.{yyyy}",
    "{dd}.{mm}.{yyyy}",
    "{d}.{m}.{yyyy}",
    "{dd}.{mm}.{yy}",
    "{yyyy}-{mm}-{dd}",
)
_SLASHES = (
    "{dd}/{mm}/{yyyy}",
    "{dd}/{mm}/{yyyy}",
    "{dd}-{mm}-{yyyy}",
    "{dd}/{mm}/{yy}",
    "{yyyy}-{mm}-{dd}",
)
_DE_STREET = ("{street} {number}", "{code} {city}")
_FR_STREET = ("{number} {street}", "{code} {city}")
_EURO = ("€", "EUR", "€", "EUR", "Euro")

LOCALES: tuple[Locale, ...] = (
    Locale("en", "United States", "en_US", "USD", ("$", "$", "US$", "USD"), ".", ",",
        ("{mm}/{dd}/{yyyy}", "{m}/{d}/{yy}", "{month} {d}, {yyyy}", "{mon} {d}, {yyyy}", "{dd}-{mon}-{yy}", "{mm}-{dd}-{yy}", "{yyyy}-{mm}-{dd}"),
        ("6%", "7%", "8.25%", "8.875%", "5.5%", "10%"), ("Inc.", "LLC", "Corp.", "Co.", "Inc", "Ltd.", "Company", "& Sons", "Group", "Partners", "LLP"),
        "#####", ("{number} {street}", "{city}, {state} {code}"), ("##-#######", "##-#######"), "(###) ###-####"),
    Locale("en", "United Kingdom", "en_GB", "GBP", ("£", "£", "GBP"), ".", ",",
        ("{dd}/{mm}/{yyyy}", "{d} {month} {yyyy}", "{dd} {mon} {yyyy}", "{dd}/{mm}/{yy}", "{dd}-{mon}-{yyyy}"),
        ("20%", "20%", "5%", "20.00%"), ("Ltd", "Ltd.", "Limited", "PLC", "LLP", "& Co", "& Sons Ltd", "Group Ltd"),
        "??# #??", ("{number} {street}", "{city}", "{code}"), ("GB ### #### ##", "GB#########", "### #### ##"), "0#### ######", "GB"),
    Locale("en", "Ireland", "en_IE", "EUR", _EURO, ".", ",",
        ("{dd}/{mm}/{yyyy}", "{d} {month} {yyyy}", "{dd} {mon} {yyyy}"), ("23%", "13.5%"), ("Ltd", "Limited", "DAC"),
        "?## ??##", ("{number} {street}", "{city}", "{code}"), ("IE#######?", "IE#######??"), "0## ### ####", "IE"),
    Locale("en", "India", "en_IN", "INR", ("Rs.", "INR", "Rs", "₹"), ".", ",",
        ("{dd}/{mm}/{yyyy}", "{dd}-{mm}-{yyyy}", "{dd}-{mon}-{yyyy}", "{dd}-{mon}-{yy}"), ("18%", "12%", "5%", "28%"), ("Pvt. Ltd.", "Pvt Ltd", "Private Limited", "Enterprises", "Traders", "LLP"),
        "######", ("{number}, {street}", "{city} - {code}"), ("##?????####?#??", "##?????####?#??"), "+91 ##### #####"),
    Locale("en", "Australia", "en_AU", "AUD", ("$", "AUD", "A$", "$"), ".", ",",
        ("{dd}/{mm}/{yyyy}", "{d} {month} {yyyy}", "{d} {mon} {yyyy}"), ("10%",), ("Pty Ltd", "Pty Ltd", "Pty. Ltd.", "Group"),
        "####", ("{number} {street}", "{city} {code}"), ("## ### ### ###",), "(0#) #### ####"),
    Locale("en", "Canada", "en_CA", "CAD", ("$", "CAD", "CA$", "$"), ".", ",",
        ("{yyyy}-{mm}-{dd}", "{mm}/{dd}/{yyyy}", "{month} {d}, {yyyy}"), ("5%", "13%", "15%"), ("Inc.", "Ltd.", "Corp."),
        "?#? #?#", ("{number} {street}", "{city} {code}"), ("##### #### RT####",), "(###) ###-####"),
    Locale("de", "Deutschland", "de_DE", "EUR", _EURO, ",", ".", (*_DOTS, "{d}. {month} {yyyy}"),
        ("19%", "19 %", "7%", "19,00 %", "7 %"), ("GmbH", "GmbH", "GmbH & Co. KG", "AG", "KG", "e.K.", "UG (haftungsbeschränkt)", "OHG", "GbR", "mbH"),
        "#####", _DE_STREET, ("DE#########", "DE #########", "DE ### ### ###", "##/###/#####"), "0### / ######", "DE"),
    Locale("de", "Österreich", "de_AT", "EUR", _EURO, ",", ".", (*_DOTS, "{d}. {month} {yyyy}"),
        ("20%", "20 %", "10%"), ("GmbH", "GmbH", "KG", "AG", "e.U."), "####", _DE_STREET, ("ATU########",), "+43 # #######", "AT"),
    Locale("de", "Schweiz", "de_CH", "CHF", ("CHF", "CHF", "Fr."), ".", "'", (*_DOTS, "{d}. {month} {yyyy}"),
        ("8.1%", "7.7%", "2.6%", "8.1 %"), ("AG", "GmbH", "AG", "& Co."), "####", _DE_STREET, ("CHE-###.###.### MWST",), "0## ### ## ##", "CH"),
    Locale("fr", "France", "fr_FR", "EUR", ("€", "€", "EUR"), ",", " ", (*_SLASHES, "{d} {month} {yyyy}"),
        ("20%", "20 %", "20,00 %", "5,5 %", "10 %"), ("SARL", "SAS", "SA", "EURL", "& Fils", "SASU", "et Associés"),
        "#####", _FR_STREET, ("FR###########", "FR ## ### ### ###", "FR## #########"), "0# ## ## ## ##", "FR"),
    Locale("fr", "Belgique", "fr_BE", "EUR", ("€", "€", "EUR"), ",", ".", (*_SLASHES, "{d} {month} {yyyy}"),
        ("21%", "21 %", "6%"), ("SRL", "SPRL", "SA", "SCS"), "####", ("{street} {number}", "{code} {city}"), ("BE0#########", "BE 0###.###.###"), "0# ### ## ##", "BE"),
    Locale("es", "España", "es_ES", "EUR", ("€", "€", "EUR"), ",", ".", (*_SLASHES, "{d} de {month} de {yyyy}"),
        ("21%", "21 %", "10%", "4%", "21,00%"), ("S.L.", "S.A.", "SL", "S.L.U.", "y Cía.", "e Hijos, S.L."),
        "#####", ("{street}, {number}", "{code} {city}"), ("B########", "A########", "ESB########"), "9## ### ###", "ES"),
    Locale("es", "México", "es_MX", "MXN", ("$", "MXN", "$"), ".", ",", (*_SLASHES, "{d} de {month} de {yyyy}"),
        ("16%", "16.00%", "8%"), ("S.A. de C.V.", "S. de R.L.", "S.C."), "#####", ("{street} {number}", "C.P. {code}, {city}"), ("???######??#", "????######???"), "+52 ## #### ####"),
    Locale("it", "Italia", "it_IT", "EUR", ("€", "€", "EUR"), ",", ".", (*_SLASHES, "{d} {month} {yyyy}"),
        ("22%", "22 %", "10%", "22,00%"), ("S.r.l.", "S.p.A.", "s.n.c.", "SRL", "S.a.s.", "& C."),
        "#####", ("{street}, {number}", "{code} {city} ({state})"), ("IT###########", "###########", "IT ###########"), "0## #######", "IT"),
    Locale("nl", "Nederland", "nl_NL", "EUR", ("€", "€", "EUR"), ",", ".", ("{dd}-{mm}-{yyyy}", "{d} {month} {yyyy}", "{dd}-{mm}-{yy}", "{dd}/{mm}/{yyyy}"),
        ("21%", "21 %", "9%", "21,00%"), ("B.V.", "BV", "N.V.", "V.O.F.", "& Zn."), "#### ??", ("{street} {number}", "{code} {city}"), ("NL#########B01", "NL#########B##", "NL ####.##.###.B01"), "0## ### ## ##", "NL"),
    Locale("pt", "Portugal", "pt_PT", "EUR", ("€", "EUR", "€"), ",", ".", (*_SLASHES, "{d} de {month} de {yyyy}"),
        ("23%", "23 %", "6%", "13%"), ("Lda.", "Lda", "S.A.", "Unipessoal Lda"), "####-###", ("{street}, {number}", "{code} {city}"), ("#########", "PT#########", "### ### ###"), "2## ### ###", "PT"),
    Locale("pt", "Brasil", "pt_BR", "BRL", ("R$", "R$", "BRL"), ",", ".", ("{dd}/{mm}/{yyyy}", "{dd}/{mm}/{yy}", "{d} de {month} de {yyyy}"),
        ("18%", "12%", "5%", "17%"), ("Ltda.", "S.A.", "ME", "EIRELI", "Ltda"), "#####-###", ("{street}, {number}", "{city} - {code}"), ("##.###.###/0001-##",), "(##) ####-####"),
    Locale("pl", "Polska", "pl_PL", "PLN", ("zł", "PLN", "zł"), ",", " ", (*_DOTS, "{dd}-{mm}-{yyyy}", "{d} {month} {yyyy}"),
        ("23%", "23 %", "8%", "5%"), ("Sp. z o.o.", "S.A.", "sp.j.", "Sp. k.", "s.c."), "##-###", ("ul. {street} {number}", "{code} {city}"), ("###-###-##-##", "##########", "PL##########", "PL ##########"), "+48 ## ### ## ##", "PL"),
    Locale("cs", "Česko", "cs_CZ", "CZK", ("Kč", "CZK", "Kč"), ",", " ", ("{dd}.{mm}.{yyyy}", "{d}.{m}.{yyyy}", "{d}. {m}. {yyyy}", "{d}. {month} {yyyy}"),
        ("21%", "21 %", "12%", "15%"), ("s.r.o.", "a.s.", "spol. s r.o.", "v.o.s."), "### ##", _DE_STREET, ("CZ########", "CZ##########"), "+420 ### ### ###", "CZ"),
    Locale("sv", "Sverige", "sv_SE", "SEK", ("kr", "SEK", "kr"), ",", " ", ("{yyyy}-{mm}-{dd}", "{yyyy}-{mm}-{dd}", "{d} {month} {yyyy}"),
        ("25%", "25 %", "12%", "6%"), ("AB", "AB", "HB", "KB"), "### ##", _DE_STREET, ("SE##########01", "######-####"), "0#-### ## ##", "SE"),
    Locale("da", "Danmark", "da_DK", "DKK", ("kr.", "DKK", "kr"), ",", ".", ("{dd}.{mm}.{yyyy}", "{dd}-{mm}-{yyyy}", "{d}. {month} {yyyy}", "{dd}/{mm}-{yyyy}"),
        ("25%", "25 %", "25,00%"), ("A/S", "ApS", "I/S"), "####", _DE_STREET, ("DK########", "########"), "## ## ## ##", "DK"),
    Locale("no", "Norge", "no_NO", "NOK", ("kr", "NOK"), ",", " ", ("{dd}.{mm}.{yyyy}", "{d}. {month} {yyyy}", "{dd}.{mm}.{yy}"),
        ("25%", "25 %", "15%"), ("AS", "ASA", "ANS"), "####", _DE_STREET, ("NO ### ### ### MVA", "### ### ### MVA"), "## ## ## ##", "NO"),
    Locale("fi", "Suomi", "fi_FI", "EUR", ("€", "EUR"), ",", " ", ("{d}.{m}.{yyyy}", "{dd}.{mm}.{yyyy}", "{d}. {month} {yyyy}"),
        ("24%", "25,5 %", "14%", "25,5%"), ("Oy", "Oyj", "Ky", "Tmi"), "#####", _DE_STREET, ("FI########", "#######-#"), "0## ### ####", "FI"),
    Locale("hu", "Magyarország", "hu_HU", "HUF", ("Ft", "HUF"), ",", " ", ("{yyyy}.{mm}.{dd}.", "{yyyy}. {month} {d}.", "{yyyy}-{mm}-{dd}", "{yyyy}.{mm}.{dd}"),
        ("27%", "27 %", "5%"), ("Kft.", "Zrt.", "Bt.", "Nyrt."), "####", ("{code} {city}", "{street} {number}."), ("########-#-##", "HU########"), "+36 # ### ####", "HU"),
    Locale("ro", "România", "ro_RO", "RON", ("lei", "RON", "Lei"), ",", ".", (*_DOTS, "{dd}/{mm}/{yyyy}"),
        ("19%", "19 %", "9%", "21%"), ("S.R.L.", "SRL", "S.A."), "######", ("Str. {street} nr. {number}", "{city} {code}"), ("RO########", "RO#######"), "0### ### ###", "RO"),
    Locale("tr", "Türkiye", "tr_TR", "TRY", ("TL", "TRY", "TL"), ",", ".", (*_DOTS, "{d} {month} {yyyy}", "{dd}/{mm}/{yyyy}"),
        ("%20", "%18", "%10", "%8"), ("A.Ş.", "Ltd. Şti.", "Tic. Ltd. Şti.", "San. ve Tic. A.Ş."), "#####", ("{street} Sok. No: {number}", "{code} {city}"), ("##########",), "0 (###) ### ## ##", "TR"),
    Locale("el", "Ελλάδα", "el_GR", "EUR", ("€", "EUR"), ",", ".", ("{dd}/{mm}/{yyyy}", "{d}/{m}/{yyyy}", "{d} {month} {yyyy}"),
        ("24%", "13%"), ("Α.Ε.", "Ε.Π.Ε.", "Ο.Ε.", "Ι.Κ.Ε."), "### ##", _DE_STREET, ("EL#########", "#########"), "21# ### ####", "GR"),
    Locale("ru", "Россия", "ru_RU", "RUB", ("руб.", "RUB", "р."), ",", " ", ("{dd}.{mm}.{yyyy}", "{d} {month} {yyyy} г.", "{dd}.{mm}.{yyyy} г."),
        ("20%", "10%"), ("ООО", "АО", "ИП", "ЗАО"), "######", ("{code}, {city}", "ул. {street}, д. {number}"), ("##########", "############"), "+7 (###) ###-##-##"),
    Locale("id", "Indonesia", "id_ID", "IDR", ("Rp", "Rp.", "IDR"), ",", ".", ("{dd}/{mm}/{yyyy}", "{dd}-{mm}-{yyyy}", "{d} {month} {yyyy}"),
        ("11%", "10%", "12%"), ("Tbk", "(Persero)", "CV", "UD"), "#####", ("Jl. {street} No. {number}", "{city} {code}"), ("##.###.###.#-###.###",), "(021) #######"),
    Locale("hr", "Hrvatska", "hr_HR", "EUR", ("€", "EUR", "kn"), ",", ".", ("{dd}.{mm}.{yyyy}.", "{d}. {month} {yyyy}.", "{dd}.{mm}.{yyyy}"),
        ("25%", "25 %", "13%"), ("d.o.o.", "d.d.", "j.d.o.o."), "#####", _DE_STREET, ("HR###########", "###########"), "+385 # #### ###", "HR"),
)  # fmt: skip
