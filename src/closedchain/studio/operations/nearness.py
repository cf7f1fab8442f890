"""How far the output can move before it meets a singularity, in its working mode and with a plate's angle held.

Type 1 by the legs' own slack. Type 2 by rays from the output, refined about the shortest: an upper bound, close where
the singular curve is smooth at the scale of the fan; what lies between two rays or beyond a curve's end is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs

NOT_SEARCHED: dict[str, Any] = {"metres": None, "searched": False}
HERE: dict[str, Any] = {"metres": 0.0, "searched": True}
RAYS, ALONG = 36, 32
FARTHEST = 1.5  # of the robot's size
CUTS, ROUNDS = 17, 4  # a bracket is cut into 16 parts, four times
REFINED = 2  # fans about the best ray, each a twelfth as wide


def distances(model: Model, x: Doubles, working: str, kinds: Sequence[str]) -> dict[str, Any]:
    """{type1, type2}, each {metres, searched}; a singularity that the robot stands on is 0 m away.

    `metres` is None where none was met, and where nothing was searched: a leg at its end is on two working modes, so
    there is no one mode to search in.
    """
    found = {"type1": NOT_SEARCHED, "type2": NOT_SEARCHED} | _searched(model, x, working)
    return found | {kind.replace(" ", ""): HERE for kind in kinds}


def _searched(model: Model, x: Doubles, working: str) -> dict[str, Any]:
    if model.mechanism is None or len(model.mechanism.bodies) != 1 or "0" in working or not working:
        return {}
    try:
        sigma = np.asarray(leg_signs(model, working), float)
        slack = model.call("inverse", x=x, sigma=sigma)["slack"]
    except ClosedChainError:
        return {}
    moving = model.leg_signs != 0
    type_1 = float(slack[moving].min()) if moving.any() else None
    return {"type1": _at(type_1), "type2": _at(_type_2(model, x, sigma))}


def _at(metres: float | None) -> dict[str, Any]:
    return {"metres": metres, "searched": True}


def _determinant(model: Model, x: Doubles, sigma: Doubles) -> Doubles:
    """det A at outputs in one working mode, NaN beyond reach, (*batch,)."""
    made = model.call("inverse", x=x, sigma=sigma)
    row = model.call("closures", q=np.nan_to_num(made["q"]), x=x)
    return np.where((made["slack"] >= 0).all(axis=-1), _det(row.get("A_twist", row["A"])), np.nan)


def _det(A: Doubles) -> Doubles:
    """The determinant of many small matrices; written out it is ten times as fast as by elimination."""
    if A.shape[-1] == 2:
        return np.asarray(A[..., 0, 0] * A[..., 1, 1] - A[..., 0, 1] * A[..., 1, 0])
    if A.shape[-1] == 3:
        return np.asarray((np.cross(A[..., 0, :], A[..., 1, :]) * A[..., 2, :]).sum(axis=-1))
    return np.asarray(np.linalg.det(A))


def _type_2(model: Model, x: Doubles, sigma: Doubles) -> float | None:
    rays = _fan(model)
    if rays is None:
        return None
    best = _first(model, x, sigma, rays)
    if best is None:
        return None
    reach, ray = best
    if rays.shape[1] == 2:
        width = 2 * np.pi / RAYS
        for _ in range(REFINED):
            turn = np.arctan2(ray[1], ray[0]) + np.linspace(-width, width, 25)
            found = _first(model, x, sigma, np.stack([np.cos(turn), np.sin(turn)], axis=-1), reach * 1.05)
            reach, ray = min((found, (reach, ray)), key=lambda f: f[0]) if found is not None else (reach, ray)
            width /= 12
    return reach


def _fan(model: Model) -> Doubles | None:
    """Unit directions of the output's place, (k, 2 or 3)."""
    assert model.mechanism is not None
    if model.mechanism.dimension == 2:
        turn = np.arange(RAYS) * 2 * np.pi / RAYS
        return np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    k = np.arange(4 * RAYS) + 0.5
    height, turn = 1 - 2 * k / (4 * RAYS), np.pi * (1 + np.sqrt(5)) * k
    flat = np.sqrt(1 - height**2)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), height], axis=-1)


def _first(
    model: Model, x: Doubles, sigma: Doubles, rays: Doubles, farthest: float | None = None
) -> tuple[float, Doubles] | None:
    """The shortest way along a ray to a change of sign of det A, within reach, and that ray."""
    most = FARTHEST * model.scale if farthest is None else farthest
    r = most * (np.arange(ALONG) / (ALONG - 1)) ** 1.5  # finer close by
    steps = np.zeros((len(rays), ALONG, model.nx))
    steps[..., : rays.shape[1]] = rays[:, None, :] * r[:, None]
    d = _determinant(model, x + steps, sigma)  # (rays, ALONG)
    lost = np.isnan(d).cumsum(axis=1) > 0
    change = (np.sign(d[:, 1:]) != np.sign(d[:, :1])) & ~lost[:, 1:]
    hit = change.any(axis=1)
    if not hit.any():
        return None
    rows = np.nonzero(hit)[0]
    first = change[rows].argmax(axis=1)
    low, high = r[first], r[first + 1]
    near = low <= high.min()  # the others are farther whatever their bracket holds
    rows, low, high = rows[near], low[near], high[near]
    sign = np.sign(d[rows, 0])[:, None]
    for _ in range(ROUNDS):
        tried = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, CUTS)  # (rows, CUTS)
        step = np.zeros((*tried.shape, model.nx))
        step[..., : rays.shape[1]] = rays[rows][:, None, :] * tried[..., None]
        other = np.sign(_determinant(model, x + step, sigma)) != sign
        other[:, -1] = True
        k = np.maximum(other.argmax(axis=1), 1)
        each = np.arange(len(rows))
        low, high = tried[each, k - 1], tried[each, k]
    shortest = int(np.argmin(high))
    return float(high[shortest]), rays[rows[shortest]]
