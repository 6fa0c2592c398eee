r"""Synthetic formulas: a small grammar and random sympy expressions, drawn by matplotlib.

Both write LaTeX in sympy's way (`\sin{\left(x\right)}`), so that what looks alike reads alike.
"""

from __future__ import annotations

import random
import zlib
from functools import lru_cache
from typing import Any

import numpy as np

from docpipe.datasets.docfusion.crops import draw_size, with_margin
from docpipe.datasets.docfusion.ink import Gray, shrink
from docpipe.datasets.docfusion.latex import normalise
from docpipe.datasets.docfusion.profiles import Profile
from docpipe.datasets.docfusion.wear import draw_skew, draw_wear, turned, worn

_LETTERS = "abcdfghkmnpqrstuxyzABCDEFGHKLMNPQRSTVXYZ"
_GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "theta", "lambda", "mu", "pi", "rho"),
    *("sigma", "tau", "phi", "psi", "omega", "Gamma", "Delta", "Theta", "Sigma", "Phi", "Omega"),
)
_RELATIONS = ("=", "=", "=", "<", ">", r"\leq", r"\geq", r"\neq", r"\approx", r"\in", r"\to")
_JOINS = ("+", "-", "+", "-", r"\cdot", r"\times", r"\pm", "")
_FUNCTIONS = ("sin", "cos", "tan", "log", "exp", "max", "min")
_ACCENTS = ("hat", "bar", "tilde", "vec")
_DRAWN_POINTS, _DRAWN_DPI = 20, 200
_DRAWN_SIZE = _DRAWN_POINTS * _DRAWN_DPI / 72


def formula_crop(chance: random.Random, profile: Profile, most: int) -> tuple[Gray, str]:
    """An image of a formula, and its LaTeX of at most `most` characters.

    Formulas come from a pool, each in one font, so that drawing, which takes 15 ms, is not always
    needed.
    """
    number = chance.randrange(profile.formula_pool)
    latex = pooled(number, profile, most)
    full = formula_ink(latex, profile.math_fonts[number % len(profile.math_fonts)])
    size = draw_size(chance, profile)
    scale = size / _DRAWN_SIZE
    ink = shrink(full, max(1, round(full.shape[1] * scale)), max(1, round(full.shape[0] * scale)))
    if skew := draw_skew(chance, profile):
        ink = turned(ink, skew)
    return worn(with_margin(ink, chance, size), draw_wear(chance, profile)), latex


@lru_cache(maxsize=1 << 14)
def pooled(number: int, profile: Profile, most: int) -> str:
    """Formula `number` of the pool of this profile."""
    chance = random.Random(f"{profile.split}/{number}")
    while True:
        latex = draw_latex(chance, profile.formula_depth)
        if 3 <= len(latex) <= most and _is_of(latex, profile):
            return latex


def _is_of(latex: str, profile: Profile) -> bool:
    """A fifth of all formulas is held out, whatever draws them."""
    return (zlib.crc32(latex.encode()) % 5 == 0) == (profile.split == "held_out")


@lru_cache(maxsize=1 << 12)
def formula_ink(latex: str, family: str) -> Gray:
    """The formula drawn large. Raises ValueError for LaTeX that mathtext cannot draw."""
    from matplotlib.font_manager import FontProperties

    font = FontProperties(size=_DRAWN_POINTS, math_fontfamily=family)
    drawn = _parser().parse(f"${latex}$", dpi=_DRAWN_DPI, prop=font)
    return np.asarray(drawn.image, np.uint8)


@lru_cache(maxsize=1)
def _parser() -> Any:
    from matplotlib.mathtext import MathTextParser

    return MathTextParser("agg")


def draw_latex(chance: random.Random, depth: int) -> str:
    """A formula of up to this depth, normalised."""
    if chance.random() < 0.25:
        return normalise(_sympy_latex(chance, min(depth, 3)))
    sides = [_sum(chance, chance.randint(1, depth)) for _ in range(chance.randint(1, 2))]
    return normalise(f" {chance.choice(_RELATIONS)} ".join(sides))


