"""The fonts that synthetic text is set in, from packages alone, so that every machine has them.

pymupdf carries the base-14 fonts (Nimbus), pymupdf-fonts Noto, Ubuntu, Space Mono, Cascadia and
FiraGO, matplotlib DejaVu, STIX and Computer Modern; Source Serif, Roboto, Caladea and Lato are
packages of their own. Whole families are held out: a model is never trained on FiraGO (nor Fira
Mono), DejaVu Serif or Cascadia Mono in any weight.
"""

from __future__ import annotations

import string
from functools import lru_cache
from pathlib import Path

from docpipe.errors import ConfigError

_NIMBUS = ("helv", "hebo", "heit", "hebi", "tiro", "tibo", "tiit", "tibi", "cour", "cobo")
_PYMUPDF_FONTS = (
    "notos",
    "notosbo",
    "notosit",
    "notosbi",
    "ubuntu",
    "ubuntubo",
    "ubuntuit",
    "ubuntm",
    "spacemo",
)
_MATPLOTLIB = (
    "DejaVuSans",
    "DejaVuSans-Bold",
    "DejaVuSans-Oblique",
    "DejaVuSansMono",
    "STIXGeneral",
    "STIXGeneralBol",
    "STIXGeneralItalic",
    "cmr10",
    "cmb10",
    "cmti10",
    "cmss10",
    "cmtt10",
)
_PACKAGES = {
    "SourceSerifPro-Regular": "font_source_serif_pro",
    "SourceSerifPro-Semibold": "font_source_serif_pro",
    "SourceSerifPro-It": "font_source_serif_pro",
    "Roboto-Regular": "font_roboto",
    "Roboto-Medium": "font_roboto",
    "Roboto-Light": "font_roboto",
    "Roboto-Italic": "font_roboto",
    "Caladea-Regular": "font_caladea",
    "Caladea-Bold": "font_caladea",
    "Caladea-Italic": "font_caladea",
    "Lato-Regular": "font_lato",
    "Lato-Bold": "font_lato",
    "Lato-Italic": "font_lato",
}

TRAIN_FONTS: tuple[str, ...] = (*_NIMBUS, *_PYMUPDF_FONTS, *_MATPLOTLIB, *_PACKAGES)
HELD_OUT_FONTS: tuple[str, ...] = ("figo", "DejaVuSerif", "cascadia")
HELD_OUT_FAMILIES = ("fig", "fimo", "fimbo", "DejaVuSerif", "cascadia")
"""What the names of all fonts of the families held out begin with."""

TRAIN_MATH: tuple[str, ...] = ("cm", "stix", "stixsans", "dejavusans")
HELD_OUT_MATH: tuple[str, ...] = ("dejavuserif",)

_TEX_ENCODED = ("cmr10", "cmb10", "cmti10", "cmss10", "cmtt10")
_ALIKE_IN_TEX = frozenset(string.ascii_letters + string.digits + " !#$%&()*+,-./:;=?@[]'")
_EXTRA_HINT = "pip install 'docpipe[train]'"


@lru_cache(maxsize=128)
def font_bytes(name: str) -> bytes:
    """The font file called `name`. Raises ConfigError where the package that has it is missing."""
    try:
        if name in _PACKAGES:
            return _package_file(_PACKAGES[name], f"{name}.ttf").read_bytes()
        if name in _MATPLOTLIB or name.startswith("DejaVu"):
            import matplotlib

            return Path(matplotlib.get_data_path(), "fonts", "ttf", f"{name}.ttf").read_bytes()
        return _mupdf_font(name)
    except (ImportError, OSError, RuntimeError) as error:
        raise ConfigError(f"font {name!r} is not installed", hint=_EXTRA_HINT) from error


def can_set(name: str, text: str) -> bool:
    """Whether the font shows these characters as what they are: the Computer Modern files have
    TeX's encoding, where for instance `|` is a dash."""
    return name not in _TEX_ENCODED or _ALIKE_IN_TEX.issuperset(text)


def _package_file(package: str, file: str) -> Path:
    from importlib.util import find_spec

    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(package)
    return Path(spec.origin).parent / "files" / file


def _mupdf_font(name: str) -> bytes:
    import pymupdf

    if name not in _NIMBUS:
        import pymupdf_fonts  # type: ignore[import-untyped]  # without it, MuPDF would take another font in silence

        if name not in pymupdf_fonts.fontdescriptors:
            raise OSError(name)
    return bytes(pymupdf.Font(name).buffer)
