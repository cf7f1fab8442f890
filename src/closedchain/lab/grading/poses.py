"""Where a submission is tried: tip positions and drives within reach, close to its border, and beyond it."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.constants import Constants

POINTS, NEAR, BEYOND = 40, 6, 12  # how many within, close to the border, beyond it
MARGIN = 0.03  # of the reach: how far inside the ordinary ones are
CLOSE = 1e-3  # of the reach: how far inside the border the close ones are
LEAST, MOST = 1e-3, 0.5  # of the reach: how far beyond the unreachable ones are
TALL = 0.6  # [m] the biglide's sliders are as long as one likes


def tips(k: Constants, rng: np.random.Generator) -> Doubles:
    """Tip positions that both legs reach, in every working mode; the last NEAR are close to the border, (n, 2)."""
    reach = k.l + k.crank
    if k.turns:
        points = rng.uniform(-reach, reach, (400 * POINTS, 2))
        long = _distances(k, points)
        inside = ((long > 0.25 * reach) & (long < (1 - MARGIN) * reach)).all(axis=1)
        angles = rng.uniform(0.2, np.pi - 0.2, 400) * rng.choice((-1.0, 1.0), 400)
        near = (1 - CLOSE) * reach * np.stack([np.cos(angles), np.sin(angles)], -1) + (-k.d / 2, 0)
        other = _distances(k, near)[:, 1]
        near = near[(other > 0.25 * reach) & (other < (1 - MARGIN) * reach)]
        return np.concatenate([points[inside][:POINTS], near[:NEAR]])
    wide = k.l - k.d / 2
    across = np.concatenate([rng.uniform(-1, 1, POINTS) * wide * (1 - MARGIN), _signs(NEAR) * (wide - CLOSE * k.l)])
    return np.stack([across, rng.uniform(-TALL, TALL, POINTS + NEAR)], -1)


def tips_beyond(k: Constants, rng: np.random.Generator) -> Doubles:
    """Tip positions that one leg cannot reach, by little and by much, (BEYOND, 2)."""
    more = np.geomspace(LEAST, MOST, BEYOND)
    if k.turns:
        angles = rng.uniform(0.0, np.pi, BEYOND)
        away = (k.l + k.crank) * (1 + more)
        return np.stack([away * np.cos(angles) - k.d / 2, away * np.sin(angles)], -1)
    across = _signs(BEYOND) * (k.l - k.d / 2 + more * k.l)
    return np.stack([across, rng.uniform(-TALL, TALL, BEYOND)], -1)


def drives_at(k: Constants, span: tuple[float, float], count: int, rng: np.random.Generator) -> Doubles:
    """Drives whose feet are apart by 2 l times a number within the span, (count, 2)."""
    if k.turns:
        q = rng.uniform(-np.pi, np.pi, (4000 * count, 2))
        feet = [
            np.stack([s * k.d / 2 + k.crank * np.cos(a), k.crank * np.sin(a)], -1)
            for s, a in zip((-1, 1), q.T, strict=True)
        ]
        apart = np.linalg.norm(feet[0] - feet[1], axis=-1) / (2 * k.l)
        return q[(apart > span[0]) & (apart < span[1])][:count]
    apart = 2 * k.l * rng.uniform(*span, count)
    step = _signs(count) * np.sqrt(apart**2 - k.d**2)
    low = rng.uniform(-TALL, TALL, count)
    return np.stack([low + step, low], -1)


def _distances(k: Constants, points: Doubles) -> Doubles:
    """From each motor, (n, 2)."""
    return np.stack([np.hypot(points[:, 0] - side * k.d / 2, points[:, 1]) for side in (-1, 1)], -1)


def _signs(count: int) -> Doubles:
    return np.where(np.arange(count) % 2, 1.0, -1.0)
