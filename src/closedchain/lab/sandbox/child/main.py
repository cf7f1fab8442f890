"""The child's way in: keep the two pipes to the grader, put up the fences, load the submission, answer requests.

The pipes come as standard input and output and are moved away at once, so that what the submission prints goes where
its errors go. Whatever the submission does to this process, the grader sees lines of numbers or nothing.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, BinaryIO

from closedchain.lab.sandbox.child import standins
from closedchain.lab.sandbox.child.answers import plain, words
from closedchain.lab.sandbox.child.confine import confine
from closedchain.lab.sandbox.child.imports import replace_numpy
from closedchain.lab.sandbox.child.remote import Link
from closedchain.lab.sandbox.child.script import play

Send = Callable[[dict[str, Any]], None]


def main() -> None:
    """Answer requests until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    settings = json.loads(requests.readline())
    sys.path[:] = settings["path"]
    lenient = importlib.import_module("closedchain.lab.lenient")  # and NumPy, which is on the path only now
    dumps = json.dumps

    def send(answer: dict[str, Any]) -> None:
        answers.write(dumps(answer).encode() + b"\n")
        answers.flush()

    send({"protections": confine(settings)})
    _forget()
    numpy = sys.modules["numpy"]
    if lenient.refuses():
        numpy = lenient.Module(numpy)
        replace_numpy(settings["folder"], numpy)
    sys.path.insert(0, settings["folder"])
    _serve(requests, send, json.loads, numpy)


def _forget() -> None:
    """The package this file is part of is no part of the submission's world."""
    for name in [name for name in sys.modules if name.split(".")[0] == "closedchain"]:
        del sys.modules[name]


def _serve(requests: BinaryIO, send: Send, loads: Callable[[bytes], Any], numpy: ModuleType) -> None:
    module: Any = None
    for line in requests:
        request = loads(line)
        if "load" in request:
            standins.install(Link(_no_robot, dict, 0.0), numpy)  # some model files import all that a script does
            module = _load(request, send)
        elif "play" in request:
            play(request, Link(send, lambda: loads(requests.readline()), float(request["duration"])), numpy)
        else:
            _call(getattr(module, request["function"], None), request, send)


def _no_robot(question: dict[str, Any]) -> None:
    raise RuntimeError("a model file has no robot and no scope; use them in a script")


def _load(request: dict[str, Any], send: Send) -> Any:
    """Run the submission's file as a module; tells which of the names asked for are functions."""
    path, name = request["load"], request["name"]
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{name} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except BaseException as error:
        send({"raised": words(error)})
        return None
    send({"functions": [n for n in request["functions"] if callable(getattr(module, n, None))]})
    return module


def _call(function: Any, request: dict[str, Any], send: Send) -> None:
    """One line for each call, in order."""
    for number, arguments in enumerate(request["calls"]):
        try:
            answer = {"value": plain(function(*arguments))}
        except BaseException as error:
            answer = {"raised": words(error)}
        send({"id": request["id"], "call": number, **answer})
