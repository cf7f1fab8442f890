"""A control script inside the child: its robot stands outside, with the grader, which simulates and records it."""

from __future__ import annotations

import builtins
import os
import sys
import time
from types import ModuleType
from typing import Any

from closedchain.lab.sandbox.child import standins
from closedchain.lab.sandbox.child.answers import words
from closedchain.lab.sandbox.child.imports import replace
from closedchain.lab.sandbox.child.remote import Link
from closedchain.lab.threads import cooperative
from closedchain.lab.turns import Turns


def play(request: dict[str, Any], link: Link, numpy: ModuleType) -> None:
    """Run a script as Python would, with the lab's modules in place; tells how it ended."""
    standins.install(link, numpy)
    turns = link.turns = Turns(link)
    replace(os.path.dirname(request["play"]), cooperative(turns))
    _run_by_the_simulation(link)
    sys.argv = [request["play"], *request["arguments"]]
    try:
        with open(request["play"], "rb") as file:
            code = compile(file.read(), request["name"], "exec")
        namespace = {"__name__": "__main__", "__file__": request["play"], "__builtins__": builtins}
        exec(code, namespace)  # noqa: S102 (this process exists to run it)
        turns.finish()
    except SystemExit:
        link.send({"played": "exit"})
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt) and link.pressed
        link.send({"played": "interrupted" if interrupted else "raised", "words": words(error)})
    else:
        link.send({"played": "finished"})


def _run_by_the_simulation(link: Link) -> None:
    """The clocks of this process are the robot's, and nobody sleeps: a loop of 60 s is 60 s of simulation."""
    began = time.time()
    for name in ("monotonic", "perf_counter"):
        setattr(time, name, link.now)
    setattr(time, "time", lambda: began + link.now())  # noqa: B010 (a module's function, which has a type)
    setattr(time, "sleep", link.sleep)  # noqa: B010
