"""Systems whose number of solutions is known: points and bars of the plane, conics, Dietmaier's platform."""

import numpy as np

from closedchain.solver import Space
from closedchain.solver.quadrics import ONE, coefficients, pattern, product, quadratic

PRISM = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
K33 = [(a, b) for a in (0, 1, 2) for b in (3, 4, 5)]


def frame(edges, ground=(0, 1)):
    """Points joined by bars, the two of `ground` held one apart: a family whose constants are the squared lengths."""
    free = [v for v in sorted({v for e in edges for v in e}) if v not in ground]
    place = {v: 2 * k for k, v in enumerate(free)}
    held = {ground[0]: (0.0, 0.0), ground[1]: (1.0, 0.0)}
    rows = []
    for a, b in (e for e in edges if set(e) != set(ground)):
        sides = []
        for axis in range(2):
            side = {}
            for v, sign in ((a, 1.0), (b, -1.0)):
                key, value = (place[v] + axis, sign) if v in place else (ONE, sign * held[v][axis])
                side[key] = side.get(key, 0.0) + value
            sides.append(side)
        rows.append(quadratic(*((1.0, product(s, s)) for s in sides)))
    shape = pattern(rows, 2 * len(free))
    C = coefficients(shape, rows)
    return Space(shape, C, np.zeros((0, len(C)), np.complex128), np.arange(shape.n), (), np.ones(len(C)))


def closed_at(space, z):
    """The member of a frame whose bars fit the points z."""
    C = space.middle.copy()
    e, i, j = space.shape.terms.T
    z = np.append(z, 1.0)
    F = np.zeros(space.shape.n, np.complex128)
    np.add.at(F, e, C * z[i] * z[j])
    C[space.shape.constants] -= F
    return C


def conics():
    """Two general conics: every coefficient is free."""
    pairs = [(0, 0), (0, 1), (1, 1), (0, ONE), (1, ONE), (ONE, ONE)]
    shape = pattern([dict.fromkeys(pairs, 1.0)] * 2, 2)
    m = len(shape.terms)
    moving = np.delete(np.eye(m, dtype=np.complex128), shape.constants, axis=0)
    return Space(shape, np.zeros(m, np.complex128), moving, np.arange(2), (), np.ones(m))


BASE = np.array(  # Dietmaier's platform with 40 real postures
    [(0, 0, 0), (1.107915, 0, 0), (0.549094, 0.756063, 0), (0.735077, -0.223935, 0.525991),
     (0.514188, -0.526063, -0.368418), (0.590473, 0.094733, -0.205018)]
)  # fmt: skip
PLATFORM = np.array(
    [(0, 0, 0), (0.542805, 0, 0), (0.956919, -0.528915, 0), (0.665885, -0.353482, 1.402538),
     (0.478359, 1.158742, 0.107672), (-0.137087, -0.235121, 0.353913)]
)  # fmt: skip
LEGS = np.array([1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])
POSTURES = (  # two of the forty: t, quaternion (w, x, y, z)
    ((0.485480780, -0.200817988, -0.850870465), (0.553954677, -0.557894382, -0.386973037, -0.481809032)),
    ((0.803267816, -0.296007116, 0.516856463), (0.376508834, -0.729371604, -0.543667135, 0.175169084)),
)


def hexapod(lengths_squared):
    """|t + R p − b|² = l² and RᵀR = I in t and the nine numbers of R: the family of all leg lengths, and a member."""
    n, rows = 12, []
    for b, p, square in zip(BASE, PLATFORM, lengths_squared, strict=True):
        row = {(ONE, ONE): p @ p + b @ b - square}
        for a in range(3):
            turned = {3 + 3 * a + c: p[c] for c in range(3)}
            row = quadratic(
                (1.0, row),
                (1.0, product({a: 1.0}, {a: 1.0})),
                (2.0, product({a: 1.0}, turned)),
                (-2.0 * b[a], product(turned, {ONE: 1.0})),
                (-2.0 * b[a], product({a: 1.0}, {ONE: 1.0})),
            )
        rows.append(row)
    for i in range(3):
        for j in range(i, 3):
            squares = [(1.0, product({3 + 3 * a + i: 1.0}, {3 + 3 * a + j: 1.0})) for a in range(3)]
            rows.append(quadratic(*squares, (-float(i == j), {(ONE, ONE): 1.0})))
    shape = pattern(rows, n)
    C = coefficients(shape, rows)
    directions = np.zeros((0, len(C)), np.complex128)
    return Space(shape, C, directions, np.arange(6), (), np.ones(len(C))), C


def posture(seed):
    """A complex rotation (Cayley's form) and place, with the squared lengths that it gives the legs."""
    rng = np.random.default_rng(seed)
    S = 0.7 * (rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)))
    R = np.linalg.solve(np.eye(3) - (S - S.T), np.eye(3) + (S - S.T))
    t = rng.standard_normal(3) + 1j * rng.standard_normal(3)
    legs = t + PLATFORM @ R.T - BASE
    return np.concatenate([t, R.ravel(), [1.0]]), (legs * legs).sum(axis=1)
