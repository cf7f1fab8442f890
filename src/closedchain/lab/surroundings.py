"""The surroundings a script finds: its folder first, the lab's packages, the run's clock, figures without windows.

Everything is as before when the script has ended; nothing is installed.
"""

from __future__ import annotations

import builtins
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from closedchain.lab.anything import Anything
from closedchain.lab.lenient import Module, refuses
from closedchain.lab.session import current
from closedchain.lab.standins import OURS, PACKAGES, Finder, modules

BINDINGS = ("PyQt5", "PyQt6", "PySide2", "PySide6")
FIGURES = "lab_figures"
BACKEND = f"module://{FIGURES}"
GUESTS = "site-packages", "dist-packages"
THREADS = ("threading", "queue", "concurrent", "multiprocessing", "asyncio")
UNTIMED = (
    "the script imports {}: threads do not go by the simulated clock, and the run ends with the main one. Move the "
    "robot in the main loop or by a timer, or take --clock wall"
)


class Figures(Loader):
    """Finds the Matplotlib backend, whose code is read when this is made: within a sandbox's fences it cannot be."""

    def __init__(self) -> None:
        path = Path(__file__).with_name("plotting.py")
        self.code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        self.needs = {n: m for n, m in sys.modules.items() if n.partition(".")[0] == "closedchain"}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The backend's."""
        return ModuleSpec(name, self) if name == FIGURES else None

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary one."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its code, for which our modules are there."""
        with ExitStack() as stack:
            for name, needed in self.needs.items():
                stack.enter_context(_item(sys.modules, name, needed))
            exec(self.code, module.__dict__)  # noqa: S102 (our own file)


@lru_cache(maxsize=1)
def figures() -> Figures:
    """The backend's finder."""
    return Figures()


@contextmanager
def surroundings(script: Path, argv: Sequence[str]) -> Iterator[ModuleType]:
    """The module `__main__` in which the script is to run; the session has what it imports as `time` and the like."""
    main = ModuleType("__main__")
    main.__dict__.update(__file__=str(script), __builtins__=builtins)
    with ExitStack() as stack:
        stack.enter_context(_modules(script.parent))
        stack.enter_context(_set(sys, argv=list(argv), path=[str(script.parent), *sys.path], meta_path=_finders()))
        stack.enter_context(_item(sys.modules, "__main__", main))
        stack.enter_context(_environment(MPLBACKEND=BACKEND, **_offscreen()))
        stack.enter_context(_backend())
        stack.enter_context(_imports(script.parent, current().modules))
        stack.enter_context(_item(builtins.__dict__, "get_ipython", Anything))  # of notebooks that were exported
        stack.enter_context(_warnings())
        stack.enter_context(_signals())
        yield main


def collect_figures() -> None:
    """Keep the figures that are still open, if the script made any."""
    if "matplotlib.pyplot" in sys.modules and FIGURES in sys.modules:
        sys.modules[FIGURES].capture()


def _finders() -> list[Any]:
    """Ours first for the lab's own package, last for what may be absent; pyqtgraph is absent where Qt is."""
    found = modules()
    first = list(PACKAGES) if current().sealed else list(OURS)
    if not any(PathFinder.find_spec(name) for name in BINDINGS):
        first.append("pyqtgraph")
    return [figures(), Finder(found, first), *sys.meta_path, Finder(found, PACKAGES, last=True)]


def _offscreen() -> dict[str, str]:
    """A real Qt without a display would abort."""
    no_display = (
        sys.platform.startswith("linux") and not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY")
    )
    return {"QT_QPA_PLATFORM": "offscreen"} if no_display else {}


# What is changed and put back -------------------------------------------------------------------


@contextmanager
def _set(owner: Any, **values: Any) -> Iterator[None]:
    before = {name: getattr(owner, name) for name in values}
    for name, value in values.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)


@contextmanager
def _item(table: dict[str, Any], name: str, value: Any) -> Iterator[None]:
    before = table.get(name)
    table[name] = value
    try:
        yield
    finally:
        if before is None:
            table.pop(name, None)
        else:
            table[name] = before


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    with ExitStack() as stack:
        for name, value in values.items():
            stack.enter_context(_item(os.environ, name, value))  # type: ignore[arg-type]
        yield


@contextmanager
def _modules(folder: Path) -> Iterator[None]:
    """The script's own modules and the stand-ins are forgotten afterwards."""
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            place = getattr(sys.modules[name], "__file__", None)
            if name.partition(".")[0] in PACKAGES or (place and owned(place, folder)):
                del sys.modules[name]


@contextmanager
def _backend() -> Iterator[None]:
    """Figures without windows, also where Matplotlib is already there."""
    matplotlib, pyplot = sys.modules.get("matplotlib"), sys.modules.get("matplotlib.pyplot")
    if matplotlib is None:
        yield
        return
    before = matplotlib.get_backend(auto_select=False)
    choose = pyplot.switch_backend if pyplot else matplotlib.use
    choose(BACKEND)
    try:
        yield
    finally:
        if before is not None:
            choose(before)


@contextmanager
def _imports(folder: Path, replaced_by: Mapping[str, ModuleType]) -> Iterator[None]:
    """In the script's own files `time` goes by the run's clock, `numpy` is a lenient one where it is strict by now, the
    choice of another backend is without effect, and threads, which go by the wall's clock, are told.
    """
    real: Callable[..., ModuleType] = builtins.__import__
    replaced: list[tuple[ModuleType, str, Any]] = []
    numpy = Module(sys.modules["numpy"]) if refuses() else None
    told = [tell] if (tell := current().tell) else []

    def keep(module: ModuleType | None, name: str) -> None:
        if module is not None and hasattr(module, name) and not any(m is module for m, _, _ in replaced):
            choose = getattr(module, name)
            replaced.append((module, name, choose))
            setattr(module, name, lambda *args, **more: choose(*args, **more) if BACKEND in args else None)

    def load(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> ModuleType:
        ours = bool(globals) and owned(str(globals.get("__file__", "")), folder)
        if ours and name in replaced_by and level == 0:
            return replaced_by[name]
        if ours and replaced_by and name.partition(".")[0] in THREADS and told:
            told.pop()(UNTIMED.format(name))
        module = real(name, globals, locals, fromlist, level)
        if ours and numpy is not None and name.partition(".")[0] == "numpy" and level == 0:
            return numpy if module.__name__ == "numpy" else getattr(numpy, name.partition(".")[2], module)
        if ours and name.partition(".")[0] == "matplotlib":
            keep(sys.modules.get("matplotlib"), "use")
            keep(sys.modules.get("matplotlib.pyplot"), "switch_backend")
        return module

    builtins.__import__ = load
    try:
        yield
    finally:
        builtins.__import__ = real
        for module, name, value in replaced:
            setattr(module, name, value)


def owned(place: str, folder: Path) -> bool:
    """Whether a file is the user's own: in the script's folder, and not of a package installed there."""
    return place.startswith(str(folder) + os.sep) and not any(guest in place for guest in GUESTS)


@contextmanager
def _signals() -> Iterator[None]:
    """A handler that the script sets for Ctrl-C ends with it; only the main thread may set one."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _warnings() -> Iterator[None]:
    """Warnings as Python shows them, not as our commands do."""
    with warnings.catch_warnings():
        warnings.showwarning = _show
        warnings.filterwarnings("default", category=RuntimeWarning)
        yield


def _show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None) -> None:
    stream = file or sys.stderr
    stream.write(warnings.formatwarning(message, category, filename, lineno, line))
