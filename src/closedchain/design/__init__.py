"""Which dimensions: the best of one measure, or what is traded between several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

if TYPE_CHECKING:
    from closedchain.design.descent import descend
    from closedchain.design.goals import Problem, problem
    from closedchain.design.pictures import draw
    from closedchain.design.reading import DESIGN
    from closedchain.design.several import Front, pareto
    from closedchain.design.single import Best, optimise

_HOMES = {  # imported when first used
    "DESIGN": "reading",
    "Best": "single",
    "Front": "several",
    "Problem": "goals",
    "descend": "descent",
    "draw": "pictures",
    "optimise": "single",
    "pareto": "several",
    "problem": "goals",
}

__all__ = [
    "DESIGN",
    "Best",
    "Front",
    "Problem",
    "descend",
    "draw",
    "optimise",
    "pareto",
    "problem",
]

__getattr__, __dir__ = doors(__name__, _HOMES)