def _sum(chance: random.Random, depth: int) -> str:
    terms = [_term(chance, depth) for _ in range(chance.randint(1, 3))]
    line = terms[0]
    for term in terms[1:]:
        line += f" {chance.choice(_JOINS)} {term}"
    return line


def _term(chance: random.Random, depth: int) -> str:
    if depth <= 1:
        return _atom(chance)
    inner = depth - 1
    kinds = {
        "atom": 3.0,
        "script": 4.0,
        "fraction": 2.0,
        "root": 1.0,
        "brackets": 1.5,
        "function": 1.0,
        "big": 1.0,
        "accent": 0.5,
    }
    match chance.choices(list(kinds), list(kinds.values()))[0]:
        case "script":
            return _script(chance, inner)
        case "fraction":
            return rf"\frac{{{_sum(chance, inner)}}}{{{_sum(chance, inner)}}}"
        case "root":
            return rf"\sqrt{{{_sum(chance, inner)}}}"
        case "brackets":
            return _brackets(chance, _sum(chance, inner))
        case "function":
            inside = _sum(chance, inner)
            return rf"\{chance.choice(_FUNCTIONS)}{{\left({inside} \right)}}"
        case "big":
            return _big(chance, inner)
        case "accent":
            return rf"\{chance.choice(_ACCENTS)}{{{chance.choice(_LETTERS)}}}"
    return _atom(chance)


def _atom(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.55:
        return chance.choice(_LETTERS)
    if kind < 0.75:
        return rf"\{chance.choice(_GREEK)}"
    if kind < 0.97:
        return str(chance.choice((chance.randint(0, 9), chance.randint(10, 999))))
    return chance.choice((r"\infty", r"\partial", r"\nabla"))


def _script(chance: random.Random, depth: int) -> str:
    base = chance.choice(_LETTERS) if chance.random() < 0.7 else rf"\{chance.choice(_GREEK)}"
    both = chance.random()
    low = f"_{{{_sum(chance, min(depth, 1))}}}" if both < 0.6 else ""
    high = f"^{{{_sum(chance, min(depth, 2))}}}" if both > 0.4 else ""
    return base + low + high


def _brackets(chance: random.Random, inside: str) -> str:
    left, right = chance.choice((("(", ")"), ("[", "]"), (r"\{", r"\}"), ("|", "|")))
    return rf"\left{left}{inside} \right{right}"


def _big(chance: random.Random, depth: int) -> str:
    sign = chance.choice((r"\sum", r"\int", r"\prod"))
    index = chance.choice("ijkn")
    low = f"{index}={chance.randint(0, 1)}" if sign != r"\int" else str(chance.randint(0, 9))
    body = _term(chance, depth)
    tail = rf"\, d{chance.choice('xyzt')}" if sign == r"\int" else ""
    return rf"{sign}_{{{low}}}^{{{chance.choice('nNmMT')}}} {body}{tail}"


def _sympy_latex(chance: random.Random, depth: int) -> str:
    import sympy  # type: ignore[import-untyped]

    left, right = _sympy_tree(chance, depth), _sympy_tree(chance, depth)
    made = chance.choice(
        (
            lambda: left,
            lambda: left + right,
            lambda: sympy.Eq(left, right, evaluate=False),
            lambda: sympy.Integral(left, sympy.Symbol(chance.choice("xyt"))),
            lambda: sympy.Derivative(left, sympy.Symbol("x"), evaluate=False),
        )
    )()
    return str(sympy.latex(made))


def _sympy_tree(chance: random.Random, depth: int) -> Any:
    import sympy

    if depth <= 0:
        name = chance.choice(("x", "y", "z", "t", "a", "alpha", "beta", "x_1", "y_0"))
        return chance.choice(
            (sympy.Symbol(name), sympy.Symbol(name), sympy.Integer(chance.randint(1, 9)))
        )
    left, right = _sympy_tree(chance, depth - 1), _sympy_tree(chance, depth - 1)
    made = chance.choice(
        (
            lambda: left + right,
            lambda: left * right,
            lambda: left / (right + 1),
            lambda: left**2,
            lambda: sympy.sqrt(left + 1),
            lambda: chance.choice((sympy.sin, sympy.cos, sympy.exp))(left),
        )
    )()
    return made
