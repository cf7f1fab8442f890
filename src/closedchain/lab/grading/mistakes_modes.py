"""Known mistakes of modes and reach: gammas, assembly modes, and roots of what is negative."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.mistake import GEOMETRIC, POSE, Mistake


class FirstGamma(Mistake):
    """gamma1 is used for both legs."""

    name, functions = "gamma1-for-both-legs", ("igm",)

    def igm(self, x: Doubles, y: Doubles, gamma1: Doubles, gamma2: Doubles) -> Doubles:
        return super().igm(x, y, gamma1, gamma1)


class SecondGamma(Mistake):
    """gamma2 is used for both legs."""

    name, functions = "gamma2-for-both-legs", ("igm",)

    def igm(self, x: Doubles, y: Doubles, gamma1: Doubles, gamma2: Doubles) -> Doubles:
        return super().igm(x, y, gamma2, gamma2)


class SwappedGammas(Mistake):
    """gamma1 is used for the right leg and gamma2 for the left one."""

    name, functions = "gammas-swapped", ("igm",)

    def igm(self, x: Doubles, y: Doubles, gamma1: Doubles, gamma2: Doubles) -> Doubles:
        return super().igm(x, y, gamma2, gamma1)


class NoGamma(Mistake):
    """gamma1 and gamma2 are ignored: the answer is always that of +1."""

    name, functions = "gammas-ignored", ("igm",)

    def igm(self, x: Doubles, y: Doubles, gamma1: Doubles, gamma2: Doubles) -> Doubles:
        return super().igm(x, y, np.ones_like(gamma1), np.ones_like(gamma2))


class OtherAssembly(Mistake):
    """The assembly mode has the wrong sign: −1 is the tip above the feet."""

    name, functions = "assembly-sign-reversed", POSE

    def assembly(self, mode: Doubles) -> Doubles:
        return -super().assembly(mode)


class AlwaysAbove(Mistake):
    """The assembly mode is ignored: the answer is always that of −1."""

    name, functions = "assembly-ignored", POSE

    def assembly(self, mode: Doubles) -> Doubles:
        return np.full_like(mode, -1.0)


class AlwaysBelow(Mistake):
    """The assembly mode is ignored: the answer is always that of +1."""

    name, functions = "assembly-ignored", POSE

    def assembly(self, mode: Doubles) -> Doubles:
        return np.ones_like(mode)


class Clamped(Mistake):
    """The root is clamped at zero, so that a pose out of reach gets a wrong answer silently; raise an error there."""

    name, functions = "root-clamped", GEOMETRIC

    def root(self, s: Doubles) -> Doubles:
        return super().root(np.maximum(s, 0.0))


class Unsigned(Mistake):
    """The absolute value is taken under the root, so that a pose out of reach gets a wrong answer silently; raise an
    error there."""

    name, functions = "absolute-value-under-the-root", GEOMETRIC

    def root(self, s: Doubles) -> Doubles:
        return super().root(np.abs(s))


MISTAKES = (
    FirstGamma, SecondGamma, SwappedGammas, NoGamma, OtherAssembly, AlwaysAbove, AlwaysBelow,
)  # fmt: skip
SILENT = (Clamped, Unsigned)  # wrong where there is no answer, and only there
