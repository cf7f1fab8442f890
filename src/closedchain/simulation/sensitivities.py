"""Exact derivatives through a rollout: forward sensitivities, and gradients by the adjoint for many parameters.

rolled = roll(robot, commands, q=…, step=1e-3)        # or roll(robot, law, duration=2.0, …)
rolled.gradient({"x": weights})                       # by the start, each command or the gains, and every parameter
rolled.sensitivities("p")                             # how every state of the motion moves with each parameter
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.kernels import Library, Program
from closedchain.kernels import load as load_kernels
from closedchain.model.derivatives import derivatives, formula_slopes
from closedchain.model.measured import declared
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.model.state import state as make_state
from closedchain.simulation.law_keys import law_key

STATE = ("q", "x", "q_dot", "x_dot")
START = ("q", "q_dot")


@dataclass(frozen=True, eq=False)
class Rolled:
    """A motion in equal steps, and everything needed to differentiate it."""

    model: Model
    t: Doubles  # (T + 1,) [s]
    states: Mapping[str, Doubles]  # (T + 1, n) of q, x, q_dot, x_dot
    commands: Doubles  # (T, driven)
    chosen: Doubles  # what commands come from: themselves (T, driven), or a law's gains (k,)
    steady: Mapping[str, Doubles]  # h, and the reference of each step
    library: Library

    @property
    def by(self) -> str:
        """What decides the commands: "u", or a law's "gains"."""
        return "u" if self.chosen.ndim == 2 else "gains"

    def gradient(self, weights: Mapping[str, ArrayLike]) -> dict[str, Doubles]:
        """The gradient of Σ weights · states by the start's q and q_dot, by p, and by each command or the gains.

        Weights are (T + 1, n) of states by name; (n,) are of the last state alone. One pass back over the motion,
        however many parameters there are.
        """
        w = {name: self._weights(name, weights.get(name)) for name in self.states}
        unknown = [name for name in weights if name not in w]
        if unknown:
            raise BadInput(f"{self.model.name}: no state {unknown[0]!r:.30}; there are {', '.join(w)}")
        back = {name: value[-1] for name, value in w.items()}
        p, chosen = np.zeros(len(self.model.p)), np.zeros_like(self.chosen)
        for k in range(len(self.t) - 2, -1, -1):
            made = self.library.run("pull", self._at(k) | {f"w_{name}": value for name, value in back.items()})
            back = {name: made[f"by_{name}"] + w[name][k] for name in back}
            p += made.get("by_p", 0.0)
            chosen[k if self.by == "u" else slice(None)] += made[f"by_{self.by}"]
        found = {name: back[name].copy() for name in START}
        for (name, by), slopes in self._started.items():
            if by == "p":
                p += slopes.T @ back[name]
            else:
                found[by] += slopes.T @ back[name]
        return found | {self.by: chosen, "p": p @ formula_slopes(self.model)}

    def sensitivities(self, by: str = "p") -> dict[str, Doubles]:
        """∂(state)/∂(p, gains, or the start's q or q_dot), (T + 1, n, m) of each state by name: one pass forward."""
        known = ("p", *START, *(["gains"] if self.by == "gains" else []))
        if by not in known:
            raise BadInput(f"{self.model.name}: sensitivities by {by!r:.30}; there are {', '.join(known)}")
        own = {"p": len(self.model.p), "q": self.model.nq, "q_dot": self.model.nq}
        sizes: dict[str, int] = own | {self.by: int(self.chosen.shape[-1])}
        m = sizes[by]
        now: dict[str, Doubles] = {name: np.zeros((m, value.shape[-1])) for name, value in self.states.items()}
        if by in START:
            now[by] = np.eye(m)
        for (name, source), slopes in self._started.items():
            if source == by:
                now[name] = slopes.T.copy()
        still = {key: np.zeros((m, sizes[key])) for key in (self.by, "p")}
        if by in still:
            still[by] = np.eye(m)
        rows = [now]
        for k in range(len(self.t) - 1):
            ways = {f"t_{name}": value for name, value in (rows[-1] | still).items()}
            made = self.library.run("push", self._at(k) | ways)
            rows.append({name: made[f"{name}_next"] for name in now})
        found = {name: np.stack([row[name] for row in rows]).transpose(0, 2, 1) for name in now}
        return {name: v @ formula_slopes(self.model) for name, v in found.items()} if by == "p" else found

    def _weights(self, name: str, given: ArrayLike | None) -> Doubles:
        shape = self.states[name].shape
        w = np.zeros(shape)
        if given is not None:
            values = np.asarray(given, dtype=np.float64)
            if values.shape not in (shape, shape[1:]):
                raise BadInput(f"{self.model.name}: weights of {name} are {shape} or, at the end, {shape[1:]}")
            w[... if values.ndim == 2 else -1] = values
        return w

    def _at(self, k: int) -> dict[str, Doubles]:
        """What step k is made of."""
        own = {name: value[k] for name, value in self.states.items()}
        steady = {name: value[k] if name == "ref" else value for name, value in self.steady.items()}
        chosen = {self.by: self.chosen[k] if self.by == "u" else self.chosen}
        return own | steady | chosen | {"p": self.model.p}

    @cached_property
    def _started(self) -> Mapping[tuple[str, str], Doubles]:
        """How the start's x and ẋ follow from its drives and from the parameters, formulas aside."""
        if not self.model.nx:
            return {}
        place = {name: self.states[name][0] for name in STATE}
        found = derivatives(self.model, "x x_dot", "q q_dot p", state=State(**place))
        flat = np.linalg.inv(formula_slopes(self.model))  # counted once, at the end
        return {key: slopes @ flat if key[1] == "p" else slopes for key, slopes in found.items()}


