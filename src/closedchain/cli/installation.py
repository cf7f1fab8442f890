"""This installation, item by item: what is there, whether it works, what to do if not."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from types import ModuleType
from typing import Any

from closedchain import __version__
from closedchain.extras import EXTRAS, IMPORTED_AS, PURPOSES

REQUIRED = ("numpy", "llvmlite", "casadi")
REINSTALL = "reinstall with `pip install --force-reinstall closedchain`"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report; `ok` is None for what may be absent."""

    name: str
    ok: bool | None
    value: str
    advice: str = ""

    def __str__(self) -> str:
        mark = {True: "ok     ", False: "PROBLEM", None: "-      "}[self.ok]
        return f"  {mark} {self.name:<18} {self.value}" + (f"\n          {self.advice}" if self.advice else "")


def findings() -> Iterator[Finding]:
    """Look at everything; nothing that is missing or broken stops the rest."""
    yield Finding("closedchain", True, __version__)
    old = sys.version_info < (3, 11)
    yield Finding("Python", not old, platform.python_version(), "Python 3.11 or newer is needed" if old else "")
    yield Finding("platform", True, f"{platform.system()} {platform.machine()}, {_cores()} cores for this process")
    for name in REQUIRED:
        yield _package(name, name)
    for extra, packages in EXTRAS.items():
        for package in packages:
            yield _package(IMPORTED_AS.get(package, package), package, extra)
    parts: dict[str, Callable[[], Finding]] = {"processor": _processor, "kernel cache": _cache, "compiler": _compiler}
    for name, look in parts.items():
        try:
            yield look()
        except Exception as error:
            yield Finding(name, False, f"{type(error).__name__}: {error}"[:200], REINSTALL)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _package(name: str, package: str, extra: str = "") -> Finding:
    """A package's version, and that it can be imported."""
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        if extra:
            return Finding(name, None, f"not installed; `pip install {package}` brings it, for {PURPOSES[extra]}")
        return Finding(name, False, "not installed", f"`pip install {package}`")
    try:
        importlib.import_module(name)
    except Exception as error:
        return Finding(name, False, f"{version}, but importing it fails: {error}"[:200], f"reinstall {package}")
    return Finding(name, True, version)


def _kernels(part: str) -> ModuleType:
    return importlib.import_module(f"closedchain.kernels.{part}")


def _processor() -> Finding:
    host = _kernels("llvm").host()
    return Finding("processor", True, f"{host.cpu}, {host.width} doubles in a vector ({host.triple})")


def _cache() -> Finding:
    """Where compiled kernels are kept, whether that is safe, and how much there is."""
    folders = _kernels("folder")
    folder = folders.default_folder()
    if not folder.exists():
        return Finding("kernel cache", True, f"{folder} (none yet, made when first needed)")
    try:
        folders.check_folder(folder)
    except folders.UnsafeFolder as error:
        return Finding("kernel cache", False, str(error))
    files = [path for path in folder.iterdir() if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    found = f"{folder}, {len(files)} entries, {size / 1e6:.1f} MB"
    if not os.access(folder, os.W_OK):
        return Finding(
            "kernel cache", False, found, f"it cannot be written: set ${folders.VARIABLE} to a folder that can"
        )
    return Finding("kernel cache", True, found)


def _compiler() -> Finding:
    """Compile x² + sin y in memory and compare it with Python's."""
    numpy, cache, program, build = (importlib.import_module("numpy"), *map(_kernels, ("cache", "program", "build")))
    host = _kernels("llvm").host()
    entry = cache.compile_entry("doctor", lambda: [_sample(program, build)], host)
    x, y = numpy.linspace(-2.0, 2.0, 9), numpy.linspace(0.0, 6.0, 9)
    misfit = float(numpy.abs(cache.Library(entry)["sample"](x, y) - (x * x + numpy.sin(y))).max())
    advice = "" if misfit < 1e-14 else f"compiled code gives wrong numbers here; {REINSTALL}, or report it"
    return Finding("compiler", misfit < 1e-14, f"x² + sin y compiled and run, {misfit:.0e} from NumPy's", advice)


def _sample(program: Any, build: Any) -> Any:
    b = build.Builder()
    x, y = b.input(0, 0), b.input(1, 0)
    result = b.emit("add", b.emit("mul", x, x), b.emit("sin", y))
    inputs = [program.Operand("x"), program.Operand("y")]
    return b.finish("sample", inputs, [program.Operand("z")], [result])
