"""A control script in its sandbox, the robot outside: efforts come in, sensors go out, only the plant is believed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain.lab.grading.answers import printable
from closedchain.lab.plant import INTERVAL
from closedchain.lab.robot import LAB, Robot
from closedchain.lab.sandbox.copying import working_copy
from closedchain.lab.sandbox.limits import MB, Limits
from closedchain.lab.sandbox.process import Child, Stopped
from closedchain.model.model import Model

ACTIONS = ("apply_efforts", "start_oscillate", "continue_oscillations", "stop_oscillate", "reset_simulation")
ROBOTS, SCOPES, POINTS = 4, 64, 20_000  # the most of each
CLOSING = 3.0  # [s] of simulation that a script may take to end
LIMITS = Limits(seconds=60.0, cpu_seconds=120, memory=2048 * MB)


@dataclass
class Played:
    """What a script did to the robots it made."""

    ending: str = ""  # "finished", "interrupted", "exit", "raised …", or why it was stopped
    robots: list[Robot] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    scopes: dict[str, list[list[float]]] = field(default_factory=dict)  # rows of t, first, second
    protections: dict[str, str] = field(default_factory=dict)
    output: str = ""


def play(
    files: Sequence[tuple[Path, str]],
    name: str,
    *,
    duration: float,
    models: dict[str, Model] | None = None,
    limits: Limits = LIMITS,
) -> Played:
    """Run the script `name` among `files` until it ends, for `duration` seconds of simulation at most."""
    played = Played()
    with working_copy(files) as (folder, user):
        try:
            with Child(folder, user, limits) as child:
                played.protections = child.protections
                try:
                    child.tell({"play": str(folder / name), "name": name, "arguments": [], "duration": duration})
                    _attend(child, played, duration, models or {})
                finally:
                    child.end()
                    played.output = child.output
        except Stopped as stopped:
            played.ending = stopped.why
    return played


def _attend(child: Child, played: Played, duration: float, models: dict[str, Model]) -> None:
    """Answer the script's lines until it has ended."""
    deadline = time.monotonic() + child.limits.seconds
    while True:
        line = child.hear(deadline)
        if "played" in line:
            words = f" {printable(line['words'])}" if line["played"] == "raised" and "words" in line else ""
            played.ending = printable(line["played"], 20) + words
            return
        if "scope" in line:
            _plot(played, line)
            continue
        try:
            child.tell(_answer(played, line, duration, models))
        except ClosedChainError as error:
            child.tell({"error": str(error)})


def _answer(played: Played, line: dict[str, Any], duration: float, models: dict[str, Model]) -> dict[str, Any]:
    """What the robot's sensors say after what was asked of it."""
    if "robot" in line:
        return _make(played, str(line["robot"]), models)
    number, what = line.get("number"), line.get("do")
    if not isinstance(number, int) or not 0 <= number < len(played.robots) or what not in ACTIONS:
        raise ClosedChainError("no such robot, or nothing that a robot does")
    robot, efforts = played.robots[number], line.get("efforts", [])
    if robot.steps * INTERVAL > duration + CLOSING:
        raise ClosedChainError("the simulation is over")
    if what == "apply_efforts":
        if not isinstance(efforts, list) or len(efforts) != 2:
            raise ClosedChainError("two efforts are wanted")
        robot.apply_efforts(*efforts)
    else:
        getattr(robot, what)()
    return _sensors(robot, number, fresh="efforts" in what or what.endswith(("oscillate", "oscillations")))


def _make(played: Played, kind: str, models: dict[str, Model]) -> dict[str, Any]:
    if kind not in LAB:
        raise ClosedChainError(f"no robot {printable(kind, 40)!r}; the lab has {' and '.join(LAB)}")
    if len(played.robots) >= ROBOTS:
        raise ClosedChainError(f"more than {ROBOTS} robots")
    played.robots.append(Robot(models.get(kind, kind)))
    played.kinds.append(kind)
    return _sensors(played.robots[-1], len(played.robots) - 1, fresh=False)


def _sensors(robot: Robot, number: int, fresh: bool) -> dict[str, Any]:
    joints = (robot.active_left_joint, robot.active_right_joint, robot.passive_left_joint, robot.passive_right_joint)
    tip = robot.end_effector
    return {
        "number": number,
        "joints": [[j.position, j.velocity, j.acceleration, j.effort] for j in joints],
        "tip": [tip.position_x, tip.position_y, tip.velocity_x, tip.velocity_y, tip.acceleration_x, tip.acceleration_y],
        "time": robot.get_time(),
        "simulated": robot.steps * INTERVAL,
        "fresh": fresh and robot.get_time() > 0.0,
    }


def _plot(played: Played, line: dict[str, Any]) -> None:
    """Keep a point that is one."""
    title, point = printable(line["scope"], 80), line.get("point")
    rows = played.scopes.setdefault(title, []) if len(played.scopes) < SCOPES or title in played.scopes else []
    whole = isinstance(point, list) and len(point) == 3 and all(isinstance(v, float) for v in point)
    if whole and isinstance(point, list) and len(rows) < POINTS:
        rows.append(point)
