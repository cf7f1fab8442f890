"""The robots of the five seed documents, and the state at which TRUTH.md §1 compares their formulas."""

import numpy as np
import pytest

import closedchain as cc


@pytest.fixture(scope="session")
def biglide():
    """Seeds 000, 001, 004: d = 0.4 m, l = 0.3606 m, m_p = 3 kg, m_f = 1 kg, no gravity."""
    return cc.load("biglide")


@pytest.fixture(scope="session")
def triplate():
    """Seed 002: R = 4, L = 3.5, r = 2."""
    return cc.load("triplate")


@pytest.fixture(scope="session")
def furuta():
    """Seed 003 with q2 = 0 upright (its equation 3)."""
    return cc.load("furuta")


@pytest.fixture(scope="session")
def hanging():
    """Seed 003 with q2 = 0 hanging (its equation 7 and its code)."""
    return cc.load("furuta:hanging")


@pytest.fixture(scope="session")
def state(biglide):
    """The test state of TRUTH.md §1: q = (0.1, 0.02), tip above the feet (gamma = -1)."""
    return cc.evaluate(
        biglide,
        q=np.array([0.1, 0.02]),
        q_dot=np.array([0.3, -0.2]),
        q_ddot=np.array([1.0, -0.5]),
        assembly="+",
    )
