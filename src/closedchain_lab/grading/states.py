"""The lab's ten functions, the states on which they are tried, and the right answers: every branch, moving or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from closedchain import direct, evaluate, inverse
from closedchain.arrays import Doubles
from closedchain.model import Model, Solutions
from closedchain_lab.grading.constants import ROUNDED_INERTIA, Constants
from closedchain_lab.grading.mutation import formulas
from closedchain_lab.grading.question import TURN, Exercise, Flags, Question, Variant

POINTS, NEAR, BEYOND = 40, 6, 12  # how many within the reach, close to its border, beyond it
BOX = {"biglide": (0.6, 0.6), "fivebar": (0.3, np.pi)}  # tips [m] and drives [m, rad] are within ± these
CLOSE = 1e-3  # of a bar: how far inside the border the close ones are
LEAST, MOST = 1e-3, 0.5  # of a bar: how far beyond the unreachable ones are
HALVINGS = 50  # of a way, to find the border on it
REST = 8  # every which state is at rest
REGULAR = 0.15  # least |sin| of the angle between bars: away from singularities
FLIPS = ((1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0))  # what a group's gamma1 and gamma2 may mean
WHICH = ("", "both gammas count", "gamma2 counts", "gamma1 counts")
ROUNDED = "ZZ1R and ZZ2R are the handout's rounded 0.002 kg m²; the model file has 0.002025"

POSES, RATES = ("q11", "q12", "q21", "q22"), ("q11D", "q12D", "q21D", "q22D")
FUNCTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # arguments, and what is returned
    "dgm": (("q11", "q21", "assembly_mode"), ("x", "y")),
    "igm": (("x", "y", "gamma1", "gamma2"), ("q11", "q21")),
    "dgm_passive": (("q11", "q21", "assembly_mode"), ("q12", "q22")),
    "dkm": ((*POSES, "q11D", "q21D"), ("xD", "yD")),
    "ikm": ((*POSES, "xD", "yD"), ("q11D", "q21D")),
    "dkm_passive": ((*POSES, "q11D", "q21D", "xD", "yD"), ("q12D", "q22D")),
    "dkm2": ((*POSES, *RATES, "q11DD", "q21DD"), ("xDD", "yDD")),
    "ikm2": ((*POSES, *RATES, "xDD", "yDD"), ("q11DD", "q21DD")),
    "dkm2_passive": ((*POSES, *RATES, "q11DD", "q21DD", "xDD", "yDD"), ("q12DD", "q22DD")),
    "dynamic_model": ((*POSES, *RATES), ("M11", "M12", "M21", "M22", "c1", "c2")),
}
Modes = tuple[tuple[str, str], ...]  # of each row: the lab's assembly mode, and its gammas


def exercise(k: Constants, seed: int, note: str = "") -> Exercise:
    """The lab's, on a robot with these lengths and masses."""
    return Exercise(k.robot, questions(k, seed), formulas(k.robot), k.named, note)


@lru_cache(maxsize=32)
def questions(k: Constants, seed: int) -> dict[str, Question]:
    """Of each function."""
    rng, model = np.random.default_rng(seed), k.model()
    inside, near, beyond = around(k, lambda X: inverse(model, X), BOX[k.robot][0], rng)
    found = inverse(model, np.concatenate([inside[:POINTS], near[:NEAR]]))
    made = {"igm": _igm(k, found, beyond[:BEYOND])}
    values, kept = _moving(k, model, found, rng)
    modes, close = _modes(k, found, kept), found.index[kept] >= POINTS
    for name, (arguments, outputs) in FUNCTIONS.items():
        if name != "igm":
            asked, answers = (np.stack([values[one] for one in which], -1) for which in (arguments, outputs))
            made[name] = _question(k, name, asked, answers, modes, close)
    _, near, beyond = around(k, lambda q: direct(model, q), BOX[k.robot][1], rng)
    found = direct(model, near[:NEAR])
    for name, answers in (("dgm", found.x), ("dgm_passive", found.passive)):
        made[name] = _extend(k, made[name], found, answers, beyond[:BEYOND])
    if k.turns and k.named["ZZ1R"] != ROUNDED_INERTIA:
        others = dict.fromkeys(("ZZ1R", "ZZ2R"), ROUNDED_INERTIA)
        rounded = ((ROUNDED, questions(k.but(**others), seed)["dynamic_model"].expected),)
        made["dynamic_model"] = replace(made["dynamic_model"], readings=rounded, variants=(((), {}), ((), others)))
    return {name: made[name] for name in FUNCTIONS}


def around(
    k: Constants, solve: Callable[[Doubles], Solutions], box: float, rng: np.random.Generator
) -> tuple[Doubles, Doubles, Doubles]:
    """Random points that have solutions, points close to the border where there are none, and points beyond it.

    The border is found by halving the way from a point inside to one outside.
    """

    def reached(points: Doubles) -> Flags:
        return np.isin(np.arange(len(points)), solve(points).index)

    points = rng.uniform(-box, box, (50 * POINTS, 2))
    there = reached(points)
    inside, outside = points[there], points[~there]
    count = min(len(inside), len(outside), 4 * BEYOND)
    start, way = inside[:count], outside[:count] - inside[:count]
    low, high = np.zeros((count, 1)), np.ones((count, 1))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        good = reached(start + middle * way)[:, None]
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    border, unit = start + low * way, way / np.linalg.norm(way, axis=1, keepdims=True)
    near = border - CLOSE * k.bars * unit
    beyond = border + np.resize(np.geomspace(LEAST, MOST, BEYOND), (count, 1)) * k.bars * unit
    return inside, near[reached(near)], beyond[~reached(beyond)]


