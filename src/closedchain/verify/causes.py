"""Causes that a diagnosis tries: each is the model's answers as they would be without one particular mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.verify.comparison import Answers
from closedchain.verify.from_output import their_output
from closedchain.verify.meeting import exchanges
from closedchain.verify.samples import DRIVES, Quantities, Samples, answers, closed

Misfit = Callable[[Quantities], Doubles]
NUDGE = 1e-6  # relative change of a parameter for its sensitivity
REFINED = 6  # Gauss–Newton steps on one parameter
NAMED = 1e-4  # relative: how near a factor must be to be called by a name


@dataclass(frozen=True, eq=False)
class Change:
    """The model's answers after one change, and the mistake that this would undo, in words."""

    words: str
    kind: str
    quantities: Quantities
    value: float | None = None  # of the parameter in the engine, or the factor that puts a term right


def causes(model: Model, heard: Answers, misfit: Misfit) -> Iterator[Change]:
    """Every cause that can be tried on these answers."""
    yield from parameters(model, heard, misfit)
    yield from orders(model, heard)
    yield from terms(model, heard, misfit)
    yield from angles(model, heard)


# Parameters ------------------------------------------------------------------------------------------


def parameters(model: Model, heard: Answers, misfit: Misfit) -> Iterator[Change]:
    """One parameter with another value: least squares along its sensitivity, refined."""
    for name, value in model.values.items():
        found = _fitted(model, heard, misfit, name, value)
        if found is not None:
            right, quantities = found
            yield Change(_parameter_words(model, name, value, right), "parameter", quantities, right)


def _fitted(model: Model, heard: Answers, misfit: Misfit, name: str, value: float) -> tuple[float, Quantities] | None:
    size = abs(value) or 1e-3
    now, quantities = value, heard.ours
    try:
        for _ in range(REFINED):
            rest = misfit(quantities)
            step = NUDGE * size
            slope = (rest - misfit(_with(model, heard, name, now + step))) / step
            if not slope.any():
                return None if now == value else (now, quantities)
            change = float(slope @ rest / (slope @ slope))
            trial = _with(model, heard, name, now + change)
            if np.linalg.norm(misfit(trial)) >= np.linalg.norm(rest):
                break
            now, quantities = now + change, trial
            if abs(change) <= 1e-13 * size:
                break
    except (ClosedChainError, np.linalg.LinAlgError):
        pass
    return (now, quantities) if now != value else None


def _with(model: Model, heard: Answers, name: str, value: float) -> Quantities:
    return answers(model.with_values(**{name: value}), heard.samples, heard.cuts)


def _parameter_words(model: Model, name: str, value: float, right: float) -> str:
    unit = next(p.unit for p in model.recipe.description.parameters if p.name == name)
    where = f"{name} is {value:.10g} {unit}".rstrip() + f" in the model and {right:.10g} in the engine"
    if value and abs(right / value + 1) < NAMED:
        return f"{where}: the opposite sign"
    if value and right:
        return f"{where}: {abs(100 * (value / right - 1)):.4g} % too {'large' if value > right else 'small'}"
    return where


# The order of the drives ------------------------------------------------------------------------------


def orders(model: Model, heard: Answers) -> Iterator[Change]:
    """The drives in another order: legs that were exchanged."""
    for order, words in exchanges(model):
        try:
            yield Change(words, "order", _reordered(model, heard, order))
        except (ClosedChainError, np.linalg.LinAlgError):
            continue


def _reordered(model: Model, heard: Answers, order: list[int]) -> Quantities:
    """What the model says of the same motion told to it with its drives in that order."""
    s = heard.samples
    told = Samples(
        s.q[:, order],
        their_output(model, s.x, heard.theirs),
        s.q_dot[:, order],
        s.q_ddot[:, order],
        s.tau[:, order],
        s.motion,
    )
    found = dict(answers(model, told, heard.cuts))
    back = np.argsort(order)
    n = model.nq
    found["M"] = found["M"].reshape(-1, n, n)[:, back][:, :, back].reshape(-1, n * n)
    for name in ("c", "efforts", DRIVES):
        found[name] = found[name][:, back]
    if heard.cuts:
        found["loop forces"] = heard.theirs["loop forces"]  # with other legs the loop is cut elsewhere: not judged
    return found


