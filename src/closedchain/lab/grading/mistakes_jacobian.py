"""Known mistakes of A, B and J, and of the directions of the bars in them; many show in the dynamic model as well."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.formulas import inverse
from closedchain.lab.grading.mistake import FIVEBAR, MOVING, Mistake

JACOBIAN = ("dkm", "ikm", "dkm2", "ikm2", "dynamic_model")


class SignOfJ(Mistake):
    """The sign between A and B is wrong: with A = ∂h/∂x and B = ∂h/∂q it is J = −A⁻¹B, with A = [uᵀ] it is A⁻¹B."""

    name, functions = "sign-between-A-and-B", ("dkm", "ikm", "dkm2", "ikm2")

    def J(self, phi: Doubles, q: Doubles) -> Doubles:
        return -super().J(phi, q)


class InvertedJ(Mistake):
    """J and its inverse are exchanged: A⁻¹B gives the tip's velocity, B⁻¹A that of the drives."""

    name, functions = "J-inverted", JACOBIAN

    def J(self, phi: Doubles, q: Doubles) -> Doubles:
        return inverse(super().J(phi, q))


class TransposedA(Mistake):
    """A is transposed: its rows are the directions of the two bars."""

    name, functions = "A-transposed", JACOBIAN

    def A(self, phi: Doubles) -> Doubles:
        return super().A(phi).transpose(0, 2, 1)


class TransposedJ(Mistake):
    """J is transposed."""

    name, functions = "J-transposed", ("dkm", "ikm", "dkm2", "ikm2")

    def J(self, phi: Doubles, q: Doubles) -> Doubles:
        return super().J(phi, q).transpose(0, 2, 1)


class ElementwiseJ(Mistake):
    """A⁻¹ and B are multiplied element by element (`*`) instead of as matrices (`@`)."""

    name, functions = "elementwise-product", JACOBIAN

    def J(self, phi: Doubles, q: Doubles) -> Doubles:
        return inverse(self.A(phi)) * (np.eye(2) * self.B(phi, q)[:, None, :])


class NotInvertedA(Mistake):
    """A is not inverted: the product is A B instead of A⁻¹ B."""

    name, functions = "A-not-inverted", JACOBIAN

    def A(self, phi: Doubles) -> Doubles:
        return inverse(super().A(phi))


class NotInvertedB(Mistake):
    """B and its inverse are exchanged: ẋ = A⁻¹B q̇ is multiplied by it, q̇ = B⁻¹A ẋ is divided."""

    name, functions = "B-inverted", JACOBIAN

    def J(self, phi: Doubles, q: Doubles) -> Doubles:
        return inverse(self.A(phi)) / self.B(phi, q)[:, None, :]


class CosineInB(Mistake):
    """B has a cosine where its sine belongs: sin q12 for the biglide, l1 sin q12 for the five-bar."""

    name, functions = "cosine-in-B", JACOBIAN

    def B(self, phi: Doubles, q: Doubles) -> Doubles:
        return self.k.crank * np.cos(phi - q) if self.k.turns else np.cos(phi)


class SineForCosine(Mistake):
    """Sine and cosine are exchanged in the bars' directions: u = (cos, sin)."""

    name, functions = "sine-and-cosine-exchanged", MOVING

    def u(self, phi: Doubles) -> Doubles:
        return super().u(phi)[..., ::-1]

    def v(self, phi: Doubles) -> Doubles:
        return super().v(phi)[..., ::-1]


class AbsoluteBars(Mistake):
    """The five-bar's passive angle is taken as absolute: the second bar's direction is q11 + q12, not q12."""

    name, functions, robots = "passive-angle-absolute", MOVING, FIVEBAR

    def bars(self, q: Doubles, passive: Doubles) -> Doubles:
        return passive


class AbsoluteAll(Mistake):
    """The five-bar's passive angle and its rate are taken as absolute: the second bar turns by q11 + q12."""

    name, functions, robots = "passive-angle-absolute", MOVING, FIVEBAR

    def bars(self, q: Doubles, passive: Doubles) -> Doubles:
        return passive

    def bar_rates(self, q_dot: Doubles, passive_dot: Doubles) -> Doubles:
        return passive_dot

    def passive_rate(self, phi_dot: Doubles, q_dot: Doubles) -> Doubles:
        return phi_dot


class RelativeBars(Mistake):
    """The biglide's passive angle is taken as relative: q11 and q21 are added to it, but it counts from the x axis."""

    name, functions, robots = "passive-angle-relative", MOVING, ("biglide",)

    def bars(self, q: Doubles, passive: Doubles) -> Doubles:
        return q + passive


class LeftForBoth(Mistake):
    """The left leg's angle is used for both legs."""

    name, functions = "one-angle-for-both-legs", MOVING

    def bars(self, q: Doubles, passive: Doubles) -> Doubles:
        return super().bars(q, passive)[:, [0, 0]] if self.k.turns else super().bars(q, passive[:, [0, 0]])


class SwappedBars(Mistake):
    """The legs are swapped: the left bar's direction is used for the right leg and the other way round."""

    name, functions = "legs-swapped", MOVING

    def bars(self, q: Doubles, passive: Doubles) -> Doubles:
        return super().bars(q, passive)[:, ::-1]


class AlwaysAbove(Mistake):
    """The pose is computed again from q11 and q21 with assembly mode −1; the angles that are given say which it is."""

    name = "assembly-fixed"
    functions: ClassVar[tuple[str, ...]] = MOVING
    mode = -1.0

    def bars(self, q: Doubles, passive: Doubles) -> Doubles:
        return super().bars(q, self.dgm_passive(q[:, 0], q[:, 1], np.full(len(q), self.mode)))


class AlwaysBelow(AlwaysAbove):
    """The pose is computed again from q11 and q21 with assembly mode +1; the angles that are given say which it is."""

    mode = 1.0


class NoCrank(Mistake):
    """The length of the driven bar is missing in B: its end moves by l1 q11D."""

    name, functions, robots = "driven-bar-length-missing", MOVING, FIVEBAR

    def push(self, q: Doubles) -> Doubles:
        return super().push(q) / self.k.crank


class AlongCrank(Mistake):
    """The end of the driven bar is moved along the bar instead of across it."""

    name, functions, robots = "along-instead-of-across", MOVING, FIVEBAR

    def push(self, q: Doubles) -> Doubles:
        return self.k.crank * np.stack([np.cos(q), np.sin(q)], -1)


MISTAKES = (
    SignOfJ, InvertedJ, TransposedA, TransposedJ, ElementwiseJ, NotInvertedA, NotInvertedB, CosineInB,
    SineForCosine, AbsoluteAll, AbsoluteBars, RelativeBars, LeftForBoth, SwappedBars, AlwaysAbove, AlwaysBelow,
    NoCrank, AlongCrank,
)  # fmt: skip
