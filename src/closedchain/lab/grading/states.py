"""The states on which a submission is tried, and the exact models' answers: every branch, moving and at rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading import poses
from closedchain.lab.grading.constants import Constants
from closedchain.lab.grading.signatures import SIGNATURES
from closedchain.model.evaluation import evaluate
from closedchain.model.geometry import direct, inverse
from closedchain.model.solutions import Flags, Solutions

REST = 8  # every which state is at rest
REGULAR = 0.15  # least |sin| of the angle between bars: away from singularities
TURN = 2 * np.pi
FLIPS = ((1, 1), (-1, -1), (1, -1), (-1, 1))  # what a group's gamma1 and gamma2 may mean


@dataclass(frozen=True, eq=False)
class Cases:
    """What one function is asked, and the right answers."""

    inputs: Doubles  # (n, arguments)
    expected: Doubles  # (n, outputs); not a number where there is no answer
    modes: tuple[tuple[str, str], ...]  # the lab's assembly mode of each, and its gammas
    near: Flags  # (n,) close to the border of the reach
    flipped: tuple[Doubles, ...] = ()  # igm: `expected` for each meaning of the gammas

    @property
    def reachable(self) -> Flags:
        """Where there is an answer."""
        return np.asarray(np.isfinite(self.expected).all(axis=1))


@lru_cache(maxsize=32)
def cases(k: Constants, seed: int) -> dict[str, Cases]:
    """Of each function."""
    rng = np.random.default_rng(seed)
    model, X = k.model(), poses.tips(k, rng)
    found = inverse(model, X)
    made = {"igm": _igm(k, found, poses.tips_beyond(k, rng))}
    values, kept = _moving(k, found, rng)
    modes = _modes(k, found, kept)
    near = found.index[kept] >= poses.POINTS
    for name, signature in SIGNATURES.items():
        if name != "igm":
            inputs = np.stack([values[a] for a in signature.arguments], -1)
            expected = np.stack([values[o] for o in signature.outputs], -1)
            made[name] = Cases(inputs, expected, modes, near)
    edge, beyond = (
        poses.drives_at(k, span, n, rng) for span, n in (((0.97, 0.9995), poses.NEAR), ((1.001, 1.2), poses.BEYOND))
    )
    found = direct(model, edge)
    for name, answers in (("dgm", found.x), ("dgm_passive", found.passive)):
        made[name] = _extend(k, made[name], found, answers, beyond)
    return {name: made[name] for name in SIGNATURES}


def _moving(k: Constants, found: Solutions, rng: np.random.Generator) -> tuple[dict[str, Doubles], Flags]:
    """Everything about random motions through the configurations that are regular, by the lab's names."""
    phi = found.passive + found.q if k.turns else found.passive
    sines = np.abs(np.sin(np.stack([phi[:, 0] - phi[:, 1], *found.passive.T])))
    kept = (sines[0] > REGULAR) & ((sines[1:] > REGULAR).all(axis=0) | (found.index >= poses.POINTS))
    q, x, passive = found.q[kept], found.x[kept], found.passive[kept]
    at_rest = np.arange(len(q)) % REST == 3
    q_dot = rng.normal(0.0, 2.0 if k.turns else 0.4, q.shape) * ~at_rest[:, None]
    q_ddot = rng.normal(0.0, 5.0 if k.turns else 1.0, q.shape)
    made = evaluate(k.model(), q=q, x=x, q_dot=q_dot, q_ddot=q_ddot).items()
    if k.turns:  # a turn more or less is the same pose
        q = q + TURN * rng.integers(-1, 2, q.shape)
        passive = passive + TURN * rng.integers(-1, 2, passive.shape)
    values = {"assembly_mode": -found.det_sign[kept].astype(float)}
    for order, a, b, c in (("", q, passive, x), ("D", q_dot, made["passive_dot"], made["x_dot"])):
        values |= _named(order, a, b, c)
    values |= _named("DD", q_ddot, made["passive_ddot"], made["x_ddot"])
    values |= {f"M{i + 1}{j + 1}": made["M"][:, i, j] for i in (0, 1) for j in (0, 1)}
    return values | {"c1": made["c"][:, 0], "c2": made["c"][:, 1]}, kept


def _named(order: str, active: Doubles, passive: Doubles, tip: Doubles) -> dict[str, Doubles]:
    values = {f"q{leg + 1}1{order}": active[:, leg] for leg in (0, 1)}
    values |= {f"q{leg + 1}2{order}": passive[:, leg] for leg in (0, 1)}
    return values | {f"x{order}": tip[:, 0], f"y{order}": tip[:, 1]}


def _modes(k: Constants, found: Solutions, kept: Flags | slice) -> tuple[tuple[str, str], ...]:
    """The lab's assembly mode of each row, and its gammas."""
    return tuple(
        (f"{-sign:+d}", f"({int(one):+d}, {int(two):+d})")
        for sign, (one, two) in zip(found.det_sign[kept], _gammas(k, found)[kept], strict=True)
    )


def _gammas(k: Constants, found: Solutions) -> Doubles:
    """gamma1 and gamma2 of each row, as the lab counts them."""
    signs = found.signs.astype(float)
    return signs if k.turns else -signs


def _igm(k: Constants, found: Solutions, beyond: Doubles) -> Cases:
    """Every tip position in all four working modes, for each meaning of the gammas."""
    signs, gammas = found.signs.astype(float), _gammas(k, found)
    rows = {(int(i), int(a), int(b)): row for row, (i, (a, b)) in enumerate(zip(found.index, signs, strict=True))}
    missing = np.full((len(beyond), 2), np.nan)
    expected = []
    for first, second in FLIPS:
        order = [rows[int(i), int(first * a), int(second * b)] for i, (a, b) in zip(found.index, signs, strict=True)]
        expected.append(np.concatenate([found.q[order], missing]))
    unreachable = np.concatenate([beyond, np.resize(gammas, beyond.shape)], -1)
    inputs = np.concatenate([np.concatenate([found.x, gammas], -1), unreachable])
    modes = _modes(k, found, slice(None)) + (("", ""),) * len(beyond)
    near = np.concatenate([found.index >= poses.POINTS, np.zeros(len(beyond), dtype=bool)])
    return Cases(inputs, expected[0], modes, near, tuple(expected))


def _extend(k: Constants, inside: Cases, edge: Solutions, answers: Doubles, beyond: Doubles) -> Cases:
    """Drives close to the border, and drives whose feet are too far apart."""
    near = np.concatenate([edge.q, -edge.det_sign[:, None].astype(float)], -1)
    signs = np.where(np.arange(len(beyond)) % 2, 1.0, -1.0)[:, None]
    count = len(near) + len(beyond)
    return Cases(
        np.concatenate([inside.inputs, near, np.concatenate([beyond, signs], -1)]),
        np.concatenate([inside.expected, answers, np.full((len(beyond), answers.shape[1]), np.nan)]),
        inside.modes + _modes(k, edge, slice(None)) + (("", ""),) * len(beyond),
        np.concatenate([inside.near, np.arange(count) < len(near)]),
    )
