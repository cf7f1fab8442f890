"""Causes that a diagnosis tries: each is the model's answers as they would be without one particular mistake."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

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
REFINED = 12  # Gauss–Newton steps on one number
HALVED = 6  # times that a step is halved until it leaves less
NAMED = 1e-4  # relative: how near a factor must be to be called by a name


@dataclass(frozen=True, eq=False)
class Change:
    """The model's answers after one change, and the mistake that this would undo, in words."""

    words: str
    kind: str
    quantities: Quantities
    value: float | None = None  # of the parameter in the engine, or the factor that puts a term right


def causes(model: Model, heard: Answers, misfit: Misfit) -> Iterator[Change]:
    """Every cause that can be tried on these answers; of a linkage, which has no c and no M, another value."""
    yield from parameters(model, heard, misfit)
    if model.linkage:
        return
    yield from offsets(model, heard, misfit)
    yield from orders(model, heard)
    yield from terms(model, heard, misfit)
    yield from masses(model, heard)
    yield from angles(model, heard)


# Parameters ------------------------------------------------------------------------------------------


def parameters(model: Model, heard: Answers, misfit: Misfit) -> Iterator[Change]:
    """One parameter with another value: least squares along its sensitivity, refined."""
    for name, value in model.values.items():
        answer = partial(_with, model, heard, name)
        found = _fitted(answer, heard.ours, misfit, value, abs(value) or 1e-3)
        if found is not None:
            right, quantities = found
            yield Change(_parameter_words(model, name, value, right), "parameter", quantities, right)


Answer = Callable[[float], Quantities]


def _fitted(
    answer: Answer, ours: Quantities, misfit: Misfit, value: float, size: float
) -> tuple[float, Quantities] | None:
    """The value of one number with which the answers leave least, and those answers; None where it changes nothing."""
    now, quantities = value, ours
    for _ in range(REFINED):
        rest = misfit(quantities)
        nudged = _tried(answer, now + NUDGE * size)
        if nudged is None:
            break
        slope = (rest - misfit(nudged)) / (NUDGE * size)
        if not slope.any():
            break
        change = float(slope @ rest / (slope @ slope))
        better = _shortened(answer, misfit, now, change, float(np.linalg.norm(rest)))
        if better is None:
            break
        change, quantities = better
        now += change
        if abs(change) <= 1e-13 * size:
            break
    return (now, quantities) if now != value else None


def _shortened(
    answer: Answer, misfit: Misfit, now: float, change: float, before: float
) -> tuple[float, Quantities] | None:
    """The change, or a part of it where all of it goes too far: the first that leaves less than before."""
    for halvings in range(HALVED):
        part = change / 2**halvings
        trial = _tried(answer, now + part)
        if trial is not None and np.linalg.norm(misfit(trial)) < before:
            return part, trial
    return None


def _tried(answer: Answer, value: float) -> Quantities | None:
    """The answers with that value; None where the loops do not close or the robot does not exist."""
    try:
        return answer(value)
    except (ClosedChainError, np.linalg.LinAlgError):
        return None


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


# Where drives are counted from ------------------------------------------------------------------------


def offsets(model: Model, heard: Answers, misfit: Misfit) -> Iterator[Change]:
    """A drive whose zero stands elsewhere in the engine."""
    for i, c in enumerate(model.equations.q):
        size = 1.0 if c.unit == "rad" else model.scale
        found = _fitted(partial(_shifted, model, heard, i), heard.ours, misfit, 0.0, size)
        if found is not None:
            offset, quantities = found
            words = (
                f"{c.name} is counted from elsewhere: what is 0 in the engine is {offset:.10g} {c.unit} in the model"
            )
            yield Change(words, "offset", quantities, offset)


