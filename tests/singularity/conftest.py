"""The robots whose singularities are known by hand or from the literature."""

import pytest

import closedchain as cc
from closedchain.singularity.cusps import cusps


@pytest.fixture(scope="session")
def biglide():
    return cc.load("biglide")


@pytest.fixture(scope="session")
def triplate():
    return cc.load("triplate")


@pytest.fixture(scope="session")
def fivebar():
    return cc.load("fivebar")


@pytest.fixture(scope="session")
def rpr3():
    return cc.load("rpr3:cusps")


@pytest.fixture(scope="session")
def six_cusps(rpr3):
    return cusps(rpr3, {"rho1": 14.98})
