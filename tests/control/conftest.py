"""The robots and motions that controllers are tried on."""

import pytest

import closedchain as cc


@pytest.fixture(scope="session")
def biglide():
    return cc.load("biglide")


@pytest.fixture(scope="session")
def fourbar():
    return cc.load("fourbar")


@pytest.fixture(scope="session")
def furuta():
    return cc.load("furuta")


@pytest.fixture(scope="session")
def line():
    """Seed 000 eq 46."""
    return cc.quintic([0.0, 0.3], [0.1, 0.5], duration=3.0)
