"""Known mistakes of the geometric models."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.constants import LAB, SEED_LENGTH, Constants
from closedchain.lab.grading.formulas import SIDES, pair
from closedchain.lab.grading.mistake import GEOMETRIC, MOVING, POSE, Mistake


class SwappedSides(Mistake):
    """The legs are swapped: x + d/2 and x − d/2 are exchanged, so that the left leg stands on the right."""

    name, functions = "legs-swapped", GEOMETRIC

    def offset(self) -> float:
        return -super().offset()


class WholeBase(Mistake):
    """The drives are taken d from the middle; each of them is d/2 from it."""

    name, functions = "d-instead-of-half-d", GEOMETRIC

    def offset(self) -> float:
        return 2 * super().offset()


class NoBase(Mistake):
    """The base's d/2 is missing: both drives are taken in the middle."""

    name, functions = "base-offset-missing", GEOMETRIC

    def offset(self) -> float:
        return 0.0


class FromLeftDrive(Mistake):
    """The tip is counted from the left drive; the lab counts from the middle of the base."""

    name, functions = "origin-at-left-drive", ("dgm", "igm")

    def dgm(self, q11: Doubles, q21: Doubles, assembly_mode: Doubles) -> Doubles:
        return super().dgm(q11, q21, assembly_mode) + np.array([self.k.d / 2, 0.0])

    def igm(self, x: Doubles, y: Doubles, gamma1: Doubles, gamma2: Doubles) -> Doubles:
        return super().igm(x - self.k.d / 2, y, gamma1, gamma2)


class PlusUnderRoot(Mistake):
    """There is a plus under the root: l² + a² (or l² + (x ± d/2)²) where Pythagoras has a minus."""

    name, functions, robots = "plus-under-the-root", GEOMETRIC, ("biglide",)

    def root(self, s: Doubles) -> Doubles:
        return super().root(2 * self.k.l**2 - s)


class NoRoot(Mistake):
    """The square root is missing."""

    name, functions = "root-missing", GEOMETRIC

    def root(self, s: Doubles) -> Doubles:
        return s


class WholeFeet(Mistake):
    """The distance of the feet is used where half of it belongs: h = √(l² − |A1A2|²)."""

    name, functions = "whole-distance-of-the-feet", POSE

    def root(self, s: Doubles) -> Doubles:
        return super().root(4 * s - 3 * self.k.l**2)


class BackwardsFeet(Mistake):
    """The vector from A2 to A1 has the wrong sign: it is OA1 − OA2."""

    name, functions = "vector-of-the-feet-reversed", POSE

    def dgm(self, q11: Doubles, q21: Doubles, assembly_mode: Doubles) -> Doubles:
        second = self.foot(1, q21)
        right = super().dgm(q11, q21, assembly_mode)
        return second - (right - second)


class QuotientOnly(Mistake):
    """arctan is used where arctan2 belongs: the angle is off by half a turn in two quadrants."""

    name, functions = "arctan-instead-of-arctan2", ("igm", "dgm_passive")

    def atan(self, y: Doubles, x: Doubles) -> Doubles:
        return np.arctan(y / x)


class QuotientRight(Mistake):
    """arctan is used for the right leg, where arctan2 belongs: q22 is off by half a turn."""

    name, functions = "arctan-instead-of-arctan2", ("dgm_passive",)

    def dgm_passive(self, q11: Doubles, q21: Doubles, assembly_mode: Doubles) -> Doubles:
        right = super().dgm_passive(q11, q21, assembly_mode)
        phi = self.bars(pair(q11, q21), right)
        folded = self.passive(np.arctan(np.tan(phi)), pair(q11, q21))
        return pair(right[:, 0], folded[:, 1])


class SwappedArctan(Mistake):
    """The arguments of arctan2 are swapped: y comes first."""

    name, functions = "arctan2-arguments-swapped", ("igm", "dgm_passive")

    def atan(self, y: Doubles, x: Doubles) -> Doubles:
        return super().atan(x, y)


class FromTip(Mistake):
    """The bar's direction is taken from the tip to the foot: the angle is off by half a turn."""

    name, functions = "bar-direction-reversed", ("dgm_passive",)

    def atan(self, y: Doubles, x: Doubles) -> Doubles:
        return super().atan(-y, -x)


class QuotientOfTip(Mistake):
    """The passive angles are made from the quotient y/x of the tip, not from the two ends of each bar."""

    name, functions, robots = "quotient-of-the-tip", ("dgm_passive",), ("biglide",)

    def dgm_passive(self, q11: Doubles, q21: Doubles, assembly_mode: Doubles) -> Doubles:
        x, y = self.dgm(q11, q21, assembly_mode).T
        return pair(np.arctan(2 * q11 / self.k.d + y / x), np.arctan(2 * q21 / self.k.d - y / x))


class AbsolutePassive(Mistake):
    """The passive angles are absolute; the lab counts them from the first bar, so q11 and q21 must be subtracted."""

    name, functions, robots = "passive-angle-absolute", ("dgm_passive",), ("fivebar",)

    def passive(self, phi: Doubles, q: Doubles) -> Doubles:
        return phi


class RelativePassive(Mistake):
    """q11 and q21 are subtracted from the passive angles; the biglide's count from the x axis."""

    name, functions, robots = "passive-angle-relative", ("dgm_passive",), ("biglide",)

    def passive(self, phi: Doubles, q: Doubles) -> Doubles:
        return phi - q


class AddedPassive(Mistake):
    """q11 and q21 are added to the bars' angles where they must be subtracted."""

    name, functions, robots = "passive-angle-added", ("dgm_passive",), ("fivebar",)

    def passive(self, phi: Doubles, q: Doubles) -> Doubles:
        return phi + q


class OtherLength(Mistake):
    """The bars have the other length that is in use, 0.3606 m of the reports or 0.2828427 m of the lab, but not the
    one that the rest of this file uses."""

    name, functions, robots = "other-length", (*GEOMETRIC, "dkm_passive", "dkm2", "ikm2", "dkm2_passive"), ("biglide",)

    def __init__(self, k: Constants) -> None:
        lab = LAB["biglide"].l
        other = SEED_LENGTH if abs(k.l - lab) < abs(k.l - SEED_LENGTH) else lab
        super().__init__(Constants(k.robot, other, k.d, k.crank, k.drive, k.tip))


class SameFoot(Mistake):
    """The left leg's base is used for both legs."""

    name, functions = "one-base-for-both-legs", GEOMETRIC

    def foot(self, leg: int, q: Doubles) -> Doubles:
        return super().foot(0, q)

    def drive(self, leg: int, x: Doubles, y: Doubles, gamma: Doubles) -> Doubles:
        return super().drive(leg, x if leg == 0 else x + 2 * SIDES[1] * self.offset(), y, gamma)


class LengthsExchanged(Mistake):
    """The lengths l of the bars and d between the drives are exchanged."""

    name, functions, robots = "l-and-d-exchanged", (*GEOMETRIC, *MOVING), ("biglide",)

    def __init__(self, k: Constants) -> None:
        super().__init__(Constants(k.robot, k.d, k.l, k.crank, k.drive, k.tip))


MISTAKES = (
    SwappedSides, WholeBase, NoBase, FromLeftDrive, PlusUnderRoot, NoRoot, WholeFeet, BackwardsFeet, QuotientOnly,
    QuotientRight, SwappedArctan, FromTip, QuotientOfTip, AbsolutePassive, RelativePassive, AddedPassive, OtherLength,
    SameFoot, LengthsExchanged,
)  # fmt: skip
