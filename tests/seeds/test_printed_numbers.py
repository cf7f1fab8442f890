"""Numbers that the seed documents print and that TRUTH.md found right, reproduced to their printed digits."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.model.three_circles import half_angle_sextic
from closedchain.robots.furuta import seed_form

R, L, r = 4.0, 3.5, 2.0
POSE = np.array([-3.0, -1.0, np.pi / 4])


def digits(count):
    """Agreement to a number of printed decimals."""
    return {"rtol": 0, "atol": 0.51 * 10.0**-count}


@pytest.fixture(scope="module")
def q_star(triplate):
    """Seed 002's joint vector: the pose (-3, -1, 45°) in working mode (+,-)."""
    (found,) = [s for s in cc.inverse(triplate, POSE) if s.working == "+-"]
    return found.q


@pytest.fixture(scope="module")
def sextic(q_star):
    """The monic polynomial in t = tan(phi/2) at q*."""
    feet = [[R * np.cos(q_star[0]), R * np.sin(q_star[0])], [R * np.cos(q_star[1]), R * np.sin(q_star[1])], [0.0, -R]]
    plate = [[r / 2, r * np.sqrt(3) / 2], [0.0, 0.0], [r, 0.0]]
    coefficients = np.asarray(half_angle_sextic(np.array(feet), np.array([L, L, q_star[2]]), np.array(plate)))
    return coefficients / coefficients[0]


def test_the_joint_vector_of_seed_002(q_star):
    """q* = (-140.547°, 141.358°, 4.690)."""
    np.testing.assert_allclose([*np.rad2deg(q_star[:2]), q_star[2]], [-140.547, 141.358, 4.690], **digits(3))


def test_the_polynomial_of_seed_002(sextic):
    """t⁶ + 4.9467t⁵ + 2.9034t⁴ + 4.8135t³ - 5.2547t² - 0.026t + 0.4194, and TRUTH.md's further digits."""
    np.testing.assert_allclose(sextic, [1, 4.9467, 2.9034, 4.8135, -5.2547, -0.026, 0.4194], **digits(4))
    further = [1, 4.9466912, 2.9033528, 4.813456, -5.2546646, -0.02599955, 0.41941159]
    np.testing.assert_allclose(sextic, further, **digits(7))


def test_the_denominator_of_seed_002(q_star):
    """(1 + t²) times a square: t⁶ - 3.2103t⁵ + 6.2929t⁴ - …, from A D - B C with A's sign put right (row 2-6)."""
    (c1, c2), (s1, s2), root = np.cos(q_star[:2]), np.sin(q_star[:2]), np.sqrt(3)
    one, cosine, sine = np.array([1.0, 0, 1]), np.array([-1.0, 0, 1]), np.array([0, 2.0, 0])
    A = 2 * R * (c2 - c1) * one + r * cosine - root * r * sine
    B = 2 * R * (s2 - s1) * one + r * sine + root * r * cosine
    C, D = -2 * R * c2 * one - 2 * r * cosine, (-2 * R - 2 * R * s2) * one - 2 * r * sine
    quadratic, remainder = np.polydiv(np.polymul(A, D) - np.polymul(B, C), one)
    np.testing.assert_allclose(remainder, 0, rtol=0, atol=1e-12)
    square = np.polymul(quadratic, quadratic) / quadratic[0] ** 2
    printed = [1, -3.2103, 6.2929, -7.5705, 7.1375, -4.3602, 1.8446]
    np.testing.assert_allclose(np.polymul(square, one), printed, **digits(4))


def test_the_roots_of_seed_002(sextic):
    """-4.59672, -0.25833, 0.41421, 0.4472 and -0.47653 ± 1.296i."""
    roots = np.sort_complex(np.roots(sextic))
    printed = np.sort_complex([-4.59672, -0.25833, 0.41421, 0.4472, -0.47653 - 1.296j, -0.47653 + 1.296j])
    np.testing.assert_allclose(roots, printed, **digits(5))


def test_the_four_solutions_of_seed_002(triplate, q_star):
    """S1 … S4, positions to four decimals and angles to four decimals of a degree; S4 is as true as the others."""
    found = cc.direct(triplate, q_star).x
    got = np.column_stack([found[:, :2], np.rad2deg(found[:, 2])])
    printed = [
        [0.1286, 1.2060, -155.4535],
        [-5.4356, -0.1305, -28.9696],
        [-3.0000, -1.0000, 45.00],
        [-2.4770, -0.9418, 48.1887],
    ]
    np.testing.assert_allclose(got[got[:, 2].argsort()], printed, **digits(4))


