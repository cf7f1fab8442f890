"""The surroundings a script finds: its folder first, the lab's packages, the run's clock, figures without windows.

Everything is as before when the script has ended; nothing is installed.
"""

import builtins
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from closedchain_lab.events import Anything
from closedchain_lab.lenient import Module, refuses
from closedchain_lab.session import current
from closedchain_lab.standins import FIGURES, OURS, PACKAGES, Finder, figures, modules, put

BINDINGS = ("PyQt5", "PyQt6", "PySide2", "PySide6")
BACKEND = f"module://{FIGURES}"
GUESTS = "site-packages", "dist-packages"
THREADS = ("threading", "queue", "concurrent", "multiprocessing", "asyncio")
UNTIMED = (
    "the script imports {}: threads do not go by the simulated clock, and the run ends with the main one. Move the "
    "robot in the main loop or by a timer, or take --clock wall"
)


@contextmanager
def surroundings(script: Path, argv: Sequence[str], *, main: bool = True) -> Iterator[ModuleType]:
    """The module in which the script is to run, as `__main__`; the session has what it imports as `time`."""
    place = ModuleType("__main__")
    place.__dict__.update(__file__=str(script), __builtins__=builtins)
    with ExitStack() as stack:
        stack.callback(_forget, script.parent, set(sys.modules))
        stack.enter_context(put(vars(sys), argv=list(argv), path=[str(script.parent), *sys.path], meta_path=_finders()))
        stack.enter_context(put(sys.modules, **({"__main__": place} if main else {})))
        shown = not sys.platform.startswith("linux") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
        without = {} if shown else {"QT_QPA_PLATFORM": "offscreen"}  # a real Qt without a display would abort
        stack.enter_context(put(os.environ, MPLBACKEND=BACKEND, **without))
        _draw_without_windows(stack)
        stack.enter_context(put(vars(builtins), __import__=_imports(script.parent, current().modules, stack)))
        stack.enter_context(put(vars(builtins), get_ipython=Anything))  # of notebooks that were exported
        stack.enter_context(warnings.catch_warnings())
        warnings.showwarning = _show
        warnings.filterwarnings("default", category=RuntimeWarning)
        if threading.current_thread() is threading.main_thread():  # who alone may set a handler for Ctrl-C
            stack.callback(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        yield place


def collect_figures() -> None:
    """Keep the figures that are still open, if the script made any."""
    if "matplotlib.pyplot" in sys.modules and FIGURES in sys.modules:
        sys.modules[FIGURES].capture()


def _finders() -> list[Any]:
    """Ours first for the lab's own package, last for what may be absent; pyqtgraph is absent where Qt is."""
    found, first = modules(), [FIGURES, *(PACKAGES if current().sealed else OURS)]
    if not any(PathFinder.find_spec(name) for name in BINDINGS):
        first.append("pyqtgraph")
    figures()
    return [Finder(found, first), *sys.meta_path, Finder(found, PACKAGES, last=True)]


def _forget(folder: Path, before: set[str]) -> None:
    """The script's own modules and the stand-ins, afterwards."""
    for name in set(sys.modules) - before:
        place = getattr(sys.modules[name], "__file__", None)
        if name.partition(".")[0] in PACKAGES or (place and owned(place, folder)):
            del sys.modules[name]


def owned(place: str, folder: Path) -> bool:
    """Whether a file is the user's own: in the script's folder, and not of a package installed there."""
    return place.startswith(str(folder) + os.sep) and not any(guest in place for guest in GUESTS)


def _draw_without_windows(stack: ExitStack) -> None:
    """Also where Matplotlib is already there."""
    matplotlib, pyplot = sys.modules.get("matplotlib"), sys.modules.get("matplotlib.pyplot")
    if matplotlib is not None:
        before = matplotlib.get_backend(auto_select=False)
        choose = pyplot.switch_backend if pyplot else matplotlib.use
        choose(BACKEND)
        if before is not None:
            stack.callback(choose, before)


def _imports(folder: Path, replaced_by: Mapping[str, ModuleType], stack: ExitStack) -> Callable[..., ModuleType]:
    """An import by which, in the script's own files, `time` goes by the run's clock, `numpy` is a lenient one where it
    is strict by now, another backend cannot be chosen, and threads, which go by the wall's clock, are told.
    """
    real: Callable[..., ModuleType] = builtins.__import__
    kept: set[str] = set()  # modules whose backend cannot be chosen any more
    numpy = Module(sys.modules["numpy"]) if refuses() else None
    told = [tell] if (tell := current().tell) else []

    def keep(name: str, chooser: str) -> None:
        module = sys.modules.get(name)
        if name not in kept and hasattr(module, chooser):
            kept.add(name)
            choose = getattr(module, chooser)
            ours = {chooser: lambda *args, **more: choose(*args, **more) if BACKEND in args else None}
            stack.enter_context(put(vars(module), **ours))

    def load(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> ModuleType:
        package, ours = name.partition(".")[0], bool(globals) and owned(str(globals.get("__file__", "")), folder)
        if ours and name in replaced_by and level == 0:
            return replaced_by[name]
        if ours and replaced_by and package in THREADS and told:
            told.pop()(UNTIMED.format(name))
        module = real(name, globals, locals, fromlist, level)
        if ours and numpy is not None and package == "numpy" and level == 0:
            return numpy if module.__name__ == "numpy" else getattr(numpy, name.partition(".")[2], module)
        if ours and package == "matplotlib":
            keep("matplotlib", "use")
            keep("matplotlib.pyplot", "switch_backend")
        return module

    return load


def _show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None) -> None:
    """A warning as Python shows it, not as our commands do."""
    (file or sys.stderr).write(warnings.formatwarning(message, category, filename, lineno, line))
