"""Commands on numbers, one after another: a law or a Python function, with what it keeps in between."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.model.dynamics import takes_voltage
from closedchain.model.measured import Fields, Numbers, decided, declared
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.clock import Clock

OUTPUTS = {"effort": "tau", "voltage": "voltage", "velocity": "velocity"}


@dataclass(frozen=True, eq=False)
class Function:
    """A user's own function (t, state) → command, and what it commands; with a memory (t, state, memory) → both."""

    call: Any
    output: str  # "tau", "voltage" or "velocity"
    memory: Mapping[str, Any]

    @property
    def key(self) -> str:
        return named(self.call)

    def __getattr__(self, name: str) -> Any:
        """Its reference, working mode and the like, where the function has them."""
        if name in ("call", "law"):
            raise AttributeError(name)
        return getattr(self.call, name)

    def __call__(self, t: float, state: State, kept: Mapping[str, Doubles]) -> Any:
        return self.call(t, state, kept) if self.memory else self.call(t, state)


def commanding(model: Model, controller: Any, command: str | None, memory: Mapping[str, Any] | None) -> Any:
    """The controller with what it commands said; where that could be efforts or voltages, it must have been."""
    if command is not None and command not in OUTPUTS:
        raise BadInput(f"command = {command!r:.30}; there are {', '.join(OUTPUTS)}")
    if controller is None:
        if command is not None or memory is not None:
            raise BadInput("command and memory are a controller's, and none is given")
        return None
    said = getattr(controller, "output", None)
    if said is not None and command is not None and OUTPUTS[command] != said:
        raise BadInput(f"{named(controller)} has output = {said!r:.20}, but command = {command!r}; leave one out")
    if said is None and command is None and takes_voltage(model):
        raise BadInput(
            f"{model.name} has a motor, so a command may be a voltage or an effort: "
            'say command="voltage" [V], or command="effort" [N, N m] at the drives'
        )
    output = said or OUTPUTS[command or "effort"]
    if output not in OUTPUTS.values():
        raise BadInput(f"{named(controller)} has output = {output!r:.30}; there are {', '.join(OUTPUTS.values())}")
    if not hasattr(controller, "law"):
        if not callable(controller):
            raise BadInput(f"{controller!r:.60} is no controller: give a law of closedchain.control, or a function")
        return Function(controller, output, dict(memory or {}))
    if memory is not None:
        raise BadInput(f"memory is for a function of your own; {named(controller)} declares its own")
    if said is not None:
        return controller
    made = copy(controller)
    object.__setattr__(made, "output", output)  # laws are frozen
    return made


def named(controller: Any) -> str:
    """What a run under it is called."""
    if controller is None:
        return "moves by itself"
    inner = getattr(controller, "func", controller)  # of functools.partial
    found = getattr(controller, "key", None) or getattr(inner, "__name__", None) or type(controller).__name__
    return str(found)


class Decider:
    """The command at each instant; its memory begins anew with every run."""

    def __init__(self, model: Model, controller: Any, time: Clock) -> None:
        self.model, self.controller, self.interval = model, controller, time.interval
        self.kept = {} if controller is None else declared(controller, model)
        self.sizes = [(name, len(value)) for name, value in self.kept.items()]
        if hasattr(controller, "law"):
            self.fields = controller.fields(model)
            self.samples = controller.samples(model, time.instants, time.interval)

    def __call__(self, k: int, state: State, held: Doubles) -> Doubles:
        """The command at the k-th instant, at what is measured then, under the command held until then."""
        nd = len(self.model.driven)
        if self.controller is None:
            return np.zeros(nd)
        answer = self.by_law(k, state, held) if hasattr(self.controller, "law") else self.by_function(k, state)
        command, kept = decided(answer, self.sizes)
        self.kept = {name: self.sized(kept[name], size, f"memory {name}") for name, size in self.sizes}
        if hasattr(self.controller, "law"):
            return np.asarray(command, dtype=np.float64)
        return vectors(command, nd, "the controller's answer")

    def by_law(self, k: int, state: State, held: Doubles) -> Any:
        memory = Fields(self.sizes, np.concatenate([np.zeros(0), *self.kept.values()]))
        measured = Numbers(self.model, state, held, memory, self.interval)
        return self.controller.law(measured, Fields(self.fields, self.samples[k]), self.controller.gains)

    def by_function(self, k: int, state: State) -> Any:
        return self.controller(k * self.interval, state, {name: value.copy() for name, value in self.kept.items()})

    def sized(self, value: Any, size: int, what: str) -> Doubles:
        """Numbers to keep: as many as were declared; one stands for all."""
        made = np.asarray(value, dtype=np.float64)
        if made.shape not in ((), (1,), (size,)) or np.isnan(made).any():
            raise BadInput(f"{what} became {made!r:.60}; {size} numbers are needed")
        return np.broadcast_to(made, (size,))
