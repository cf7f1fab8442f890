"""A robot's equations as MathML Core, which browsers draw by themselves, and as a page with them."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

import sympy as sp

from closedchain.describe.equations import Equations
from closedchain.export.boxes import (
    ROOM,
    SCRIPT,
    Box,
    chain,
    fenced,
    followed,
    fraction,
    is_stacked,
    joined,
    matrix,
    stacked,
    tag,
    token,
)
from closedchain.export.formulas import Formulas
from closedchain.export.listing import Formula, formulas, in_order, letters
from closedchain.export.notation import GREEK, Fraction, Group, Letter, Part, letter, rule

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
APPLIED, TIMES = "\u2061", "\u2062"
DOTS = ("", "\u02d9", "\u00a8")
BOLD = {"A": 0x1D400, "a": 0x1D41A, "0": 0x1D7CE}  # where each run of bold letters begins
BOLD_GREEK = {"τ": "𝛕", "φ": "𝛗", "λ": "𝛌", "Φ": "𝚽"}
FUNCTION_NAMES = {"Abs": "abs", "log": "ln"}
PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }}
h2 {{ font-size: 1.1rem; margin: 2rem 0 0.5rem; }}
div {{ overflow-x: auto; padding: 0.4rem 0; }}
math {{ width: max-content; margin: 0; }}
math {{ font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "DejaVu Math TeX Gyre", math; }}
mtd {{ padding: 0.4em 0.5em; }}
.lines mtd {{ text-align: left; padding: 0.2em 0; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(equations: Equations) -> str:
    """One HTML page that needs nothing else."""
    title, signs = html.escape(f"The equations of {equations.name}"), letters(equations)
    parts = []
    for formula in formulas(Formulas(equations)):
        parts += [f"<h2>{html.escape(formula.about)}</h2>"] if formula.about else []
        parts += [f'<div tabindex="0">{block}</div>' for block in blocks(formula, signs)]
    return PAGE.format(title=title, body="\n".join(parts))


def blocks(formula: Formula, signs: dict[sp.Symbol, Letter]) -> list[str]:
    """The formula's <math> elements; a matrix too wide for a line becomes one per entry that is not zero."""
    return [_math(*block) for block in _blocks(formula, signs)]


def _math(left: Box, right: Box) -> str:
    """left = right, with what does not fit in further lines behind the sign."""
    head = joined(left, token("mo", "="))
    lines = stacked(right, ROOM - head.width)
    whole = tag("math", *head.items, *lines.items, xmlns=NAMESPACE, display="block")
    return ET.tostring(whole, encoding="unicode")


def _blocks(formula: Formula, signs: dict[sp.Symbol, Letter]) -> list[tuple[Box, Box]]:
    """Both sides of each."""
    if formula.labels:
        left = matrix([[letter_box(letter(label))] for label in formula.labels])
    else:
        left = _rule(formula.sign or formula.name)
    ruled = [(left, _ruled(formula))] if formula.rule else []
    if formula.right is None:
        return ruled
    if formula.labels and formula.right.shape == (1, 1):
        return [(letter_box(formula.entry(0, 0)), expression(formula.right[0, 0], signs))]
    rows = [[expression(e, signs) for e in row] for row in formula.right.tolist()]
    table, equals = matrix(rows), token("mo", "=")
    room = -1.0 if any(is_stacked(box) for row in rows for box in row) else ROOM - left.width - equals.width
    if formula.rule and not formula.where:
        together = joined(_rule(formula.rule), equals, table)
        if together.width <= room:
            return [(left, together)]
    if table.width <= room:
        return [*ruled, (left, table)]
    entries = [(letter_box(formula.entry(i, j)), expression(formula.right[i, j], signs)) for i, j in formula.positions]
    return ruled + entries


# Rules and letters ---------------------------------------------------------------------------------


def _ruled(formula: Formula) -> Box:
    if not formula.where:
        return _rule(formula.rule)
    where = joined(token("mo", ","), Box((tag("mspace", width="1em"),), 1.0), _rule(formula.where))
    return chain([_rule(formula.rule), where])


def _rule(text: str) -> Box:
    return _parts(rule(text), token("mo", TIMES, rspace="0.1em"))


