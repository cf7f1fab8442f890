"""A law as a program of its own: what is measured and the reference in, the command and what is kept out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.measured import declared
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.deciding import commanding
from closedchain.simulation.loop import Design, Loop

KEPT = ("x", "u", "memory")  # from one command to the next: the pose, the command within its limits, the law's own


@dataclass(frozen=True, eq=False)
class Controller:
    """A law for one robot, ready to be written in another language."""

    model: Model
    law: Any
    program: Program  # `control`
    start: dict[str, Doubles]  # of what is kept: where the pose is looked for from, nothing commanded, the law's memory
    fields: tuple[tuple[str, int], ...]  # of its reference

    @property
    def gains(self) -> Doubles:
        return np.asarray(self.law.gains, dtype=np.float64)

    @property
    def names(self) -> dict[str, list[str]]:
        """Of each number of the reference and of the memory, for people."""
        memory = [(name, len(value)) for name, value in declared(self.law, self.model).items()]
        return {"ref": _numbered(self.fields), "memory": _numbered(memory)}


def controller(model: Model, law: Any, start: State, *, command: str | None = None) -> Controller:
    """A law of closedchain.control, or one of your own with its methods, as a program; it finds poses from `start`'s.

    Commands are cut to ±limit, as a plant's saturation does.
    """
    law = commanding(model, law, command, None)
    if model.linkage or not hasattr(law, "law"):
        raise BadInput(f"{model.name}: laws of robots are exported; a linkage's, and Python functions, are not")
    memory, fields = declared(law, model), law.fields(model)
    sizes = tuple((name, len(value)) for name, value in memory.items())
    design = Design("rk4", law.output, model.massless, False, 0, ideal=False, summary=False, tracked=False, inverts="")
    design = Design(**(vars(design) | {"memory": sizes}))
    loop = Loop(model.equations, model.equations, law.law, fields, len(law.gains), design)
    first = {"x": start.x, "u": np.zeros(len(model.driven)), "memory": np.concatenate([np.zeros(0), *memory.values()])}
    return Controller(model, law, _program(loop), first, tuple(fields))


def _program(loop: Loop) -> Program:
    """`control`: the law at the pose that the model finds for the measured drives, from the one it found before."""
    now, limit = loop.carried, loop.constant["limit"]
    x = loop.pose(now["q"], now["x"]) if "x" in now else ca.SX(0, 1)
    wanted, kept = loop.command(now["q"], now["q_dot"], now.get("x", x), now)
    given = {name: now[name] for name in ("q", "q_dot") if name in now} | loop.stepped | loop.constant | now
    order = ("q", "q_dot", "ref", "gains", "interval", "limit", "p_model", *KEPT)
    inputs = {name.removesuffix("_model"): given[name] for name in order if name in given and given[name].numel()}
    outputs = {"u_next": ca.fmin(ca.fmax(wanted, -limit), limit), "x_next": x, "memory_next": kept}
    shaped = {k: (ca.densify(v), () if k == "interval" else (v.shape[0],)) for k, v in (inputs | outputs).items()}
    return trace("control", {k: shaped[k] for k in inputs}, {k: shaped[k] for k in outputs if shaped[k][0].numel()})


def _numbered(sizes: Any) -> list[str]:
    return [f"{name}_{i + 1}" if size > 1 else name for name, size in sizes for i in range(size)]
