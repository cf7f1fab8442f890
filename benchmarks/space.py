"""A platform on six heavy legs: inverse and forward dynamics beside MuJoCo and Pinocchio; chains of loops in space.

Run it with `python -m benchmarks.space`; `--chain` also counts the instructions of chains of loops. Ours goes through a
batch of different states on one thread; an engine's call is its C function at one state, set beforehand, in MuJoCo's
default settings. All three let the platform fall from rest first; ours must fall as hand geometry says to 1e-9.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import closedchain as cc
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe import Bar, Body, Mechanism, Recipe
from closedchain.exchange.writing import mjcf_files
from closedchain.model.model import Model
from closedchain.verify.bodies import bodies_of

from . import ours
from .harness import Claim, Unavailable, available, interleave, report, require, show

try:
    import mujoco
except ImportError:  # an extra
    mujoco = None
try:
    import pinocchio as pin

    from closedchain.verify.engine_pinocchio import ACCURACY, ITERATIONS, MU, Pinocchio
except ImportError:  # an extra
    pin = None

FALLS = -10.059940204136  # [m/s²] tests/exchange/test_bodies_of_space.py: d/dt ∂T/∂ż = −∂V/∂z of the symmetric motion
STATES = 4096
OURS, ONE, MUJOCO, PINOCCHIO = "closedchain, a state of 4096", "closedchain, one call", "MuJoCo", "Pinocchio"
HOME = [0.0, 0.0, 1.2, 0.0, 0.0, 0.0]
CHAIN = (2, 4, 8, 16, 32)


def main(rounds: int = 9, min_time: float = 0.02, chain: bool = False) -> dict[str, Any]:
    """Check the answers, time all in one run, and compare with what is promised."""
    forward, skipped = available({ONE: our_call, MUJOCO: mujoco_call, PINOCCHIO: pinocchio_call})
    batch = {OURS: our_forward(), "inverse": our_inverse()}
    whole = interleave("forward dynamics", {OURS: batch[OURS], **forward}, rounds=rounds, min_time=min_time, base=OURS)
    inverse = interleave("inverse dynamics, 4096 states", {"ours": batch["inverse"]}, rounds=rounds, min_time=min_time)
    state = (whole.median(OURS) or np.inf) / STATES
    claims = [
        Claim("forward dynamics [µs a state]", state * 1e6, at_most=2.0),
        Claim("inverse dynamics [µs a state]", (inverse.median("ours") or np.inf) / STATES * 1e6, at_most=1.5),
        *(
            Claim(f"{name} / ours, a state", ratio * STATES if ratio else None, at_least=bar)
            for name, bar in ((MUJOCO, 13.0), (PINOCCHIO, 40.0))
            for ratio in [whole.ratio(name, OURS)]
        ),
        Claim("first use with an empty cache [s]", ours.first_use("gough", cold=True), at_most=5.0),
    ]
    if chain:
        sizes = [instructions(n) for n in CHAIN]
        for n, (count, seconds) in zip(CHAIN, sizes, strict=True):
            print(f"chain of {n:2d} loops: {count:6d} instructions, derived in {seconds:.1f} s")
        growth = np.log(sizes[-1][0] / sizes[0][0]) / np.log(CHAIN[-1] / CHAIN[0])
        claims.append(Claim(f"instructions of a chain of N loops, N^, {CHAIN[0]} to {CHAIN[-1]}", growth, at_most=1.05))
    return report([whole, inverse], claims, skipped)


def _states() -> tuple[Any, ...]:
    """Different states near home, batch first, as views of rows, and efforts."""
    robot, rng = cc.load("gough"), np.random.default_rng(0)
    x = HOME + rng.uniform(-0.1, 0.1, (STATES, 6))
    at = cc.state(robot, x=x, x_dot=rng.uniform(-0.3, 0.3, (STATES, 6)))
    rows = (at.q, at.x, at.q_dot, at.x_dot, rng.uniform(-60.0, 60.0, (STATES, 6)))
    return robot, *(np.ascontiguousarray(row.T).T for row in rows)


def our_forward() -> Callable[[], object]:
    """The compiled forward dynamics of all states."""
    robot, *given = _states()
    fall = robot.forward(*our_rest(robot))
    require("our fall", abs(float(fall.x_ddot[2]) - FALLS), 1e-9)
    return lambda: robot.forward(*given)


def our_inverse() -> Callable[[], object]:
    """The compiled inverse dynamics of all states."""
    robot, q, x, q_dot, x_dot, tau = _states()
    q_ddot = robot.forward(q, x, q_dot, x_dot, tau).q_ddot
    require("our efforts", float(np.abs(robot.inverse(q, x, q_dot, q_ddot) - tau).max()), 1e-9)
    return lambda: robot.inverse(q, x, q_dot, q_ddot)


def our_rest(robot: Model) -> tuple[Any, ...]:
    """Home, still and without efforts."""
    at = cc.state(robot, x=HOME)
    return at.q, at.x, at.q_dot, at.x_dot, np.zeros(6)


def our_call() -> Callable[[], object]:
    """One state from Python."""
    robot = cc.load("gough")
    given = our_rest(robot)
    return lambda: robot.forward(*given)


def mujoco_call() -> Callable[[], object]:
    """`mj_forward` at one closed state of the file that we write, in MuJoCo's default settings."""
    if mujoco is None:
        raise Unavailable("the package mujoco is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gough.xml"
        path.write_text(mjcf_files(cc.load("gough"))[0][".xml"], encoding="utf-8")
        model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl[:] = 60.0
    return lambda: mujoco.mj_forward(model, data)


def pinocchio_call() -> Callable[[], object]:
    """`constraintDynamics` at one state, its fall checked."""
    if pin is None:
        raise Unavailable("the package pin is not installed")
    robot = cc.load("gough")
    bodies = bodies_of(robot, cc.state(robot, x=HOME))
    engine = Pinocchio(bodies.tree, bodies.places)
    rest = np.zeros(bodies.tree.nv)
    at = engine.configuration(rest)
    height = bodies.places.index("platform")
    fall = engine.look(at, rest).places_J[height] @ engine.solve(at, rest, rest).v_dot
    require("Pinocchio's fall", abs(float(fall[2]) - FALLS), 1e-7)
    still, settings = np.zeros(engine.model.nv), pin.ProximalSettings(ACCURACY, MU, ITERATIONS)
    given = engine.model, engine.data, at, still, still, engine.constraints, engine.constraints_data, settings
    return lambda: pin.constraintDynamics(*given)


def instructions(n: int) -> tuple[int, float]:
    """Of forward dynamics of a chain of n loops, and the processor time to derive them [s]."""
    began = time.process_time()
    model = Model(Recipe(chain_of(n)))
    return len(Models(Symbols(model.equations)).forward_dynamics(model.massless).code), time.process_time() - began


def chain_of(n: int) -> Mechanism:
    """Bodies one above the other, each on five bars from the one below, the lowest one floating: n loops of space."""
    feet, tops = ([(r * np.cos(a + t), r * np.sin(a + t), 0.0) for a in np.arange(5) * 2 * np.pi / 5] for r, t in
                  ((1.0, 0.0), (0.7, 0.3)))  # fmt: skip
    length = float(np.hypot(np.linalg.norm(np.subtract(feet[0], tops[0])), 1.0))
    bodies = [Body(f"b{k}", 1.0, (0, 0, 0), (0.1, 0.1, 0.2)) for k in range(n + 1)]
    bars = [
        Bar(low.point(f"{low.name}f{i}", at=foot), high.point(f"{high.name}t{i}", at=top), length)
        for low, high in pairwise(bodies)
        for i, (foot, top) in enumerate(zip(feet, tops, strict=True))
    ]
    return Mechanism("chain", drives=(), bars=tuple(bars), output=bodies[-1], gravity=(0, 0, -9.81), linkage=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chain", action="store_true")
    print(show(main(chain=parser.parse_args().chain)))
