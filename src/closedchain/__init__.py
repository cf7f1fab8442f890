"""closedchain: parallel robots and Lagrangian dynamics, from one short description to every model.

import closedchain as cc
robot = cc.load("biglide")
print(cc.inverse(robot, x=[0.03, 0.25]))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from closedchain.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from closedchain.control import PD, ComputedTorque, KinematicControl
    from closedchain.errors import ClosedChainError
    from closedchain.model.assembling import assemble
    from closedchain.model.dyads import assemblies
    from closedchain.model.dynamics import energy, forward_dynamics, inverse_dynamics
    from closedchain.model.evaluation import evaluate
    from closedchain.model.follow import follow
    from closedchain.model.geometry import direct, inverse
    from closedchain.model.linearisation import linearise
    from closedchain.model.loading import load
    from closedchain.model.mobility import analyse
    from closedchain.model.state import state
    from closedchain.motion import quintic
    from closedchain.simulation.simulate import simulate
    from closedchain.verify.compare import verify
    from closedchain.verify.laws import check

_HOMES = {  # where each public name lives; imported when first used, so that `import closedchain` stays light
    "PD": "control",
    "ClosedChainError": "errors",
    "ComputedTorque": "control",
    "KinematicControl": "control",
    "analyse": "model.mobility",
    "assemble": "model.assembling",
    "assemblies": "model.dyads",
    "check": "verify.laws",
    "direct": "model.geometry",
    "energy": "model.dynamics",
    "evaluate": "model.evaluation",
    "follow": "model.follow",
    "forward_dynamics": "model.dynamics",
    "inverse": "model.geometry",
    "inverse_dynamics": "model.dynamics",
    "linearise": "model.linearisation",
    "load": "model.loading",
    "quintic": "motion",
    "simulate": "simulation.simulate",
    "state": "model.state",
    "verify": "verify.compare",
}

__all__ = [
    "PD",
    "ClosedChainError",
    "ComputedTorque",
    "KinematicControl",
    "analyse",
    "assemble",
    "assemblies",
    "check",
    "direct",
    "energy",
    "evaluate",
    "follow",
    "forward_dynamics",
    "inverse",
    "inverse_dynamics",
    "linearise",
    "load",
    "quintic",
    "simulate",
    "state",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'closedchain' has no attribute {name!r}")
    return getattr(importlib.import_module(f"closedchain.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
