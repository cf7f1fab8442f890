"""The lab's own evaluation: mean errors along its oscillation, OK below 1e-3 in SI units."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.answers import read
from closedchain.lab.grading.asking import NotLoaded, Respondent
from closedchain.lab.grading.comparing import difference
from closedchain.lab.grading.constants import Constants
from closedchain.lab.grading.mutation import formulas
from closedchain.lab.grading.signatures import SIGNATURES
from closedchain.lab.robot import Robot
from closedchain.model.evaluation import evaluate

SECONDS, EVERY = 10.0, 20  # of the oscillation [s], and which of its steps are asked
OK = 1e-3


@lru_cache(maxsize=8)
def along(k: Constants) -> dict[str, Doubles]:
    """Everything about the robot while it oscillates, by the lab's names."""
    robot = Robot(k.model())
    robot.start_oscillate()
    while robot.get_time() < SECONDS:
        robot.continue_oscillations()
    run = robot.run
    q_ddot = np.gradient(run.q_dot, run.interval, axis=0)
    rows = slice(EVERY, None, EVERY)
    q, x, q_dot, q_ddot = run.q[rows], run.x[rows], run.q_dot[rows], q_ddot[rows]
    made = evaluate(k.model(), q=q, x=x, q_dot=q_dot, q_ddot=q_ddot).items()
    mode = -np.ones(len(q))
    values = {"assembly_mode": mode, "gamma1": mode, "gamma2": mode}
    passive = formulas(k.robot).answers("dgm_passive", np.column_stack([q, mode]), k.named)
    assert passive is not None
    moving = {"": (q, passive, x), "D": (q_dot, made["passive_dot"], made["x_dot"])}
    moving["DD"] = (q_ddot, made["passive_ddot"], made["x_ddot"])
    for order, (active, free, tip) in moving.items():
        for i in (0, 1):
            values |= {
                f"q{i + 1}1{order}": active[:, i],
                f"q{i + 1}2{order}": free[:, i],
                f"{'xy'[i]}{order}": tip[:, i],
            }
    return values | {"tau1": made["tau"][:, 0], "tau2": made["tau"][:, 1]}


def evaluated(respondent: Respondent, k: Constants) -> str:
    """How many of the lab's twenty quantities are OK."""
    values, good = along(k), 0
    for name, signature in SIGNATURES.items():
        if name not in respondent.functions:
            continue
        inputs = np.stack([values[a] for a in signature.arguments], -1)
        try:
            replies, _ = respondent.ask(name, inputs)
        except NotLoaded:
            continue
        got = read(signature, replies, len(inputs)).values
        if name == "dynamic_model":
            M, q_ddot = got[:, :4].reshape(-1, 2, 2), np.stack([values["q11DD"], values["q21DD"]], -1)
            efforts = (M @ q_ddot[..., None])[..., 0] + got[:, 4:]
            off = efforts - np.stack([values["tau1"], values["tau2"]], -1)
        else:
            off = difference(k.robot, signature, got, np.stack([values[o] for o in signature.outputs], -1))
        good += int((np.abs(off).mean(axis=0) < OK).sum())
    return f"{good} of {2 * len(SIGNATURES)}"
