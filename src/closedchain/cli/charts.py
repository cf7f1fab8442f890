"""Poses in space as they are typed: x, y, z and roll, pitch, yaw, or with a quaternion or a rotation vector."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.cli.options import CHARTS
from closedchain.cli.parser import Usage
from closedchain.cli.values import coordinates, output, vector
from closedchain.describe.equations import Coordinate
from closedchain.model.model import Model
from closedchain.model.orientation import from_quaternions, from_vectors, matrices, quaternions, rolls, vectors_of

ANGLES = {"quaternion": [(f"e_{a}", "") for a in "wxyz"], "vector": [(f"rotation_{a}", "rad") for a in "xyz"]}


def pose(model: Model, text: str | None, option: str, chart: str) -> list[float] | None:
    """The output's coordinates x of a pose in a chart; None where the option was not given."""
    if chart == CHARTS[0]:
        return output(model, text, option)
    places, turns = coordinates(_own(model, chart)[:-3]), ANGLES[chart]
    numbers = vector(text, option, [*places, *turns])
    if numbers is None:
        return None
    angles = np.array(numbers[len(places) :])
    if chart == "quaternion" and not angles.any():
        raise Usage(f"{option}: a quaternion of zeros is no orientation; 1,0,0,0 is none turned")
    R = from_quaternions(angles) if chart == "quaternion" else from_vectors(angles)
    return [*numbers[: len(places)], *rolls(R).tolist()]


def names(model: Model, chart: str) -> list[str]:
    """What the output's coordinates are called in a chart, with their units."""
    own = model.equations.x[: model.outputs]
    named = coordinates(own) if chart == CHARTS[0] else [*coordinates(_own(model, chart)[:-3]), *ANGLES[chart]]
    return [f"{name} [{unit or '1'}]" for name, unit in named]


def told(model: Model, x: Doubles, chart: str) -> Doubles:
    """The output's own coordinates in a chart, (*batch, n)."""
    own = x[..., : model.outputs]
    if chart == CHARTS[0]:
        return own
    R = matrices(own[..., -3:])
    turned = quaternions(R) if chart == "quaternion" else vectors_of(R)
    return np.concatenate([own[..., :-3], turned], axis=-1)


def _own(model: Model, chart: str) -> list[Coordinate]:
    """The output's coordinates, which end with roll, pitch and yaw."""
    own = list(model.equations.x[: model.outputs])
    if [c.name for c in own[-3:]] != ["roll", "pitch", "yaw"]:
        raise Usage(f"--chart {chart}: {model.name} has no output that turns in every way; leave it out")
    return own