def _parts(parts: tuple[Part, ...], between: Box) -> Box:
    """Parts side by side; factors with the sign for times, which is not seen, between them."""
    boxes: list[Box] = []
    for k, part in enumerate(parts):
        if isinstance(part, str):
            boxes.append(token("mo", part, **({} if k else {"form": "prefix"})))
            continue
        if k and not isinstance(parts[k - 1], str):
            boxes.append(between)
        boxes.append(_part(part))
    return joined(*boxes)


def _part(part: Letter | Fraction | Group) -> Box:
    if isinstance(part, Letter):
        return letter_box(part)
    if isinstance(part, Fraction):
        return fraction(letter_box(part.above), letter_box(part.below))
    gap = Box((tag("mspace", width="0.5em"),), 0.5) if part.is_list else token("mo", TIMES, rspace="0.1em")
    return fenced(_parts(part.parts, gap), part.opening, part.closing, _power(part.power))


def _power(power: str) -> Box | None:
    if power == "T":
        return token("mo", "⊤")
    return number(sp.Integer(power)) if power else None


def letter_box(sign: Letter, power: Box | None = None) -> Box:
    """θ with an index, dots above and a power."""
    stem = GREEK.get(sign.stem, sign.stem.replace("Phi", "Φ") if sign.is_bold else sign.stem)
    base = token("mi", _bold(stem) if sign.is_bold else stem)
    if sign.dots:
        dots = tag("mo", text=DOTS[sign.dots], stretchy="false")
        base = Box((tag("mover", base.element, dots, accent="true"),), base.width)
    index = _index(sign.index)
    power = power or _power(sign.power)
    scripted = _scripted(base, index, power)
    if not sign.partial:
        return scripted
    d = token("mo", "∂", form="prefix", rspace="0")
    return joined(_scripted(d, None, number(sp.Integer(2))) if sign.partial == "∂²" else d, scripted)


def _scripted(base: Box, index: Box | None, power: Box | None) -> Box:
    scripts = [s for s in (index, power) if s]
    if not scripts:
        return base
    name = "msubsup" if index and power else "msub" if index else "msup"
    width = base.width + SCRIPT * max(s.width for s in scripts)
    return Box((tag(name, base.element, *(s.element for s in scripts)),), width)


def _index(text: str) -> Box | None:
    """1, 12, z,12, p, 2x: numbers upright, letters as names."""
    parts = re.findall(r"\d+|,|[^\d,]+", text)
    names = {",": "mo"}
    boxes = [token(names.get(p, "mn" if p.isdigit() else "mi"), GREEK.get(p, p)) for p in parts]
    return joined(*boxes) if boxes else None


def _bold(stem: str) -> str:
    if stem in BOLD_GREEK:
        return BOLD_GREEK[stem]
    start = "0" if stem.isdigit() else "A" if stem.isupper() else "a"
    return chr(BOLD[start] + ord(stem) - ord(start))


# Expressions ---------------------------------------------------------------------------------------


def expression(e: sp.Expr, signs: dict[sp.Symbol, Letter]) -> Box:
    """Any expression of the formulas."""
    if e.is_Add:
        return _sum(e, signs)
    if e.is_Number and not e.is_Rational:
        return number(e)
    coefficient, rest = e.as_coeff_Mul()
    if coefficient.is_negative:
        return joined(token("mo", "−", form="prefix"), _product(-coefficient, rest, signs))
    return _product(coefficient, rest, signs)


def _sum(e: sp.Expr, signs: dict[sp.Symbol, Letter]) -> Box:
    pieces = []
    for k, term in enumerate(in_order(e)):
        coefficient, rest = term.as_coeff_Mul()
        sign = "−" if coefficient.is_negative else "+" if k else ""
        mark = [token("mo", sign, form="infix" if k else "prefix")] if sign else []
        pieces.append(joined(*mark, _product(abs(coefficient), rest, signs)))
    return chain(pieces)


def _product(coefficient: sp.Number, rest: sp.Expr, signs: dict[sp.Symbol, Letter]) -> Box:
    """A number that is not negative times factors, as a fraction where some of them divide."""
    above: list[sp.Expr] = []
    below: list[sp.Expr] = []
    for factor in rest.as_ordered_factors():
        base, exponent = factor.as_base_exp()
        divides = factor.is_Pow and exponent.is_Rational and exponent.is_negative
        below.append(sp.Pow(base, -exponent)) if divides else above.append(factor)
    top, bottom = (coefficient.p, coefficient.q) if coefficient.is_Rational else (coefficient, 1)
    over = _factors(sp.sympify(top), above, signs)
    if not below and over.width > ROOM:
        return _factors(coefficient, above, signs)
    return fraction(over, _factors(sp.Integer(bottom), below, signs)) if below or bottom != 1 else over


