"""Each element's place, closure and energy against formulas written by hand, and against differences of positions."""

import numpy as np
import pytest

from closedchain.derive.mechanics import Mechanics, equations
from closedchain.describe import (
    Angle,
    Bar,
    Crank,
    Damper,
    Fixed,
    Free,
    Mechanism,
    Pin,
    Plate,
    Rail,
    Slider,
    Spring,
    Telescope,
)
from closedchain.describe.expressions import evaluate

RNG = np.random.default_rng(7)
EXACT = {"rtol": 1e-13, "atol": 1e-13}  # a dozen operations on numbers of size one
DIFFERENCE = {"rtol": 1e-9, "atol": 1e-9}  # five-point differences with h = 1e-3: h⁴ and 1e-16 / h, both below 1e-10


def number(e, names):
    """The expression's value."""
    return float(evaluate(e, names))


def numbers(es, names):
    """The expressions' values."""
    return np.array([number(e, names) for e in es])


def rate(f, z, z_dot, h=1e-3):
    """d/dt f(z) along z_dot, by five points."""
    z, z_dot = np.asarray(z), np.asarray(z_dot)
    return sum(w * np.asarray(f(z + k * h * z_dot)) for k, w in ((-2, 1), (-1, -8), (1, 8), (2, -1))) / (12 * h)


def names_of(eq, z, z_dot):
    """Coordinates and rates by name."""
    return {c.name: v for c, v in zip(eq.z, z, strict=True)} | {
        c.rate.name: v for c, v in zip(eq.z, z_dot, strict=True)
    }


def dyad(drive, *, length=2.0, mass=0.0, **more):
    """A drive, a bar to the free point C, a massless bar from C to the ground at D = (3, 0); z = (q1, x, y)."""
    C, D = Free("C"), Fixed("D", at=(3, 0))
    return Mechanism("dyad", drives=(drive,), bars=(Bar(drive, C, length, mass=mass), Bar(D, C, 2.0)), output=C, **more)


Z, Z_DOT = np.array([0.7, 1.3, -0.4]), np.array([0.9, -1.1, 0.6])


# Drives --------------------------------------------------------------------------------------------------------------


def test_a_slider_moves_its_point_along_its_line():
    """A = at + q along, ½ m q̇², and weight m g · A: 3-4-5 direction, gravity along −y."""
    eq = equations(dyad(Slider("q1", at=(1, 2), along=(0.6, 0.8), mass=2.0), gravity=(0, -9.81)))
    at = names_of(eq, Z, Z_DOT)
    np.testing.assert_allclose(numbers(dict(eq.points)["q1"], at), [1 + 0.6 * 0.7, 2 + 0.8 * 0.7], **EXACT)
    np.testing.assert_allclose(number(eq.kinetic, at), 0.5 * 2.0 * 0.9**2, **EXACT)
    np.testing.assert_allclose(number(eq.potential, at), 2.0 * 9.81 * (2 + 0.8 * 0.7), **EXACT)


def test_a_crank_with_its_centre_off_the_middle_turns_by_steiner():
    """T = ½ (m c² + I) q̇² and V = m g (y + c sin q), c from the pivot and not the radius."""
    crank = Crank("q1", about=(1, 2), radius=0.5, mass=2.0, centre=0.2, inertia=0.3)
    eq = equations(dyad(crank, gravity=(0, -9.81)))
    at = names_of(eq, Z, Z_DOT)
    np.testing.assert_allclose(number(eq.kinetic, at), 0.5 * (2.0 * 0.2**2 + 0.3) * 0.9**2, **EXACT)
    np.testing.assert_allclose(number(eq.potential, at), 2.0 * 9.81 * (2 + 0.2 * np.sin(0.7)), **EXACT)
    tip = [1 + 0.5 * np.cos(0.7), 2 + 0.5 * np.sin(0.7)]
    np.testing.assert_allclose(numbers(dict(eq.points)["q1"], at), tip, **EXACT)


def test_a_crank_with_a_mass_alone_is_a_uniform_rod():
    """m r² / 3 about its end."""
    eq = equations(dyad(Crank("q1", about=(0, 0), radius=0.5, mass=2.0)))
    np.testing.assert_allclose(number(eq.kinetic, names_of(eq, Z, Z_DOT)), 0.5 * (2.0 * 0.25 / 3) * 0.9**2, **EXACT)


