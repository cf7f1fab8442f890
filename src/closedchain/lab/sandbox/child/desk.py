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
from closedchain.lab.running import run_script
from closedchain.lab.sandbox.child.answers import plain
from closedchain.lab.sandbox.child.remote import Remote
from closedchain.lab.session import Session, Settings, opened
from closedchain.lab.surroundings import figures, surroundings
from closedchain.lab.tracing import words

Send = Callable[[dict[str, Any]], None]
__all__ = ["call", "figures", "load", "play"]


def play(request: dict[str, Any], ask: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Run a script as `lab run` would; how it ended."""
    settings = Settings(duration=float(request["duration"]))
    session = Session(settings, keeps=False, sealed=True, tell=_say, plants=partial(Remote, ask))
    outcome = run_script(request["play"], session=session)
    return {"played": outcome.ended, "broken": session.broken}


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def load(request: dict[str, Any], send: Send) -> Any:
    """Run the submission's file as a module; tells which of the names asked for are functions."""
    path, name = request["load"], request["name"]
    stack = ExitStack()  # for the rest of the process
    stack.enter_context(opened(Session(keeps=False, sealed=True, plants=_no_robot)))
    stack.enter_context(surroundings(Path(path), [path]))
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{name} is no Python file")
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
