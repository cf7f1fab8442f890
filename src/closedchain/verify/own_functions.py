"""Model functions of the user's own beside ours: each is asked at the states compared, with our values as arguments.

A function bears the name of what it returns and names what it takes:

    def x(q, assembly, l, d): ...
    def tau(q, x, q_dot, x_dot, q_ddot, m_p, m_f): ...

so that each is judged alone, whatever the others do.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, ClosedChainError, numbers
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.sampling import regularity
from closedchain.verify.comparison import Row, Trace
from closedchain.verify.limits import EPS, OPERATIONS, pace_of, sizes_at
from closedchain.verify.samples import Samples, closed

DIGITS = 1e-9  # of the largest: another order of operations shows less, another formula more
OWN_FUNCTIONS = "functions"
MADE = ("x_dot", "x_ddot", "passive", "passive_dot", "passive_ddot", "M", "c", "tau", "kinetic", "potential")
NAMES = ("q", "x", "q_dot", "q_ddot", *MADE)
MODES = ("assembly", "working")
Functions = Mapping[str, Callable[..., Any]]


def read_functions(path: str | Path) -> dict[str, Callable[..., Any]]:
    """The model functions that a Python file defines. The file is run: it is its user's own code."""
    file = Path(path)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise BadInput(f"{str(path)[:80]!r} is no Python file that can be read")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"{file.name}: running it raised {type(error).__name__}: {error}") from None
    return functions_of(module, file.name)


def functions_of(given: Any, name: str) -> dict[str, Callable[..., Any]]:
    """Those of a mapping, a module or any object that bear the name of something compared."""
    named = given if isinstance(given, Mapping) else {n: getattr(given, n) for n in NAMES if hasattr(given, n)}
    found = {n: f for n, f in named.items() if n in NAMES and callable(f) and not isinstance(f, ModuleType)}
    unknown = [n for n in named if n not in NAMES] if isinstance(given, Mapping) else []
    if unknown or not found:
        said = f"{unknown[0]!r:.40} is not compared" if unknown else "no function of it is compared"
        raise BadInput(f"{name}: {said}; a function bears the name of what it returns: {', '.join(NAMES)}")
    return found


@dataclass(frozen=True, eq=False)
class States:
    """What our model says at the states compared: the arguments, and the values to be returned."""

    model: Model
    motion: str
    values: Mapping[str, Doubles]  # (n, …)
    modes: Mapping[str, list[str]]  # (n,) each
    condition: float
    pace: tuple[float, float]

    def __len__(self) -> int:
        return len(self.values["q"])

    def arguments(self, row: int) -> dict[str, Any]:
        """Everything a function may ask for at one state; modes are texts, "+" and "++"."""
        found: dict[str, Any] = dict(self.model.values)
        found |= {name: value[row].copy() for name, value in self.values.items()}
        return found | {name: words[row] for name, words in self.modes.items()}


def states_of(model: Model, samples: Samples, motion: str) -> States:
    """Our own values at states whose efforts are those that make their accelerations."""
    state = closed(model, samples)
    given = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "q_ddot": samples.q_ddot}
    made = model.call("evaluate", **given)
    modes: dict[str, list[str]] = {}
    condition = 1.0
    if model.nx:
        rows = Configurations(model, state.q, state.x)
        modes["assembly"] = ["+" if d > 0 else "-" for d in np.linalg.det(rows.A)]
        condition = float(1 / regularity(model, np.concatenate([state.q, state.x], axis=-1)).min())
        with contextlib.suppress(ClosedChainError):  # drives that do not follow from their legs: no working modes
            modes["working"] = ["".join("+-"[int(s < 0)] for s in row) for row in rows.working_signs()]
    values = given | {name: np.asarray(made[name]) for name in MADE if name in made}
    rates = (np.concatenate([values[f"q{r}"], values[f"x{r}"]], axis=-1) for r in ("_dot", "_ddot"))
    return States(model, motion, values, modes, condition, pace_of(model, *rates))


def rows_of(name: str, functions: Functions, at: States) -> tuple[list[Row], dict[str, Doubles]]:
    """A row for each function, and what it returned."""
    rows, returned = [], {}
    for quantity, function in functions.items():
        if quantity in at.values and at.values[quantity].size:
            theirs, problem = _asked(quantity, function, at)
            rows.append(_row(name, quantity, at, theirs, problem))
            if not problem:
                returned[quantity] = theirs
    return rows, returned


