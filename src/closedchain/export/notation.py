"""How names and rules are written, before a printer decides with which marks: `theta1_dot`, `−A⁻¹(A_dot x_dot + b)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
OTHER_SPELLINGS = {"lam": "lambda", "φ": "phi"}
POWERS = {"ᵀ": "T", "⁻¹": "-1", "²": "2"}
SCALARS = "TDV"  # energies and their rate, after a ∂; elsewhere T is a matrix
LETTER = re.compile(r"(∂²|∂)?(tau|lam|phi|Phi|[A-Za-zφ01])(_[zqup]|_d(?!d?ot))?(_dot|_ddot)?(ᵀ|⁻¹|²)?")
NUMBERED = re.compile(r"([A-Za-z]+)\[([\d,]+)\]")


@dataclass(frozen=True)
class Letter:
    """A name as it is read: θ with the index 1 and a dot; 𝐌 with the index z."""

    stem: str  # one letter, a word, or a Greek letter's English name
    index: str = ""
    dots: int = 0
    is_bold: bool = False
    power: str = ""  # T, -1, 2
    partial: str = ""  # ∂ or ∂² before it


@dataclass(frozen=True)
class Fraction:
    """∂φ/∂x."""

    above: Letter
    below: Letter


@dataclass(frozen=True)
class Group:
    """What stands in brackets."""

    opening: str
    parts: tuple[Part, ...]
    closing: str
    power: str = ""

    @property
    def is_list(self) -> bool:
        """[B A]: side by side, not multiplied."""
        return self.opening == "[" and all(isinstance(part, Letter) for part in self.parts)


Part = Letter | Fraction | Group | str  # a text is one of + − = , ;


def letter(name: str, dots: int = 0) -> Letter:
    """m_p → m with the index p, theta1 → θ with 1, zz_1 → the word zz with 1, Q[2,1] → Q with 21."""
    if numbered := NUMBERED.fullmatch(name):
        return Letter(numbered[1], numbered[2].replace(",", ""), dots)
    parts = re.fullmatch(r"([A-Za-z]+?)_?(\d\w*|(?<=_)\w+)?", name)
    return Letter(parts[1], parts[2] or "", dots) if parts else Letter(name, "", dots)


def rule(text: str) -> tuple[Part, ...]:
    """A rule in matrices, as it is typed, in its parts."""
    parts, rest = _parts(text)
    assert not rest, f"{rest!r} is left of the rule {text!r}"
    return parts


def _parts(text: str) -> tuple[tuple[Part, ...], str]:
    """The parts up to a closing bracket, and what comes from there."""
    found: list[Part] = []
    while text := text.lstrip():
        if text[0] in ")]":
            break
        if text[0] in "([":
            inner, rest = _parts(text[1:])
            power = next((sign for sign in POWERS if rest[1:].startswith(sign)), "")
            found.append(Group(text[0], inner, rest[0], POWERS.get(power, "")))
            text = rest[1 + len(power) :]
        elif text[0] == "/":
            above, below = found.pop(), LETTER.match(text[1:])
            assert isinstance(above, Letter)
            assert below is not None
            found.append(Fraction(above, _read(below)))
            text = text[1 + below.end() :]
        elif match := LETTER.match(text):
            found.append(_read(match))
            text = text[match.end() :]
        else:
            found.append(text[0])
            text = text[1:]
    return tuple(found), text


def _read(match: re.Match[str]) -> Letter:
    partial, stem, index, rate, power = match.groups(default="")
    is_bold = not (partial and stem in SCALARS)
    stem = OTHER_SPELLINGS.get(stem, stem)
    dots = {"": 0, "_dot": 1, "_ddot": 2}[rate]
    return Letter(stem, index[1:], dots, is_bold, POWERS.get(power, ""), partial)
