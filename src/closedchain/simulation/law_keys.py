"""What a compiled loop is filed under for its law: what the law traces to, not what it is called."""

from __future__ import annotations

import hashlib
import importlib
from functools import cache
from pathlib import Path
from typing import Any

from closedchain.model.measured import Sizes
from closedchain.model.model import Model

PACKAGE = Path(__file__).parent.parent


def law_key(controller: Any, model: Model, fields: Sizes, memory: Sizes) -> str:
    """What a law commands, as its loop is filed: the program that its lines trace to.

    Laws of this package are known by their key and the package's own sources instead, for which CasADi need not be
    imported. Laws that trace to one program share a loop, whatever their names.
    """
    if _ours(controller):
        return f"{controller.key} {_sources()}"
    symbolic = importlib.import_module("closedchain.simulation.symbolic")  # brings CasADi
    program = symbolic.law_program(controller.law, model, fields, len(controller.gains), memory)
    return f"{program.digest} {_sources()}"


def answers(controller: Any) -> bool:
    """Whether a controller may answer to what it measures: all do but those of this package that have no gains."""
    return not hasattr(controller, "law") or len(controller.gains) > 0 or not _ours(controller)


def _ours(controller: Any) -> bool:
    """Whether every line of a law is this package's: its class, the classes it inherits, and the method itself."""
    code = getattr(getattr(controller.law, "__func__", controller.law), "__code__", None)
    kinds = type(controller).__mro__[:-1]
    own = all(kind.__module__.partition(".")[0] == __name__.partition(".")[0] for kind in kinds)
    return own and code is not None and Path(code.co_filename).is_relative_to(PACKAGE)


@cache
def _sources() -> str:
    """What loops and the package's laws are written in, so that changing it compiles anew."""
    found = hashlib.sha256()
    for path in sorted(
        [*PACKAGE.glob("simulation/*.py"), *PACKAGE.glob("control/*.py"), PACKAGE / "model/measured.py"]
    ):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()
