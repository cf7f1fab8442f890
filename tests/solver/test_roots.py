"""All solutions of a system: none missed, none invented, each proven, clusters told."""

import mpmath
import numpy as np
import pytest

from closedchain.solver import generic, roots
from closedchain.solver.certificate import certify
from closedchain.solver.exact import certify_exactly
from closedchain.solver.merging import together_within
from closedchain.solver.paths import Member
from closedchain.solver.quadrics import ONE, coefficients
from tests.solver.frames import LEGS, POSTURES, closed_at, conics, hexapod, posture


@pytest.mark.parametrize("name", ["prism", "k33"])
def test_frames_find_the_points_they_were_made_from(name, request):
    """Random real points, the bars read off: every solution is proven, and the points are among the real ones."""
    space = request.getfixturevalue(name)
    family = generic(space)
    for seed in range(20):
        z = np.random.default_rng(seed).standard_normal(space.shape.n)
        found = roots(family, closed_at(space, z))
        assert found.complete
        assert len(found.Z) == family.count
        assert np.abs(found.Z[found.real, :-1] - z).max(axis=1).min() < 1e-9
        assert found.real.sum() % 2 == 0  # complex ones come in pairs


def test_conics_meet_where_their_resultant_says():
    """200 pairs of random conics against the roots of the resultant, a quartic of 40 digits."""
    space = conics()
    family = generic(space)
    assert family.count == 4
    rng = np.random.default_rng(7)
    for _ in range(200):
        C = rng.standard_normal(len(space.middle)).astype(np.complex128)
        found = roots(family, C)
        assert found.complete
        wanted = resultant_roots(space.shape, C.real)
        apart = np.abs(found.Z[:, :1] - wanted[None])
        assert len(found.Z) == 4
        assert apart.min(axis=0).max() < 1e-7 * (1 + np.abs(wanted).max())
        real = sum(abs(w.imag) < 1e-9 * (1 + abs(w)) for w in wanted)
        assert found.real.sum() == real


def resultant_roots(shape, C):
    """The first coordinates of the common points of two conics, by Sylvester's determinant in 40 digits."""
    with mpmath.workdps(40):
        rows = []
        for e in range(2):
            c = {(int(i), int(j)): mpmath.mpf(v) for (k, i, j), v in zip(shape.terms, C, strict=True) if k == e}
            # a y² + (b x + d) y + (f x² + g x + h), as polynomials in x, lowest first
            rows.append(([c[1, 1]], [c[1, 2], c[0, 1]], [c[2, 2], c[0, 2], c[0, 0]]))
        (a, b, f), (A, B, F) = rows

        def times(p, q):
            made = [mpmath.mpf(0)] * (len(p) + len(q) - 1)
            for i, x in enumerate(p):
                for j, y in enumerate(q):
                    made[i + j] += x * y
            return made

        def less(p, q):
            size = max(len(p), len(q))
            p, q = (list(r) + [mpmath.mpf(0)] * (size - len(r)) for r in (p, q))
            return [x - y for x, y in zip(p, q, strict=True)]

        # Res = (a F − A f)² − (a B − A b)(b F − B f)
        first = less(times(a, F), times(A, f))
        second, third = less(times(a, B), times(A, b)), less(times(b, F), times(B, f))
        quartic = less(times(first, first), times(second, third))
        found = mpmath.polyroots(quartic[::-1], maxsteps=200, extraprec=200)
        return np.array([complex(r) for r in found])


