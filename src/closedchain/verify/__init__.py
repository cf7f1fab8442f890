"""Checks: the laws of physics on any robot, and independent engines quantity by quantity.

    import closedchain as cc
    print(cc.verify("biglide", engine="mujoco"))

`closedchain.verify` is this package and the name of its main function; so the package itself can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from closedchain.extras import doors

if TYPE_CHECKING:
    from closedchain.verify.bodies import Bodies, bodies_of
    from closedchain.verify.compare import verify
    from closedchain.verify.comparison import Comparison, markdown
    from closedchain.verify.diagnosis import diagnose
    from closedchain.verify.engine_mujoco import MuJoCo
    from closedchain.verify.laws import Report, check
    from closedchain.verify.motions import DURATION
    from closedchain.verify.own_functions import OWN_FUNCTIONS, read_functions
    from closedchain.verify.samples import one_state
    from closedchain.verify.stepper_mujoco import MuJoCoStepper
    from closedchain.verify.witness import asked_of, set_off

_HOMES = {  # imported when first used
    "DURATION": "motions",
    "OWN_FUNCTIONS": "own_functions",
    "Bodies": "bodies",
    "Comparison": "comparison",
    "MuJoCo": "engine_mujoco",
    "MuJoCoStepper": "stepper_mujoco",
    "Report": "laws",
    "asked_of": "witness",
    "bodies_of": "bodies",
    "check": "laws",
    "diagnose": "diagnosis",
    "markdown": "comparison",
    "one_state": "samples",
    "read_functions": "own_functions",
    "set_off": "witness",
    "verify": "compare",
}

__all__ = [
    "DURATION",
    "OWN_FUNCTIONS",
    "Bodies",
    "Comparison",
    "MuJoCo",
    "MuJoCoStepper",
    "Report",
    "asked_of",
    "bodies_of",
    "check",
    "diagnose",
    "markdown",
    "one_state",
    "read_functions",
    "set_off",
    "verify",
]


__getattr__, __dir__ = doors(__name__, _HOMES)


class _Verify(ModuleType):
    """This package; calling it is `closedchain.verify.compare.verify`."""

    def __call__(self, robot: Any, engine: str = "all", **options: Any) -> Any:
        return __getattr__("verify")(robot, engine, **options)


sys.modules[__name__].__class__ = _Verify
