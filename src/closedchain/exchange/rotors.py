"""Rotors on undriven joints: an inertia that is felt at the joint and has no place or weight of its own."""

from __future__ import annotations

from closedchain.exchange.planar import Connection
from closedchain.exchange.sketching import Sketch

TURNING = ("bar", "plate")


def add_rotors(sketch: Sketch) -> None:
    """A body hinged to the ground turns as its rotor does and takes its inertia; other rotors are left out."""
    for connection in sketch.plane.connections:
        rotor = connection.joint.armature if connection.joint else 0.0
        if rotor and connection.name not in sketch.roles.drives and not _held(sketch, connection, rotor):
            sketch.notes.append(f"the rotor on the undriven joint {connection.name}, {rotor:.3g}, is left out")


def _held(sketch: Sketch, connection: Connection, rotor: float) -> bool:
    ground = sketch.plane.links[0]
    link = connection.b if connection.a is ground else connection.a
    if ground not in (connection.a, connection.b) or connection.kind != "pin" or sketch.role(link) not in TURNING:
        return False
    link.inertia += rotor
    return True
