"""One call from Python: inverse and forward dynamics of the biglide at one state.

Run it with `python -m benchmarks.single_call`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from . import c_biglide, ours
from .biglide import KNOWN, Array, in_tree
from .harness import Claim, Table, Unavailable, available, interleave, report, require, show

ROUNDING = 1e-12  # relative, away from singularities: conditioning of this state times double precision
OURS, BOUND = "closedchain", "closedchain, bound function"
C, PINOCCHIO = "C extension", "Pinocchio constraintDynamics"
MUJOCO, MUJOCO_CALL = "MuJoCo mj_forward alone", "MuJoCo mj_forward, state handed over"


def main(rounds: int = 15, min_time: float = 0.02) -> dict[str, Any]:
    """Check every contestant's answer, time all of them, and compare with what is promised."""
    inverse, no_inverse = available({OURS: _our_inverse, BOUND: _bound_inverse, C: _c_inverse})
    forward, no_forward = available(
        {
            OURS: _our_forward,
            BOUND: _bound_forward,
            C: _c_forward,
            PINOCCHIO: partial(_engine, "pinocchio_biglide", "forward"),
            MUJOCO: partial(_engine, "mujoco_biglide", "forward"),
            MUJOCO_CALL: partial(_engine, "mujoco_biglide", "hand_over_and_forward"),
        }
    )
    tables = [
        interleave(title, calls, rounds=rounds, min_time=min_time, base=C)
        for title, calls in (("inverse dynamics, one call", inverse), ("forward dynamics, one call", forward))
        if calls
    ]
    skipped = sorted({*no_inverse, *no_forward})
    return report(tables, _claims({table.title.split()[0]: table for table in tables}), skipped)


def _claims(tables: dict[str, Table]) -> list[Claim]:
    def ratio(kind: str, name: str, to: str) -> float | None:
        return tables[kind].ratio(name, to) if kind in tables else None

    return [
        Claim("inverse dynamics, closedchain / C extension", ratio("inverse", OURS, C), at_most=5.0),
        Claim("forward dynamics, closedchain / C extension", ratio("forward", OURS, C), at_most=5.0),
        Claim(f"forward dynamics, Pinocchio / {BOUND}", ratio("forward", PINOCCHIO, BOUND), at_least=8.0),
        Claim(f"forward dynamics, {MUJOCO} / {BOUND}", ratio("forward", MUJOCO, BOUND), at_least=12.0),
        Claim(f"forward dynamics, {MUJOCO_CALL} / {BOUND}", ratio("forward", MUJOCO_CALL, BOUND), at_least=12.0),
    ]


def _our_inverse() -> Callable[[], object]:
    call = ours.single_inverse(KNOWN)
    require(f"{OURS} inverse dynamics", _error([call()], [KNOWN.tau]), ROUNDING)
    return call


def _bound_inverse() -> Callable[[], object]:
    call = ours.bound_inverse(KNOWN)
    require(f"{BOUND} inverse dynamics", _error([call()], [KNOWN.tau]), ROUNDING)
    return call


def _c_inverse() -> Callable[[], object]:
    call = partial(c_biglide.build().inverse_dynamics, KNOWN.q, KNOWN.q_dot, KNOWN.q_ddot, KNOWN.sign)
    require(f"{C} inverse dynamics", _error([call()], [KNOWN.tau]), ROUNDING)
    return call


def _our_forward() -> Callable[[], object]:
    call = ours.single_forward(KNOWN)
    require(f"{OURS} forward dynamics", _error(call(), [KNOWN.q_ddot, KNOWN.x_ddot, KNOWN.lam]), ROUNDING)
    return call


def _bound_forward() -> Callable[[], object]:
    call = ours.bound_forward(KNOWN)
    require(f"{BOUND} forward dynamics", _error(call(), [KNOWN.q_ddot, KNOWN.x_ddot, KNOWN.lam]), ROUNDING)
    return call


def _c_forward() -> Callable[[], object]:
    call = partial(c_biglide.build().forward_dynamics, KNOWN.q, KNOWN.x, KNOWN.q_dot, KNOWN.x_dot, KNOWN.tau)
    require(f"{C} forward dynamics", _error(call(), [KNOWN.q_ddot, KNOWN.x_ddot, KNOWN.lam]), ROUNDING)
    return call


def _engine(module: str, form: str) -> Callable[[], object]:
    """An engine's call, its accelerations checked to its own tolerance."""
    try:
        engine = importlib.import_module(f".{module}", __package__)
    except ModuleNotFoundError as missing:
        raise Unavailable(f"the package {missing.name} is not installed") from missing
    truth = in_tree(KNOWN.q_ddot, KNOWN.phi_ddot)
    require(module, _error([engine.accelerations(KNOWN)], [truth]), engine.TOLERANCE)
    call: Callable[[], object] = getattr(engine, form)(KNOWN)
    return call


def _error(answers: Sequence[Array], truths: Sequence[Array]) -> float:
    """Largest |answer - truth| / (1 + |truth|)."""
    pairs = zip(answers, truths, strict=True)
    return max(float(np.max(np.abs(answer - truth) / (1.0 + np.abs(truth)))) for answer, truth in pairs)


if __name__ == "__main__":
    print(show(main()))