def traces_of(name: str, at: States, t: Doubles, returned: Mapping[str, Doubles]) -> list[Trace]:
    """Curves for the figures; of matrices none."""
    place: dict[str, Any] = {"motion": at.motion, "engine": name, "t": t}
    found = []
    for quantity, theirs in returned.items():
        if at.values[quantity].ndim > 2:
            continue
        ours, other = (values.reshape(len(t), -1) for values in (at.values[quantity], theirs))
        labels, units = _columns(at.model, quantity, ours.shape[1])
        for unit in dict.fromkeys(units):  # lengths and angles of a plate go into panels of their own
            kept = [i for i, u in enumerate(units) if u == unit]
            words = tuple(labels[i] for i in kept)
            title = quantity if len(set(units)) == 1 else f"{quantity}: {', '.join(words)}"
            curves: dict[str, Any] = {"ours": ours[:, kept], "theirs": other[:, kept], "labels": words}
            found.append(Trace(**place, quantity=title, unit=unit, **curves))
    return found


def _asked(quantity: str, function: Callable[..., Any], at: States) -> tuple[Doubles, str]:
    """What a function returns at every state, and what is wrong with it."""
    wanted = at.values[quantity]
    known = set(at.arguments(0))
    parameters = inspect.signature(function).parameters
    asked = [n for n, p in parameters.items() if n in known or (p.default is p.empty and p.kind is not p.VAR_KEYWORD)]
    strange = [n for n in asked if n not in known or n == quantity]
    if strange:
        there = ", ".join([*(n for n in (*at.values, *at.modes) if n != quantity), *at.model.values])
        raise BadInput(f"{quantity} asks for {strange[0]!r:.40}; arguments may be {there}")
    returned = np.full(wanted.shape, np.nan)
    for row in range(len(at)):
        given = at.arguments(row)
        where = f"at q = {numbers(given['q'])}"
        try:
            value = np.asarray(function(**{n: given[n] for n in asked}), dtype=np.float64)
        except Exception as error:
            return returned, f"raised {type(error).__name__}: {str(error)[:80]} {where}"
        if value.size != wanted[row].size:
            return returned, f"returned {value.size} numbers {where}; {wanted[row].size} are wanted"
        if not np.isfinite(value).all():
            return returned, f"returned {value[~np.isfinite(value)].flat[0]} {where}"
        returned[row] = value.reshape(wanted[row].shape)
    return returned, ""


def _row(name: str, quantity: str, at: States, theirs: Doubles, problem: str) -> Row:
    unit = _unit(at.model, quantity)
    if problem:
        return Row(quantity, name, OWN_FUNCTIONS, at.motion, np.inf, np.inf, 0.0, unit, problem)
    difference = _apart(at.model, quantity, at.values[quantity] - theirs)
    size = _size(at, quantity)
    limit = max(DIGITS, OPERATIONS * EPS * at.condition) * size
    rounds = OPERATIONS * EPS * at.condition > DIGITS
    why = f"{OPERATIONS:.0f} ε κ size, κ = {at.condition:.3g}" if rounds else f"{DIGITS:.0e} of the largest: formulas"
    worst, rms = float(np.abs(difference).max()), float(np.sqrt(np.mean(np.square(difference))))
    return Row(quantity, name, OWN_FUNCTIONS, at.motion, worst, rms, limit, unit, why, size)


def _apart(model: Model, quantity: str, difference: Doubles) -> Doubles:
    """Of angles, modulo a turn."""
    if quantity not in ("q", "x", "passive"):
        return difference
    turns = np.array([unit == "rad" for unit in _columns(model, quantity, 0)[1]])
    return np.where(turns, (difference + np.pi) % (2 * np.pi) - np.pi, difference)


def _size(at: States, quantity: str) -> float:
    """The largest value; where that may vanish, what a number of its kind is at the drives' rates."""
    v = at.values
    largest = float(np.abs(v[quantity]).max())
    if quantity in ("tau", "c"):
        inertia = np.abs(np.einsum("nij,nj->ni", v["M"], v["q_ddot"]))
        return max(float(np.abs(v[name]).max()) for name in ("tau", "c")) or float(inertia.max())
    if quantity == "potential":
        return max(largest, float(v["kinetic"].max()))
    usual = sizes_at(at.model.scale, *at.pace)
    return max([largest, *(usual.get(u, 0.0) for u in _unit(at.model, quantity).split(", "))])


def _unit(model: Model, quantity: str) -> str:
    if quantity in ("kinetic", "potential"):
        return "J"
    if quantity == "M":
        return "SI"
    return ", ".join(dict.fromkeys(_columns(model, quantity, 0)[1]))


def _columns(model: Model, quantity: str, width: int) -> tuple[list[str], list[str]]:
    """Name and unit of each number of a quantity."""
    if quantity in ("kinetic", "potential"):
        return [quantity] * width, ["J"] * width
    if quantity in ("tau", "c"):
        return [c.name for c in model.equations.q], [{"m": "N", "rad": "N m"}[c.unit] for c in model.equations.q]
    base, _, order = quantity.partition("_")
    per = {"": "", "dot": "/s", "ddot": "/s²"}[order]
    named: Mapping[str, Any] = {"q": model.equations.q, "x": model.equations.x, "passive": model.equations.readouts}
    return [c.name for c in named[base]], [c.unit + per for c in named[base]]
