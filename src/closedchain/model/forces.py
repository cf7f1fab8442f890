"""External forces and torques: on any point or body, as numbers or as functions of (t, state).

A force f at P(z) and a torque T on a body that turns at ω(z, ż) put in the power f · Ṗ + T ω. It is linear in ż, and
what multiplies ż is the generalised force: Q_z = (∂P/∂z)ᵀ f + (∂ω/∂ż)ᵀ T, which the equations take off h_z. So one
expression, the power, says all that evaluation, dynamics, simulation and exports need; the components of f and T are
parameters like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.derive.acting import Acting
from closedchain.describe.equations import Equations, Load
from closedchain.describe.parameters import Parameter
from closedchain.describe.recipe import Recipe
from closedchain.errors import BadInput
from closedchain.model.dynamics import efforts_of, motion_of

if TYPE_CHECKING:
    from closedchain.model.model import Model
    from closedchain.model.state import State

Value = ArrayLike | Callable[[Any, Any], Any]  # numbers, or a function of (t, state) that gives them
Forces = Mapping[str, Value]
AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Loads:
    """A robot under external forces and torques, and what each of them is."""

    model: Model  # with the numbers; zero where a function gives them
    loads: tuple[Load, ...]
    values: tuple[Value, ...]

    @property
    def varying(self) -> bool:
        """Whether a function gives one of them."""
        return any(callable(v) for v in self.values)

    def components(self, t: Any, state: State | None) -> list[Doubles]:
        """Each load's numbers, (*batch, components)."""
        return [_numbers(self.model, load, v, t, state) for load, v in zip(self.loads, self.values, strict=True)]

    def at(self, t: Any, state: State) -> Model:
        """The robot under the loads of an instant; of a batch of states, each under its own."""
        found = self.components(t, state)
        rows = [f.shape[:-1] for f in found]
        try:
            np.broadcast_shapes(*rows, state.q.shape[:-1])
        except ValueError:
            raise BadInput(
                f"{self.model.name}: forces of {', '.join(map(str, rows))} rows for states of {state.q.shape[:-1]}; "
                "give one for all, or one for each"
            ) from None
        named = zip(self.loads, found, strict=True)
        return under_components(self.model, {n: v[..., i] for load, v in named for i, n in enumerate(load.names)})


def under_components(model: Model, components: Mapping[str, Doubles]) -> Model:
    """A robot whose loads have these components, by name; of a batch, each state its own."""
    batch = np.broadcast_shapes(*(value.shape for value in components.values()))
    p = np.broadcast_to(model.p, (*batch, model.p.size)).copy()
    order = list(model.values)
    for name, value in components.items():
        p[..., order.index(name)] = value
    return _with_parameters(model, p)


def loads_of(model: Model, forces: Forces | None, torques: Forces | None) -> Loads:
    """The robot with parameters for these forces and torques; equations are made once for each choice of targets."""
    given = [("force", on, v) for on, v in (forces or {}).items()]
    given += [("torque", on, v) for on, v in (torques or {}).items()]
    targets = tuple((kind, on) for kind, on, _ in given)
    known: dict[Any, tuple[Recipe, tuple[Load, ...]]] = model.recipe.__dict__.setdefault("_loaded", {})
    if targets not in known:
        made, loads = _loaded(model, targets)
        known[targets] = Recipe(made, model.recipe.presets, model.recipe.origin), loads
    recipe, loads = known[targets]
    numbers = {
        name: float(number)
        for load, (_, _, v) in zip(loads, given, strict=True)
        if not callable(v) and _single(load, v)
        for name, number in zip(load.names, _numbers(model, load, v, 0.0, None), strict=True)
    }
    robot = replace(model, recipe=recipe, given={**model.given, **numbers})
    return Loads(robot, loads, tuple(v for _, _, v in given))


def with_forces(model: Model, forces: Forces | None = None, torques: Forces | None = None) -> Model:
    """The robot under forces and torques that are numbers: they are its parameters, such as force_C_x."""
    found = loads_of(model, forces, torques)
    for load, value in zip(found.loads, found.values, strict=True):
        if callable(value) or not _single(load, value):
            raise BadInput(
                f"{model.name}: the {load.kind} on {load.on} must be numbers here; `simulate` takes functions"
            )
    return found.model


def _single(load: Load, value: Value) -> bool:
    """Whether a load is one, not a row for each state."""
    return np.size(value) == len(load.names)  # type: ignore[arg-type]


def _numbers(model: Model, load: Load, value: Value, t: Any, state: State | None) -> Doubles:
    """(*batch, components); BadInput unless there are as many as needed, and finite."""
    made = np.asarray(value(t, state) if callable(value) else value, dtype=np.float64)
    size = len(load.names)
    if load.kind == "torque" and made.shape[-1:] != (1,):
        made = made[..., None]
    if made.shape[-1:] != (size,) or not np.isfinite(made).all():
        wanted = f"{size} finite numbers" if size > 1 else "one finite number"
        when = f" at t = {float(np.ravel(t)[0]):.6g} s" if callable(value) else ""
        shown = np.array2string(made.ravel()[:6], precision=6)
        raise BadInput(f"{model.name}: the {load.kind} on {load.on} is {shown}{when}; it needs {wanted}")
    return made


def _with_parameters(model: Model, p: Doubles) -> Model:
    """The same robot whose kernels are given other parameters, one row for each state of a batch."""
    _ = model.massless, model.equations, model.library  # found once, for every instant
    other = object.__new__(type(model))
    other.__dict__.update({n: v for n, v in model.__dict__.items() if n not in ("values", "forward", "inverse")})
    if p.ndim == 1:
        other.__dict__["given"] = {**model.given, **dict(zip(model.values, p.tolist(), strict=True))}
    other.__dict__["p"] = p
    other.__dict__["forward"] = partial(motion_of, other)
    other.__dict__["inverse"] = partial(efforts_of, other)
    return other


# The equations ---------------------------------------------------------------------------------------


def _loaded(model: Model, targets: Sequence[tuple[str, str]]) -> tuple[Equations, tuple[Load, ...]]:
    """The equations with the power of forces and torques, whose components are new parameters."""
    e = model.equations
    acting = Acting(e)
    taken = {n for c in e.z for n in (c.name, c.rate.name)} | {p.name for p in e.parameters}
    parameters, loads = list(e.parameters), []
    for kind, on in targets:
        place = acting.place(kind, on)
        unit, marks = ("N", [f"_{axis}" for axis in AXES]) if kind == "force" else ("N m", [""])
        names = []
        for mark in marks[: len(place)]:
            name = _free_name(f"{kind}_{re.sub(r'[^A-Za-z0-9_]+', '_', on)}{mark}", taken)
            parameter = Parameter(0.0, unit, "given from outside", about=f"external {kind} on {on}{mark}", name=name)
            parameters.append(parameter)
            names.append(name)
        loads.append(Load(kind, on, tuple(names), place))
    whole = replace(e, parameters=tuple(parameters), loads=(*e.loads, *loads))
    return replace(whole, applied=Acting(whole).power(whole.loads)), tuple(loads)


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name
