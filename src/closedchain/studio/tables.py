"""Where each operation lives, and what it may give back. Nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HOMES = {  # operation → file and function in closedchain.studio.operations
    "hello": "hello:hello",
    "robot": "describing:robot",
    "solve": "geometry:solve",
    "at": "instant:at",
    "along": "lines:along",
    "path": "path:path",
    "define": "defining:define",
    "python": "code:python",
    "javascript": "scripts:javascript",
    "scenario": "scenario:scenario",
    "map": "maps:map_",
    "loci": "curves:loci",
    "cusps": "curves:cusps",
    "aspects": "maps:aspects",
    "plan": "motions:plan",
    "crossing": "motions:crossing",
    "simulate": "simulating:simulate",
    "verify": "comparing:verify",
    "grade": "grading:grade",
    "sweep": "studying:sweep",
    "design": "studying:design",
    "file": "saving:file",
}


@dataclass(frozen=True, eq=False)
class Framed:
    """An answer that goes as a binary frame."""

    arrays: Mapping[str, Any]  # NumPy arrays by name
    meta: Mapping[str, Any]