def _shifted(model: Model, heard: Answers, i: int, offset: float) -> Quantities:
    q = heard.samples.q.copy()
    q[:, i] += offset
    return answers(model, replace(heard.samples, q=q), heard.cuts)


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
    if not c.any():
        yield from _without_c(model, heard)
        return
    weights = answers(model, replace(heard.samples, q_dot=np.zeros_like(heard.samples.q_dot)))["c"]
    parts = {"c": (c, np.zeros_like(c))}
    if np.abs(weights).max(initial=0.0) > 1e-12 * np.abs(c).max(initial=1.0):
        parts |= {"the velocity terms of c": (c - weights, weights), "the weights in c": (weights, c - weights)}
    if model.nq > 1:
        for i, drive in enumerate(model.equations.q):
            alone = c * (np.arange(model.nq) == i)
            parts[f"c of {drive.name}"] = (alone, c - alone)
    for words, (part, rest) in parts.items():
        if not part.any():
            continue
        factor = float(np.sum(part * (heard.theirs["c"] - rest)) / np.sum(part**2))
        changed = rest + factor * part
        for kernels in (("c", "efforts"), ("c", "efforts", DRIVES)):
            yield Change(_factor_words(model, words, factor), "term", _with_c(model, heard, changed, kernels), factor)


def _without_c(model: Model, heard: Answers) -> Iterator[Change]:
    """A model that has no c at all, where the engine has one."""
    for kernels in (("c", "efforts"), ("c", "efforts", DRIVES)):
        yield Change("c is left out of the model", "term", _with_c(model, heard, heard.theirs["c"], kernels))


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
    verb, be = ("have", "are") if part.startswith("the ") else ("has", "is")
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
        if value and abs(abs(value) - 1) > NAMED:  # "2 m" of a mass of 1 kg is a 2
            known |= {name: value, f"2 {name}": 2 * value, f"1/{name}": 1 / value, f"1/(2 {name})": 0.5 / value}
    alike = [name for name, value in known.items() if abs(factor / value - 1) < NAMED and abs(value - 1) > NAMED]
    return f" ({' or '.join(alike)})" if alike else ""


# The mass matrix --------------------------------------------------------------------------------------


def masses(model: Model, heard: Answers) -> Iterator[Change]:
    """Another factor on M or on one of its elements; in inverse dynamics alone or everywhere."""
    n, names = model.nq, [c.name for c in model.equations.q]
    M, theirs = (m["M"].reshape(-1, n, n) for m in (heard.ours, heard.theirs))
    elements = {"M": np.ones((n, n))}
    for i, j in itertools.combinations_with_replacement(range(n), 2) if n > 1 else ():
        unit = np.zeros((n, n))
        unit[i, j] = unit[j, i] = 1.0
        elements[f"M of {names[i]}" + (f" and {names[j]}" if i != j else "")] = unit
    for words, chosen in elements.items():
        part = M * chosen
        if part.any():
            factor = float(np.sum(part * theirs) / np.sum(part**2))
            changed = M + (factor - 1) * part
            for everywhere in (False, True):
                found = _with_M(model, heard, changed, everywhere=everywhere)
                if found is not None:
                    yield Change(_factor_words(model, words, factor), "mass", found, factor)


def _with_M(model: Model, heard: Answers, M: Doubles, *, everywhere: bool) -> Quantities | None:
    """The answers with another M, and the efforts that follow, or the accelerations and the energy, too."""
    found, n, s = dict(heard.ours), model.nq, heard.samples
    before = found["M"].reshape(-1, n, n)
    found["efforts"] = found["efforts"] + np.einsum("kij,kj->ki", M - before, s.q_ddot)
    found["M"] = M.reshape(-1, n * n)
    if not everywhere:
        return found
    push = np.zeros_like(found["c"])
    push[:, list(model.driven)] = s.tau
    try:
        found[DRIVES] = np.asarray(np.linalg.solve(M, (push - found["c"])[..., None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    found["kinetic energy"] = np.einsum("ki,kij,kj->k", s.q_dot, M, s.q_dot)[:, None] / 2
    return found


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
