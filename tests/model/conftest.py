"""The shipped robots, loaded once, and the public cases."""

import json
from pathlib import Path

import pytest

import closedchain as cc


@pytest.fixture(scope="session")
def cases():
    """Public cases by name; each carries its source."""
    return json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]


@pytest.fixture(scope="session")
def expected(cases):
    """expected("P05", "tau"): the number a case asks for."""

    def find(case, name):
        return next(check["expected"] for check in cases[case]["checks"] if check["name"] == name)

    return find


@pytest.fixture(scope="session")
def biglide():
    """d = 0.4 m, l = 0.3606 m, m_p = 3 kg, m_f = 1 kg (seed 000)."""
    return cc.load("biglide")


@pytest.fixture(scope="session")
def lab():
    """The biglide with the lab's bars, l = 0.2828427 m (cases P01, P05, P14)."""
    return cc.load("biglide:lab")


@pytest.fixture(scope="session")
def fivebar():
    return cc.load("fivebar")


@pytest.fixture(scope="session")
def fourbar():
    return cc.load("fourbar")


@pytest.fixture(scope="session")
def slidercrank():
    return cc.load("slidercrank")


@pytest.fixture(scope="session")
def triplate():
    return cc.load("triplate")


@pytest.fixture(scope="session")
def rrr3():
    return cc.load("rrr3")


@pytest.fixture(scope="session")
def rpr3():
    return cc.load("rpr3")


@pytest.fixture(scope="session")
def delta():
    return cc.load("delta")


@pytest.fixture(scope="session")
def furuta():
    return cc.load("furuta")
