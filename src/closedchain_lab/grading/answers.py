"""What came out of the sandbox, as numbers or as words, and whether it is right: angles modulo a turn, an unreachable
pose answered by no number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain_lab.grading.question import Flags, Question, counted, packed
from closedchain_lab.sandbox.process import printable

REAL = 1e-12  # of the real part: an imaginary one that small is rounding
NOT_ANSWERED, ZEROS = "not answered", "returned nothing but zeros"
UNWRITTEN = ("raised NotImplementedError", "returned NoneType", ZEROS)
TOLERANCE = 1e-6  # of a quantity's size: far above rounding, far below any mistake


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of one function, row by row; a row without numbers says why."""

    values: Doubles  # (n, s, outputs); not numbers where there are fewer solutions, or none
    problems: tuple[str, ...]  # (n,) empty where there are numbers

    @property
    def finite(self) -> Flags:
        """Where there are numbers."""
        return np.asarray(counted(self.values) > 0)

    def rows(self, chosen: Flags) -> Answers:
        """The same of some rows."""
        return Answers(self.values[chosen], tuple(p for p, keep in zip(self.problems, chosen, strict=True) if keep))


def read(question: Question, replies: Sequence[dict[str, Any]]) -> Answers:
    """The numbers of each reply; a reply that is missing is a row without numbers."""
    none, made, problems = np.zeros((0, len(question.outputs))), [], []
    for _, reply in zip(question.inputs, [*replies, *[{}] * len(question.inputs)], strict=False):
        if "raised" in reply:
            rows, words = None, f"raised {printable(reply['raised'])}"
        else:
            rows, words = _rows(question, reply["value"]) if "value" in reply else (None, NOT_ANSWERED)
        made.append(none if rows is None else rows)
        problems.append(words)
    return Answers(packed(made, len(question.outputs)), tuple(problems))


def _rows(question: Question, value: Any) -> tuple[Doubles | None, str]:
    """The solutions of a returned value, or what is wrong with it."""
    width, flat = len(question.outputs), _flat(value)
    wanted = ", ".join(question.outputs) + (" are wanted" if question.single else " of each solution are wanted")
    strange = next((item for item in flat if not isinstance(item, float)), None)
    if strange is not None:
        return None, f"returned {strange}{' among its values' if isinstance(value, list) else ''}; {wanted}"
    numbers = np.array(flat, dtype=np.float64)
    if not np.isfinite(numbers).all():
        return None, f"returned {numbers[~np.isfinite(numbers)][0]}"
    if question.shape is not None:
        shaped = question.shape(numbers[None])
        made = None if shaped is None else shaped[0]
    else:
        whole = len(numbers) == width if question.single else len(numbers) % width == 0
        made = numbers.reshape(-1, width) if whole else None
    if made is not None:
        return made, ""
    if len(numbers) and not numbers.any():
        return None, ZEROS
    count = f"{len(numbers)} values" if isinstance(value, list) else "one number"
    return None, f"returned {count}; {wanted}"


def _flat(value: Any) -> list[Any]:
    """All numbers in order; what is none as a word, a complex one without imaginary part as real."""
    if isinstance(value, list):
        return [item for part in value for item in _flat(part)]
    if isinstance(value, dict) and isinstance(value.get("complex"), list) and len(value["complex"]) == 2:
        real, imaginary = (part if isinstance(part, float) else math.nan for part in value["complex"])
        return [real if abs(imaginary) <= REAL * max(1.0, abs(real)) else "a complex number"]
    if isinstance(value, float):
        return [value]
    return [printable(value.get("type", "something") if isinstance(value, dict) else "something that is no number")]


@dataclass(frozen=True, eq=False)
class Comparison:
    """One function's answers beside the right ones."""

    question: Question
    answers: Answers
    expected: Doubles  # (n, s, outputs)
    errors: Doubles  # (n, s, outputs) what was answered minus what is right; not numbers where they are not as many
    right: Flags  # (n,)
    tolerance: float = TOLERANCE

    @property
    def wrong(self) -> Flags:
        """Reachable rows with another answer than the right one, or none."""
        return ~self.right & self.question.reachable

    @property
    def silent(self) -> Flags:
        """Unreachable rows with an answer all the same."""
        return np.asarray(self.answers.finite & ~self.question.reachable)

    @property
    def bad(self) -> Flags:
        """(n, outputs) answers that are off by more than the tolerance."""
        with np.errstate(invalid="ignore"):
            off = np.abs(self.errors) > self.tolerance * (np.abs(self.expected) + self.question.scale)
        return np.asarray(off.any(axis=1))

    @property
    def digits(self) -> float | None:
        """How exact all answers are, of the quantity's size; None where some are missing."""
        found = np.abs(self.errors) / (np.abs(self.expected) + self.question.scale)
        there = np.isfinite(self.expected)
        return float(found[there].max()) if np.isfinite(found[there]).all() else None

    @property
    def largest(self) -> float | None:
        """The largest error where there are as many numbers as there should be."""
        errors = np.abs(self.errors[np.isfinite(self.errors)])
        return float(errors.max()) if errors.size else None


def compare(question: Question, answers: Answers, expected: Doubles, tolerance: float = TOLERANCE) -> Comparison:
    """Every row against what is expected; to answer nothing out of reach is right of what answers rightly within."""
    errors, scale = question.matched(answers.values, expected), question.scale
    tolerance = max(tolerance, question.tolerance)
    with np.errstate(invalid="ignore"):
        good = (np.abs(errors) <= tolerance * (np.abs(expected) + scale)) | ~np.isfinite(expected)
    good = good.all(axis=(1, 2)) & (counted(answers.values) == counted(expected))
    reachable = question.reachable
    answered = np.array([problem != NOT_ANSWERED for problem in answers.problems])
    right = np.where(reachable, good, ~answers.finite & good[reachable].any()) & answered
    return Comparison(question, answers, expected, errors, right, tolerance)
