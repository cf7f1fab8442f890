"""`closedchain transmission`: between the motors and the joints of a loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from closedchain.cli.output import document, print_json, row_of
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.transmission_options import IMPORTED
from closedchain.cli.values import Named, announce, coordinates, efforts, robot, vector
from closedchain.exchange.importing import ENDINGS, import_model
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.transmission import Transmission, Transmitted, rotors, transmission

MEANINGS = {
    "J": "y_dot = J q_dot", "J_dot": "its rate", "K": "q_dot = K y_dot; tau_y = Kᵀ tau_q", "K_dot": "its rate",
    "M": "inertia of everything at the motors", "M_joint": "the same at the joints",
    "reflected": "the rotors' inertia at the joints", "margin_joint": "of 1; 0 at a Type 2 singularity",
    "margin_motor": "of 1; 0 at a Type 1 singularity", "torques": "at the corners of the motors' limits [N m, N]",
    "speeds": "at the corners of the motors' limits [rad/s, m/s]",
}  # fmt: skip


def run(args: Arguments) -> int:
    """Print the configuration, the Jacobians, the inertias and what the motors' limits allow."""
    if args.q is not None and args.x is not None:
        raise Usage("give the motors with --q or the joints with --x; the other follows")
    model = loaded(args)
    t = begun(args, model)
    motors = coordinates(model.equations.q)
    at = t.at(
        q=vector(args.q, "--q", motors),
        y=vector(args.x, "--x", coordinates(t.joints)),
        q_dot=vector(args.q_dot, "--q-dot", coordinates(model.equations.q, "/s")),
    )
    answer = told(t, at)
    shafts = vector(args.rotor, "--rotor", inertias(model))
    answer["rotors"] = rotors(model) if shafts is None else shafts
    answer["reflected"] = at.reflected(answer["rotors"])
    if args.most_torque is not None:
        answer["torques"] = at.torques(vector(args.most_torque, "--most-torque", efforts(model)) or ())
    if args.most_speed is not None:
        rates: Named = coordinates(model.equations.q, "/s")
        answer["speeds"] = at.speeds(vector(args.most_speed, "--most-speed", rates) or ())
    if args.json:
        print_json(document("transmission", model, **answer))
    else:
        print("\n".join([f"{model.name}: {len(t.joints)} joints on the branch of {shown(t, t.q_home, t.x_home)}",
                         f"  {shown(t, at.q, at.x)}", *(line for n, v in answer.items() if n in MEANINGS
                                                          for line in lines(n, v))]))  # fmt: skip
    return 0


def loaded(args: Arguments) -> Model:
    """A robot of ours, or what a model file of another program is as one."""
    place = Path(args.robot)
    if place.suffix.lower() not in ENDINGS and not place.is_dir():
        for option in IMPORTED:
            if getattr(args, option[2:]) is not None:
                raise Usage(f"{option} is for a model file of another program; {args.robot[:60]} is a robot of ours")
        return robot(args)
    if args.settings:
        raise Usage("--set is for robots of ours; `closedchain import FILE --out ROBOT.toml` makes one")
    found = import_model(place, args.output or "", args.key or "", args.part or "")
    if found.recipe is None:
        raise Usage(f"{place.name} is no robot of ours: {found.reason}; try --part and --output")
    return load(found.recipe, announce=announce)


def begun(args: Arguments, model: Model) -> Transmission:
    """The branch that --home and --working name."""
    joints = coordinates(model.equations.x[: model.outputs])
    return transmission(model, x=vector(args.home, "--home", joints), working=args.working)


def inertias(model: Model) -> Named:
    """What the numbers of --rotor are."""
    return [(f"rotor_{c.name}", "kg m^2" if c.unit == "rad" else "kg") for c in model.equations.q]


def told(t: Transmission, at: Transmitted) -> dict[str, Any]:
    """Everything by name."""
    names = ("J", "J_dot", "K", "K_dot", "M", "M_joint", "margin_joint", "margin_motor")
    head: dict[str, Any] = {"motors": [c.name for c in t.model.equations.q], "joints": [c.name for c in t.joints]}
    head |= {"home": {"q": t.q_home, "x": t.x_home}, "q": at.q, "y": at.y, "x": at.x, "q_dot": at.q_dot}
    return head | {"y_dot": at.y_dot} | {name: getattr(at, name) for name in names}


def shown(t: Transmission, q: Any, x: Any) -> str:
    """Motors and joints by name."""
    pairs = zip((*t.model.equations.q, *t.joints), (*q, *x), strict=False)
    words = [f"{c.name} {value:.9g} {c.unit}" for c, value in pairs]
    n = len(t.model.equations.q)
    return f"{', '.join(words[:n])} ↔ {', '.join(words[n:])}"


def lines(name: str, value: Any) -> list[str]:
    """A quantity for people."""
    rows = [row_of(row, 16) for row in np.atleast_2d(value)]
    return [f"  {name:<13} {rows[0]}   {MEANINGS[name]}", *(" " * 16 + row for row in rows[1:])]
