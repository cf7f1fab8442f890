"""Closures as formulas that people write: what their text gives is what the compiled model gives."""

import numpy as np
import pytest

from closedchain import inverse, load
from closedchain.derive import legs_of
from closedchain.model import sample

HERE = {name: getattr(np, name) for name in ("sin", "cos", "sqrt", "arctan2", "arccos")}


def run(lines, values, **names):
    """The numbers that lines of formulas give."""
    exec("\n".join(lines), HERE | names, names)  # noqa: S102 (our own text)
    return [eval(value, HERE, names) for value in values]  # noqa: S307


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("robot", ["biglide", "fivebar", "rrr3", "rpr3", "triplate", "delta", "gough", "orthoglide"])
def test_every_drive_is_one_of_its_leg_s_two_values(robot, half):
    """Cranks by the law of cosines or half angles, sliders by a root, lengths by Pythagoras; all modes, up to turns."""
    model = load(robot)
    legs, states = legs_of(model.equations), sample(model, 3, 0)
    for x in states.x:
        pose = {c.name: value for c, value in zip(model.equations.x, x, strict=True)}
        both = np.array([run(*legs.solved(half), **model.values, **pose, sign=sign) for sign in (1.0, -1.0)])
        for q in inverse(model, x).q:
            off = np.array([np.abs(np.exp(1j * (q - one)) - 1) for one in both])
            assert off.min(axis=0).max() <= 1e-9


@pytest.mark.parametrize("robot", ["biglide", "rrr3", "triplate", "delta", "gough"])
def test_entries_are_the_slopes_of_the_closures(robot):
    """A and B entry by entry, up to the factor 2 of a square, against the compiled ones."""
    model = load(robot)
    state, outputs = sample(model, 1, 0), [c.name for c in model.equations.x]
    legs = legs_of(model.equations)
    names = [f"A{i}{j}" for i in range(1, model.nx + 1) for j in range(1, model.nx + 1)]
    z = {c.name: v for c, v in zip(model.equations.z, np.concatenate([state.q[0], state.x[0]]), strict=True)}
    found = np.array(run(legs.slopes(outputs), names, **model.values, **z)).reshape(model.nx, model.nx)
    A = model.call("closures", q=state.q, x=state.x)["A"][0]
    np.testing.assert_allclose(
        found / np.linalg.norm(found, axis=1, keepdims=True), A / np.linalg.norm(A, axis=1, keepdims=True), atol=1e-12
    )


def test_a_closure_that_is_no_bar_makes_no_legs():
    """A wrist's closures are angles between directions: no lengths, no triangles."""
    legs = legs_of(load("wrist").equations)
    assert legs.legs == ()
    assert legs.solved(half=False) == ([], [])