def test_a_telescope_has_a_body_at_each_end():
    """A cylinder fixed to the base end and a rod fixed to the tip end: ½ m |v|² + ½ I ω² of both, by differences."""
    B1, B2, C = Fixed("B1", at=(0.2, -0.1)), Fixed("B2", at=(3, 0)), Free("C")
    bodies = {"base_mass": 2.0, "base_centre": 0.3, "base_inertia": 0.11}
    bodies |= {"tip_mass": 0.7, "tip_centre": 0.4, "tip_inertia": 0.05}
    legs = (Telescope("q1", B1, C, **bodies), Telescope("q2", B2, C))
    eq = equations(Mechanism("legs", drives=legs, output=C, gravity=(0, -9.81)))
    place, velocity = np.array([1.3, 0.8]), np.array([-0.5, 0.9])
    base = np.array([0.2, -0.1])

    def along(x):
        return (x - base) / np.linalg.norm(x - base)

    q = [np.linalg.norm(place - base), np.linalg.norm(place - [3, 0])]
    q_dot = [(place - base) @ velocity / q[0], (place - [3, 0]) @ velocity / q[1]]
    at = names_of(eq, [*q, *place], [*q_dot, *velocity])
    v_base = rate(lambda x: base + 0.3 * along(x), place, velocity)
    v_tip = rate(lambda x: x - 0.4 * along(x), place, velocity)
    omega = rate(lambda x: np.arctan2(*(x - base)[::-1]), place, velocity)
    want = 0.5 * 2.0 * v_base @ v_base + 0.5 * 0.7 * v_tip @ v_tip + 0.5 * (0.11 + 0.05) * omega**2
    np.testing.assert_allclose(number(eq.kinetic, at), want, **DIFFERENCE)
    heights = 2.0 * (base + 0.3 * along(place))[1] + 0.7 * (place - 0.4 * along(place))[1]
    np.testing.assert_allclose(number(eq.potential, at), 9.81 * heights, **EXACT)
    np.testing.assert_allclose([number(c.residual, at) for c in eq.closures], [0, 0], atol=1e-14)


# Bars and plates -----------------------------------------------------------------------------------------------------


def bar_states():
    """A crank's tip A, a free point C and their velocities such that |C − A| keeps its length."""
    q, q_dot, angle, omega = RNG.uniform(-2, 2, 4)
    A, v_A = 0.5 * np.array([np.cos(q), np.sin(q)]), 0.5 * q_dot * np.array([-np.sin(q), np.cos(q)])
    u, n = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    return q, q_dot, A, v_A, A + 2.0 * u, v_A + 2.0 * omega * n, u, omega * n, omega


@pytest.mark.parametrize("case", range(5))
def test_a_uniform_bar_has_the_energy_of_its_slices(case):
    """∫ ½ ρ |v|² along the bar, summed by Gauss's rule, which is exact for a quadratic."""
    q, q_dot, _, v_A, C, v_C, *_ = bar_states()
    eq = equations(dyad(Crank("q1", about=(0, 0), radius=0.5), mass=3.0))
    nodes, weights = np.polynomial.legendre.leggauss(2)
    share = (1 + nodes) / 2
    slices = (1 - share)[:, None] * v_A + share[:, None] * v_C
    want = 3.0 * np.sum(weights / 2 * 0.5 * np.sum(slices**2, axis=-1))
    got = number(eq.kinetic, names_of(eq, [q, *C], [q_dot, *v_C]))
    np.testing.assert_allclose(got, want, **EXACT)


@pytest.mark.parametrize("case", range(5))
def test_an_uneven_bar_is_a_rigid_body(case):
    """½ m |v_c|² + ½ I ω² with the centre 0.3 m from its end and an inertia of its own; its weight hangs there too."""
    q, q_dot, A, v_A, C, v_C, u, u_dot, omega = bar_states()
    crank, D = Crank("q1", about=(0, 0), radius=0.5), Fixed("D", at=(3, 0))
    free = Free("C")
    bar = Bar(crank, free, 2.0, mass=3.0, centre=0.3, inertia=0.2)
    eq = equations(Mechanism("bar", drives=(crank,), bars=(bar, Bar(D, free, 2.0)), output=free, gravity=(1.0, -9.81)))
    at = names_of(eq, [q, *C], [q_dot, *v_C])
    v_c = v_A + 0.3 * u_dot
    np.testing.assert_allclose(number(eq.kinetic, at), 1.5 * v_c @ v_c + 0.1 * omega**2, **EXACT)
    np.testing.assert_allclose(number(eq.potential, at), -3.0 * np.array([1.0, -9.81]) @ (A + 0.3 * u), **EXACT)
    np.testing.assert_allclose(number(eq.closures[0].residual, at), 0, atol=1e-14)


