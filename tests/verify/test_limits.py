"""Where a limit of a comparison comes from, in words that account for its size."""

from types import SimpleNamespace

import numpy as np
import pytest

from closedchain.verify.limits import Ground


@pytest.mark.parametrize("softness", [0.0, 1e-6])
def test_a_limit_that_given_masses_make_is_told_as_theirs(softness):
    """0.3 rad/s² by doubling the given masses is nearly all of every limit, so every reason names it."""
    exact = np.array([[2.0]])
    solved = {"q_ddot": exact + softness}
    testimony = SimpleNamespace(solver=solved, firm={"q_ddot": exact}, exact={"q_ddot": exact})
    ground = Ground(None, "mujoco", "random", testimony, {}, {"q_ddot": 0.3}, {"q_ddot": "rad/s²"})
    rows = ground.solver("q_ddot", {"q_ddot": exact})
    assert len(rows) == (2 if softness else 1)
    for row in rows:
        assert row.limit == pytest.approx(0.6, rel=1e-4)
        assert "twice the 3e-01 by which doubling the given masses" in row.why
