"""A submission in its sandbox: a model file's functions are asked one after another, and a fresh child follows one that
was stopped; a control script moves a robot that stands outside, and only that one is believed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model import Model
from closedchain_lab.bench import LAB, Bench
from closedchain_lab.robot import INTERVAL, SimulationEnded, number
from closedchain_lab.sandbox.allowance import MB, Files, Limits, working_copy
from closedchain_lab.sandbox.process import Child, Stopped, printable
from closedchain_lab.session import Session

ROBOTS = 4  # of one script
CLOSING = 3.0  # [s] of simulation that a script may take to end
LIMITS = Limits(seconds=60.0, cpu_seconds=120, memory=2048 * MB)


class NotLoaded(Exception):
    """The file cannot be imported, in words."""


class Respondent:
    """Asks the functions of the file `name` among `files`; remembers how the child was held and what it printed."""

    def __init__(self, files: Files, name: str, limits: Limits, wanted: Sequence[str]) -> None:
        self.files, self.name, self.limits, self.wanted = files, name, limits, wanted
        self.held = ExitStack()  # the child and its working copy
        self.child: Child | None = None
        self.protections: dict[str, str] = {}
        self.output = ""
        self.tried: tuple[str, ...] = ()
        self.number = 0
        self.functions: tuple[str, ...] = ()

    def __enter__(self) -> Respondent:
        self.load()
        return self

    def __exit__(self, *error: object) -> None:
        self.leave()

    def load(self) -> Child:
        """Start a child with the file imported, in a copy that no other has used; raises NotLoaded."""
        try:
            folder, user = self.held.enter_context(working_copy(self.files))
            self.child = child = self.held.enter_context(Child(folder, user, self.limits))
            self.protections = child.protections
            module = Path(self.name).stem
            child.tell({"load": str(folder / self.name), "name": module, "functions": list(self.wanted)})
            child.allow(self.limits.seconds)
            answer = child.hear()
        except Stopped as stopped:
            self.leave()
            raise NotLoaded(f"Importing it: {stopped}.") from None
        if not isinstance(answer.get("functions"), list):
            self.leave()
            raise NotLoaded(f"Importing it raised {printable(answer.get('raised', 'an error'))}.")
        self.functions = tuple(name for name in self.wanted if name in answer["functions"])
        return child

    def ask(self, function: str, inputs: Doubles) -> tuple[list[dict[str, Any]], str]:
        """One reply for each row, and why there are fewer than rows; one that is not the next is no reply of ours."""
        child = self.child or self.load()
        self.number += 1
        child.tell({"function": function, "id": self.number, "calls": inputs.tolist()})
        child.allow(self.limits.seconds)
        replies: list[dict[str, Any]] = []
        try:
            while len(replies) < len(inputs):
                reply = child.hear()
                if (reply.get("id"), reply.get("call")) != (self.number, len(replies)):
                    raise Stopped("an answer came that was not asked for")
                replies.append(reply)
        except Stopped as stopped:
            self.leave()
            return replies, str(stopped)
        return replies, ""

    def leave(self) -> None:
        """End the child, keep what it printed, remove its copy."""
        child, self.child = self.child, None
        if child is not None:
            child.end()
            self.output = (self.output + child.output)[: self.limits.output]
            self.tried = tuple(dict.fromkeys((*self.tried, *child.tried)))
        self.held.close()


@dataclass
class Moved:
    """One robot that a script made."""

    kind: str  # the lab's word for it
    bench: Bench
    steps: int = 0  # in all, resets or not


@dataclass
class Played:
    """What a script did to the robots it made, for `duration` seconds of simulation at most."""

    duration: float
    models: Mapping[str, Model]  # in place of the lab's own, by its words
    ending: str = ""  # how the script ended, in words
    stopped: str = ""  # why it had to be stopped
    broken: str = ""  # why its robot could be moved no further
    robots: list[Moved] = field(default_factory=list)
    protections: dict[str, str] = field(default_factory=dict)
    output: str = ""
    tried: tuple[str, ...] = ()

    def answer(self, line: dict[str, Any]) -> dict[str, Any]:
        """What the robot's sensors say after what was asked of it."""
        if "robot" in line:
            return self._make(str(line["robot"]))
        which, what, efforts = line.get("number"), line.get("do"), line.get("efforts", [])
        if not isinstance(which, int) or not 0 <= which < len(self.robots):
            raise ClosedChainError("there is no such robot")
        robot = self.robots[which]
        if what == "reset":
            return {"sensors": robot.bench.reset()}
        if what != "step" or not isinstance(efforts, list) or len(efforts) != 2:
            raise ClosedChainError("two efforts are wanted")
        if robot.steps * INTERVAL > self.duration + CLOSING:
            raise ClosedChainError("the simulation is over")
        left, right = (number(effort, "an effort") for effort in efforts)
        robot.steps += 1
        return {"sensors": robot.bench.step(left, right)}

    def _make(self, kind: str) -> dict[str, Any]:
        if kind not in LAB:
            raise ClosedChainError(f"no robot {printable(kind, 40)!r}; the lab has {' and '.join(LAB)}")
        if len(self.robots) >= ROBOTS:
            raise ClosedChainError(f"more than {ROBOTS} robots")
        bench = Bench(self.models.get(kind, kind), Session(keeps=False))
        bench.reset()
        self.robots.append(Moved(kind, bench))
        return {"number": len(self.robots) - 1, "unit": bench.unit}


def play(
    files: Files, name: str, *, duration: float, models: Mapping[str, Model] | None = None, limits: Limits = LIMITS
) -> Played:
    """Run the script `name` among `files` until it ends."""
    played = Played(duration, models or {})
    with working_copy(files) as (folder, user):
        try:
            with Child(folder, user, limits) as child:
                played.protections = child.protections
                try:
                    child.tell({"play": str(folder / name), "duration": duration})
                    _attend(child, played)
                finally:
                    child.end()
                    played.output = child.output.replace(f"{folder}{os.sep}", "")
                    played.tried = child.tried
        except Stopped as stopped:
            played.stopped = str(stopped)
    return played


def _attend(child: Child, played: Played) -> None:
    """Answer the script's lines until it has ended."""
    child.allow(child.limits.seconds)
    while "played" not in (line := child.hear()):
        try:
            child.tell(played.answer(line))
        except SimulationEnded as error:
            child.tell({"ended": str(error)})
        except ClosedChainError as error:
            child.tell({"error": str(error)})
    played.ending, played.broken = printable(line["played"], 300), printable(line.get("broken", ""), 300)