def plate_with_three_legs(plate, points, **more):
    """Three telescopes from the ground to a plate; z = (q1, q2, q3, x, y, phi)."""
    base = [Fixed(f"B{i}", at=at) for i, at in enumerate(((0, 0), (4, 0), (1, 3)), start=1)]
    legs = [Telescope(f"q{i}", b, p) for i, (b, p) in enumerate(zip(base, points, strict=True), start=1)]
    return Mechanism("plate", drives=tuple(legs), output=plate, **more)


def turned(phi, local):
    """R(phi) local."""
    return np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]]) @ local


def test_a_plate_moves_by_its_centre_and_turns_about_it():
    """½ m |v_c|² + ½ I φ̇² with v_c by differences of (x, y) + R(φ) c; its weight hangs at c."""
    plate = Plate("plate", mass=2.0, centre=(0.3, -0.2), inertia=0.15)
    corners = ((0, 0), (1, 0), (0.2, 0.9))
    points = [plate.point(f"P{i}", at=at) for i, at in enumerate(corners, start=1)]
    eq = equations(plate_with_three_legs(plate, points, gravity=(0, -9.81)))
    x, x_dot = np.array([1.1, 0.7, 0.4]), np.array([-0.3, 0.8, 1.7])
    at = names_of(eq, [1, 1, 1, *x], [0, 0, 0, *x_dot])

    def centre(x):
        return x[:2] + turned(x[2], [0.3, -0.2])

    v = rate(centre, x, x_dot)
    np.testing.assert_allclose(number(eq.kinetic, at), v @ v + 0.5 * 0.15 * 1.7**2, **DIFFERENCE)
    np.testing.assert_allclose(number(eq.potential, at), 2.0 * 9.81 * centre(x)[1], **EXACT)
    for name, local in zip(("P1", "P2", "P3"), corners, strict=True):
        np.testing.assert_allclose(numbers(dict(eq.points)[name], at), x[:2] + turned(x[2], local), **EXACT)


def test_velocities_are_the_derivatives_of_positions():
    """The velocity of every kind of point, and its square, which is written without sines, against differences."""
    plate = Plate("plate")
    points = [plate.point(f"P{i}", at=at) for i, at in enumerate(((0.1, 0), (1, 0), (0.2, 0.9)), start=1)]
    A = Crank("q1", about=(0, 0), radius=0.5)
    S = Slider("q2", at=(4, 0), along=(0.6, 0.8))
    B3 = Fixed("B3", at=(1, 3))
    bars = (Bar(A, points[0], 1.0), Bar(S, points[1], 1.0))
    m = Mechanics(Mechanism("mixed", drives=(A, S, Telescope("q3", B3, points[2])), bars=bars, output=plate))
    eq = equations(m.mechanism)
    z, z_dot = RNG.uniform(-1, 1, 6), RNG.uniform(-1, 1, 6)
    for point in (A, S, B3, *points):
        v = rate(lambda z, p=point: numbers(m.position(p), names_of(eq, z, z_dot)), z, z_dot)
        np.testing.assert_allclose(numbers(m.velocity(point), names_of(eq, z, z_dot)), v, **DIFFERENCE)
        np.testing.assert_allclose(number(m.speed_squared(point), names_of(eq, z, z_dot)), v @ v, **DIFFERENCE)


# Pins and rails ------------------------------------------------------------------------------------------------------


def test_a_pin_closes_in_both_directions():
    """φ = b − a, linear: a plate pinned to a crank's tip and held by one bar."""
    A, B = Crank("q1", about=(0, 0), radius=0.5), Fixed("B", at=(3, 0))
    plate = Plate("plate")
    P, Q = plate.point("P", at=(0.1, 0.2)), plate.point("Q", at=(1, 0))
    eq = equations(Mechanism("pinned", drives=(A,), bars=(Bar(B, Q, 2.0),), pins=(Pin(A, P),), output=plate))
    z = np.array([0.7, 1.3, -0.4, 0.3])
    at = names_of(eq, z, np.zeros(4))
    tip, P_at = 0.5 * np.array([np.cos(0.7), np.sin(0.7)]), z[1:3] + turned(0.3, [0.1, 0.2])
    Q_at = z[1:3] + turned(0.3, [1, 0])
    want = [(Q_at - [3, 0]) @ (Q_at - [3, 0]) - 4.0, *(P_at - tip)]
    np.testing.assert_allclose([number(c.residual, at) for c in eq.closures], want, **EXACT)
    assert [c.name for c in eq.closures] == ["B-Q", "q1=P.x", "q1=P.y"]


