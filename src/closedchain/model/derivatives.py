"""Exact derivatives of a robot's models by its state and its parameters, through the chosen mode.

`derivatives` gives them one by one; `gradient` that of a weighted sum, by everything at once, for a few times the
price of the models. Both hold the loops closed: what is not given follows, by the implicit function theorem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.parameters import slopes_of
from closedchain.describe.tables import suggest
from closedchain.errors import BadInput, Singular
from closedchain.kernels import Library
from closedchain.model.model import Model
from closedchain.model.state import State, standing
from closedchain.model.state import state as make_state
from closedchain.policy import SINGULAR

P = "p"


@dataclass(frozen=True, eq=False)
class Derivatives(Mapping[tuple[str, str], Doubles]):
    """`found["tau", "p"]`: the derivative of a model, its last axis that of what it is by."""

    robot: str
    slopes: Mapping[tuple[str, str], Doubles]  # (*batch, *shape of the model, n)
    names: Mapping[str, tuple[str, ...]]  # what the last axis is: drives, coordinates, parameters

    def __getitem__(self, key: tuple[str, str]) -> Doubles:
        return self.slopes[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.slopes)

    def __len__(self) -> int:
        return len(self.slopes)

    def by_name(self, model: str) -> dict[str, Doubles]:
        """A model's derivative by each single coordinate, rate, effort and parameter."""
        found = [(self.names[by], value) for (of, by), value in self.slopes.items() if of == model]
        return {name: value[..., i] for names, value in found for i, name in enumerate(names)}


@dataclass(frozen=True, eq=False)
class Gradient:
    """The gradient of Σ weights · models: arrays by what they are by, and as one number each by name."""

    robot: str
    by: Mapping[str, Doubles]  # (*batch, n) of "q", "q_dot", "q_ddot" or "tau", "p"; or of "x", "x_dot" …
    names: Mapping[str, tuple[str, ...]]

    def __getitem__(self, by: str) -> Doubles:
        return self.by[by]

    @property
    def by_name(self) -> dict[str, Doubles]:
        """By each single coordinate, rate, effort and parameter."""
        return {name: value[..., i] for by, value in self.by.items() for i, name in enumerate(self.names[by])}


def derivatives(model: Model, of: str | Sequence[str], by: str | Sequence[str] = (), **state: Any) -> Derivatives:
    """The derivatives of models (`"x tau"`) by what is given, at a state that is given as for `evaluate`.

    By all that is given unless `by` chooses: "q", "q_dot", "q_ddot" and "p" where the state is given by q; "x",
    "x_dot", "x_ddot" where it is given by the output; "tau" where efforts move it. `given="x"` takes derivatives by
    the output also where both q and x are known.

    A parameter that stands in the formulas of others moves them, as it does in `with_values`.
    """
    at = _where(model, **state)
    names, chosen = at.models(_words(of)), at.chosen(_words(by))
    made = at.run("jacobian_programs", "jacobians", {}, tuple(names), chosen)
    slopes = {}
    for name in names:
        for key in chosen:
            value = made[f"{name}:{key}"]
            value = value.reshape(*value.shape[:-2], *names[name], value.shape[-1])
            slopes[name, key] = _formulas(model, value) if key == P else value
    return Derivatives(model.name, slopes, at.names())


def values(model: Model, of: str | Sequence[str], **state: Any) -> dict[str, Doubles]:
    """The models themselves, by name, as `derivatives` and `gradient` have them."""
    at = _where(model, **state)
    names = at.models(_words(of))
    made = at.run("value_programs", "values", {}, tuple(names))
    return {name: made[name].reshape(*made[name].shape[:-1], *shape) for name, shape in names.items()}


def gradient(model: Model, weights: Mapping[str, ArrayLike], **state: Any) -> Gradient:
    """The gradient of Σ weights · models by everything that is given: `gradient(robot, {"tau": [1, 0]}, q=…)`.

    Weights have the models' shapes, with the batch's axes in front where they differ from state to state. The cost is
    a few times that of the models, however many parameters there are.
    """
    at = _where(model, **state)
    names = at.models(tuple(weights))
    flat = {f"g_{name}": _flat(name, weights[name], shape) for name, shape in names.items()}
    made = at.run("gradient_programs", "gradient", flat, tuple(names))
    found = {key: _formulas(model, made[key]) if key == P else made[key] for key in at.chosen(()) if key in made}
    return Gradient(model.name, found, at.names())


def shapes(model: Model, efforts: bool) -> dict[str, tuple[int, ...]]:
    """The models that have derivatives, and their shapes; `efforts` move the robot, or accelerations do."""
    e, nq, nx = model.equations, model.nq, model.nx
    k, readouts, axes = len(e.closures), len(e.readouts), len(e.points[0][1]) if e.points else 0
    seconds: dict[str, tuple[int, ...]] = {"q_ddot": (nq,), "x_ddot": (nx,), "lam": (k,)}
    found: dict[str, tuple[int, ...]] = {"q": (nq,), "x": (nx,), "q_dot": (nq,), "x_dot": (nx,), "b": (nx,)}
    found |= seconds if efforts else seconds | {"tau": (nq,), "passive_ddot": (readouts,)}
    found |= {"A": (k, nx), "B": (k, nq), "A_dot": (k, nx), "B_dot": (k, nq), "J": (nx, nq), "M": (nq, nq), "c": (nq,)}
    found |= {"passive": (readouts,), "passive_dot": (readouts,), "points": (len(e.points), axes)}
    found |= {"kinetic": (), "potential": ()} | ({"det_A": (), "det_B": (), "margin": ()} if nx else {})
    found |= {"room": ()} if e.limits else {}
    return {name: shape for name, shape in found.items() if 0 not in shape}


