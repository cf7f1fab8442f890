"""An exercise on any robot: every solution of its geometry, Jacobians, rates, masses; formulas from its description."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial

import numpy as np

from closedchain import direct, evaluate, inverse
from closedchain.arrays import Doubles
from closedchain.derive import Legs, legs_of, terms
from closedchain.errors import BadInput, ClosedChainError
from closedchain.model import Model, sample
from closedchain_lab.grading.mutation import Formulas, written
from closedchain_lab.grading.question import BY_LEGS, Exercise, Question, packed

STATES, ODD = 24, 8  # configurations, and others: out of reach, or anywhere
REGULAR = 0.1
REST = 6  # every which state is at rest
ACROSS = "J_x and J_q are those of J_x ẋ = J_q q̇"
kept = lru_cache(maxsize=8)(Formulas)  # whose changes are kept, too


def any_robot(model: Model, seed: int) -> Exercise:
    """What can be asked of a robot: the functions for which the core has every answer."""
    if model.linkage:
        raise BadInput(f"{model.name} is a linkage without drives that follow from its output; a lab is set on a robot")
    asked = {question.name: question for question in questions(model, seed)}
    return Exercise(model.recipe.name, asked, kept(formulas_of(model)), model.values)


def questions(model: Model, seed: int) -> Iterator[Question]:
    """One after another, geometry first."""
    rng, states = np.random.default_rng(seed), sample(model, STATES, seed, margin=REGULAR)
    drives, outputs = ([c.name for c in group] for group in (model.equations.q, model.equations.x))
    q, x = states.q, states.x
    everything = np.concatenate([x, q], axis=-1)
    if model.nx:
        for ask in (_inverse, _direct):
            with suppress(ClosedChainError):  # without a closed form, or with solutions that are not all sure
                yield ask(model, q, x, rng)
        yield _jacobians(model, everything, tuple(outputs), tuple(drives))
    q_dot = states.q_dot * (np.arange(len(q)) % REST != 0)[:, None]
    made = evaluate(model, q=q, x=x if model.nx else None, q_dot=q_dot, q_ddot=0 * q).items()
    rates = [f"{name}D" for name in drives]
    moving = np.concatenate([everything, q_dot], axis=-1)
    if model.nx:
        yield numbers("velocities", [*outputs, *drives, *rates], [f"{n}D" for n in outputs], moving, made["x_dot"])
    if made["M"].shape[-1] == model.nq:
        names = [f"M{i}{j}" for i in range(1, model.nq + 1) for j in range(1, model.nq + 1)]
        yield numbers("mass_matrix", [*outputs, *drives], names, everything, made["M"].reshape(len(q), -1))
        yield numbers("bias", [*outputs, *drives, *rates], [f"c{n}" for n in drives], moving, made["c"])


def numbers(name: str, arguments: Sequence[str], outputs: Sequence[str], inputs: Doubles, answers: Doubles) -> Question:
    """One row of numbers for each state."""
    return Question(name, tuple(arguments), tuple(outputs), inputs, np.asarray(answers)[:, None])


def _inverse(model: Model, q: Doubles, x: Doubles, rng: np.random.Generator) -> Question:
    """Every q of each pose; also of poses that are far out of reach."""
    lengths = [20 * model.scale * (c.unit == "m") for c in model.equations.x]
    far = x[:ODD] + rng.uniform(0.5, 1.0, (ODD, model.nx)) * lengths
    poses = np.concatenate([x, far])
    return _roots("inverse", model, poses, [inverse(model, pose).q for pose in poses])


def _direct(model: Model, q: Doubles, x: Doubles, rng: np.random.Generator) -> Question:
    """Every pose of each q, also of some for which there may be none; those whose count is not certain are left out."""
    wild = rng.permuted(q, axis=0)[:ODD]
    found = [(row, direct(model, row)) for row in np.concatenate([q, wild])]
    sure = [(row, poses.x) for row, poses in found if poses.complete.all() and not any(s.double for s in poses)]
    rows, poses = zip(*sure, strict=True)
    return _roots("direct", model, np.array(rows), poses)


def _roots(name: str, model: Model, inputs: Doubles, solutions: Sequence[Doubles]) -> Question:
    """All roots of the closures, in any order."""
    groups = [tuple(c.name for c in group) for group in (model.equations.x, model.equations.q)]
    arguments, outputs = groups if name == "inverse" else groups[::-1]
    turning = tuple(c.name for c in model.equations.z if c.unit == "rad")
    roots = packed(solutions, len(outputs))
    return Question(name, arguments, outputs, inputs, roots, turning, single=False, formula="closures")


def _jacobians(model: Model, z: Doubles, outputs: tuple[str, ...], drives: tuple[str, ...]) -> Question:
    """Each row [J_x, J_q] up to a factor: an equation may be multiplied by any number, and may bring J_q across."""
    made = model.call("closures", q=z[:, model.nx :], x=z[:, : model.nx])
    rows = np.concatenate([made["A"], made["B"]], axis=-1)
    across = rows * np.where(np.arange(rows.shape[-1]) < model.nx, 1.0, -1.0)
    columns = (*(f"Jx_{name}" for name in outputs), *(f"Jq_{name}" for name in drives))
    return Question(
        "jacobians", (*outputs, *drives), columns, z, directions(rows),
        shape=partial(_jacobian_rows, model.nx, model.nq),
        readings=((ACROSS, directions(across)),),
    )  # fmt: skip


def _jacobian_rows(nx: int, nq: int, numbers: Doubles) -> Doubles | None:
    """J_x (nx × nx) and J_q (nx × nq, or its diagonal)."""
    J_x, rest = numbers[:, : nx * nx], numbers[:, nx * nx :]
    if rest.shape[1] not in (nx * nq, nx):
        return None
    J_q = rest[:, None] * np.eye(nx) if rest.shape[1] == nx else rest.reshape(-1, nx, nq)
    return directions(np.concatenate([J_x.reshape(-1, nx, nx), J_q], axis=-1))


def directions(rows: Doubles) -> Doubles:
    """Of length one, the largest component positive."""
    largest = np.take_along_axis(rows, np.abs(rows).argmax(axis=-1)[..., None], axis=-1)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-300) * np.sign(largest))


def formulas_of(model: Model) -> str:
    """The closures of a robot's loops, their slopes and roots, rates, masses and forces, in its own names."""
    e = model.equations
    if not model.nx:
        return ""
    z, x, rates, moving = (
        ", ".join(c.name + order for c in group)
        for group, order in (((*e.x, *e.q), ""), (e.x, ""), (e.q, "D"), ((*e.x, *e.q), "D"))
    )
    drives, outputs, legs = [c.name for c in e.q], [c.name for c in e.x], legs_of(e)
    kinetic, potential = (str(energy).replace("_dot", "D") for energy in (e.kinetic, e.potential))
    parts = [f"{sign}({text}){power}" for sign, power, text in terms(ast.parse(kinetic, mode="eval").body)]
    return written("any.py.txt").format(
        z=z, rates=rates, moving=moving, closures=_function("closures", z, *legs.closures()),
        jacobians=_jacobian_text(legs, outputs, drives) if legs.legs else f"    return split(slopes(closures, [{z}]))",
        energies=_body(f"T_{i} = {part}" for i, part in enumerate(parts)),
        kinetic=" + ".join(f"T_{i}" for i in range(len(parts))),
        potential=f"{potential} + 0.0 * {drives[0]}",
        solved="".join(_function(name, x, *legs.solved(half=name == BY_LEGS[1])) for name in BY_LEGS),
    )  # fmt: skip


def _body(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def _jacobian_text(legs: Legs, outputs: Sequence[str], drives: Sequence[str]) -> str:
    """Entry by entry, then as tables."""
    A = ", ".join(f"A{leg.number}{j}" for leg in legs.legs for j in range(1, len(outputs) + 1))
    B = ", ".join(f"B{leg.number}" if name == leg.drive else "0.0" for leg in legs.legs for name in drives)
    return _body([*legs.slopes(outputs), f"return table({len(outputs)}, {A}), table({len(drives)}, {B})"])


def _function(name: str, arguments: str, lines: Sequence[str], values: Sequence[str]) -> str:
    """One of several values; nothing where there are none."""
    return f"\n\ndef {name}({arguments}):\n{_body([*lines, 'return ' + ', '.join(values) + ','])}\n" if values else ""
