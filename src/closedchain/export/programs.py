"""The programs that leave the house: every model, and one step of the simulation in pieces that other tools ask for."""

from __future__ import annotations

import casadi as ca

from closedchain.derive.models import Models
from closedchain.derive.programs import main_programs, tracking_program
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.errors import BadInput
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.dynamics import check_linear_motors, motor_constants, takes_voltage
from closedchain.model.model import Model
from closedchain.simulation.loop import Design, Loop

STATE = ("q", "x", "q_dot", "x_dot")
INPUTS = ("tau", "voltage")


def model_programs(model: Model) -> list[Program]:
    """Geometry, kinematics and dynamics, as they are compiled."""
    forward = Models(Symbols(model.equations)).forward_dynamics(model.massless)
    return [*main_programs(model.equations), forward]


def motion_programs(model: Model, inputs: str, method: str = "rk4") -> list[Program]:
    """What a simulator asks for: `derivatives`, `step`, `project`, `observe`; u are efforts or voltages."""
    check_inputs(model, inputs)
    check_moving(model)
    scale = [_scale(model.equations)] if model.mechanism is not None else []
    return motions(model.equations, inputs, model.massless, method) + scale


def motions(equations: Equations, inputs: str, massless: bool, method: str = "rk4") -> list[Program]:
    """The same for equations, whatever their parameters' values."""
    design = Design(method, inputs, massless, False, False, ideal=True, summary=False, tracked=False, inverts="")
    loop = Loop(equations, equations, None, (), 0, design)
    programs = [_derivatives(loop, inputs), _step(loop), _observe(loop.plant)]
    return programs + ([_project(loop)] if equations.x else [])


def check_inputs(model: Model, inputs: str) -> None:
    """Refuse inputs that the robot does not have."""
    if inputs not in INPUTS:
        raise BadInput(f"inputs are {' or '.join(map(repr, INPUTS))}, not {inputs!r:.30}")
    if inputs == "voltage":
        motor_constants(model)  # refuses a robot without motors
        check_linear_motors(model)


def check_moving(model: Model) -> None:
    """Refuse a motion that has events."""
    if model.equations.nonsmooth:
        raise BadInput(
            f"{model.name}: {model.equations.nonsmooth}: its motion has events, which are not exported; give each "
            "friction a width and each stop a stiffness"
        )


def every_program(model: Model, inputs: str) -> list[Program]:
    """The models and, where it has no events, what a simulator asks for."""
    return model_programs(model) + ([] if model.equations.nonsmooth else motion_programs(model, inputs))


def followed(model: Model) -> list[Program]:
    """One branch, followed to other drives; nothing where there is no output to follow."""
    return tracking_program(model.equations) if model.nx and not model.equations.linkage else []


def natural_inputs(model: Model) -> str:
    """Voltages where every driven coordinate has a motor, else efforts."""
    return "voltage" if takes_voltage(model) else "tau"


def _derivatives(loop: Loop, inputs: str) -> Program:
    """z̈ under the inputs u, by the closures' KKT system."""
    m = loop.plant
    u = ca.SX.sym("u", len(m.driven))
    tau = u
    if inputs == "voltage":
        gain, back = m.motor_constants()
        tau = gain * u - back * m.s.q_dot[m.driven]
    made = m.accelerations(tau, loop.design.massless)
    return m.program("derivatives", m.state | {"u": u}, {k: v for k, v in made.items() if k != "lam"})


def _step(loop: Loop) -> Program:
    """The state after a time h with u held, projected onto φ = 0 and φ̇ = 0: the step of `simulate`."""
    now = {name: loop.carried[name] for name in (*STATE, "work", "u") if name in loop.carried}
    after = {name: value for name, value in loop.drive(now).items() if value.numel()}
    given = now | {"h": loop.constant["h"]} | ({"p": loop.constant["p"]} if loop.constant["p"].numel() else {})
    inputs = {name: (value, () if name in ("work", "h") else value.shape[:1]) for name, value in given.items()}
    outputs = {f"{n}_next": (ca.densify(v), () if n == "work" else v.shape[:1]) for n, v in after.items()}
    return trace("step", inputs, outputs)


def _project(loop: Loop) -> Program:
    """The nearest state, weighed by mass, that obeys the closures: one Newton step in place, then one in pace."""
    s, n = loop.plant.s, loop.plant.nq
    place, pace = loop.projections()
    z = s.z + place(s.q, s.x, s.p)
    v = s.z_dot + pace(z[:n], z[n:], s.q_dot, s.x_dot, s.p)
    outputs = {"q_next": z[:n], "x_next": z[n:], "q_dot_next": v[:n], "x_dot_next": v[n:]}
    return loop.plant.program("project", loop.plant.state, outputs)


def _scale(equations: Equations) -> Program:
    """A length of the robot's own size, for tolerances, as Model.scale has it."""
    assert equations.mechanism is not None
    symbols, scale = Symbols(equations), ca.SX(0)
    for size, place in equations.mechanism.expressions():
        if place.endswith((".length", ".radius", ".at", ".about")):
            scale = ca.fmax(scale, ca.fabs(symbols.column([size])))
    given = {"p": (symbols.p, symbols.p.shape[:1])} if symbols.p.numel() else {}
    return trace("scale", given, {"scale": (ca.if_else(scale > 0, scale, 1), ())})


def _observe(m: Models) -> Program:
    """What there is to see at a state: passive joints and their rates, energies, gaps and slips of the closures."""
    readouts = m.readouts(ca.SX.zeros(m.nq + m.nx, 1))
    outputs = {name: value for name, value in readouts.items() if name != "passive_ddot"}
    outputs |= {"kinetic": m.s.kinetic, "potential": m.s.potential}
    if m.nx:
        outputs |= {"gap": m.s.gap, "slip": ca.mtimes(m.B, m.s.q_dot) + ca.mtimes(m.A, m.s.x_dot)}
    return m.program("observe", m.state, outputs)
