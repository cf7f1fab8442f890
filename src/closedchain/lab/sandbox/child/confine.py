"""Every fence this system has, put up before the submission is read; what stands is reported, not assumed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from closedchain.lab.sandbox.child import kernel, landlock, seccomp

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

NONE, OWN, GRADERS = "none", "one of its own, without rights", "the grader's"


def confine(settings: Mapping[str, Any]) -> dict[str, str]:
    """Put up the fences; what each danger is held by, or "none"."""
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
    locked = landlock.version() > 0
    if settings["user"] != os.geteuid():
        kernel.become(int(settings["user"]), keep_reading=locked)
        held["user"] = OWN
    else:
        kernel.keep_capabilities(0)
    if locked:
        landlock.restrict(settings["readable"], settings["listable"], settings["folder"])
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
