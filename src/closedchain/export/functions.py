"""A robot's models as CasADi functions, for optimal control: exact derivatives come with them."""

from __future__ import annotations

from pathlib import Path

import casadi as ca

from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.errors import BadInput
from closedchain.export.programs import STATE, check_inputs, check_moving, natural_inputs
from closedchain.files import atomic_write
from closedchain.model.model import Model
from closedchain.simulation.loop import Design, Loop


def casadi_functions(model: Model, *, inputs: str | None = None) -> dict[str, ca.Function]:
    """Functions by name, with named arguments; the parameters p (in the order of model.values) are always the last.

    phi, A, B, J, points (q, x) · M (q, x) · c (q, x, q_dot) · inverse_dynamics (q, x, q_dot, q_ddot) ·
    forward_dynamics (q, x, q_dot, x_dot, u) · outputs (q, x, q_dot, x_dot) · step (q, x, q_dot, x_dot, u, h) ·
    direct (q, x): the x that closes the loops, nearest to the one given, with its derivatives on that branch.
    Where drives do not determine the rest there are no J, M, c, inverse_dynamics and direct, but M_z (q, x).
    `inputs` says whether u are efforts ("tau") or voltages. A robot without closures has no x: it is an empty vector.
    """
    chosen = inputs or natural_inputs(model)
    check_inputs(model, chosen)
    check_moving(model)
    m = Models(Symbols(model.equations))
    found = _places(m) | ({} if model.linkage else _rates(m))
    found |= {"forward_dynamics": _forward(m, chosen, model.massless), "outputs": _outputs(m)}
    found |= {"direct": _direct(m)} if m.nx and not model.linkage else {}
    return found | {"step": _step(model, chosen)}


def save_functions(functions: dict[str, ca.Function], path: str | Path) -> Path:
    """Write them as one .casadi file, whole or not at all; casadi.FileDeserializer(path).unpack() lists them."""
    path = Path(path)
    if path.suffix != ".casadi":
        raise BadInput(f"a file of CasADi functions ends in .casadi, not {path.name!r:.60}")
    atomic_write(path, serialised(functions))
    return path


def serialised(functions: dict[str, ca.Function]) -> str:
    """The text of a .casadi file."""
    packed = ca.StringSerializer()
    packed.pack(list(functions.values()))
    text: str = packed.encode()
    return text


def _function(name: str, given: dict[str, ca.SX], made: dict[str, ca.SX]) -> ca.Function:
    outputs = [ca.densify(e) for e in made.values()]
    return ca.Function(name, list(given.values()), outputs, list(given), list(made))


def _places(m: Models) -> dict[str, ca.Function]:
    """What depends on the configuration alone."""
    given = {"q": m.s.q, "x": m.s.x, "p": m.s.p}
    found = {"phi": m.s.phi, "A": m.A, "B": m.B} if m.nx else {}
    if m.s.equations.linkage:
        found["M_z"] = m.s.mass()
    else:
        found |= ({"J": m.J} if m.nx else {}) | {"M": m.everything["M"]}
    points = [m.s.column(v).T for _, v in m.s.equations.points]
    if points:
        found["points"] = ca.vertcat(*points)
    return {name: _function(name, given, {name: e}) for name, e in found.items()}


def _direct(m: Models) -> ca.Function:
    """x(q, p) on one branch, by Newton's method; CasADi differentiates it by the implicit function theorem."""
    closed = ca.Function("closed", [m.s.x, m.s.q, m.s.p], [ca.densify(m.s.phi)])
    options = {"abstol": 1e-15, "abstolStep": 1e-15, "max_iter": 50, "error_on_fail": False}
    root = ca.rootfinder("root", "newton", closed, options)
    q, x, p = (ca.MX.sym(name, e.numel()) for name, e in (("q", m.s.q), ("x", m.s.x), ("p", m.s.p)))
    return ca.Function("direct", [q, x, p], [root(x, q, p)], ["q", "x", "p"], ["x_closed"])


def _rates(m: Models) -> dict[str, ca.Function]:
    """Efforts of a motion with every passive joint free: τ = M q̈ + c."""
    place = {"q": m.s.q, "x": m.s.x, "q_dot": m.s.q_dot}
    return {
        "c": _function("c", place | {"p": m.s.p}, {"c": m.everything["c"]}),
        "inverse_dynamics": _function("inverse_dynamics", place | {"q_ddot": m.q_ddot, "p": m.s.p}, m.needed),
    }


def _forward(m: Models, inputs: str, massless: bool) -> ca.Function:
    """z̈ and λ under the inputs u."""
    u = ca.SX.sym("u", len(m.driven))
    tau = u
    if inputs == "voltage":
        gain, back = m.motor_constants()
        tau = gain * u - back * m.s.q_dot[m.driven]
    made = m.accelerations(tau, massless)
    empty = ca.SX(0, 1)
    made = {"q_ddot": made["q_ddot"], "x_ddot": made.get("x_ddot", empty), "lam": made.get("lam", empty)}
    return _function("forward_dynamics", m.state | {"u": u, "p": m.s.p}, made)


def _outputs(m: Models) -> ca.Function:
    """Passive joints, their rates, and the energies."""
    found = m.readouts(ca.SX.zeros(m.nq + m.nx, 1))
    made = {name: found.get(name, ca.SX(0, 1)) for name in ("passive", "passive_dot")}
    made |= {"kinetic": m.s.kinetic, "potential": m.s.potential}
    return _function("outputs", m.state | {"p": m.s.p}, made)


def _step(model: Model, inputs: str) -> ca.Function:
    """The state after a time h with u held: the step of `simulate`, a discrete-time model for shooting methods."""
    design = Design("rk4", inputs, model.massless, False, False, ideal=True, summary=False, tracked=False, inverts="")
    loop = Loop(model.equations, model.equations, None, (), 0, design)
    after = loop.drive(loop.carried | {"work": ca.SX(0)})
    empty = ca.SX(0, 1)
    given = {name: loop.carried.get(name, empty) for name in (*STATE, "u")}
    given |= {"h": loop.constant["h"], "p": loop.constant["p"]}
    return _function("step", given, {f"{name}_next": after[name] for name in STATE})
