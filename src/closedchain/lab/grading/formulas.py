"""The ten models in closed form, for many states at once, made of pieces that a known mistake replaces.

With u the direction of a bar, v = u turned by 90°, p the foot of the bar and φ its angle from the x axis,

    A ẋ = B q̇,   A = [u1ᵀ; u2ᵀ],   B = diag(uᵀ ∂p/∂q)        A ẍ = B q̈ + d,   d = uᵀ p̈₀ − l φ̇²
    l φ̇ = vᵀ(ẋ − ∂p/∂q q̇)          l φ̈ = vᵀ(ẍ − p̈)          M = m I + m_tip JᵀJ,   c = m_tip Jᵀ A⁻¹ d

where p̈₀ is the foot's acceleration at q̈ = 0. The grades do not rest on these: they compare with the compiled models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.constants import Constants

SIDES = (-1.0, 1.0)  # where the legs stand on the x axis


@dataclass(frozen=True)
class Formulas:
    """The right formulas; a mistake is a subclass with one piece wrong. Every argument is an array (n,)."""

    k: Constants

    # Pieces -------------------------------------------------------------------------------------

    def root(self, s: Doubles) -> Doubles:
        """√s; not a number where the pose cannot be reached."""
        return np.sqrt(s)

    def atan(self, y: Doubles, x: Doubles) -> Doubles:
        """The angle of a vector."""
        return np.arctan2(y, x)

    def offset(self) -> float:
        """Half the distance of the drives."""
        return self.k.d / 2

    def assembly(self, mode: Doubles) -> Doubles:
        """The sign of the assembly mode."""
        return mode

    def foot(self, leg: int, q: Doubles) -> Doubles:
        """p, (n, 2)."""
        r, base = self.k.crank, SIDES[leg] * self.offset()
        if self.k.turns:
            return np.stack([base + r * np.cos(q), r * np.sin(q)], -1)
        return np.stack([np.full_like(q, base), q], -1)

    def push(self, q: Doubles) -> Doubles:
        """∂p/∂q, (n, 2)."""
        if self.k.turns:
            return self.k.crank * np.stack([-np.sin(q), np.cos(q)], -1)
        return np.stack([np.zeros_like(q), np.ones_like(q)], -1)

    def swing(self, q: Doubles, q_dot: Doubles) -> Doubles:
        """p̈ at q̈ = 0, (n, 2)."""
        if self.k.turns:
            return -self.k.crank * q_dot[:, None] ** 2 * np.stack([np.cos(q), np.sin(q)], -1)
        return np.zeros((len(q), 2))

    def bars(self, q: Doubles, passive: Doubles) -> Doubles:
        """φ of both bars, (n, 2), from the drives and the passive angles."""
        return q + passive if self.k.turns else passive

    def bar_rates(self, q_dot: Doubles, passive_dot: Doubles) -> Doubles:
        """φ̇ of both bars, (n, 2)."""
        return q_dot + passive_dot if self.k.turns else passive_dot

    def passive(self, phi: Doubles, q: Doubles) -> Doubles:
        """The passive angles as the lab counts them."""
        return phi - q if self.k.turns else phi

    def passive_rate(self, phi_dot: Doubles, q_dot: Doubles) -> Doubles:
        """Their rates, and likewise their accelerations."""
        return phi_dot - q_dot if self.k.turns else phi_dot

    def u(self, phi: Doubles) -> Doubles:
        """The bars' directions, (n, 2 legs, 2)."""
        return np.stack([np.cos(phi), np.sin(phi)], -1)

    def v(self, phi: Doubles) -> Doubles:
        """u turned by 90°."""
        return np.stack([-np.sin(phi), np.cos(phi)], -1)

    def A(self, phi: Doubles) -> Doubles:
        return self.u(phi)

    def B(self, phi: Doubles, q: Doubles) -> Doubles:
        """Its diagonal, (n, 2)."""
        return np.einsum("nij,nij->ni", self.u(phi), self._pushes(q))

    def J(self, phi: Doubles, q: Doubles) -> Doubles:
        """A⁻¹B, (n, 2, 2)."""
        return inverse(self.A(phi)) * self.B(phi, q)[:, None, :]

    def spin(self, phi_dot: Doubles) -> Doubles:
        """l φ̇²."""
        return self.k.l * phi_dot**2

    def d(self, phi: Doubles, phi_dot: Doubles, q: Doubles, q_dot: Doubles) -> Doubles:
        """The velocity terms, (n, 2)."""
        return np.einsum("nij,nij->ni", self.u(phi), self._swings(q, q_dot)) - self.spin(phi_dot)

    def _pushes(self, q: Doubles) -> Doubles:
        return np.stack([self.push(q[:, 0]), self.push(q[:, 1])], 1)

    def _swings(self, q: Doubles, q_dot: Doubles) -> Doubles:
        return np.stack([self.swing(q[:, 0], q_dot[:, 0]), self.swing(q[:, 1], q_dot[:, 1])], 1)

    # The lab's functions ------------------------------------------------------------------------

    def dgm(self, q11: Doubles, q21: Doubles, assembly_mode: Doubles) -> Doubles:
        first, second = self.foot(0, q11), self.foot(1, q21)
        half = (first - second) / 2
        a = np.linalg.norm(half, axis=-1)
        h = self.assembly(assembly_mode) * self.root(self.k.l**2 - a**2) / a
        return second + half + h[:, None] * np.stack([-half[:, 1], half[:, 0]], -1)

    def igm(self, x: Doubles, y: Doubles, gamma1: Doubles, gamma2: Doubles) -> Doubles:
        return np.stack([self.drive(0, x, y, gamma1), self.drive(1, x, y, gamma2)], -1)

    def drive(self, leg: int, x: Doubles, y: Doubles, gamma: Doubles) -> Doubles:
        """The drive of one leg."""
        k, across = self.k, x - SIDES[leg] * self.offset()
        if not k.turns:
            return y + gamma * self.root(k.l**2 - across**2)
        reach = np.hypot(across, y)
        cosine = (reach**2 + k.crank**2 - k.l**2) / (2 * k.crank * reach)
        return self.atan(y, across) + gamma * np.arctan2(self.root(1 - cosine**2), cosine)

    def dgm_passive(self, q11: Doubles, q21: Doubles, assembly_mode: Doubles) -> Doubles:
        tip = self.dgm(q11, q21, assembly_mode)
        bars = [tip - self.foot(leg, q) for leg, q in enumerate((q11, q21))]
        phi = np.stack([self.atan(bar[:, 1], bar[:, 0]) for bar in bars], -1)
        return self.passive(phi, pair(q11, q21))

    def dkm(self, q11: Doubles, q12: Doubles, q21: Doubles, q22: Doubles, q11D: Doubles, q21D: Doubles) -> Doubles:
        q = pair(q11, q21)
        return times(self.J(self.bars(q, pair(q12, q22)), q), pair(q11D, q21D))

    def ikm(self, q11: Doubles, q12: Doubles, q21: Doubles, q22: Doubles, xD: Doubles, yD: Doubles) -> Doubles:
        q = pair(q11, q21)
        return times(inverse(self.J(self.bars(q, pair(q12, q22)), q)), pair(xD, yD))

    def dkm_passive(self, *given: Doubles) -> Doubles:
        q11, q12, q21, q22, q11D, q21D, xD, yD = given
        q, q_dot = pair(q11, q21), pair(q11D, q21D)
        phi = self.bars(q, pair(q12, q22))
        seen = pair(xD, yD)[:, None, :] - self._pushes(q) * q_dot[:, :, None]
        return self.passive_rate(self.turned(phi, seen), q_dot)

    def turned(self, phi: Doubles, seen: Doubles) -> Doubles:
        """vᵀ(…)/l, (n, 2)."""
        return np.einsum("nij,nij->ni", self.v(phi), seen) / self.k.l

    def dkm2(self, *given: Doubles) -> Doubles:
        q, q_dot, phi, phi_dot = self._moving(*given[:8])
        b = times(inverse(self.A(phi)), self.d(phi, phi_dot, q, q_dot))
        return times(self.J(phi, q), pair(*given[8:])) + b

    def ikm2(self, *given: Doubles) -> Doubles:
        q, q_dot, phi, phi_dot = self._moving(*given[:8])
        b = times(inverse(self.A(phi)), self.d(phi, phi_dot, q, q_dot))
        return times(inverse(self.J(phi, q)), pair(*given[8:]) - b)

    def dkm2_passive(self, *given: Doubles) -> Doubles:
        q, q_dot, phi, _ = self._moving(*given[:8])
        q_ddot, x_ddot = pair(*given[8:10]), pair(*given[10:])
        seen = x_ddot[:, None, :] - self._pushes(q) * q_ddot[:, :, None] - self._swings(q, q_dot)
        return self.passive_rate(self.turned(phi, seen), q_ddot)

    def dynamic_model(self, *given: Doubles) -> Doubles:
        """M row by row, then c, (n, 6)."""
        q, q_dot, phi, phi_dot = self._moving(*given)
        J = self.J(phi, q)
        c = self.c(J, self.A(phi), self.d(phi, phi_dot, q, q_dot))
        return np.concatenate([self.M(J).reshape(-1, 4), c], -1)

    def M(self, J: Doubles) -> Doubles:
        return self.drive_mass() * np.eye(2) + self.tip_mass() * J.transpose(0, 2, 1) @ J

    def c(self, J: Doubles, A: Doubles, d: Doubles) -> Doubles:
        return self.tip_mass() * times(J.transpose(0, 2, 1), times(inverse(A), d))

    def drive_mass(self) -> float:
        return self.k.drive

    def tip_mass(self) -> float:
        return self.k.tip

    def _moving(self, *given: Doubles) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """q, q̇, φ, φ̇ of the eight numbers that describe a moving robot."""
        q11, q12, q21, q22, q11D, q12D, q21D, q22D = given
        q, q_dot = pair(q11, q21), pair(q11D, q21D)
        return q, q_dot, self.bars(q, pair(q12, q22)), self.bar_rates(q_dot, pair(q12D, q22D))


def pair(first: Doubles, second: Doubles) -> Doubles:
    """(n, 2) of two columns."""
    return np.stack([first, second], -1)


def times(matrices: Doubles, columns: Doubles) -> Doubles:
    """Matrix times vector, row by row."""
    return np.einsum("nij,nj->ni", matrices, columns)


def inverse(matrices: Doubles) -> Doubles:
    """Of 2×2 matrices; a singular one gives what is no number."""
    a, b, c, d = (matrices[:, i, j] for i in (0, 1) for j in (0, 1))
    return np.stack([np.stack([d, -b], -1), np.stack([-c, a], -1)], 1) / (a * d - b * c)[:, None, None]
