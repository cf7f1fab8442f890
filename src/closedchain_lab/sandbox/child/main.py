"""The child's way in: keep the two pipes to the grader, put up the fences, load the submission, answer requests.

The pipes come as standard input and output and are moved away at once, so that what the submission prints goes where
its errors go. Whatever the submission does to this process, the grader sees lines of numbers or nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from closedchain_lab.sandbox.child import kernel, seccomp
from closedchain_lab.sandbox.child.desk import call, load, play
from closedchain_lab.sandbox.child.watch import watch
from closedchain_lab.standins import figures

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

NONE, OWN, GRADERS = "none", "one of its own, without rights", "the grader's"


def main() -> None:
    """Answer requests until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    settings = json.loads(requests.readline())
    sys.path.remove(settings["home"])  # without our own
    figures()
    dumps, loads, folder = json.dumps, json.loads, settings["folder"]

    def send(answer: dict[str, Any]) -> None:
        answers.write(dumps(answer).encode() + b"\n")
        answers.flush()

    def ask(question: dict[str, Any]) -> Any:
        send(question)
        return loads(requests.readline())

    send({"protections": confine(settings)})
    watch(settings, send)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("closedchain", "closedchain_lab")]:
        del sys.modules[name]  # our packages are no part of the submission's world
    module: Any = None
    for line in requests:
        request = loads(line)
        if "load" in request:
            module = load(request, send)
        elif "play" in request:
            send(play(request, ask))
        else:
            call(getattr(module, request["function"], None), request, folder, send)


def confine(settings: Mapping[str, Any]) -> dict[str, str]:
    """Put up every fence this system has; what each danger is held by is found out, not assumed."""
    held = dict.fromkeys(("network", "files", "processes", "user", "cpu", "memory", "file size", "open files"), NONE)
    held["user"] = GRADERS
    if sys.platform == "linux":
        _linux(settings, held)
    if resource is not None:
        _limits(settings["limits"], held)
    if seccomp.supported():
        try:
            seccomp.install()
        except OSError:
            return held
        held["network"] = "seccomp" if held["network"] == NONE else f"{held['network']} and seccomp"
        held["processes"] = "seccomp"
    return held


def _linux(settings: Mapping[str, Any], held: dict[str, str]) -> None:
    """Namespaces, an unprivileged user in root's place, landlock."""
    if kernel.leave_network():
        held["network"] = "namespace"
    locked = kernel.landlock() > 0
    if settings["user"] != os.geteuid():
        kernel.become(int(settings["user"]), keep_reading=locked)
        held["user"] = OWN
    else:
        kernel.keep_capabilities(0)
    if locked:
        kernel.restrict(settings["readable"], settings["listable"], settings["folder"])
        held["files"] = "landlock"


def _limits(limits: Mapping[str, Any], held: dict[str, str]) -> None:
    """The limits of POSIX; a system may know fewer."""
    alone = held["user"] == OWN or held["network"] == "namespace"  # then its processes are counted apart
    processes = limits["threads"] if alone and seccomp.supported() else 0
    if seccomp.supported() and not alone:
        processes = None  # seccomp forbids processes; the threads of the user's other programs would be counted too
    wanted = (
        ("cpu", "RLIMIT_CPU", limits["cpu_seconds"]),
        ("memory", "RLIMIT_AS", limits["memory"] if sys.platform != "darwin" else None),  # macOS ignores it
        ("file size", "RLIMIT_FSIZE", limits["file_size"]),
        ("open files", "RLIMIT_NOFILE", limits["open_files"]),
        ("processes", "RLIMIT_NPROC", processes),
        ("core", "RLIMIT_CORE", 0),
    )
    for name, constant, value in wanted:
        if value is not None and hasattr(resource, constant) and _limit(getattr(resource, constant), int(value)):
            held[name] = "limit"
    held.pop("core", None)


def _limit(which: int, value: int) -> bool:
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(which, (value, value))
    except (OSError, ValueError):  # macOS refuses some
        return False
    return True
