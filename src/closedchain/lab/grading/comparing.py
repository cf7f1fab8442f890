"""Right or wrong, row by row: angles modulo a turn, an unreachable pose answered by no number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.answers import Answers
from closedchain.lab.grading.signatures import Signature, angles
from closedchain.lab.grading.states import Cases
from closedchain.model.solutions import Flags

TOLERANCE = 1e-6  # of a quantity's size: far above rounding, far below any mistake
SAME, SAME_NEAR = 1e-9, 1e-6  # how well a changed formula fits; roots lose digits close to the border


@dataclass(frozen=True, eq=False)
class Comparison:
    """One function's answers beside the right ones."""

    cases: Cases
    answers: Answers
    expected: Doubles  # (n, outputs)
    errors: Doubles  # (n, outputs) what was answered minus what is right
    scale: Doubles  # (outputs,) the usual size of each
    right: Flags  # (n,)
    tolerance: float = TOLERANCE

    @property
    def wrong(self) -> Flags:
        """Reachable rows with another answer than the right one, or none."""
        return ~self.right & self.cases.reachable

    @property
    def silent(self) -> Flags:
        """Unreachable rows with an answer all the same."""
        return np.asarray(self.answers.finite & ~self.cases.reachable)

    @property
    def bad(self) -> Flags:
        """(n, outputs) answers that are off by more than the tolerance."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.errors) > self.tolerance * (np.abs(self.expected) + self.scale))

    @property
    def digits(self) -> float | None:
        """How exact all answers are, of the quantity's size; None where some are missing."""
        rows = self.cases.reachable
        if not self.answers.finite[rows].all():
            return None
        return float((np.abs(self.errors) / (np.abs(self.expected) + self.scale))[rows].max())

    @property
    def largest(self) -> float | None:
        """The largest error of the reachable rows that have numbers."""
        errors = np.abs(self.errors[self.cases.reachable & self.answers.finite])
        return float(errors.max()) if errors.size else None


def compare(
    robot: str, signature: Signature, cases: Cases, answers: Answers, expected: Doubles, tolerance: float = TOLERANCE
) -> Comparison:
    """Every row against what is expected; to answer nothing out of reach is right of what answers rightly within."""
    reachable = cases.reachable
    errors = difference(robot, signature, answers.values, expected)
    scale = np.maximum(np.median(np.abs(expected[reachable]), axis=0), 1e-12)
    with np.errstate(invalid="ignore"):
        good = (np.abs(errors) <= tolerance * (np.abs(expected) + scale)).all(axis=1)
    right = np.where(reachable, good, ~answers.finite & good[reachable].any())
    answered = np.array([problem != "not answered" for problem in answers.problems])
    return Comparison(cases, answers, expected, errors, scale, right & answered, tolerance)


def difference(robot: str, signature: Signature, values: Doubles, expected: Doubles) -> Doubles:
    """values − expected, angles by the shorter way."""
    errors = values - expected
    turning = np.array(angles(robot, signature))
    with np.errstate(invalid="ignore"):
        errors[:, turning] = np.remainder(errors[:, turning] + np.pi, 2 * np.pi) - np.pi
    return errors
