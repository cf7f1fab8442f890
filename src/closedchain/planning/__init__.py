"""Motions between poses that avoid singularities and collisions, over all working modes, proven from end to end."""

from closedchain.planning.bodies import bodies
from closedchain.planning.planner import plan
from closedchain.planning.result import ModeChange, Plan
from closedchain.planning.shapes import Obstacle, disc, polygon, wall
from closedchain.planning.straight import Obstruction, Straight

__all__ = ["ModeChange", "Obstacle", "Obstruction", "Plan", "Straight", "bodies", "disc", "plan", "polygon", "wall"]
