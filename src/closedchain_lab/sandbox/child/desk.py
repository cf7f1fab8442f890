"""What a submission finds in the child: the same surroundings as in `lab run`; only the robot stands elsewhere."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain_lab.robot import Sensors, SimulationEnded
from closedchain_lab.running import run_script, words
from closedchain_lab.session import Session, Settings, opened
from closedchain_lab.surroundings import surroundings

LARGEST = 512  # numbers in one answer: forty poses of a platform are 240
DEEPEST = 6
Send = Callable[[dict[str, Any]], None]
Ask = Callable[[dict[str, Any]], dict[str, Any]]


class Remote:
    """The grader's robot, as the script's own: efforts go out by a pipe, joints and tip come back."""

    def __init__(self, ask: Ask, robot_type: Any) -> None:
        self.ask = ask
        answer = self._told({"robot": str(robot_type)})
        self.number, self.unit = answer["number"], answer["unit"]

    def reset(self) -> Sensors:
        """Back to the start."""
        return self._told({"number": self.number, "do": "reset"})["sensors"]

    def step(self, left: float, right: float) -> Sensors:
        """Hold two efforts for 10 ms."""
        return self._told({"number": self.number, "do": "step", "efforts": [left, right]})["sensors"]

    def _told(self, question: dict[str, Any]) -> Any:
        answer = self.ask(question)
        if "ended" in answer:
            raise SimulationEnded(answer["ended"])
        if "error" in answer:
            raise ClosedChainError(answer["error"])
        return answer


def play(request: dict[str, Any], ask: Ask) -> dict[str, Any]:
    """Run a script as `lab run` would; how it ended."""
    settings = Settings(duration=float(request["duration"]))
    session = Session(
        settings, keeps=False, sealed=True, tell=partial(print, file=sys.stderr), plants=partial(Remote, ask)
    )
    outcome = run_script(request["play"], session=session)
    return {"played": outcome.ended, "broken": session.broken}


def load(request: dict[str, Any], send: Send) -> Any:
    """Run the submission's file as a module; tells which of the names asked for are functions."""
    path, name = request["load"], request["name"]
    stack = ExitStack()  # for the rest of the process
    stack.enter_context(opened(Session(keeps=False, sealed=True, plants=_no_robot)))
    stack.enter_context(surroundings(Path(path), [path]))
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except BaseException as error:
        send({"raised": words(error, os.path.dirname(path))})
        return None
    send({"functions": [n for n in request["functions"] if callable(getattr(module, n, None))]})
    return module


def _no_robot(robot_type: Any, **start: Any) -> Any:
    raise ClosedChainError("a model file has no robot and no scope; use them in a script")


def call(function: Any, request: dict[str, Any], folder: str, send: Send) -> None:
    """One line for each call, in order."""
    for number, arguments in enumerate(request["calls"]):
        try:
            answer = {"value": plain(function(*arguments))}
        except BaseException as error:
            answer = {"raised": words(error, folder)}
        send({"id": request["id"], "call": number, **answer})


def plain(value: Any, depth: int = 0) -> Any:
    """What a function returned, as JSON carries it: lists of floats; {"complex": …} or {"type": …} for the rest."""
    if depth > DEEPEST:
        return {"type": "something nested too deeply"}
    if hasattr(value, "tolist"):
        value = value.tolist() if getattr(value, "size", 1) <= LARGEST else None
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in list(value)[:LARGEST]]
    if value is None or isinstance(value, str | bytes | dict):
        return {"type": type(value).__name__}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    try:
        return float(value)
    except Exception:
        return {"type": type(value).__name__[:60]}
