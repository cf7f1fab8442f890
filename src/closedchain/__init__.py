"""closedchain: parallel robots and Lagrangian dynamics, from one short description to every model.

import closedchain as cc
robot = cc.load("biglide")
print(cc.inverse(robot, x=[0.03, 0.25]))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain import shown
from closedchain.extras import doors
from closedchain.version import VERSION

__version__ = VERSION
shown.home = "closedchain.notebook.display"  # notebooks look there for how a value is shown

if TYPE_CHECKING:
    from closedchain.calibration import calibrate
    from closedchain.control import PD, ComputedTorque, KinematicControl
    from closedchain.errors import ClosedChainError
    from closedchain.exchange.importing import import_model
    from closedchain.identification import identify
    from closedchain.model.assembling import assemble
    from closedchain.model.derivatives import derivatives, gradient
    from closedchain.model.dyads import assemblies
    from closedchain.model.dynamics import energy, forward_dynamics, inverse_dynamics
    from closedchain.model.evaluation import evaluate
    from closedchain.model.follow import follow
    from closedchain.model.geometry import direct, inverse
    from closedchain.model.linearisation import linearise
    from closedchain.model.loading import load
    from closedchain.model.mobility import analyse
    from closedchain.model.sharing import shared_efforts
    from closedchain.model.state import state
    from closedchain.model.transmission import transmission
    from closedchain.motion import quintic
    from closedchain.notebook import Explorer, dataset, frame
    from closedchain.simulation.simulate import simulate
    from closedchain.singularity.pose import singularities
    from closedchain.verify import check, verify

_HOMES = {  # where each public name lives; imported when first used, so that `import closedchain` stays light
    "PD": "control",
    "ClosedChainError": "errors",
    "ComputedTorque": "control",
    "Explorer": "notebook",
    "KinematicControl": "control",
    "analyse": "model.mobility",
    "assemble": "model.assembling",
    "assemblies": "model.dyads",
    "calibrate": "calibration",
    "check": "verify",
    "dataset": "notebook",
    "derivatives": "model.derivatives",
    "direct": "model.geometry",
    "energy": "model.dynamics",
    "evaluate": "model.evaluation",
    "follow": "model.follow",
    "frame": "notebook",
    "forward_dynamics": "model.dynamics",
    "gradient": "model.derivatives",
    "identify": "identification",
    "import_model": "exchange.importing",
    "inverse": "model.geometry",
    "inverse_dynamics": "model.dynamics",
    "linearise": "model.linearisation",
    "load": "model.loading",
    "quintic": "motion",
    "shared_efforts": "model.sharing",
    "simulate": "simulation.simulate",
    "singularities": "singularity.pose",
    "state": "model.state",
    "transmission": "model.transmission",
    "verify": "verify",
}

__all__ = [
    "PD",
    "ClosedChainError",
    "ComputedTorque",
    "Explorer",
    "KinematicControl",
    "analyse",
    "assemble",
    "assemblies",
    "calibrate",
    "check",
    "dataset",
    "derivatives",
    "direct",
    "energy",
    "evaluate",
    "follow",
    "frame",
    "forward_dynamics",
    "gradient",
    "identify",
    "import_model",
    "inverse",
    "inverse_dynamics",
    "linearise",
    "load",
    "quintic",
    "shared_efforts",
    "simulate",
    "singularities",
    "state",
    "transmission",
    "verify",
]

__getattr__, __dir__ = doors(__name__, _HOMES)
