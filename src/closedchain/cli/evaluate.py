"""`closedchain evaluate`: all models at a state."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.cli.charts import pose
from closedchain.cli.output import document, plain, print_json, row_of
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import Named, coordinates, efforts, loads, output, robot, vector, voltages
from closedchain.model.derivatives import derivatives
from closedchain.model.evaluation import Evaluation, evaluate
from closedchain.model.linearisation import linearise
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.robots.furuta import seed_form

MEANINGS = {
    "x": "output", "x_dot": "its rate", "x_ddot": "its acceleration", "passive": "passive joints",
    "A": "∂φ/∂x", "B": "∂φ/∂q", "J": "x_dot = J q_dot", "b": "x_ddot = J q_ddot + b",
    "M": "mass matrix", "c": "tau = M q_ddot + c", "h": "tau = M q_ddot + h", "lam": "multipliers of the closures",
    "tau": "efforts [N, N m]", "voltage": "[V]", "kinetic": "[J]", "potential": "[J]",
    "linear.A": "d/dt (q, q_dot) = A (q, q_dot) + B u, about the equilibrium", "linear.u": "holds it",
    "A_q": "A_q q_d_dot + B_q q_dot = 0, the loops in the passive joints", "J_q": "q_d_dot = J_q q_dot",
    "A_u": "A_u x_dot = B_u q_dot, along the legs", "d_u": "A_u x_ddot = B_u q_ddot - d_u",
    "A_p": "A_p x_dot = B_p q_dot + l_p w, across the legs, which turn at w", "l_p": "the legs' lengths [m]",
    "d_p": "A_p x_ddot = B_p q_ddot + l_p w_dot + d_p", "passive_joints": "q_d",
    "twist": "velocity of the body's origin, angular velocity, in the ground's axes [m/s, rad/s]",
    "J_twist": "twist = J_twist q_dot", "wrench": "of the closures on it: force, moment about its origin [N, N m]",
    "det_A": "0 at a Type 2 singularity", "det_B": "0 at a Type 1 singularity",
}  # fmt: skip


def run(args: Arguments) -> int:
    """Print every model at the state that the options give."""
    model = robot(args)
    named = options(model)
    if (args.q_ddot or "").count(",") + 1 == len(model.driven):  # those of the others follow
        named["q_ddot"] = [named["q_ddot"][i] for i in model.driven]
    given: dict[str, Any] = {n: vector(getattr(args, n), option(n), numbers) for n, numbers in named.items()}
    per = {"x_dot": "/s", "x_ddot": "/s^2"}
    given |= {name: output(model, getattr(args, name), option(name), rate) for name, rate in per.items()}
    given["x"] = pose(model, args.x, "--x", args.chart)
    if args.linear and any(value is not None for name, value in given.items() if name not in ("q", "x")):
        raise Usage("--linear is about an equilibrium: give --q or --x and a mode, no rates and no efforts")
    pushed: dict[str, Any] = loads(args, model)
    if args.linear and any(pushed.values()):
        raise Usage("--linear takes no external forces: it is about the robot's own equilibrium")
    found = evaluate(model, assembly=args.assembly, working=args.working, **given, **pushed)
    answer = {name: value for name, value in found.items().items() if name != "robot"}
    answer |= external(model, found, pushed)
    if not model.nx:
        answer = {"h" if name == "c" else name: value for name, value in answer.items()}
    if model.passive_loops:
        answer["passive_joints"] = [c.name for c in model.passive_loops.joints]
    if model.recipe.name == "furuta" and "voltage" in answer:
        answer["seed"] = seed(model, found.q, found.q_dot)
    if args.linear:
        modes = {"assembly": args.assembly, "working": args.working}
        answer["linear"] = vars(linearise(model, q=given["q"], x=given["x"], inputs=args.linear, **modes))
    if args.gradient:
        answer["derivatives"] = slopes(args, model, given, bool(any(pushed.values())))
    answer = plain(answer)  # refuses what is not finite
    if args.json:
        print_json(document("evaluate", model, **answer))
    else:
        print("\n".join([model.name, *(line for name, value in answer.items() for line in lines(name, value))]))
    return 0


def slopes(args: Arguments, model: Model, given: dict[str, Any], pushed: bool) -> dict[str, Any]:
    """Derivatives by name: of each model asked for by each single number that is given."""
    if given.pop("voltage") is not None or pushed:
        raise Usage("--gradient is of the robot under accelerations or efforts: leave --voltage, --force, --torque out")
    found: dict[str, Any] = {}
    for text in args.gradient:
        of, _, by = text.partition(":")
        made = derivatives(model, of, by, assembly=args.assembly, working=args.working, **given)
        for name in dict.fromkeys(name for name, _ in made):
            found.setdefault(name, {}).update(made.by_name(name))
    return found


def external(model: Model, found: Evaluation, pushed: dict[str, Any]) -> dict[str, Any]:
    """The forces and torques at the state, by what they act on [N, N m]."""
    x, x_dot = (np.zeros(0) if v is None else v for v in (found.x, found.x_dot))
    loads = model.loads(**pushed)
    values = loads.components(0.0, State(found.q, x, found.q_dot, x_dot))
    rows = [(load, value.tolist()) for load, value in zip(loads.loads, values, strict=True)]
    groups = {
        "forces": {load.on: value for load, value in rows if load.kind == "force"},
        "torques": {load.on: value[0] for load, value in rows if load.kind == "torque"},
    }
    return {name: group for name, group in groups.items() if group}


def option(name: str) -> str:
    """q_dot is typed --q-dot."""
    return f"--{name.replace('_', '-')}"


def options(model: Model) -> dict[str, Named]:
    """What the numbers of the drives' vectors are."""
    q = model.equations.q
    named = {f"q{mark}": coordinates(q, per) for mark, per in (("", ""), ("_dot", "/s"), ("_ddot", "/s^2"))}
    return named | {"tau": efforts(model), "voltage": voltages(model) if model.equations.motors else ()}


def seed(model: Model, q: Any, q_dot: Any) -> dict[str, Any]:
    """The furuta in volts, as seed 003 writes it: M q̈ + C q̇ + friction + gravity = (u, 0)."""
    form = seed_form(model, q, q_dot)
    return {name: getattr(form, name) for name in ("theta", "M", "C", "friction", "gravity")}


def lines(name: str, value: Any) -> list[str]:
    """A quantity for people: its name, its numbers, what it is."""
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in lines(f"{name}.{key}", item)]
    about = f"   {MEANINGS[name]}" if name in MEANINGS else ""
    if isinstance(value, str):
        return [f"  {name:<13} {value}"]
    if value and isinstance(value[0] if isinstance(value, list) else value, str):
        return [f"  {name:<13} {'  '.join(value)}"]
    rows = np.atleast_2d(value)
    shown = [row_of(row, 16) for row in rows]
    return [f"  {name:<13} {shown[0]}{about}", *(" " * 16 + row for row in shown[1:])]
