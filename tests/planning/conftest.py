"""The robots of these tests, and the triplate once more, by hand."""

import numpy as np
import pytest

import closedchain as cc

R, L, SIDE = 4.0, 3.5, 2.0


@pytest.fixture(scope="session")
def triplate():
    return cc.load("triplate")


@pytest.fixture(scope="session")
def biglide():
    return cc.load("biglide")


@pytest.fixture(scope="session")
def fivebar():
    return cc.load("fivebar")


@pytest.fixture(scope="session")
def cusps():
    return cc.load("rpr3:cusps")


@pytest.fixture(scope="session")
def triplate_by_hand():
    """x (k, 3), σ1, σ2 -> (B1, a1, B2, a2, B3, a3), each (k, 2): seed 002 §1 with the law of cosines for the feet."""

    def corners(x, sigma1, sigma2):
        x, y, phi = np.asarray(x, float).T
        a1 = np.stack([x + SIDE * np.cos(phi + np.pi / 3), y + SIDE * np.sin(phi + np.pi / 3)], axis=-1)
        a2 = np.stack([x, y], axis=-1)
        a3 = np.stack([x + SIDE * np.cos(phi), y + SIDE * np.sin(phi)], axis=-1)
        feet = []
        for a, sigma in ((a1, sigma1), (a2, sigma2)):
            rho = np.hypot(*a.T)
            turn = np.arctan2(a[:, 1], a[:, 0]) + sigma * np.arccos((rho**2 + R**2 - L**2) / (2 * rho * R))
            feet.append(R * np.stack([np.cos(turn), np.sin(turn)], axis=-1))
        return feet[0], a1, feet[1], a2, np.broadcast_to([0.0, -R], a3.shape), a3

    return corners
