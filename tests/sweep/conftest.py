"""Studies that several tests run."""

import sqlite3

import pytest

from closedchain.sweep.asking import study

WINDOW = (-0.3, 0.3, -0.3, 0.3)


@pytest.fixture
def strip():
    """The biglide's strip and its conditioning over bars and rails, some of which do not reach each other."""
    return study(
        "biglide",
        {"l": "0.10:0.40:13", "d": "0.1:0.5:11"},
        ["workspace_area", "min_conditioning"],
        window=WINDOW,
        grid=32,
    )


@pytest.fixture
def runs():
    """Simulations of tolerances, gains and sensor noise: slow enough to be interrupted."""
    vary = {"l": "normal(0.3606, 1mm)", "controller.kp": "50:150", "plant.noise_q": "1e-6:1e-5"}
    return study(
        "biglide",
        vary,
        ["tracking_error", "simulate.max_effort"],
        points=60,
        scenario="biglide-computed-torque",
        seed=7,
    )


@pytest.fixture
def finished():
    """How many points a checkpoint holds, as a function of its path."""

    def count(path):
        if not path.exists():
            return 0
        base = sqlite3.connect(path)
        try:
            return base.execute("SELECT coalesce(sum(stop - start), 0) FROM part").fetchone()[0]
        except sqlite3.OperationalError:  # the file has just been made
            return 0
        finally:
            base.close()

    return count
