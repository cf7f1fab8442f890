"""Plates whose poses are made to meet: their number is Sturm's, and clusters hold what they claim."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

from closedchain.model import three_circles as three_circles_module
from closedchain.model.plate_closure import normalise
from closedchain.model.plate_search import Verdict
from closedchain.model.three_circles import three_circles

T = sp.Symbol("t")
MOVED = 2.0**-52  # relative to the largest length: what a drive's sine leaves


def meeting_plates(n, seed):
    """Random plates at a Type 2 singularity, leg 3 then lengthened or shortened so that roots are 1e-16 to 1e-4 apart.

    The legs' lines pass through one point, so that two poses merge; a change g² of a length parts them by about g.
    """
    rng = np.random.default_rng(seed)
    centre, local = rng.normal(size=(n, 3, 2)), rng.normal(size=(n, 3, 2))
    phi, at = rng.uniform(-np.pi, np.pi, n), rng.normal(size=(n, 2)) @ [1, 1j]
    tip = at[:, None] + np.exp(1j * phi)[:, None] * (local @ [1, 1j])
    foot = centre @ [1, 1j]
    leg = tip - foot
    along = np.imag((tip[:, 1] - tip[:, 0]) * leg[:, 1].conj()) / np.imag(leg[:, 0] * leg[:, 1].conj())
    away = tip[:, 2] - (tip[:, 0] + along * leg[:, 0])
    foot[:, 2] = tip[:, 2] - away / np.abs(away) * rng.uniform(0.3, 2, n) * rng.choice([-1, 1], n)
    radius = np.abs(tip - foot)
    radius[:, 2] += rng.choice([-1, 1], n) * 10.0 ** (2 * rng.uniform(-16, -4, n))
    return np.stack([foot.real, foot.imag], axis=-1), radius, local


def sextic(centre, radius, local):
    """The eliminant of exact doubles as a SymPy polynomial in t = tan(φ/2), interpolated from its values."""
    a, p = ([[Fraction(float(v)) for v in row] for row in points] for points in (centre, local))
    rho = [Fraction(float(v)) for v in radius]

    def value(t):
        c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        n, w = [], []
        for i in (1, 2):
            x, y = p[i][0] - p[0][0], p[i][1] - p[0][1]
            n.append((c * x - s * y - a[i][0] + a[0][0], s * x + c * y - a[i][1] + a[0][1]))
            w.append(rho[i] ** 2 - rho[0] ** 2 - n[-1][0] ** 2 - n[-1][1] ** 2)
        across = [w[0] * n[1][j] - w[1] * n[0][j] for j in (0, 1)]
        area = n[0][0] * n[1][1] - n[0][1] * n[1][0]
        return (1 + t * t) ** 3 * (across[0] ** 2 + across[1] ** 2 - 4 * rho[0] ** 2 * area**2)

    points = [(k, sp.Rational(*value(Fraction(k)).as_integer_ratio())) for k in range(-3, 4)]
    return sp.Poly(sp.interpolate(points, T), T, domain="QQ")


def complex_poses(centre, radius, local):
    """All six poses (U_x, U_y, φ) at 40 digits, complex ones too, from the sextic and Cramer's rule."""
    with mpmath.workdps(40):
        c = [mpmath.mpf(v.p) / v.q for v in sextic(centre, radius, local).all_coeffs()]
        found = []
        for t in mpmath.polyroots(c, maxsteps=800, extraprec=400):
            phi = 2 * mpmath.atan(t)
            cos, sin = mpmath.cos(phi), mpmath.sin(phi)
            n, w = [], []
            for i in (1, 2):
                x, y = (local[i] - local[0]).tolist()
                e = [mpmath.mpf(float(v)) for v in centre[i]]
                e = [v - mpmath.mpf(float(u)) for v, u in zip(e, centre[0], strict=True)]
                n.append((cos * x - sin * y - e[0], sin * x + cos * y - e[1]))
                w.append(
                    mpmath.mpf(float(radius[i])) ** 2
                    - mpmath.mpf(float(radius[0])) ** 2
                    - n[-1][0] ** 2
                    - n[-1][1] ** 2
                )
            area = n[0][0] * n[1][1] - n[0][1] * n[1][0]
            across = [(w[0] * n[1][j] - w[1] * n[0][j]) / (2 * area) for j in (0, 1)]
            found.append([complex(across[1]), complex(-across[0]), complex(phi)])
    return np.array(found)


