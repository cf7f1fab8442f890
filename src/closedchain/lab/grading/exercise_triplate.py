"""Seed 002's exercise: every inverse and direct solution, Jacobians, singular points, modes in which a path is open."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.exercise import Exercise, Task
from closedchain.model.geometry import direct, inverse
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.modes import working_names
from closedchain.model.sampling import configurations
from closedchain.singularity.along import along

STATES, ODD = 24, 8  # poses within reach, and others
REGULAR = 0.1
DRIVES, POSE = ("theta1", "theta2", "d3"), ("x", "y", "phi")
SIGMA = ("sigma1", "sigma2")
LINES = ((0.0, 10.0, 0.51, 3.0), (-1.0, 40.0, -3.0, -0.6))  # y [m], phi [deg], x from, to [m]; the document's first
PATHS = (  # [m, m, deg] the document's own two, and some
    ((-3, -1, 45), (-2, 0, 0)),
    ((-3, -2, 45), (-2, 0, 0)),
    ((0.6, 0, 10), (1.5, 0.5, 20)),
    ((-2, 0, 0), (-2, 1.5, -30)),
)
OTHER_SIGN = "J_x and J_q are those of J_x ẋ = J_q q̇"


@lru_cache(maxsize=8)
def triplate(seed: int) -> tuple[Exercise, ...]:
    """The robot with the document's lengths."""
    model = load("triplate")
    rng = np.random.default_rng(seed)
    z = configurations(model, STATES, rng, REGULAR)[:STATES]
    q, x = z[:, : model.nq], z[:, model.nq :]
    tasks = (_inverse(model, x, rng), _direct(model, q, rng), _jacobians(model, q, x), _singular(model), _open(model))
    return (Exercise("triplate", tasks),)


def _inverse(model: Model, x: Doubles, rng: np.random.Generator) -> Task:
    far = np.stack([rng.uniform(8, 12, ODD), rng.uniform(-9, 9, ODD), rng.uniform(-3, 3, ODD)], axis=-1)
    poses = np.concatenate([x, far])
    found = tuple(inverse(model, pose).q for pose in poses)
    return Task("inverse", POSE, DRIVES, poses, found, turning=DRIVES[:2], single=False)


def _direct(model: Model, q: Doubles, rng: np.random.Generator) -> Task:
    """Also drives for which there may be no pose; those whose count is not certain are left out."""
    wild = np.stack([*rng.uniform(-np.pi, np.pi, (2, ODD)), rng.uniform(1, 7, ODD)], axis=-1)
    found = [(row, direct(model, row)) for row in np.concatenate([q, wild])]
    sure = [(row, poses.x) for row, poses in found if poses.complete.all() and not any(s.double for s in poses)]
    drives, poses = zip(*sure, strict=True)
    return Task("direct", DRIVES, POSE, np.array(drives), poses, turning=POSE[2:], single=False)


def _jacobians(model: Model, q: Doubles, x: Doubles) -> Task:
    """Each row [J_x, J_q] up to a factor: an equation may be multiplied by any number, and may bring J_q across."""
    made = model.call("closures", q=q, x=x)
    slopes = np.concatenate([made["A"], np.diagonal(made["B"], axis1=-2, axis2=-1)[..., None]], axis=-1)
    across = slopes * [1.0, 1.0, 1.0, -1.0]
    columns = ("Jx_x", "Jx_y", "Jx_phi", "Jq")
    return Task(
        "jacobians", (*POSE, *DRIVES), columns, np.concatenate([x, q], axis=-1), tuple(map(_directions, slopes)),
        shape=_jacobian_rows, others=((OTHER_SIGN, tuple(map(_directions, across))),),
    )  # fmt: skip


def _jacobian_rows(numbers: Doubles) -> Doubles | None:
    """J_x (3 × 3) and J_q (3 × 3, or its diagonal)."""
    if len(numbers) not in (12, 18):
        return None
    J_x, rest = numbers[:9].reshape(3, 3), numbers[9:]
    return _directions(np.concatenate([J_x, (rest if len(rest) == 3 else rest.reshape(3, 3).diagonal())[:, None]], 1))


def _directions(rows: Doubles) -> Doubles:
    """Of length one, the largest component positive."""
    largest = rows[np.arange(len(rows)), np.argmax(np.abs(rows), axis=1)]
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None] * np.sign(largest)[:, None])


def _singular(model: Model) -> Task:
    """Every x between two at which det J_x = 0 in a working mode."""
    inputs, found = [], []
    for y, degrees, low, high in LINES:
        phi = np.radians(degrees)
        for mode in working_names(model):
            points = along(model, [low, y, phi], [high, y, phi], working=mode)
            if points.complete:
                inputs.append([y, phi, *_signs(mode), low, high])
                found.append(np.array([p.x[0] for p in points]).reshape(-1, 1))
    return Task("singular_x", ("y", "phi", *SIGMA, "low", "high"), ("x",), np.array(inputs), tuple(found), single=False)


def _open(model: Model) -> Task:
    """The working modes in which the straight path meets no singularity and stays within reach."""
    inputs, found = [], []
    for start, end in PATHS:
        ends = [np.array([a, b, np.radians(c)]) for a, b, c in (start, end)]
        looked = {m: [along(model, *ends, working=m, kind=k) for k in "AB"] for m in working_names(model)}
        if all(one.complete for both in looked.values() for one in both):
            free = [m for m, both in looked.items() if not any(len(one) or one.out_of_reach for one in both)]
            inputs.append(np.concatenate(ends))
            found.append(np.array([_signs(m) for m in free]).reshape(-1, 2))
    arguments = tuple(f"{name}{end}" for end in "01" for name in POSE)
    return Task("open_modes", arguments, SIGMA, np.array(inputs), tuple(found), single=False)


def _signs(mode: str) -> tuple[float, float]:
    first, second = (1.0 if sign == "+" else -1.0 for sign in mode[:2])
    return first, second
