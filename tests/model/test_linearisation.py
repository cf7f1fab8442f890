"""The linear model against differences of the nonlinear one, and against published machines."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Damper, Fixed, Free, Mechanism, Recipe, Spring
from closedchain.errors import BadInput, NoSolution, Singular


def sprung_fourbar():
    """A four-bar in a vertical plane with uniform bars, a spring from its joint to a fixed point, and two dampers."""
    A, D, E = (
        Crank("q1", about=(0, 0), radius=0.1, mass=0.1, point="A"),
        Fixed("D", at=(0.3, 0)),
        Fixed("E", at=(0, 0.4)),
    )
    C = Free("C", mass=0.2)
    return cc.load(
        Recipe(
            Mechanism(
                "sprung",
                drives=(A,),
                bars=(Bar(A, C, 0.3, mass=0.3), Bar(D, C, 0.25, mass=0.25)),
                output=C,
                springs=(Spring((C, E), stiffness=40.0, rest=0.1),),
                dampers=(Damper((C, E), damping=0.8), Damper(A, damping=0.02)),
                gravity=(0, -9.81),
            )
        )
    )


def slopes(f, at, h=1e-3):
    """The Jacobian of f, by five points."""
    columns = []
    for i in range(len(at)):
        step = np.eye(len(at))[i] * h
        columns.append(sum(w * f(at + k * step) for k, w in ((-2, 1), (-1, -8), (1, 8), (2, -1))) / (12 * h))
    return np.array(columns).T


@pytest.mark.parametrize(
    "make, q, assembly",
    [(sprung_fourbar, [1.0], "+"), (sprung_fourbar, [2.5], "+"), (lambda: cc.load("delta"), [0.2, 0.4, -0.1], "-")],
    ids=["sprung four-bar", "sprung four-bar, turned", "delta"],
)
def test_the_linear_model_is_the_derivative_of_forward_dynamics(make, q, assembly):
    """∂q̈/∂(q, q̇, τ) at the held equilibrium; five points with h = 1e-3: h⁴ times fifth derivatives, 1e-16 / h."""
    robot = make()
    linear = cc.linearise(robot, q=q, assembly=assembly)
    n = robot.nq

    def motion(w):
        state = cc.state(robot, q=w[:n], q_dot=w[n : 2 * n], assembly=assembly)
        return cc.forward_dynamics(robot, state, w[2 * n :]).q_ddot

    at = np.concatenate([q, np.zeros(n), linear.u])
    np.testing.assert_allclose(motion(at), 0.0, atol=1e-10)  # u holds it
    numeric = slopes(motion, at)
    size = np.abs(numeric).max()
    np.testing.assert_allclose(linear.A[n:], numeric[:, : 2 * n], rtol=1e-7, atol=1e-9 * size)
    np.testing.assert_allclose(linear.B[n:], numeric[:, 2 * n :], rtol=1e-7, atol=1e-9 * size)
    np.testing.assert_array_equal(linear.A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))


def test_the_load_in_the_bars_stiffens_or_softens():
    """Without the bars' forces in K the derivative would be wrong: the sprung four-bar's K differs by them."""
    robot = sprung_fourbar()
    linear = cc.linearise(robot, q=[1.0])
    made = cc.evaluate(robot, q=[1.0])
    state = cc.state(robot, q=[1.0])
    rest = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot}
    T = np.vstack([np.eye(1), made.J])
    K = [T.T @ robot.call("stiffness", **rest, lam=lam)["K_z"] @ T for lam in (made.lam, 0 * made.lam)]
    np.testing.assert_allclose(-linear.A[1, 0] * made.M[0, 0], K[0][0, 0], rtol=1e-12)
    assert abs(K[0] - K[1]).max() > 0.01 * abs(K[0]).max()


def test_the_output_follows_by_the_jacobian(biglide):
    """y = J q: C's first half, D nothing."""
    linear = cc.linearise(biglide, q=[0.1, 0.02])
    np.testing.assert_allclose(
        linear.C, np.hstack([cc.evaluate(biglide, q=[0.1, 0.02]).J, np.zeros((2, 2))]), rtol=1e-15
    )
    assert linear.D.shape == (2, 2)
    assert not linear.D.any()
    assert linear.outputs == ("x", "y")


def test_p07_the_qube_upright(expected):
    """Case P07: A, B and the characteristic polynomial; back-EMF counts once, A33 = −2.0886, not −0.0104."""
    linear = cc.linearise(cc.load("furuta:qube"), q=[0.0, 0.0], inputs="voltage")
    np.testing.assert_allclose(linear.A, expected("P07", "A"), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(linear.B[:, 0], expected("P07", "B"), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.poly(linear.A), expected("P07", "charpoly"), rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize(
    "name, poles",
    [
        ("furuta", [-23.76, -6.10, 0.0, 7.34]),  # TRUTH.md §1.5 row 3-4: eq 3, unstable
        ("furuta:hanging", [-20.43, -1.047 - 7.142j, -1.047 + 7.142j, 0.0]),  # eq 7 and the code, stable
    ],
)
def test_the_poles_of_seed_003(name, poles):
    """Upright falls, hanging swings out: eigenvalues to the printed digits."""
    got = cc.linearise(cc.load(name), q=[0.0, 0.0], inputs="voltage").poles
    np.testing.assert_allclose(got, np.sort_complex(poles), rtol=0, atol=6e-3)


def test_a_point_that_no_effort_can_hold_is_not_an_equilibrium(furuta):
    """The pendulum at 45° falls whatever the motor does."""
    with pytest.raises(NoSolution, match="not an equilibrium"):
        cc.linearise(furuta, q=[0.0, np.pi / 4])


def test_bad_requests_are_refused(biglide):
    """Unknown inputs, a batch, a Type 2 configuration."""
    with pytest.raises(BadInput, match="'tau' or 'voltage'"):
        cc.linearise(biglide, q=[0.1, 0.02], inputs="amps")
    with pytest.raises(BadInput, match="one equilibrium"):
        cc.linearise(biglide, q=[[0.1, 0.02], [0.1, 0.03]])
    reach = np.sqrt(4 * 0.3606**2 - 0.16)
    with pytest.raises(Singular):
        cc.linearise(biglide, q=[reach / 2, -reach / 2])