def _question(k: Constants, name: str, inputs: Doubles, expected: Doubles, modes: Modes, near: Flags) -> Question:
    turning = ("q12", "q22", "q11", "q21") if k.turns else ("q12", "q22")
    return Question(name, *FUNCTIONS[name], inputs, expected[:, None], turning, modes=modes, near=near)


def _moving(k: Constants, model: Model, found: Solutions, rng: np.random.Generator) -> tuple[dict[str, Doubles], Flags]:
    """Everything about random motions through the configurations that are regular, by the lab's names."""
    phi = found.passive + found.q if k.turns else found.passive
    sines = np.abs(np.sin(np.stack([phi[:, 0] - phi[:, 1], *found.passive.T])))
    kept = (sines[0] > REGULAR) & ((sines[1:] > REGULAR).all(axis=0) | (found.index >= POINTS))
    q, passive = found.q[kept], found.passive[kept]
    at_rest = np.arange(len(q)) % REST == 3
    q_dot = rng.normal(0.0, 2.0 if k.turns else 0.4, q.shape) * ~at_rest[:, None]
    q_ddot = rng.normal(0.0, 5.0 if k.turns else 1.0, q.shape)
    values = named_values(model, q, found.x[kept], passive, q_dot, q_ddot)
    if k.turns:  # a turn more or less is the same pose
        for name in POSES:
            values[name] = values[name] + TURN * rng.integers(-1, 2, len(q))
    return values | {"assembly_mode": -found.det_sign[kept].astype(float)}, kept


def named_values(
    model: Model, q: Doubles, x: Doubles, passive: Doubles, q_dot: Doubles, q_ddot: Doubles
) -> dict[str, Doubles]:
    """Everything about some motions, by the lab's names."""
    made = evaluate(model, q=q, x=x, q_dot=q_dot, q_ddot=q_ddot).items()
    values = {f"M{i}{j}": made["M"][:, i - 1, j - 1] for i in (1, 2) for j in (1, 2)}
    orders = {"": (q, passive, x), "D": (q_dot, made["passive_dot"], made["x_dot"])}
    for order, (active, free, tip) in (orders | {"DD": (q_ddot, made["passive_ddot"], made["x_ddot"])}).items():
        values |= {f"q11{order}": active[:, 0], f"q21{order}": active[:, 1]}
        values |= {f"q12{order}": free[:, 0], f"q22{order}": free[:, 1]}
        values |= {f"x{order}": tip[:, 0], f"y{order}": tip[:, 1]}
    return values | {f"{name}{i}": made[name][:, i - 1] for name in ("c", "tau") for i in (1, 2)}


def _modes(k: Constants, found: Solutions, kept: Flags | slice = slice(None)) -> Modes:
    return tuple(
        (f"{-sign:+d}", f"({int(one):+d}, {int(two):+d})")
        for sign, (one, two) in zip(found.det_sign[kept], _gammas(k, found)[kept], strict=True)
    )


def _gammas(k: Constants, found: Solutions) -> Doubles:
    """gamma1 and gamma2 of each row, as the lab counts them."""
    signs = found.signs.astype(float)
    return signs if k.turns else -signs


def _igm(k: Constants, found: Solutions, beyond: Doubles) -> Question:
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
    modes = _modes(k, found) + (("", ""),) * len(beyond)
    near = np.concatenate([found.index >= POINTS, np.zeros(len(beyond), dtype=bool)])
    ours = ": +1 turns the arm clockwise" if k.turns else " than in this grader's q = y + gamma √(…)"
    readings = tuple((f"{w} the other way{ours}", e[:, None]) for w, e in zip(WHICH, expected, strict=True) if w)
    variants: tuple[Variant, ...] = tuple(((1.0, 1.0, *flip), {}) for flip in FLIPS)
    return replace(_question(k, "igm", inputs, expected[0], modes, near), readings=readings, variants=variants)


def _extend(k: Constants, inside: Question, edge: Solutions, answers: Doubles, beyond: Doubles) -> Question:
    """Drives close to the border, and drives whose feet are too far apart."""
    near = np.concatenate([edge.q, -edge.det_sign[:, None].astype(float)], -1)
    far = np.concatenate([beyond, np.where(np.arange(len(beyond)) % 2, 1.0, -1.0)[:, None]], -1)
    inputs = np.concatenate([inside.inputs, near, far])
    expected = np.concatenate([inside.expected[:, 0], answers, np.full((len(far), answers.shape[1]), np.nan)])
    modes = inside.modes + _modes(k, edge) + (("", ""),) * len(far)
    close = np.concatenate([inside.close, np.arange(len(near) + len(far)) < len(near)])
    return _question(k, inside.name, inputs, expected, modes, close)
