"""Twists and wrenches as screws: a line, and how far it goes along per turn or how much moment it has per force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles

TURNING = 1e-12  # of a unit twist in metres: below it a motion is a translation, and a wrench is a couple


@dataclass(frozen=True, eq=False)
class Screw:
    """A twist's axis, or a wrench's; a translation or a couple has a direction, no line, and an infinite pitch."""

    direction: Doubles  # (*b, 3) of length one
    point: Doubles  # (*b, 3) [m] of the line, nearest to the body's origin; infinite without a line
    pitch: Doubles  # (*b,) [m]


def screw(axial: Doubles, polar: Doubles, origin: Doubles, length: float) -> Screw:
    """The screw of a twist (ω, v at the origin) or of a wrench (force, moment about it); ω counts by a length [m]."""
    square = np.einsum("...i,...i->...", axial, axial)
    size = np.sqrt(length**2 * square + np.einsum("...i,...i->...", polar, polar))
    turns = length * np.sqrt(square) > TURNING * size
    safe = np.where(turns, square, 1.0)
    point = origin + np.cross(axial, polar) / safe[..., None]
    lead = np.where(turns[..., None], axial, polar)
    norm = np.linalg.norm(lead, axis=-1, keepdims=True)
    return Screw(
        direction=np.asarray(lead / np.where(norm > 0.0, norm, 1.0)),
        point=np.where(turns[..., None], point, np.inf),
        pitch=np.where(turns, np.einsum("...i,...i->...", axial, polar) / safe, np.inf),
    )
