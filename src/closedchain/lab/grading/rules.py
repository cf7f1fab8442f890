"""How strict a grade is: tolerance, weights of the functions, which modes count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from closedchain.errors import BadInput
from closedchain.lab.grading.answers import Answers
from closedchain.lab.grading.comparing import TOLERANCE
from closedchain.lab.grading.signatures import SIGNATURES
from closedchain.lab.grading.states import Cases

MODES = ("all", "lab")
OF_THE_LAB = ("-1", "(-1, -1)")  # the figure's: the tip above the feet, both arms to the outside


@dataclass(frozen=True)
class Rules:
    """What the teacher may set; the defaults are strict."""

    tolerance: float = TOLERANCE  # of a quantity's size
    weights: Mapping[str, float] = field(default_factory=dict)  # of functions; 1 for others
    modes: str = "all"

    def __post_init__(self) -> None:
        if not 0.0 < self.tolerance < 1.0:
            raise BadInput(f"a tolerance of {self.tolerance:g}; it is a share of a quantity's size, between 0 and 1")
        if self.modes not in MODES:
            raise BadInput(f"no modes {self.modes!r:.40}; there are {', '.join(MODES)}")
        if strange := sorted(set(self.weights) - set(SIGNATURES)):
            raise BadInput(f"no function {strange[0]!r:.40} to weigh; there are {', '.join(SIGNATURES)}")
        if not all(0.0 <= weight < float("inf") for weight in self.weights.values()):
            raise BadInput("a weight is a number from 0 on")
        if not any(self.weight(name) for name in SIGNATURES):
            raise BadInput("all weights are 0; something must count")

    def weight(self, function: str) -> float:
        """How much a function counts."""
        return self.weights.get(function, 1.0)

    def counted(self, asked: Cases, answers: Answers) -> tuple[Cases, Answers]:
        """Without the modes that do not count; poses out of reach stay."""
        if self.modes == "all":
            return asked, answers
        rows = np.array([mode in (OF_THE_LAB, ("", "")) for mode in asked.modes])
        chosen = np.flatnonzero(rows)
        cases = replace(
            asked,
            inputs=asked.inputs[rows],
            expected=asked.expected[rows],
            modes=tuple(asked.modes[i] for i in chosen),
            near=asked.near[rows],
            flipped=tuple(one[rows] for one in asked.flipped),
        )
        return cases, Answers(answers.values[rows], tuple(answers.problems[i] for i in chosen))


def read_weights(text: str) -> dict[str, float]:
    """igm=2,dgm=0.5 as weights by name."""
    made = {}
    for word in filter(None, text.split(",")):
        name, _, value = word.partition("=")
        try:
            made[name.strip()] = float(value)
        except ValueError:
            raise BadInput(f"--weights {word[:40]!r}: write function=number, as in igm=2,dgm=0.5") from None
    return made
