"""A control script in its sandbox, the robot outside: efforts come in, sensors go out, only the plant is believed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain.lab.bench import LAB, Bench
from closedchain.lab.grading.answers import printable
from closedchain.lab.parts import SimulationEnded
from closedchain.lab.parts import number as finite
from closedchain.lab.plant import INTERVAL
from closedchain.lab.sandbox.copying import working_copy
from closedchain.lab.sandbox.limits import MB, Limits
from closedchain.lab.sandbox.process import Child, Stopped
from closedchain.lab.session import Session
from closedchain.model.model import Model

ROBOTS = 4  # of one script
CLOSING = 3.0  # [s] of simulation that a script may take to end
LIMITS = Limits(seconds=60.0, cpu_seconds=120, memory=2048 * MB)


@dataclass
class Played:
    """What a script did to the robots it made."""

    ending: str = ""  # how the script ended, in words
    stopped: str = ""  # why it had to be stopped
    broken: str = ""  # why its robot could be moved no further
    benches: list[Bench] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)  # of each robot, resets or not
    protections: dict[str, str] = field(default_factory=dict)
    output: str = ""


def play(
    files: Sequence[tuple[Path | bytes, str]],
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
                    child.tell({"play": str(folder / name), "duration": duration})
                    _attend(child, played, duration, models or {})
                finally:
                    child.end()
                    played.output = child.output.replace(f"{folder}{os.sep}", "")
        except Stopped as stopped:
            played.stopped = stopped.why
    return played


def _attend(child: Child, played: Played, duration: float, models: dict[str, Model]) -> None:
    """Answer the script's lines until it has ended."""
    child.allow(child.limits.seconds)
    while True:
        line = child.hear()
        if "played" in line:
            played.ending, played.broken = printable(line["played"], 300), printable(line.get("broken", ""), 300)
            return
        try:
            child.tell(_answer(played, line, duration, models))
        except SimulationEnded as error:
            child.tell({"ended": str(error)})
        except ClosedChainError as error:
            child.tell({"error": str(error)})


def _answer(played: Played, line: dict[str, Any], duration: float, models: dict[str, Model]) -> dict[str, Any]:
    """What the robot's sensors say after what was asked of it."""
    if "robot" in line:
        return _make(played, str(line["robot"]), models)
    number, what, efforts = line.get("number"), line.get("do"), line.get("efforts", [])
    if not isinstance(number, int) or not 0 <= number < len(played.benches):
        raise ClosedChainError("there is no such robot")
    bench = played.benches[number]
    if what == "reset":
        return {"sensors": bench.reset()}
    if what != "step" or not isinstance(efforts, list) or len(efforts) != 2:
        raise ClosedChainError("two efforts are wanted")
    if played.steps[number] * INTERVAL > duration + CLOSING:
        raise ClosedChainError("the simulation is over")
    left, right = (finite(effort, "an effort") for effort in efforts)
    played.steps[number] += 1
    return {"sensors": bench.step(left, right)}


def _make(played: Played, kind: str, models: dict[str, Model]) -> dict[str, Any]:
    if kind not in LAB:
        raise ClosedChainError(f"no robot {printable(kind, 40)!r}; the lab has {' and '.join(LAB)}")
    if len(played.benches) >= ROBOTS:
        raise ClosedChainError(f"more than {ROBOTS} robots")
    bench = Bench(models.get(kind, kind), Session(keeps=False))
    bench.reset()
    played.benches.append(bench)
    played.kinds.append(kind)
    played.steps.append(0)
    return {"number": len(played.benches) - 1, "joints": bench.joints, "unit": bench.unit}
