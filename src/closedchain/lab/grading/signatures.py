"""The ten functions of the lab: their arguments, what they return, and which of it are angles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

POSES = ("q11", "q12", "q21", "q22")
RATES = ("q11D", "q12D", "q21D", "q22D")


@dataclass(frozen=True)
class Signature:
    """A function as the lab's table states it."""

    name: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]  # in the order in which they are compared
    shapes: tuple[tuple[int, ...], ...] = ((), ())  # of what is returned, one after another

    @cached_property
    def may_be_unreachable(self) -> bool:
        """Whether there are arguments without an answer."""
        return self.name in ("dgm", "igm", "dgm_passive")


def _two(name: str, arguments: tuple[str, ...], *outputs: str) -> Signature:
    return Signature(name, arguments, outputs)


SIGNATURES = {
    s.name: s
    for s in (
        _two("dgm", ("q11", "q21", "assembly_mode"), "x", "y"),
        _two("igm", ("x", "y", "gamma1", "gamma2"), "q11", "q21"),
        _two("dgm_passive", ("q11", "q21", "assembly_mode"), "q12", "q22"),
        _two("dkm", (*POSES, "q11D", "q21D"), "xD", "yD"),
        _two("ikm", (*POSES, "xD", "yD"), "q11D", "q21D"),
        _two("dkm_passive", (*POSES, "q11D", "q21D", "xD", "yD"), "q12D", "q22D"),
        _two("dkm2", (*POSES, *RATES, "q11DD", "q21DD"), "xDD", "yDD"),
        _two("ikm2", (*POSES, *RATES, "xDD", "yDD"), "q11DD", "q21DD"),
        _two("dkm2_passive", (*POSES, *RATES, "q11DD", "q21DD", "xDD", "yDD"), "q12DD", "q22DD"),
        Signature("dynamic_model", (*POSES, *RATES), ("M11", "M12", "M21", "M22", "c1", "c2"), ((2, 2), (2,))),
    )
}


def angles(robot: str, signature: Signature) -> tuple[bool, ...]:
    """Which outputs count modulo a turn: passive angles, and the five-bar's drives."""
    turning = {"q12", "q22"} | ({"q11", "q21"} if robot == "fivebar" else set())
    return tuple(name in turning for name in signature.outputs)
