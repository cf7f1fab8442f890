"""Where a run begins: on its loops, and in the working mode in which the law follows its reference."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.control import PD, ComputedTorque, CrossingPD, KinematicControl
from closedchain.errors import NoSolution
from closedchain.simulation.plant import Plant

AT = {"duration": 0.05, "interval": 5e-3}


@pytest.mark.parametrize("law", [ComputedTorque, PD])
@pytest.mark.parametrize(
    "start", [{"working": "--"}, {"x": [0.0, 0.3], "working": "--"}, {"q": [0.6, 0.6], "assembly": "-"}]
)
def test_a_start_in_another_mode_than_the_laws_is_refused(biglide, line, law, start):
    """Named, or by where the feet are: the drives' reference would be 0.6 m away, through Type 1."""
    message = r'in working mode "--", the controller follows its reference in "\+\+".*working="--"'
    for named in (None, "++", "+, +"):
        with pytest.raises(NoSolution, match=message):
            cc.simulate(biglide, law(line, working=named), **start, **AT)
    run = cc.simulate(biglide, law(line, working="--"), **start, **AT)
    assert run.summary["max_error"] < 1e-3


def test_a_law_of_the_output_starts_in_any_mode(biglide, line):
    """Kinematic control asks for the tip alone."""
    run = cc.simulate(biglide, KinematicControl(line), x=[0.0, 0.3], working="--", **AT)
    assert run.q[0][0] > 0.5
    assert run.summary["max_error"] < 1e-3


def test_a_crossing_begins_in_its_own_mode(biglide):
    """The motion knows it; nobody has to say it again."""
    way = motion.cross(biglide, [0.0, -0.3], [-0.1, 0.15], 6.0, working="--", end_working="+-")
    run = cc.simulate(biglide, CrossingPD(way), **AT)
    np.testing.assert_allclose(run.q[0], -0.3 + np.sqrt(0.3606**2 - 0.2**2), rtol=0, atol=1e-12)


def test_a_start_that_does_not_close_the_plants_loops_is_refused(biglide, line):
    """A state of the model's, while the plant's bars are 19 mm longer."""
    start = cc.state(biglide, x=[0.0, 0.3])
    with pytest.raises(NoSolution, match=r"does not close the loops: the gap is 0\.019"):
        cc.simulate(biglide, ComputedTorque(line), start=start, plant=Plant(values={"l": 0.38}), **AT)
