"""Quotients with one divisor share its reciprocal."""

import casadi as ca
import numpy as np

from closedchain.kernels.program import run
from closedchain.kernels.reciprocal import share_reciprocals
from closedchain.kernels.trace import trace


def test_three_quotients_become_one_division():
    """The same values to 1.5 ulp; a divisor of a single quotient keeps its division."""
    x, d = ca.SX.sym("x", 4), ca.SX.sym("d", 2)
    program = trace(
        "quotients", {"x": x, "d": d}, {"y": ca.vertcat(x[0] / d[0], x[1] / d[0], x[2] / d[0], x[3] / d[1])}
    )
    shared = share_reciprocals(program)
    count = [sum(line.op == "div" for line in p.code) for p in (program, shared)]
    assert count == [4, 2]
    rng = np.random.default_rng(0)
    values = rng.uniform(-9, 9, (1000, 4)), rng.uniform(0.1, 9, (1000, 2))
    (want,), (found,) = run(program, *values), run(shared, *values)
    assert (np.abs(found - want) <= 1.5 * np.spacing(np.abs(want))).all()
    np.testing.assert_array_equal(found[:, 3], want[:, 3])
