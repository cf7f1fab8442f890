"""The robots and the machinery that the tests of motions share."""

from itertools import pairwise

import numpy as np
import pytest

import closedchain as cc

RATES = ("x", "x_dot", "x_ddot", "x_dddot")


@pytest.fixture(scope="session")
def biglide():
    return cc.load("biglide")


@pytest.fixture(scope="session")
def fivebar():
    return cc.load("fivebar")


@pytest.fixture
def check_rates():
    """Each derivative is the slope of the one before it, by the central difference of fourth order."""

    def check(motion, times, h=1e-3, rtol=1e-7):
        for t in times:
            for low, high in pairwise(RATES):
                value = [getattr(motion(t + k * h), low) for k in (-2, -1, 1, 2)]
                slope = (value[0] - 8 * value[1] + 8 * value[2] - value[3]) / (12 * h)
                size = max(np.abs(slope).max(), np.abs(value).max())
                np.testing.assert_allclose(getattr(motion(t), high), slope, rtol=0, atol=rtol * size)

    return check
