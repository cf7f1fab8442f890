"""The child's way in: keep the two pipes to the grader, put up the fences, load the submission, answer requests.

The pipes come as standard input and output and are moved away at once, so that what the submission prints goes where
its errors go. Whatever the submission does to this process, the grader sees lines of numbers or nothing.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

from closedchain.lab.sandbox.child.confine import confine


def main() -> None:
    """Answer requests until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    settings = json.loads(requests.readline())
    sys.path[:] = settings["path"]
    desk = importlib.import_module("closedchain.lab.sandbox.child.desk")  # and NumPy, which is on the path only now
    desk.figures()
    dumps, loads, folder = json.dumps, json.loads, settings["folder"]

    def send(answer: dict[str, Any]) -> None:
        answers.write(dumps(answer).encode() + b"\n")
        answers.flush()

    def ask(question: dict[str, Any]) -> Any:
        send(question)
        return loads(requests.readline())

    send({"protections": confine(settings)})
    _forget()
    module: Any = None
    for line in requests:
        request = loads(line)
        if "load" in request:
            module = desk.load(request, send)
        elif "play" in request:
            send(desk.play(request, ask))
        else:
            desk.call(getattr(module, request["function"], None), request, folder, send)


def _forget() -> None:
    """The package this file is part of is no part of the submission's world."""
    for name in [name for name in sys.modules if name.split(".")[0] == "closedchain"]:
        del sys.modules[name]