def roll(
    model: Model,
    drive: Any,
    *,
    step: float = 1e-3,
    duration: float | None = None,
    start: State | None = None,
    output: str = "tau",
    **place: Any,
) -> Rolled:
    """A motion of equal steps under commands (T, driven), one for each step, or under a law of `closedchain.control`.

    It begins at `start` or where q, x, q_dot and a mode say, as for `state`. `output` tells whether commands are
    efforts ("tau") or motor voltages ("voltage"); a law tells that itself. The law is told the state at every step,
    without noise, delay or limits, and its reference does not change with the parameters.
    """
    model.check_robot("derivative of a motion by its drives alone")
    begin = start if start is not None else make_state(model, **place)
    if begin.q.ndim != 1:
        raise BadInput(f"{model.name}: one start at a time; q has shape {begin.q.shape}")
    if hasattr(drive, "law"):
        return _under_law(model, drive, begin, step, duration)
    commands = vectors(drive, len(model.driven), "commands")
    if commands.ndim != 2 or duration is not None:
        raise BadInput(f"{model.name}: commands are (steps, {len(model.driven)}), and their number tells the duration")
    library = _library(model, (output,), f"open {output}")
    return _advance(model, library, begin, {"u": commands}, {"h": np.array([step])}, len(commands), step)


def _under_law(model: Model, law: Any, begin: State, step: float, duration: float | None) -> Rolled:
    count = round((duration or 0.0) / step)
    if count < 1:
        raise BadInput(f"{model.name}: duration={duration!r:.20} s is not even one step of {step:g} s")
    if declared(law, model):
        raise BadInput(
            f"{model.name}: a law with a memory has no derivative here; take one that follows from the state"
        )
    fields, gains = law.fields(model), np.asarray(law.gains, dtype=np.float64)
    key = f"{fields} {len(gains)} {law_key(law, model, fields, ())}"
    library = _library(model, (law.output, law.law, fields, len(gains)), key)
    reference = law.samples(model, np.arange(count) * step, step)
    steady = {"h": np.array([step])} | ({"ref": reference} if sum(k for _, k in fields) else {})
    return _advance(model, library, begin, {"gains": gains}, steady, count, step)


def _library(model: Model, options: tuple[Any, ...], key: str) -> Library:
    def build() -> list[Program]:
        module = importlib.import_module("closedchain.simulation.tangents")  # brings CasADi, only to compile anew
        programs: list[Program] = module.step_programs(model.equations, options[0], model.massless, *options[1:])
        return programs

    return load_kernels(f"tangents {key} {model.massless} {model.equations.key}", build)


def _advance(
    model: Model,
    library: Library,
    begin: State,
    chosen: dict[str, Doubles],
    steady: dict[str, Doubles],
    count: int,
    step: float,
) -> Rolled:
    names = [name for name in STATE if getattr(begin, name).shape[-1]]
    states = {name: np.zeros((count + 1, getattr(begin, name).shape[-1])) for name in names}
    for name, value in states.items():
        value[0] = getattr(begin, name)
    (by, values), commands = next(iter(chosen.items())), np.zeros((count, len(model.driven)))
    t: Doubles = np.arange(count + 1, dtype=np.float64) * step
    rolled = Rolled(model, t, states, commands, values, steady, library)
    assert by == rolled.by
    for k in range(count):
        made = library.run("advance", rolled._at(k))
        for name, value in states.items():
            value[k + 1] = made[f"{name}_next"]
        commands[k] = made["command"]
    if not all(np.isfinite(value[-1]).all() for value in states.values()):
        raise BadInput(f"{model.name}: numbers grew without bound; take shorter steps, or smaller commands or gains")
    return rolled
