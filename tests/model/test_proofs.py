"""What `proven` rests on: bounds of how fast the Jacobians bend, and room for the rounding of the closures."""

import mpmath as mp
import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Recipe
from closedchain.describe.expressions import evaluate_all
from closedchain.model.configurations import Configurations
from closedchain.model.sampling import sample


def six_bar():
    """Two dyads in a row: a bar between two free points bends A faster than one to a known point."""
    A, D, F = Crank("q1", about=(0, 0), radius=1.0, mass=1.0), Fixed("D", at=(3, 0)), Fixed("F", at=(5, 1))
    C, E = Free("C", mass=0.5), Free("E", mass=0.25)
    bars = (Bar(A, C, 2.5), Bar(D, C, 2.0), Bar(C, E, 2.4), Bar(F, E, 2.4))
    return cc.load(Recipe(Mechanism("sixbar", drives=(A,), bars=bars, output=E)))


ROBOTS = {
    name: (lambda name=name: cc.load(name)) for name in ("biglide", "fivebar", "triplate", "rrr3", "rpr3", "delta")
}
ROBOTS["six-bar"] = six_bar


@pytest.mark.parametrize("name", ROBOTS)
def test_the_lipschitz_bound_of_a_is_a_bound(name):
    """‖A(x) − A(x')‖₂ ≤ L ‖x − x'‖₂ for random x' in the ball for which L is stated, and not by an order too large."""
    robot = ROBOTS[name]()
    s = sample(robot, 100, seed=3)
    rows = Configurations(robot, s.q, s.x)
    L, radius = np.broadcast_to(rows.lipschitz_x(), 100), np.minimum(rows.domain_x(), robot.scale)
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(200):
        step = rng.standard_normal(s.x.shape)
        step *= (radius * rng.uniform(1e-3, 1, 100) / np.linalg.norm(step, axis=-1))[:, None]
        bent = np.linalg.norm(Configurations(robot, s.q, s.x + step).A - rows.A, ord=2, axis=(-2, -1))
        largest = max(largest, float((bent / (L * np.linalg.norm(step, axis=-1))).max()))
    assert 0.02 < largest <= 1.0 + 1e-9  # points attain it; differences of steps above 1e-3 of the ball round to 1e-12


@pytest.mark.parametrize("name", ROBOTS)
def test_the_rounding_of_the_closures_is_within_its_allowance(name):
    """φ of a robot's own equations with 40 digits, at the doubles q and x, against φ as computed."""
    robot = ROBOTS[name]()
    s = sample(robot, 10, seed=4)
    rows = Configurations(robot, s.q, s.x)
    functions = {"sin": mp.sin, "cos": mp.cos, "sqrt": mp.sqrt}
    with mp.workdps(40):
        for i in range(10):
            names = {c.name: mp.mpf(float(v)) for c, v in zip(robot.equations.z, s.z[i], strict=True)}
            names |= {k: mp.mpf(v) for k, v in robot.values.items()}
            exact = evaluate_all([closure.residual for closure in robot.equations.closures], names, functions)
            error = np.array([float(mp.mpf(float(got)) - want) for got, want in zip(rows.phi[i], exact, strict=True)])
            assert np.linalg.norm(error) <= rows.rounding()[i]


def test_a_solution_next_to_a_double_one_is_proven_only_where_it_is_apart(biglide):
    """The two poses are 2h apart with h the tip's distance from the line of the feet: no proof when h is of rounding's
    size, proof when it is not."""
    reach = np.sqrt(4 * 0.3606**2 - 0.4**2)
    near, far = cc.direct(biglide, [reach * (1 - 1e-15), 0.0]), cc.direct(biglide, [reach - 1e-6, 0.0])
    assert not near.certified.any()
    assert len(far) == 2
    assert far.certified.all()
