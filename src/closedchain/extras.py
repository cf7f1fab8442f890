"""Packages that only some questions need: which extra of this package brings each, and how it is imported late.

The core needs NumPy, CasADi and llvmlite. Everything else stands in a table here, so that a command or a function that
wants more says in one line what is missing and which extra brings it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from closedchain.errors import MissingPackage

EXTRAS: dict[str, tuple[str, ...]] = {  # extra → its packages, as pip calls them; pyproject.toml has their versions
    "pictures": ("matplotlib",),
    "numerics": ("scipy",),
    "formulas": ("sympy",),
    "verify": ("mujoco",),
    "pinocchio": ("pin",),
    "urdf": ("pyyaml",),
    "studio": ("starlette", "uvicorn", "websockets"),
    "design": ("pymoo",),
    "cluster": ("distributed", "cryptography"),
    "parquet": ("pyarrow",),
    "gym": ("gymnasium",),
    "control": ("control",),
    "video": ("imageio-ffmpeg",),
    "notebook": ("anywidget",),
    "frames": ("pandas", "xarray"),
}
PURPOSES = {  # what people ask for when they meet an extra
    "pictures": "a figure",
    "numerics": "a spline, a regulator, a plan or an area",
    "formulas": "a formula",
    "verify": "a comparison with MuJoCo",
    "pinocchio": "a comparison with Pinocchio",
    "urdf": "the YAML beside a URDF",
    "studio": "the studio",
    "design": "a search for several goals",
    "cluster": "a cluster",
    "parquet": "a Parquet file",
    "gym": "an environment for learning",
    "control": "a system of python-control",
    "video": "a video",
    "notebook": "the widget",
    "frames": "a data frame",
}
IMPORTED_AS = {"pin": "pinocchio", "pyyaml": "yaml", "imageio-ffmpeg": "imageio_ffmpeg"}  # where the two names differ
ALONG = {"mpl_toolkits": "matplotlib", "PIL": "matplotlib"}  # modules that come with a package of another name


def bring(module: str, what: str = "") -> ModuleType:
    """Import a module by its name; a package of an extra that is not here raises MissingPackage."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = explain(error, what)
        if missing is None:
            raise
        raise missing from None


def explain(error: ImportError, what: str = "") -> MissingPackage | None:
    """What to say of an import that failed because an extra is not installed; None if that is not the reason."""
    if isinstance(error, MissingPackage):  # said already, where a package brings its names late
        return error
    root = (error.name or "").partition(".")[0]
    extra = _homes().get(ALONG.get(root, root))
    if extra is None or not isinstance(error, ModuleNotFoundError):
        return None
    return MissingPackage(what or PURPOSES[extra], root, EXTRAS[extra], extra)


def _homes() -> dict[str, str]:
    """Import name → extra."""
    return {IMPORTED_AS.get(package, package): extra for extra, packages in EXTRAS.items() for package in packages}


class Late:
    """A module that is imported when something of it is first used: `linalg = Late("scipy.linalg")`."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # what copying and inspection ask for is not the module's business
        found = getattr(bring(self._module), name)
        setattr(self, name, found)
        return found


def doors(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: what it offers, each name from its module, imported when first used."""

    def offered(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(bring(f"{package}.{homes[name]}"), name)

    return offered, lambda: [*vars(sys.modules[package]), *homes]
