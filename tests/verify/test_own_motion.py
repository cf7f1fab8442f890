"""`verify` along a motion of the user's own."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.errors import BadInput
from closedchain.verify.diagnosis import diagnose
from closedchain.verify.figures import figures

SINE = "q1 = 0.1*sin(t); q2 = -0.1*sin(t)"


@pytest.fixture(scope="module")
def document():
    """Seed 000's comparison: its excitation for 3 s, the engine's bars as long as those of its ADAMS model."""
    return cc.verify("biglide", "mujoco", motion=SINE, engine_values={"l": np.sqrt(0.13)})


FIGURES = {  # TRUTH.md §4: the document's figures 6, 7, 8, 10, 11, 12, and 9 as it should be [SI]
    "output": 0.0539e-3,
    "phi1": 0.0984e-3,
    "output velocity": 0.0270e-3,
    "output acceleration": 0.0237e-3,
    "phi2 velocity": 0.0154e-3,
    "phi1 acceleration": 0.0320e-3,
    "efforts": 0.087e-3,
}


@pytest.mark.parametrize("quantity", FIGURES)
def test_the_documents_figures_come_out_of_its_motion_and_its_bars(document, quantity):
    """The largest difference of each figure, to the digits that could be read: half a per cent."""
    (row,) = [r for r in document.rows if r.way == "pieces" and r.quantity == quantity]
    assert row.max == pytest.approx(FIGURES[quantity], rel=5e-3)
    assert row.motion == "own"


def test_the_cause_of_the_documents_differences_is_named(document):
    """Its bars, not its solvers."""
    (cause,) = diagnose(document).causes
    assert cause.words.startswith("l is 0.3606 m in the model and 0.3605551275 in the engine")


def test_the_curves_are_the_documents_figures(document):
    """Positions, velocities, accelerations, passive joints and efforts over the motion's own time, in one figure."""
    curves = {trace.quantity: trace for trace in document.traces}
    assert {*FIGURES, "phi2", "phi1 velocity", "phi2 acceleration"} == set(curves)
    t = curves["output"].t
    assert (t[0], t[-1]) == (0.0, 3.0)
    difference = curves["output"].ours - curves["output"].theirs
    np.testing.assert_allclose(np.abs(difference[0]), [0.0, 0.0539285e-3], atol=1e-9)  # Fig. 6 at t = 0
    ((engine, name, figure),) = figures(document)
    assert (engine, name) == ("mujoco", "own")
    assert len(figure.axes) == 2 * len(curves)


def test_a_motion_of_the_output_is_followed_on_its_working_mode_and_drives_the_engine():
    """All rows within their limits, the engine's integration among them, which starts with the motion's velocity."""
    tip = motion.formula(["0.08 + 0.02*sin(2*t)", "0.3 + 0.02*t"], 0.5)
    found = cc.verify("biglide", "mujoco", motion=tip, working="-+")
    assert found.ok, str(found)
    assert any(row.way == "driven" and row.quantity == "output, own" for row in found.rows)


def test_a_robot_with_a_free_joint_is_compared_at_the_states_of_the_motion():
    """The furuta's pendulum is not driven: no run can follow, the states are compared all the same."""
    found = cc.verify("furuta", "mujoco", motion="q1 = sin(t); q2 = 0.2*t**2", duration=1.0)
    assert found.ok, str(found)
    assert {row.way for row in found.rows} == {"pieces", "solver"}


def test_a_motion_through_a_singularity_is_refused_where_it_is():
    """Type 2 lies at q1 − q2 = 0.6001 m: at 0.30005 s."""
    with pytest.raises(cc.ClosedChainError, match=r"0\.300054 s of the motion, at a Type 2 singularity"):
        cc.verify("biglide", "mujoco", motion="q1 = t; q2 = -t", duration=1.0)
    with pytest.raises(BadInput, match="no motion 'sine'"):
        cc.verify("biglide", "mujoco", motion="sine")
