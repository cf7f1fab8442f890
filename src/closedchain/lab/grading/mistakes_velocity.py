"""Known mistakes of passive rates and of the terms with velocities in the second-order models."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.formulas import times
from closedchain.lab.grading.mistake import FIVEBAR, VELOCITY, Mistake
from closedchain.lab.grading.mistakes_jacobian import AlwaysAbove

PASSIVE = ("dkm_passive", "dkm2_passive")


class NoFoot(Mistake):
    """The foot's own motion is missing: the bar turns by vᵀ(ẋ − ṗ), not by vᵀẋ."""

    name, functions = "foot-motion-missing", PASSIVE

    def push(self, q: Doubles) -> Doubles:
        return np.zeros_like(super().push(q))


class AddedFoot(Mistake):
    """The foot's motion has the wrong sign: it is subtracted from the tip's."""

    name, functions = "foot-motion-added", PASSIVE

    def push(self, q: Doubles) -> Doubles:
        return -super().push(q)


class AlongBar(Mistake):
    """The bar's direction u is used where v, across it, belongs."""

    name, functions = "u-instead-of-v", PASSIVE

    def v(self, phi: Doubles) -> Doubles:
        return self.u(phi)


class NotDivided(Mistake):
    """The division by the bar's length l is missing."""

    name, functions = "division-by-l-missing", PASSIVE

    def turned(self, phi: Doubles, seen: Doubles) -> Doubles:
        return super().turned(phi, seen) * self.k.l


class Multiplied(Mistake):
    """It is multiplied by the bar's length l instead of divided."""

    name, functions = "multiplied-by-l", PASSIVE

    def turned(self, phi: Doubles, seen: Doubles) -> Doubles:
        return super().turned(phi, seen) * self.k.l**2


class AbsoluteRate(Mistake):
    """The rates are absolute: q11D (or q11DD) of the first bar must be subtracted."""

    name, functions, robots = "passive-rate-absolute", PASSIVE, FIVEBAR

    def passive_rate(self, phi_dot: Doubles, q_dot: Doubles) -> Doubles:
        return phi_dot


class AddedRate(Mistake):
    """q11D (or q11DD) is added where it must be subtracted."""

    name, functions, robots = "passive-rate-added", PASSIVE, FIVEBAR

    def passive_rate(self, phi_dot: Doubles, q_dot: Doubles) -> Doubles:
        return phi_dot + q_dot


class RelativeRate(Mistake):
    """q11D (or q11DD) is subtracted from the passive rates; the biglide's are absolute."""

    name, functions, robots = "passive-rate-relative", PASSIVE, ("biglide",)

    def passive_rate(self, phi_dot: Doubles, q_dot: Doubles) -> Doubles:
        return phi_dot - q_dot


class MovesAbove(AlwaysAbove):
    """Pose and rates are computed again from q11, q21 and their rates with assembly mode −1; what is given says which
    it is."""

    functions = VELOCITY

    def _moving(self, *given: Doubles) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        q, q_dot, phi, _ = super()._moving(*given)
        seen = times(self.J(phi, q), q_dot)[:, None, :] - self._pushes(q) * q_dot[:, :, None]
        return q, q_dot, phi, self.turned(phi, seen)


class RateForAcceleration(Mistake):
    """The drives' velocities stand where their accelerations belong."""

    name, functions = "rates-instead-of-accelerations", ("dkm2", "dkm2_passive")

    def dkm2(self, *given: Doubles) -> Doubles:
        return super().dkm2(*given[:8], given[4], given[6])

    def dkm2_passive(self, *given: Doubles) -> Doubles:
        return super().dkm2_passive(*given[:8], given[4], given[6], *given[10:])


class NoVelocityTerms(Mistake):
    """The velocity terms are missing: A ẍ = B q̈ + d."""

    name, functions = "velocity-terms-missing", ("dkm2", "ikm2", "dkm2_passive")

    def spin(self, phi_dot: Doubles) -> Doubles:
        return np.zeros_like(phi_dot)

    def swing(self, q: Doubles, q_dot: Doubles) -> Doubles:
        return np.zeros_like(super().swing(q, q_dot))