def _factors(coefficient: sp.Number, factors: list[sp.Expr], signs: dict[sp.Symbol, Letter]) -> Box:
    """Side by side; a sum among others is in brackets, and a line is rather broken in it than about it."""
    factors = [factor for factor in factors if factor != 1]
    if coefficient == 1 and len(factors) == 1:
        return factor_box(factors[0], signs, alone=True)
    boxes = [number(coefficient)] if coefficient != 1 or not factors else []
    boxes += [factor_box(factor, signs) for factor in factors]
    wide = [any(len(item.text or "") > 1 for item in box.items[0].iter("mi")) for box in boxes]
    units = boxes[:1]
    for k, box in enumerate(boxes[1:]):
        times = token("mo", TIMES, rspace="0.22em" if wide[k] or wide[k + 1] else "0.12em")
        if not box.pieces:
            units[-1] = followed(units[-1], joined(times, box))
        elif units[-1].pieces:
            units.append(joined(times, box))
        else:
            units[-1] = joined(units[-1], times, box)
    return chain(units)


def factor_box(e: sp.Expr, signs: dict[sp.Symbol, Letter], alone: bool = False) -> Box:
    """What needs no brackets beside another factor."""
    if e.is_Symbol:
        return letter_box(signs[e])
    if e.is_Number:
        return number(e)
    if e is sp.pi:
        return token("mi", "π")
    if e.is_Pow:
        return _powered(e, signs)
    if e.is_Function:
        return _function(e, signs)
    if e is sp.E:
        return joined(token("mi", "exp"), token("mo", APPLIED), fenced(number(sp.Integer(1))))
    if e.is_Add or e.is_Mul:
        return expression(e, signs) if alone else fenced(expression(e, signs))
    return token("mtext", sp.sstr(e))


def _powered(e: sp.Expr, signs: dict[sp.Symbol, Letter]) -> Box:
    base, exponent = e.args
    if exponent == sp.Rational(1, 2):
        inner = stacked(expression(base, signs), ROOM)
        return Box((tag("msqrt", *inner.items),), inner.width + 0.8)
    power = expression(exponent, signs)
    if base.is_Symbol:
        return letter_box(signs[base], power)
    if base is sp.pi or (base.is_Integer and base.is_positive):
        return _scripted(factor_box(base, signs), None, power)
    if base.is_Function and not isinstance(base, sp.Abs) and exponent.is_Integer and exponent.is_positive:
        return _function(base, signs, power)
    return fenced(expression(base, signs), power=power)


def _function(e: sp.Expr, signs: dict[sp.Symbol, Letter], power: Box | None = None) -> Box:
    """sin²(…), atan2(…, …), exp(…), as a robot may call a length e, and |…|."""
    arguments = [expression(a, signs) for a in e.args]
    if isinstance(e, sp.Abs):
        return fenced(arguments[0], "|", "|")
    comma = token("mo", ",")
    inner = chain([followed(box, comma) for box in arguments[:-1]] + [arguments[-1]])
    name = _scripted(token("mi", FUNCTION_NAMES.get(e.func.__name__, e.func.__name__)), None, power)
    return joined(name, token("mo", APPLIED), fenced(inner))


def number(value: sp.Number) -> Box:
    """3, 2/3, 9.80665, 1.5 × 10⁻¹²; negative ones with their sign."""
    if value.is_negative:
        return joined(token("mo", "−", form="prefix"), number(-value))
    if value.is_Rational and value.q != 1:
        return fraction(number(sp.Integer(value.p)), number(sp.Integer(value.q)))
    digits, _, exponent = (str(value.p) if value.is_Rational else repr(float(value))).partition("e")
    if not exponent:
        return token("mn", digits)
    power = _scripted(token("mn", "10"), None, number(sp.Integer(int(exponent))))
    return joined(token("mn", digits), token("mo", "×"), power)