# The terms of c ---------------------------------------------------------------------------------------


def terms(model: Model, heard: Answers, misfit: Misfit) -> Iterator[Change]:
    """Another factor on c, on its velocity terms or on its weights; in inverse dynamics alone or everywhere."""
    c = heard.ours["c"]
    weights = answers(model, replace(heard.samples, q_dot=np.zeros_like(heard.samples.q_dot)))["c"]
    parts = {"c": (c, np.zeros_like(c))}
    if np.abs(weights).max(initial=0.0) > 1e-12 * np.abs(c).max(initial=1.0):
        parts |= {"the velocity terms of c": (c - weights, weights), "the weights in c": (weights, c - weights)}
    for words, (part, rest) in parts.items():
        if not part.any():
            continue
        factor = float(np.sum(part * (heard.theirs["c"] - rest)) / np.sum(part**2))
        changed = rest + factor * part
        for kernels in (("c", "efforts"), ("c", "efforts", DRIVES)):
            yield Change(_factor_words(model, words, factor), "term", _with_c(model, heard, changed, kernels), factor)


def _with_c(model: Model, heard: Answers, c: Doubles, kernels: tuple[str, ...]) -> Quantities:
    """The answers with another c, and what follows from it in the kernels named."""
    found, n = dict(heard.ours), model.nq
    found["efforts"] = found["efforts"] - found["c"] + c
    found["c"] = c
    if DRIVES in kernels:
        push = np.zeros_like(c)
        push[:, list(model.driven)] = heard.samples.tau
        M = found["M"].reshape(-1, n, n)
        found[DRIVES] = np.asarray(np.linalg.solve(M, (push - c)[..., None])[..., 0], dtype=np.float64)
    return found


def _factor_words(model: Model, part: str, factor: float) -> str:
    """What the model has in place of the right term: 1 / factor of it."""
    verb, be = ("has", "is") if part == "c" else ("have", "are")
    if abs(factor + 1) < NAMED:
        return f"{part} {verb} the wrong sign"
    if abs(factor) < NAMED:
        return f"{part} {be} in the model and should not be"
    name = _called(model, 1 / factor)
    return f"{part} {be} {1 / factor:.6g} times what {'they' if be == 'are' else 'it'} should be{name}"


def _called(model: Model, factor: float) -> str:
    """A factor's name where it has one: 2, 1/2, l, 2 l, 1/l, 1/(2 l)."""
    known = {"2": 2.0, "1/2": 0.5, "−2": -2.0, "−1/2": -0.5}
    for name, value in model.values.items():
        if value:
            known |= {name: value, f"2 {name}": 2 * value, f"1/{name}": 1 / value, f"1/(2 {name})": 0.5 / value}
    alike = [name for name, value in known.items() if abs(factor / value - 1) < NAMED and abs(value - 1) > NAMED]
    return f" ({' or '.join(alike)})" if alike else ""


# Passive angles ---------------------------------------------------------------------------------------


def angles(model: Model, heard: Answers) -> Iterator[Change]:
    """A passive angle, with its rates, counted from an arm where it should not be, or the other way about."""
    state = closed(model, heard.samples)
    rates = (state.q, heard.samples.q_dot, heard.samples.q_ddot)
    for readout in model.equations.readouts:
        for i, c in enumerate(model.equations.q):
            if c.unit != "rad":
                continue
            for sign in (1.0, -1.0):
                found = dict(heard.ours)
                for rate, value in zip(("", " velocity", " acceleration"), rates, strict=True):
                    found[readout.name + rate] = found[readout.name + rate] + sign * value[:, i : i + 1]
                words = "from the arm of" if sign > 0 else "from the x axis and not from the arm of"
                yield Change(f"{readout.name} is counted {words} {c.name}", "angle", found)