def test_a_fixed_rail_measures_the_distance_from_its_line():
    """φ = along × (P − O): the signed distance from the line."""
    A, O, C = Crank("q1", about=(0, 0), radius=0.5), Fixed("O", at=(0, 1)), Free("C")
    rails = (Rail(C, O, along=(0.6, 0.8), name="rail"),)
    eq = equations(Mechanism("railed", drives=(A,), bars=(Bar(A, C, 2.0),), rails=rails, output=C))
    normal = np.array([-0.8, 0.6])
    at = names_of(eq, Z, Z_DOT)
    np.testing.assert_allclose(number(eq.closures[1].residual, at), normal @ (Z[1:] - [0, 1]), **EXACT)


def test_a_rail_on_a_plate_turns_with_it():
    """φ = (R(φ) along) × (P − T): a crank's pin in the slot of a plate."""
    A, B = Crank("q1", about=(0, 0), radius=0.5), Fixed("B", at=(3, 0))
    plate = Plate("plate")
    T, Q, P = (plate.point(n, at=at) for n, at in (("T", (0.1, 0.2)), ("Q", (1, 0)), ("P", (0, 0))))
    D = Fixed("D", at=(1, 2))
    rails = (Rail(A, T, along=(0.6, 0.8)),)
    bars = (Bar(B, Q, 2.0), Bar(D, P, 2.0))
    eq = equations(Mechanism("slot", drives=(A,), bars=bars, rails=rails, output=plate))
    z = np.array([0.7, 1.3, -0.4, 0.3])
    away = 0.5 * np.array([np.cos(0.7), np.sin(0.7)]) - z[1:3] - turned(0.3, [0.1, 0.2])
    u = turned(0.3, [0.6, 0.8])
    got = number(eq.closures[2].residual, names_of(eq, z, np.zeros(4)))
    np.testing.assert_allclose(got, u[0] * away[1] - u[1] * away[0], **EXACT)


# Springs, dampers, readouts ------------------------------------------------------------------------------------------


def test_springs_act_between_points_and_on_drives():
    """½ k (|C − E| − l0)² and ½ k (q − q0)²."""
    A = Crank("q1", about=(0, 0), radius=0.5)
    m = dyad(A)
    C, E = m.output, Fixed("E", at=(2, 2))
    springs = (Spring((C, E), stiffness=50.0, rest=0.4), Spring(A, stiffness=3.0, rest=0.2))
    eq = equations(Mechanism("sprung", drives=m.drives, bars=m.bars, output=C, springs=springs))
    stretch = np.linalg.norm(Z[1:] - [2, 2]) - 0.4
    got = number(eq.potential, names_of(eq, Z, Z_DOT))
    np.testing.assert_allclose(got, 25.0 * stretch**2 + 1.5 * 0.5**2, **EXACT)


def test_dampers_take_power_by_the_rate_of_their_length():
    """D = ½ c (d|C − E|/dt)² + ½ c q̇²: half the power they take."""
    A = Crank("q1", about=(0, 0), radius=0.5)
    m = dyad(A)
    C, E = m.output, Fixed("E", at=(2, 2))
    dampers = (Damper((C, E), damping=4.0), Damper(A, damping=0.3))
    eq = equations(Mechanism("damped", drives=m.drives, bars=m.bars, output=C, dampers=dampers))
    stretching = rate(lambda x: np.linalg.norm(x - [2, 2]), Z[1:], Z_DOT[1:])
    got = number(eq.dissipation, names_of(eq, Z, Z_DOT))
    np.testing.assert_allclose(got, 2.0 * stretching**2 + 0.15 * 0.9**2, **DIFFERENCE)


def test_a_readout_counts_from_the_x_axis_or_from_a_crank():
    """atan2 of the direction; relative to the arm, the difference of the two directions modulo a turn."""
    A = Crank("q1", about=(0, 0), radius=0.5)
    m = dyad(A)
    C = m.output
    readouts = (Angle("absolute", A, C), Angle("relative", A, C, relative_to=A))
    eq = equations(Mechanism("read", drives=m.drives, bars=m.bars, output=C, readouts=readouts))
    away = Z[1:] - 0.5 * np.array([np.cos(0.7), np.sin(0.7)])
    absolute = np.arctan2(away[1], away[0])
    at = names_of(eq, Z, Z_DOT)
    got = [number(r.value, at) for r in eq.readouts]
    np.testing.assert_allclose(got, [absolute, absolute - 0.7], **EXACT)  # −1.4 − 0.7 needs no wrapping
