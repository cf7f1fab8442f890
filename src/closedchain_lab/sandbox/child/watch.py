"""What a submission tries beyond its own copy, by Python's audit events: told to the grader, refused or not.

What an installed package does by itself is not told. Code that calls the system without Python is not seen here; the
fences hold it all the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

MOST = 20  # that are told
GUESTS = ("site-packages", "dist-packages", "closedchain_lab")
USUAL = ("/sys/", "/dev/null", "/dev/zero", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/etc/os-release",
         "/etc/localtime", "/etc/mime.types", "/etc/ld.so.cache")  # fmt: skip
OTHERS = {"gc.get_objects": "look through the memory of its process", "ctypes.dlopen": "call the C library"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn")
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink",
           "os.truncate", "shutil.rmtree", "os.listdir", "os.scandir")  # fmt: skip


def watch(settings: Mapping[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
    """Tell each kind of attempt once, from now on."""
    folder = os.path.realpath(settings["folder"])
    readable = (folder, *settings["readable"], *settings["listable"])
    told: set[str] = set()
    usual = (*USUAL, f"/proc/{os.getpid()}/")
    standard = os.path.dirname(os.__file__)
    real, text = os.path.realpath, os.fsdecode

    def inside(path: Any, places: tuple[str, ...]) -> bool:
        place = real(text(path))
        return place.startswith(usual) or any(place == p or place.startswith(p + os.sep) for p in places)

    def attempt(event: str, given: tuple[Any, ...]) -> str:
        if event == "open" and isinstance(given[0], str | bytes):
            mode, flags = given[1] or "", given[2] if isinstance(given[2], int) else 0
            if any(c in mode for c in "wax+") or flags & WRITES:
                return "" if inside(given[0], (folder,)) else f"write {text(given[0])}"
            return "" if inside(given[0], readable) else f"read {text(given[0])}"
        if event in CHANGES and given and isinstance(given[0], str | bytes):
            places = readable if event in CHANGES[-2:] else (folder,)
            return "" if inside(given[0], places) else f"{event} {text(given[0])}"
        if event.startswith("socket.") and event != "socket.gethostname":
            return "open a network connection"
        if event.startswith(STARTS):
            return "start a process"
        if event in ("os.kill", "os.killpg", "signal.pthread_kill"):
            return "send a signal"
        return OTHERS.get(event, "")

    def own() -> bool:
        """Whether the nearest code that is not the standard library's is the submission's."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith(("<frozen", standard)) or any(guest in name for guest in GUESTS):
                return not any(guest in name for guest in GUESTS)
            frame = frame.f_back
        return False

    def hear(event: str, given: tuple[Any, ...]) -> None:
        try:
            what = attempt(event, given)
            if what and what not in told and len(told) < MOST and own():
                told.add(what)
                send({"tried": what[:200]})
        except Exception:
            return  # whatever the submission has done to this process, an event is never its error

    sys.addaudithook(hear)