def assert_counted(n, seed):
    """Every element is complete: its certified poses are real roots by SymPy's count, and clusters hold the others."""
    plates = meeting_plates(n, seed)
    result = three_circles(*plates)
    assert result.complete.all()
    for k in range(n):
        exact = sextic(*(part[k] for part in plates)).sqf_part().count_roots()
        own = result.index == k
        firm, held = result.certified[own].sum(), result.roots[own & result.double].sum()
        assert firm <= exact <= firm + held, result.explain(k)
        assert (firm + held - exact) % 2 == 0  # the others are pairs of conjugates
    return result


def test_the_number_of_poses_is_right_although_they_meet():
    """150 plates whose roots are 1e-16 to 1e-4 apart: all proven, as Sturm's theorem counts, or merged."""
    result = assert_counted(150, seed=1)
    assert (result.verdict == Verdict.CLUSTERS).sum() > 50  # some cannot be told apart in double precision
    assert (result.verdict == Verdict.PROVEN).sum() > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_the_number_of_poses_is_right_for_many_more(seed):
    """500 of them for each of six seeds."""
    assert_counted(500, seed)


def test_a_cluster_holds_its_poses_within_its_radius_and_no_other_row_does():
    """30 plates at 40 digits, each also with lengths moved by rounding: the complex poses near a row are as told."""
    centre, radius, local = meeting_plates(30, seed=9)
    result = three_circles(centre, radius, local)
    plates = normalise(centre, radius, local)
    rng = np.random.default_rng(0)
    checked = 0
    for k in np.unique(result.index[result.roots > 1]):
        rows = np.nonzero(result.index == k)[0]
        for moved in (0.0, MOVED * plates.scale[k]):
            given = [v + moved * rng.uniform(-1, 1, v.shape) for v in (centre[k], radius[k], local[k])]
            poses = complex_poses(*given)
            for row in rows[result.roots[rows] > 1]:
                phi = result.x[row, 2]
                turn = np.exp(1j * phi) * (local[k, 0] @ [1, 1j])
                U = result.x[row, :2] @ [1, 1j] + turn - centre[k, 0] @ [1, 1j]
                angle = poses[:, 2] - phi
                angle = angle - 2 * np.pi * np.round(angle.real / (2 * np.pi))
                arm = plates.arm[k] * plates.scale[k]
                away = np.sqrt(
                    np.abs(poses[:, 0] - U.real) ** 2 + np.abs(poses[:, 1] - U.imag) ** 2 + np.abs(arm * angle) ** 2
                )
                assert np.count_nonzero(away <= result.spread[row]) == result.roots[row]
                checked += 1
    assert checked > 20


def test_radii_of_clusters_are_of_the_size_that_rounding_makes():
    """Two poses that rounding cannot part are √eps of the robot's size apart, up to its condition."""
    result = three_circles(*meeting_plates(50, seed=3))
    spread = result.spread[result.roots > 1]
    assert np.median(spread) < 1e-5  # sizes of 1 to 5 m: √(4 eps) = 3e-8, and conditions of 10 to 100
    assert spread.max() < 1e-2


def test_each_row_says_what_it_stands_for():
    """Single rows stand for themselves, a cluster for two or more; all complex poses come to an even number."""
    result = three_circles(*meeting_plates(50, seed=4))
    single = result.roots == 1
    assert (result.spread[single] == 0).all()
    assert not result.double[single].any()
    assert result.double[~single].all()
    assert (result.roots[~single] >= 2).all()
    assert (np.bincount(result.index, weights=result.roots, minlength=50) % 2 == 0).all()


def test_mirror_poses_that_touch_are_told_as_double_without_a_number():
    """Legs stretched on one line: four complex poses meet there along two directions at once, which is not proven."""
    local = np.array([[0.0, 0.0], [7.0, 0.0], [10.0, 0.0]])
    centre = local + np.array([[5.0, 0.0], [-9.0, 0.0], [35.0, 0.0]])
    result = three_circles(centre, [5, 9, 35], local)
    row = np.abs(result.x).max(axis=1).argmin()
    np.testing.assert_allclose(result.x[row], 0, atol=1e-7)
    assert result.double[row]
    assert not result.complete[0]
    assert result.roots[row] == 0


def test_a_large_batch_is_decided_only_when_asked(monkeypatch):
    """More elements with merging poses than the default settles: left open, unless `prove` is True."""
    plates = meeting_plates(30, seed=5)
    monkeypatch.setattr(three_circles_module, "SETTLE_UP_TO", 5)
    assert not three_circles(*plates).complete.all()
    assert three_circles(*plates, prove=True).complete.all()
