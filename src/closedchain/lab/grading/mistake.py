"""What a known mistake is: formulas with one piece wrong, a sentence for the group, and where it can happen."""

from __future__ import annotations

from typing import ClassVar

from closedchain.lab.grading.formulas import Formulas

GEOMETRIC = ("dgm", "igm", "dgm_passive")
POSE = ("dgm", "dgm_passive")
FIRST = ("dkm", "ikm", "dkm_passive")
SECOND = ("dkm2", "ikm2", "dkm2_passive")
MOVING = (*FIRST, *SECOND, "dynamic_model")
VELOCITY = ("dkm2", "ikm2", "dynamic_model")
FIVEBAR = ("fivebar",)


class Mistake(Formulas):
    """Formulas with one piece wrong; the docstring is the sentence that a group reads."""

    name: ClassVar[str] = ""  # for programs: letters and hyphens
    functions: ClassVar[tuple[str, ...]] = ()
    robots: ClassVar[tuple[str, ...]] = ("biglide", "fivebar")


def sentence(mistake: type[Mistake]) -> str:
    """What the group reads."""
    return " ".join((mistake.__doc__ or "").split())