class VelocitySign(Mistake):
    """The velocity terms have the wrong sign: A ẍ = B q̈ + d with d = − l φ̇² and what the driven bar adds."""

    name, functions = "velocity-terms-sign", ("dkm2", "ikm2", "dkm2_passive")

    def spin(self, phi_dot: Doubles) -> Doubles:
        return -super().spin(phi_dot)

    def swing(self, q: Doubles, q_dot: Doubles) -> Doubles:
        return -super().swing(q, q_dot)


class HalfVelocity(Mistake):
    """The velocity terms are half of what they are: a factor 2 is missing in the derivatives of A and B."""

    name, functions = "velocity-terms-halved", ("dkm2", "ikm2")

    def d(self, phi: Doubles, phi_dot: Doubles, q: Doubles, q_dot: Doubles) -> Doubles:
        return super().d(phi, phi_dot, q, q_dot) / 2


class DoubleVelocity(Mistake):
    """The velocity terms are twice what they are: the factor 2 of the derivatives of A and B is counted twice."""

    name, functions = "velocity-terms-doubled", ("dkm2", "ikm2")

    def d(self, phi: Doubles, phi_dot: Doubles, q: Doubles, q_dot: Doubles) -> Doubles:
        return 2 * super().d(phi, phi_dot, q, q_dot)


class SpinWithoutLength(Mistake):
    """The bar's length is missing in the velocity terms: l φ̇², not φ̇²."""

    name, functions = "length-missing-in-velocity-terms", VELOCITY

    def spin(self, phi_dot: Doubles) -> Doubles:
        return super().spin(phi_dot) / self.k.l


class SpinNotSquared(Mistake):
    """The bar's rate is not squared in the velocity terms: l φ̇², not l φ̇."""

    name, functions = "rate-not-squared", VELOCITY

    def spin(self, phi_dot: Doubles) -> Doubles:
        return self.k.l * phi_dot


class NoSpin(Mistake):
    """The turning of the second bar is missing in the velocity terms: − l2 (q11D + q12D)²."""

    name, functions, robots = "second-bar-velocity-term-missing", VELOCITY, FIVEBAR

    def spin(self, phi_dot: Doubles) -> Doubles:
        return np.zeros_like(phi_dot)


class RelativeSpin(Mistake):
    """The velocity terms use the relative rate q12D: the second bar turns with q11D + q12D."""

    name, functions, robots = "relative-rate-in-velocity-terms", VELOCITY, FIVEBAR

    def bar_rates(self, q_dot: Doubles, passive_dot: Doubles) -> Doubles:
        return passive_dot


class NoSwing(Mistake):
    """The acceleration of the driven bar's end towards its motor is missing: − l1 q11D² along the bar."""

    name, functions, robots = "driven-bar-velocity-term-missing", (*VELOCITY, "dkm2_passive"), FIVEBAR

    def swing(self, q: Doubles, q_dot: Doubles) -> Doubles:
        return np.zeros_like(super().swing(q, q_dot))


class SwingSign(Mistake):
    """The acceleration of the driven bar's end towards its motor has the wrong sign: it is − l1 q11D² along the bar."""

    name, functions, robots = "driven-bar-velocity-term-sign", (*VELOCITY, "dkm2_passive"), FIVEBAR

    def swing(self, q: Doubles, q_dot: Doubles) -> Doubles:
        return -super().swing(q, q_dot)


class SquaredApart(Mistake):
    """The rates are squared one by one: the second bar turns with (q11D + q12D)², not with q11D² + q12D²."""

    name, functions, robots = "rates-squared-apart", VELOCITY, FIVEBAR

    def bar_rates(self, q_dot: Doubles, passive_dot: Doubles) -> Doubles:
        return np.hypot(q_dot, passive_dot)


MISTAKES = (
    NoFoot, AddedFoot, AlongBar, NotDivided, Multiplied, AbsoluteRate, AddedRate, RelativeRate, MovesAbove,
    RateForAcceleration, NoVelocityTerms, VelocitySign, HalfVelocity, DoubleVelocity, SpinWithoutLength,
    SpinNotSquared, NoSpin, RelativeSpin, SquaredApart, NoSwing, SwingSign,
)  # fmt: skip
