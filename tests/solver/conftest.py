"""Families that several tests use."""

import pytest

from tests.solver.frames import K33, PRISM, frame


@pytest.fixture(scope="session")
def prism():
    return frame(PRISM)


@pytest.fixture(scope="session")
def k33():
    return frame(K33, ground=(0, 3))


@pytest.fixture(scope="session")
def circles():
    """A point on two bars."""
    return frame([(0, 1), (0, 2), (1, 2)])
