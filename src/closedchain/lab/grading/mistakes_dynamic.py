"""Known mistakes of the dynamic model τ = M q̈ + c."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.formulas import inverse, times
from closedchain.lab.grading.mistake import Mistake

DYNAMIC = ("dynamic_model",)


class JForJt(Mistake):
    """J stands where Jᵀ belongs: M = m I + m_tip JᵀJ and c = m_tip Jᵀ A⁻¹ d."""

    name, functions = "J-instead-of-Jt", DYNAMIC

    def M(self, J: Doubles) -> Doubles:
        return super().M(J) + self.tip_mass() * (J - J.transpose(0, 2, 1)) @ J

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return super().c(J.transpose(0, 2, 1), A, d)


class JForJtInM(Mistake):
    """J stands where Jᵀ belongs in M = m I + m_tip JᵀJ."""

    name, functions = "J-instead-of-Jt", DYNAMIC

    def M(self, J: Doubles) -> Doubles:
        return super().M(J) + self.tip_mass() * (J - J.transpose(0, 2, 1)) @ J


class JForJtInC(Mistake):
    """J stands where Jᵀ belongs in c = m_tip Jᵀ A⁻¹ d."""

    name, functions = "J-instead-of-Jt", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return super().c(J.transpose(0, 2, 1), A, d)


class JJt(Mistake):
    """M has J Jᵀ where JᵀJ belongs."""

    name, functions = "J-Jt-instead-of-Jt-J", DYNAMIC

    def M(self, J: Doubles) -> Doubles:
        return super().M(J.transpose(0, 2, 1))


class Elementwise(Mistake):
    """JᵀJ is multiplied element by element (`*`) instead of as matrices (`@`)."""

    name, functions = "elementwise-product", DYNAMIC

    def M(self, J: Doubles) -> Doubles:
        return self.drive_mass() * np.eye(2) + self.tip_mass() * J.transpose(0, 2, 1) * J


class NoDriveMass(Mistake):
    """The drives' own mass (mf) or inertia (ZZ1R, ZZ2R) is missing in M."""

    name, functions = "drive-mass-missing", DYNAMIC

    def drive_mass(self) -> float:
        return 0.0


class DoubleDriveMass(Mistake):
    """The drives' own mass or inertia is counted twice in M."""

    name, functions = "drive-mass-doubled", DYNAMIC

    def drive_mass(self) -> float:
        return 2 * super().drive_mass()


class HalfDriveMass(Mistake):
    """The drives' own mass or inertia is halved in M, as in the kinetic energy."""

    name, functions = "drive-mass-halved", DYNAMIC

    def drive_mass(self) -> float:
        return super().drive_mass() / 2


class NoTip(Mistake):
    """The tip is missing in M: m_tip JᵀJ belongs to it."""

    name, functions = "tip-missing-in-M", DYNAMIC

    def M(self, J: Doubles) -> Doubles:
        return np.broadcast_to(self.drive_mass() * np.eye(2), J.shape)


class NoTipMass(Mistake):
    """The tip's mass is missing: JᵀJ and Jᵀ A⁻¹ d are multiplied by it."""

    name, functions = "tip-mass-missing", DYNAMIC

    def tip_mass(self) -> float:
        return 1.0


class DoubleTipMass(Mistake):
    """The tip's mass is counted twice."""

    name, functions = "tip-mass-doubled", DYNAMIC

    def tip_mass(self) -> float:
        return 2 * super().tip_mass()


class HalfTipMass(Mistake):
    """The tip's mass is halved, as in the kinetic energy."""

    name, functions = "tip-mass-halved", DYNAMIC

    def tip_mass(self) -> float:
        return super().tip_mass() / 2


class SwappedMasses(Mistake):
    """The masses of the tip and of the drives are exchanged."""

    name, functions = "masses-exchanged", DYNAMIC

    def tip_mass(self) -> float:
        return super().drive_mass()

    def drive_mass(self) -> float:
        return super().tip_mass()


class NoCoriolis(Mistake):
    """c is zero: the velocity terms of the dynamic model are missing."""

    name, functions = "coriolis-missing", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return np.zeros_like(d)


class CoriolisSign(Mistake):
    """c has the wrong sign."""

    name, functions = "coriolis-sign", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return -super().c(J, A, d)


class CoriolisTimesTwoL(Mistake):
    """c is too large by the factor 2l: the A of the closures, 2l times [uᵀ], is mixed with the d of the bars."""

    name, functions = "coriolis-off-by-2l", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return 2 * self.k.l * super().c(J, A, d)


class CoriolisOverTwoL(Mistake):
    """c is too small by the factor 2l: the A of the closures, 2l times [uᵀ], is mixed with the d of the bars."""

    name, functions = "coriolis-off-by-2l", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return super().c(J, A, d) / (2 * self.k.l)


class CoriolisHalf(Mistake):
    """c is half of what it is: a factor 2 is missing in the velocity terms."""

    name, functions = "coriolis-halved", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return super().c(J, A, d) / 2


class CoriolisDouble(Mistake):
    """c is twice what it is."""

    name, functions = "coriolis-doubled", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return 2 * super().c(J, A, d)


class CoriolisWithoutMass(Mistake):
    """The tip's mass is missing in c."""

    name, functions = "tip-mass-missing-in-c", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return super().c(J, A, d) / self.tip_mass()


class CoriolisWithoutJt(Mistake):
    """Jᵀ is missing in c = m_tip Jᵀ A⁻¹ d."""

    name, functions = "Jt-missing-in-c", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return self.tip_mass() * times(inverse(A), d)


class CoriolisWithoutA(Mistake):
    """A⁻¹ is missing in c = m_tip Jᵀ A⁻¹ d."""

    name, functions = "A-missing-in-c", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return self.tip_mass() * times(J.transpose(0, 2, 1), d)


class CoriolisWithJ(Mistake):
    """c has m_tip JᵀJ d where m_tip Jᵀ A⁻¹ d belongs."""

    name, functions = "J-instead-of-inverse-A-in-c", DYNAMIC

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return self.tip_mass() * times(J.transpose(0, 2, 1), times(J, d))


class SignOfJ(Mistake):
    """J has the wrong sign in c: the sign between A and B is wrong."""

    name, functions = "sign-between-A-and-B", DYNAMIC

    def J(self, phi: Doubles, q: Doubles) -> Doubles:
        return -super().J(phi, q)


MISTAKES = (
    JForJt, JForJtInM, JForJtInC, JJt, Elementwise, NoDriveMass, DoubleDriveMass, HalfDriveMass, NoTip, NoTipMass,
    DoubleTipMass, HalfTipMass, SwappedMasses, NoCoriolis, CoriolisSign, CoriolisTimesTwoL, CoriolisOverTwoL,
    CoriolisHalf, CoriolisDouble, CoriolisWithoutMass, CoriolisWithoutJt, CoriolisWithoutA, CoriolisWithJ, SignOfJ,
)  # fmt: skip
