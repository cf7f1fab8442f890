"""A robot moved by hand: held efforts, step by step."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.errors import BrokenOff
from closedchain.simulation import Stepper, passages

EFFORTS = [0.3, -0.2]


def test_steps_by_hand_are_those_of_simulate():
    """100 intervals of 10 ms under the same efforts end in the same state, bit for bit but for the order of sums."""
    model = cc.load("biglide:lab")
    begin = cc.state(model, q=[0.0, 0.0], assembly="+")
    stepper = Stepper(model, 0.01)
    stepper.start(begin)
    for _ in range(100):
        sample = stepper.step(np.array(EFFORTS))
    run = cc.simulate(
        model, Constant(EFFORTS, "tau"), q=[0.0, 0.0], assembly="+", duration=1.0, interval=0.01, method="rk6"
    )
    np.testing.assert_allclose(sample.state.x, run.x[-1], rtol=0, atol=1e-14)
    np.testing.assert_allclose(sample.work, run.work[-1], rtol=1e-12)


def test_the_acceleration_is_that_under_the_efforts_held():
    """Newton: both feet pushed alike move 5 kg as one."""
    model = cc.load("biglide:lab")
    stepper = Stepper(model, 0.01)
    stepper.start(cc.state(model, q=[0.0, 0.0], assembly="+"))
    np.testing.assert_allclose(stepper.step(np.array([2.5, 2.5])).x_ddot, [0.0, 1.0], atol=1e-13)


def test_efforts_that_throw_a_robot_out_of_bounds_break_it_off():
    """It says when, and stays where it is."""
    model = cc.load("fivebar")
    stepper = Stepper(model, 0.01)
    stepper.start(cc.state(model, q=[0.0, 0.0], assembly="+"))
    with pytest.raises(BrokenOff, match=r"fivebar: at t = 0.01 s"):
        stepper.step(np.array([1e12, -1e13]))
    assert stepper.t == 0.0


def test_a_motion_that_keeps_its_modes_passes_nothing():
    """A small push and its run."""
    model = cc.load("biglide:lab")
    run = cc.simulate(model, Constant([0.01, 0.01], "tau"), q=[0.0, 0.0], assembly="+", duration=0.5, interval=0.01)
    assert passages(run) == []