def test_the_hole_of_seed_002(triplate):
    """No inverse solution for x < 0.5 on y = 0, phi = 10°: the second arm leaves a hole of R - L about the centre."""
    x = np.array([0.1, 0.3, 0.499, 0.501, 0.7, 1.9])
    poses = np.stack([x, np.zeros(6), np.full(6, np.deg2rad(10))], axis=-1)
    found = cc.inverse(triplate, poses)
    np.testing.assert_array_equal(np.bincount(np.asarray(found.index, dtype=int), minlength=6), [0, 0, 0, 4, 4, 4])


def test_the_parameters_of_seed_003(furuta):
    """The typed values of the code block."""
    typed = {"J_1": 0.0044, "m_2": 0.14, "L_1": 0.2, "L_2": 0.3, "c_2": 0.15, "b_1": 0.015, "b_2": 0.002}
    typed |= {"k_t": 0.00767, "k_v": 0.00767, "k_r": 70.0, "R_a": 2.6, "g": 9.81}
    assert {name: furuta.values[name] for name in typed} == typed


def test_the_thetas_of_seed_003(furuta):
    """theta_1 … theta_6 by the formulas of the code block."""
    factor = 2.6 / (70 * 0.00767)
    theta = [
        factor * (0.0044 + 0.14 * 0.2**2),
        factor * 0.14 * 0.3**2 / 3,
        factor * 0.14 * 0.2 * 0.3 / 2,
        factor * 0.14 * 0.15,
    ]
    theta += [0.015 * factor + 70 * 0.00767, 0.002 * factor]
    np.testing.assert_allclose(seed_form(furuta, [0.0, 0.0], [0.0, 0.0]).theta, theta, rtol=1e-14)


@pytest.mark.parametrize(("q2", "q1_dot", "q2_dot"), [(0.3, 1.2, -0.4), (-2.0, -3.0, 5.0)])
def test_the_matrices_of_the_code_of_seed_003(hanging, q2, q1_dot, q2_dot):
    """M, C, F and G of the code block, which measures q2 from hanging."""
    t1, t2, t3, t4, t5, t6 = seed_form(hanging, [0.0, 0.0], [0.0, 0.0]).theta
    s, c = np.sin(q2), np.cos(q2)
    got = seed_form(hanging, [0.7, q2], [q1_dot, q2_dot])
    np.testing.assert_allclose(got.M, [[t1 + t2 * s**2, t3 * c], [t3 * c, t2]], rtol=1e-14)
    np.testing.assert_allclose(
        got.C_code, [[2 * t2 * s * c * q2_dot, -t3 * s * q2_dot], [-t2 * s * c * q1_dot, t6]], rtol=1e-14
    )
    np.testing.assert_allclose(got.friction, [t5 * q1_dot, t6 * q2_dot], rtol=1e-14)  # the code's C holds the second
    np.testing.assert_allclose(got.gravity, [0, t4 * 9.81 * s], rtol=1e-14)


def test_the_type_1_position_of_seed_000(biglide):
    """x_m = (0.1606, 0) of eq 55 is where leg 1 lies flat, l - d/2: just inside it leg 1 is level to a milliradian."""
    assert biglide.values["l"] - biglide.values["d"] / 2 == pytest.approx(0.1606, abs=1e-15)
    (pose,) = [s for s in cc.inverse(biglide, [0.1606 - 1e-7, 0.0]) if s.working == "++"]
    assert abs(pose.passive[0]) < 1e-3


def test_the_trajectory_of_seed_000_stays_in_the_mode_of_its_figure(biglide):
    """The quintic of eqs 46-47, (0, 0.3) to (0.1, 0.5) m in 3 s, has the (+,+) solution and det A > 0 throughout."""
    s = np.linspace(0, 1, 301)
    blend = 10 * s**3 - 15 * s**4 + 6 * s**5
    x = np.array([0.0, 0.3]) + blend[:, None] * np.array([0.1, 0.2])
    along = cc.evaluate(biglide, x=x, working="++")
    assert (along.det_A > 0.4).all()
    np.testing.assert_allclose(along.q[0], [-5.392848619729411e-05] * 2, rtol=0, atol=1e-15)
    np.testing.assert_allclose(along.q[-1], [0.2999191163554099, 0.1535431339978958], rtol=1e-14)
