"""The robots, the seed's motion, and the reference numbers of the simulated loops."""

import json
from pathlib import Path

import pytest

import closedchain as cc

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def data():
    """data("truth_furuta"): a file of reference numbers."""
    return lambda name: json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def biglide():
    """Seed 000: d = 0.4 m, l = 0.3606 m, m_p = 3 kg, m_f = 1 kg, no gravity."""
    return cc.load("biglide")


@pytest.fixture(scope="session")
def fivebar():
    return cc.load("fivebar")


@pytest.fixture(scope="session")
def fourbar():
    return cc.load("fourbar")


@pytest.fixture(scope="session")
def triplate():
    return cc.load("triplate")


@pytest.fixture(scope="session")
def furuta():
    """Seed 003, q2 = 0 upright."""
    return cc.load("furuta")


@pytest.fixture(scope="session")
def line():
    """Seed 000 eq 46: from (0, 0.3) to (0.1, 0.5) m in 3 s, rest to rest."""
    return cc.quintic([0.0, 0.3], [0.1, 0.5], duration=3.0)
