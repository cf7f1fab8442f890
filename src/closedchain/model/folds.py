"""Where a leg comes to its end along a motion of the output: its two working modes meet there, Type 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.model.modes import named_modes

REACH = 1e-9  # of the robot's size: a leg with less left is at its end
NEAR = 1e-2  # of the robot's size: a least reach below this is looked at
FIT = 2e-3  # of the duration, for the parabola's derivative


def fold_instants(model: Model, motion: Any, times: Doubles) -> list[tuple[float, int]]:
    """The instants at which the reach of a leg touches its end, with the leg's index, in the order of time."""
    span = float(times[-1] - times[0])
    slack = _slack(model, motion, times)
    found = []
    for leg in range(len(model.legs)):
        if not model.leg_signs[leg]:
            continue
        left = slack[:, leg]
        for i in range(1, len(times) - 1):
            if left[i] <= left[i - 1] and left[i] < left[i + 1] and left[i] < NEAR * model.scale:
                t = _touch(model, motion, leg, float(times[i]), FIT * span)
                t = _at_break(model, motion, leg, t, FIT * span)
                if abs(_slack(model, motion, np.array([t]))[0, leg]) < REACH * model.scale:
                    found.append((float(t), leg))
    return sorted(found)


def modes_through(model: Model, working: str, legs: list[int]) -> tuple[str, ...]:
    """The working modes one after another, where each leg in turn goes on in its other one."""
    modes = list(named_modes(model, (working,)))
    chosen = [i for i, sign in enumerate(model.leg_signs) if sign]
    for leg in legs:
        i = chosen.index(leg)
        modes.append(modes[-1][:i] + ("-" if modes[-1][i] == "+" else "+") + modes[-1][i + 1 :])
    return tuple(modes)


def _slack(model: Model, motion: Any, t: Doubles) -> Doubles:
    return model.call("inverse", x=motion(t).x, sigma=np.ones(len(model.legs)))["slack"]


def _touch(model: Model, motion: Any, leg: int, t: float, h: float) -> float:
    """Where the slack is least: Newton on differences of fourth order, first far apart, then nearer."""
    for width in (h, h / 4, h / 16, h / 16):
        low, high = max(motion.start, t - 2 * width), min(motion.start + motion.duration, t + 2 * width)
        at = np.linspace(low, high, 5)
        s, step = _slack(model, motion, at)[:, leg], (high - low) / 4
        first = (s[0] - 8 * s[1] + 8 * s[3] - s[4]) / (12 * step)
        second = (-s[0] + 16 * s[1] - 30 * s[2] + 16 * s[3] - s[4]) / (12 * step**2)
        if second <= 0.0:
            break
        t = float(np.clip(at[2] - first / second, low, high))
    return t


def _at_break(model: Model, motion: Any, leg: int, t: float, h: float) -> float:
    """The break that was meant, where the leg is at its end at a break nearby: a motion is pieced together there."""
    near = motion.breaks[np.abs(motion.breaks - t) < h]
    ends = [b for b in near if abs(_slack(model, motion, np.array([b]))[0, leg]) < 1e-3 * REACH * model.scale]
    return float(ends[0]) if ends else t
