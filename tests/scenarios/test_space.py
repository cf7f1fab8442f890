"""Robots in space under control: a screw followed by six legs, with a payload and many at once."""

import numpy as np
import pytest

from closedchain import scenarios
from closedchain.describe.files import BadFile
from closedchain.scenarios.library import loads

TURN, ARM, RISE = np.pi / 6, 0.3, 0.1
END = [ARM - ARM * np.cos(TURN), -ARM * np.sin(TURN), 1.2 + RISE, 0.0, 0.0, TURN]  # about (0.3, 0) by 30°
HEAD = 'schema = "closedchain.scenario/1"\nrobot = "{}"\ninterval = 0.005\n'
LAW = '[controller]\nkind = "computed-torque"\nkp = 100\nkd = 20\n'


def test_a_platform_on_heavy_legs_follows_its_screw():
    """Its end is where a turn about the line puts it; what remains is the sample's length."""
    off = [np.abs(scenarios.run(scenarios.find("gough-screw", {"interval": h})).final.x - END) for h in (0.01, 0.005)]
    assert off[1].max() < 2e-5
    assert off[1].max() < 0.6 * off[0].max()


def test_masses_that_the_law_does_not_know_lower_it_in_many_runs():
    """With kp = 100 it stands lower by m g / (kp M), M what moves: the platform, nearly the legs' upper parts, and m.

    A payload at the platform's centre is a heavier platform.
    """
    still = HEAD.format("gough") + '[trajectory]\nkind = "rest"\nat = [0, 0, 1.2, 0, 0, 0]\nduration = 3\n' + LAW
    runs = scenarios.rollouts(loads(still, "still.toml"), values={"m": np.array([20.0, 21.0, 22.0])})
    lower = 1.2 - runs.final.x[:, 2]
    assert abs(lower[0]) < 1e-9
    for mass, depth in zip((1.0, 2.0), lower[1:], strict=True):
        assert depth == pytest.approx(mass * 9.81 / (100 * (20.0 + 6 * 1.0)), rel=0.1)
    carrying = scenarios.run(loads(still + "[plant]\npayload = 2.0\n", "carrying.toml"))
    np.testing.assert_allclose(carrying.final.x, runs.final.x[2], atol=1e-12)


def test_poses_are_for_bodies_in_space():
    """A tip in the plane has no orientation."""
    text = HEAD.format("biglide") + '[trajectory]\nkind = "screw"\nfrom = [0, 0.3]\nto = [0.1, 0.3]\nduration = 1\n'
    with pytest.raises(BadFile, match="moves poses"):
        loads(text + LAW, "plane.toml")