@dataclass(frozen=True, eq=False)
class _Where:
    """A state, what of it is given, and what moves it."""

    model: Model
    state: State
    given: str  # "q" or "x"
    moved_by: str  # "tau", or accelerations of what is given
    second: Doubles

    @property
    def options(self) -> tuple[str, str, bool]:
        return self.given, self.moved_by, self.moved_by == "tau" and self.model.massless

    def models(self, asked: Sequence[str]) -> dict[str, tuple[int, ...]]:
        """The models asked for and their shapes."""
        known = shapes(self.model, self.moved_by == "tau")
        for name in asked:
            if name not in known:
                raise BadInput(f"{self.model.name}: no derivatives of {name!r:.40}; {suggest(name, list(known))}")
        if not asked:
            raise BadInput(f"{self.model.name}: derivatives of what? There are {', '.join(known)}")
        return {name: known[name] for name in asked}

    def chosen(self, asked: Sequence[str]) -> tuple[str, ...]:
        """What derivatives are by, checked."""
        known = (self.given, f"{self.given}_dot", self.moved_by, *([P] if len(self.model.p) else []))
        for name in asked:
            if name not in known:
                raise BadInput(
                    f"{self.model.name}: no derivatives by {name!r:.40}; the state is given by {', '.join(known)}"
                )
        return tuple(dict.fromkeys(asked)) or known

    def names(self) -> dict[str, tuple[str, ...]]:
        """What the last axes are."""
        equations = self.model.equations
        own = equations.q if self.given == "q" else equations.x[: equations.outputs]
        found = {self.given + dot: tuple(c.name + dot for c in own) for dot in ("", "_dot", "_ddot")}
        found["tau"] = tuple(f"tau_{name}" for name in equations.driven)
        return found | {P: tuple(self.model.values)}

    def run(self, part: str, kernel: str, further: dict[str, Doubles], *options: Sequence[str]) -> dict[str, Doubles]:
        """The outputs of a program at the state; refused where what is given does not determine the rest."""
        model, now, key = self.model, self.state, (part, *self.options, *map(tuple, options))
        library: Library = model.equations.noted(key, lambda: model.load(part, *self.options, *options))
        own = {"q": now.q_dot, "x": now.x_dot[..., : model.outputs]}[self.given]
        arrays = {"q": now.q, "x": now.x, f"{self.given}_dot": own, self.moved_by: self.second, P: model.p}
        made = library.run(kernel, arrays | further)
        regular = made.pop("regular")
        if not (regular > SINGULAR).all():
            what = "Type 2 singularity, A is singular" if self.given == "q" else "Type 1 singularity, B is singular"
            hint = "Nothing has a derivative there, since the rest does not follow; take another configuration."
            raise Singular(model.name, what, float(np.nan_to_num(regular).min()), SINGULAR, hint)
        return made


def _where(
    model: Model,
    *,
    q_ddot: ArrayLike | None = None,
    x_ddot: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    state: State | None = None,
    given: str | None = None,
    **place: Any,
) -> _Where:
    """The state of the options of `evaluate`, and which side of it is given."""
    model.check_robot("derivative by its drives alone")
    now = standing(model, state, **place) or make_state(model, **place)
    side = given or ("x" if place.get("x") is not None and place.get("q") is None else "q")
    if side not in ("q", "x") or (side == "x" and model.outputs != model.nq):
        raise BadInput(
            f"{model.name}: given={given!r:.20}: a state is given by q, or by x where it has as many coordinates"
        )
    moving = {"q_ddot": q_ddot, "x_ddot": x_ddot, "tau": tau}
    named = [name for name, value in moving.items() if value is not None]
    usual = f"{side}_ddot"
    if len(named) > 1 or (named and named[0] not in (usual, "tau")):
        raise BadInput(f"{model.name}: {' and '.join(named)}: a state given by {side} is moved by {usual} or by tau")
    by = named[0] if named else usual
    size = len(model.driven) if by == "tau" else model.nq
    second = np.zeros(size) if not named else vectors(moving[by], size, by)  # type: ignore[arg-type]
    return _Where(model, now, side, by, second)


def _formulas(model: Model, slopes: Doubles) -> Doubles:
    """Slopes by all parameters, with those of formulas counted to what stands in them."""
    return slopes @ formula_slopes(model)


def formula_slopes(model: Model) -> Doubles:
    """∂(all parameters)/∂(one of them), (np, np): the identity without formulas."""
    parameters = model.equations.parameters
    preset = model.recipe.presets[model.preset] if model.preset else {}
    given, place = {**preset, **model.given}, {p.name: i for i, p in enumerate(parameters)}
    found = np.zeros((len(place), len(place)))
    for name, column in place.items():
        slopes = slopes_of(parameters, {**given, name: model.values[name]}, [name])
        for other, row in slopes.items():
            found[place[other], column] = row[name]
    return found


def _words(given: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(given.replace(",", " ").split()) if isinstance(given, str) else tuple(given)


def _flat(name: str, weights: ArrayLike, shape: tuple[int, ...]) -> Doubles:
    """Weights of a model, (*batch, elements)."""
    made = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(made).all() or made.shape[made.ndim - len(shape) :] != shape or made.ndim < len(shape):
        raise BadInput(f"the weights of {name} are finite numbers whose shape ends in {shape}, not {made.shape}")
    return made.reshape(*made.shape[: made.ndim - len(shape)], -1) if shape else made[..., None]
