"""Configurations that are known: taken, closed to rounding, or refused with the distance."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Equations, Parameter, Recipe
from closedchain.describe.equations import Closure, Coordinate
from closedchain.describe.expressions import apply, cos, sin
from closedchain.errors import BadInput, NoSolution
from closedchain.model.model import NoClosedForm
from closedchain.model.state import State
from closedchain.singularity.pose import singularities


def cam():
    """A crank on a follower whose profile is an exponential: y = 0.2 exp(x), x = cos q; no polynomial closes it."""
    q, x, y = Coordinate("q1", "rad"), Coordinate("x", "m"), Coordinate("y", "m")
    m, a = Parameter(2.0, "kg", name="m"), Parameter(1.0, "m", name="a")
    closures = (
        Closure("arm", x.symbol + y.symbol / 4 - cos(q.symbol)),
        Closure("profile", y.symbol - apply("exp", x.symbol / a) / 5 - sin(q.symbol) / 10),
    )
    kinetic = m * (x.rate**2 + y.rate**2) / 2 + q.rate**2 / 2
    return cc.load(Recipe(Equations("cam", (m, a), (q,), ("q1",), kinetic=kinetic, x=(x, y), closures=closures)))


def at(q):
    """x and y of the cam by bisection of x + (exp(x)/5 + sin(q)/10)/4 = cos q, which grows with x."""
    low, high = -3.0, 3.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        below = middle + (np.exp(middle) / 5 + np.sin(q) / 10) / 4 < np.cos(q)
        low, high = (middle, high) if below else (low, middle)
    return np.array([low, np.exp(low) / 5 + np.sin(q) / 10])


def test_what_the_message_advises_works():
    """Without a closed form: each of the ways that the error names answers, from q and x typed with six digits."""
    robot, q = cam(), 0.7
    with pytest.raises(NoClosedForm) as told:
        cc.direct(robot, [q])
    message, typed, state = str(told.value), np.round(at(q), 6), cc.state(robot, q=[q], x=at(q))
    known = {"q": [q], "x": typed}
    evaluated = cc.evaluate(robot, **known)
    np.testing.assert_allclose(evaluated.x, at(q), atol=1e-14)  # closed to rounding, q as given
    h = 1e-6
    np.testing.assert_allclose(evaluated.J[:, 0], (at(q + h) - at(q - h)) / (2 * h), rtol=1e-8)
    runs = {
        "evaluate": lambda **k: cc.evaluate(robot, **k).x,
        "singularities": lambda **k: singularities(robot, **k).x,
        "linearise": lambda **k: np.r_[cc.linearise(robot, **k).q, 0.0],
        "simulate": lambda **k: cc.simulate(robot, lambda t, s: [0.0], duration=0.01, **k).x[0],
    }
    for name, run in runs.items():
        assert name in message
        np.testing.assert_allclose(run(**known), run(state=state), atol=1e-13)
    assert "follow" in message
    path = np.linspace(q, 1.5, 9)[:, None]
    for begin in ({"x": typed}, {"state": state}):
        found = cc.follow(robot, q=path, **begin)
        assert found.complete
        np.testing.assert_allclose(found.x, [at(v) for v in path[:, 0]], atol=1e-13)
    assert "assemble" in message
    closed = cc.assemble(robot, {"q1": q, "x": 0.5, "y": 0.3}, held=("q1",)).unwrap()
    np.testing.assert_allclose(closed, [q, *at(q)], atol=1e-12)


def test_the_drives_are_followed_from_a_known_configuration():
    """The other way round: q along a path of the output, begun at a typed q."""
    robot = cam()
    path = np.array([at(v) for v in np.linspace(0.7, 1.2, 30)])
    found = cc.follow(robot, x=path, q=[0.7])
    assert found.complete
    np.testing.assert_allclose(found.q[:, 0], np.linspace(0.7, 1.2, 30), atol=1e-12)


def test_what_is_far_from_closing_is_refused_with_its_distance():
    """y is wrong by 0.2 m: the message says the gap, the nearest value and how far that is."""
    robot, x = cam(), at(0.7)
    with pytest.raises(NoSolution, match=r"do not close the loops: the gap is .*y = .* 0\.2 m away"):
        cc.evaluate(robot, q=[0.7], x=[x[0], x[1] + 0.2])


@pytest.mark.parametrize("size", [1e-5, 1.0, 1e6])
def test_close_is_by_the_robots_own_size(size):
    """A five-bar of a micrometre, a decimetre, a hundred kilometres: x to five digits is closed, to two refused."""
    robot = cc.load("fivebar")
    lengths = {p.name: robot.values[p.name] * size for p in robot.equations.parameters if p.unit == "m"}
    robot = cc.load("fivebar", **lengths)
    q = [1.9, 1.2]
    x = cc.direct(robot, q)["+"].x
    near = cc.evaluate(robot, q=q, x=x + 1e-5 * robot.scale)
    np.testing.assert_allclose(near.x, x, atol=1e-14 * robot.scale * 10)
    with pytest.raises(NoSolution, match="do not close the loops"):
        cc.evaluate(robot, q=q, x=x + 1e-2 * robot.scale)


def test_a_state_says_all_and_nothing_is_said_beside_it():
    """state= with q, or a moving one for an equilibrium, or one whose rates open the loops, is refused."""
    robot = cc.load("biglide")
    state = cc.state(robot, q=[0.0, 0.1], q_dot=[0.2, 0.0])
    np.testing.assert_array_equal(
        cc.evaluate(robot, state=state).x_dot, cc.evaluate(robot, q=[0.0, 0.1], q_dot=[0.2, 0.0]).x_dot
    )
    with pytest.raises(BadInput, match="leave q out"):
        cc.evaluate(robot, state=state, q=[0.0, 0.1])
    with pytest.raises(BadInput, match="at rest"):
        cc.linearise(robot, state=state)
    with pytest.raises(NoSolution, match="open closure"):
        cc.evaluate(robot, state=State(state.q, state.x, state.q_dot, state.x_dot + 1.0))