def test_dietmaiers_platform_has_forty_real_postures():
    """Forty over the complex numbers, closed by the trace; with Dietmaier's legs all forty are proven real."""
    z, squares = posture(3)
    space, C = hexapod(squares)
    family = generic(space, start=(C, z))
    assert family.count == 40
    found = roots(family, hexapod(LEGS**2)[1])
    assert found.complete
    assert found.real.sum() == 40
    for t, (w, x, y, v) in POSTURES:
        R = np.array(
            [
                [1 - 2 * (y * y + v * v), 2 * (x * y - w * v), 2 * (x * v + w * y)],
                [2 * (x * y + w * v), 1 - 2 * (x * x + v * v), 2 * (y * v - w * x)],
                [2 * (x * v - w * y), 2 * (y * v + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        assert np.abs(found.Z[:, :12].real - np.append(t, R)).max(axis=1).min() < 1e-8  # nine digits are published


def test_circles_that_touch_make_a_cluster_of_two(circles):
    """Bars of half the distance of their ends: the two solutions are one, told as a cluster and not as proven."""
    family = generic(circles)
    found = roots(family, closed_at(circles, [0.5, 0.0]))
    assert len(found.Z) == 0
    assert [c.count for c in found.clusters] == [2]
    np.testing.assert_allclose(found.clusters[0].z, [0.5, 0.0, 1.0], atol=1e-4)
    assert found.complete


def test_circles_that_miss_have_no_real_solution(circles):
    """A triangle that cannot be closed: two complex solutions, proven not to be real."""
    C = closed_at(circles, [0.5, 0.3])
    C[circles.shape.constants] += 0.3
    found = roots(generic(circles), C)
    assert found.complete
    assert len(found.Z) == 2
    assert not found.real.any()


def test_a_certificate_holds_for_the_root_and_for_nothing_else(k33):
    """The ball contains the root of 50 digits; a point beside it, or between two roots, is not proven."""
    z = np.random.default_rng(1).standard_normal(8)
    C = closed_at(k33, z)
    found = roots(generic(k33), C)
    proof = certify(Member(k33.shape, C), found.Z)
    assert proof.proven.all()
    assert (proof.radius < 1e-9).all()
    for centre, radius in zip(found.Z, found.radius, strict=True):
        root = newton(k33.shape, C, centre)
        assert max(abs(complex(r) - c) for r, c in zip(root, centre, strict=False)) <= radius
    off = found.Z.copy()
    off[:, 0] += 0.2
    assert not certify(Member(k33.shape, C), off).proven.any()


def newton(shape, C, z, digits=50):
    """The root near z in many digits."""
    with mpmath.workdps(digits):
        x = mpmath.matrix([mpmath.mpc(v) for v in z[:-1]])
        for _ in range(6):
            whole = [*x, mpmath.mpc(1)]
            F, J = mpmath.matrix(shape.n, 1), mpmath.matrix(shape.n, shape.n)
            for (e, i, j), c in zip(shape.terms.tolist(), C, strict=True):
                c = mpmath.mpc(c)
                F[e] += c * whole[i] * whole[j]
                if i < shape.n:
                    J[e, i] += c * whole[j]
                if j < shape.n:
                    J[e, j] += c * whole[i]
            x = x - mpmath.lu_solve(J, F)
        return list(x)


def test_rational_arithmetic_proves_what_rounding_leaves_open(k33):
    """A solution two thousand times the frame's size, of condition 1e11: doubles prove nothing, fractions do."""
    rng = np.random.default_rng(2)
    rng.standard_normal(8)
    C = closed_at(k33, rng.standard_normal(8))
    found = roots(generic(k33), C)
    far = int(np.abs(found.Z).max(axis=1).argmax())
    assert np.abs(found.Z[far]).max() > 1e3
    assert not certify(Member(k33.shape, C), found.Z[far : far + 1]).proven[0]
    assert certify_exactly(k33.shape, C, found.Z[far], 0.0)[0]
    assert not certify_exactly(k33.shape, C, found.Z[far], 1e-15)[0]  # were its coefficients not known exactly
    assert found.complete


def test_circles_that_touch_have_two_solutions_within_a_proven_radius(circles):
    """Radii of one half, centres one apart, exact in doubles: one double solution, told as two within a radius."""
    found = roots(generic(circles), closed_at(circles, np.array([0.5, 0.0])))
    assert found.complete
    (cluster,) = found.clusters
    assert (cluster.count, cluster.proven) == (2, True)
    assert np.abs(cluster.z[:2] - [0.5, 0.0]).max() <= cluster.radius < 1e-4


@pytest.mark.parametrize("gap", [0.0, 1e-14, -1e-14, 1e-10])
def test_two_solutions_that_nearly_merge_lie_within_the_proven_radius(circles, gap):
    """y² = gap by hand: the radius about the middle holds both, real or conjugate, and is proven."""
    C = closed_at(circles, np.array([0.5, 0.0]))
    C[circles.shape.constants[:2]] -= gap  # both radii grow: the common points stay at x = 1/2
    radius = together_within(circles.shape, C, np.array([0.5, 0.0, 1.0], dtype=np.complex128), 1e-9, 2)
    assert np.sqrt(abs(gap)) <= radius < 1e3 * np.sqrt(abs(gap)) + 1e-4


def test_no_radius_is_proven_that_would_hold_one_of_two_solutions(circles):
    """Circles that cross at y = ±0.1: seen from one of them, any radius that is proven holds the other, too."""
    C = closed_at(circles, np.array([0.4, 0.1]))
    assert together_within(circles.shape, C, np.array([0.4, 0.1, 1.0], dtype=np.complex128), 1e-9, 2) > 0.2


OSCULATING = {  # circles that meet the parabola y = x² in one place (x − a)² + (y − b)² = c, so many times
    3: ((-0.5, 1.25, 2.0), (0.5, 0.25)),  # x⁴ − 3/2 x² + x − 3/16 = (x − 1/2)³ (x + 3/2)
    4: ((0.0, 0.5, 0.25), (0.0, 0.0)),  # x⁴
}


@pytest.mark.parametrize("count", OSCULATING)
def test_three_and_four_that_meet_are_proven_to_be_so_many(count):
    """A parabola and its osculating circles, exact in doubles: the rest of the four solutions lies elsewhere."""
    (a, b, c), place = OSCULATING[count]
    family = generic(conics())
    parabola = {(0, 0): 1.0, (1, ONE): -1.0}
    circle = {(0, 0): 1.0, (1, 1): 1.0, (0, ONE): -2 * a, (1, ONE): -2 * b, (ONE, ONE): a * a + b * b - c}
    found = roots(family, coefficients(family.shape, [parabola, circle]))
    (cluster,) = found.clusters
    assert (cluster.count, cluster.proven, len(found.Z)) == (count, True, 4 - count)
    assert np.abs(cluster.z[:2] - place).max() <= cluster.radius < 1e-1
    z = np.array([*place, 1.0], dtype=np.complex128)
    C = coefficients(family.shape, [parabola, circle])
    for other in {2, 3, 4, 5} - {count}:  # no other number is ever proven there
        assert together_within(family.shape, C, z, 1e-9, other) == np.inf
    radius = together_within(family.shape, C, z, 1e-9, count)
    assert radius < np.abs(found.Z[:, :2] - place).max(axis=-1).min(initial=np.inf)
