"""What unknowns have in common whatever the other equations are: circles, products, frames, unit quaternions, poses.

Each part has equations of its own, and a random point that satisfies them: with one for all unknowns a member of a
family is made that has it as a solution.

A pose in Study's coordinates is a quaternion e and a second one g with e·g = 0, together up to a common factor: turned
by R(e) / e·e, moved by τ = 2 Im(g ē) / e·e, so that 4 g·g = |τ|² e·e. Where e·e vanishes the pose is infinitely far.
The factor is fixed by a plane a·(e, g) = 1, whose a is any complex vector, so that all is finite; `real` gives e·e = 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from closedchain.arrays import Complex

CIRCLE, PRODUCT, FRAME, QUATERNION, POSE = range(5)


@dataclass(frozen=True)
class Part:
    """A kind, and the numbers of the unknowns it speaks of."""

    kind: int
    first: int  # of its own unknowns, which follow each other
    a: int = 0  # of a product
    b: int = 0

    @property
    def is_projective(self) -> bool:
        """Whether the part's unknowns have a common factor that stands for nothing."""
        return self.kind in (QUATERNION, POSE)

    @property
    def patch(self) -> Complex:
        """The plane that fixes the factor."""
        return _patch(self.kind, self.size)

    @property
    def size(self) -> int:
        return {CIRCLE: 2, PRODUCT: 1, FRAME: 9, QUATERNION: 4, POSE: 8}[self.kind]

    @property
    def row(self) -> tuple[int, int, int, int]:
        return self.kind, self.first, self.a, self.b

    def equations(self, n: int, real: bool = False) -> list[Complex]:
        """Symmetric matrices (n + 1, n + 1), index 0 standing for 1; `real` fixes a factor by e·e = 1."""
        return [_matrix(n, row) for row in self._rows(real)]

    def _rows(self, real: bool) -> Iterator[Mapping[tuple[int, int], complex]]:
        """Products of unknowns, 0 for 1 and i + 1 for unknown i, with their factors."""
        at = self.first + 1
        match self.kind:
            case 0:
                yield {(at, at): 1.0, (at + 1, at + 1): 1.0, (0, 0): -1.0}
            case 1:
                yield {(self.a + 1, self.b + 1): 1.0, (0, at): -1.0}
            case 2:
                u, v, w = ([at + 3 * k + i for i in range(3)] for k in range(3))
                yield {(i, i): 1.0 for i in u} | {(0, 0): -1.0}
                yield {(i, i): 1.0 for i in v} | {(0, 0): -1.0}
                yield dict.fromkeys(zip(u, v, strict=True), 1.0)
                for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # w = u × v
                    yield {(u[j], v[k]): 1.0, (u[k], v[j]): -1.0, (0, w[i]): -1.0}
            case _:
                plane = {(0, at + i): complex(a) for i, a in enumerate(self.patch)}
                length = {(at + i, at + i): 1.0 + 0.0j for i in range(4)}
                yield (length if real else plane) | {(0, 0): -1.0}
                if self.kind == POSE:
                    yield {(at + i, at + 4 + i): 1.0 for i in range(4)}

    def place(self, z: Complex, rng: np.random.Generator) -> None:
        """Random numbers of this part's unknowns in z, which satisfy its equations."""
        i = self.first
        match self.kind:
            case 0:
                angle = rng.uniform(-np.pi, np.pi) + 0.5j * rng.standard_normal()
                z[i], z[i + 1] = np.cos(angle), np.sin(angle)
            case 1:
                z[i] = z[self.a] * z[self.b]
            case 2:
                z[i : i + 9] = rotation(_unit(rng)).T.ravel()
            case _:
                e = z[i : i + 4] = _unit(rng)
                if self.kind == POSE:
                    g = z[i + 4 : i + 8]
                    z[i + 4 : i + 8] = g - (e @ g) * e
                z[i : i + self.size] /= self.patch @ z[i : i + self.size]

    def square(self, Z: Complex) -> Complex:
        """e·e of solutions, and how it compares with |(e, g)|²: 0 where a pose is infinitely far."""
        e = Z[..., self.first : self.first + 4]
        return np.asarray((e * e).sum(axis=-1))

    def patched(self, Z: Complex) -> Complex:
        """Solutions with the factor that the plane gives."""
        own = slice(self.first, self.first + self.size)
        made = Z.copy()
        made[..., own] /= (Z[..., own] @ self.patch)[..., None]
        return made

    def normalised(self, Z: Complex) -> Complex:
        """Solutions with e·e = 1, real where poses are."""
        made = Z.copy()
        made[..., self.first : self.first + self.size] /= np.sqrt(self.square(Z))[..., None]
        return made


@cache
def _patch(kind: int, size: int) -> Complex:
    """A random complex direction, the same for all parts of a kind."""
    rng = np.random.default_rng(kind)
    a = rng.standard_normal(size) + 1j * rng.standard_normal(size)
    return np.asarray(a / np.linalg.norm(a))


def _unit(rng: np.random.Generator) -> Complex:
    """A random complex quaternion with e·e = 1."""
    e = rng.standard_normal(4) + 1j * rng.standard_normal(4)
    return np.asarray(e / np.sqrt(e @ e))


def circle(cosine: int) -> Part:
    """A cosine and a sine."""
    return Part(CIRCLE, cosine)


def product(new: int, a: int, b: int) -> Part:
    """An unknown that is the product of two others."""
    return Part(PRODUCT, new, a, b)


def frame(first: int) -> Part:
    """Nine components of three axes, column by column."""
    return Part(FRAME, first)


def quaternion(first: int) -> Part:
    """A quaternion, up to a factor."""
    return Part(QUATERNION, first)


def pose(first: int) -> Part:
    """A pose in Study's coordinates."""
    return Part(POSE, first)


def _matrix(n: int, row: Mapping[tuple[int, int], complex]) -> Complex:
    made = np.zeros((n + 1, n + 1), np.complex128)
    for (i, j), c in row.items():
        made[i, j] += c / 2
        made[j, i] += c / 2
    return made


def rotation(e: Complex) -> Complex:
    """R of a unit quaternion (w, x, y, z)."""
    w, x, y, z = e
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
