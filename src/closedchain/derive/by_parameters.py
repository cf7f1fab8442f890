"""Derivatives with respect to parameters: closures and sensors for calibration, efforts for identification."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from closedchain.derive.inertial import standard
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Expr
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace


def sensing_program(equations: Equations, sensors: Sequence[str], varied: Sequence[str]) -> list[Program]:
    """φ and what sensors read, with their slopes by z and by the varied parameters.

    A sensor is a readout's name, or a point's component: "P1.x".
    """
    s = Symbols(equations)
    names = [p.name for p in equations.parameters]
    p = ca.vertcat(*[s.p[names.index(name)] for name in varied]) if varied else ca.SX(0, 1)
    y = _sensed(s, sensors)
    outputs: dict[str, tuple[ca.SX, tuple[int, ...]]] = {}
    for key, value in (("gap", s.gap), ("phi", s.phi), ("y", y)):
        if value.numel():
            outputs[key] = (ca.densify(value), (value.numel(),))
    for key, value in (("phi", s.phi), ("y", y)):
        for by, unknowns in (("z", s.z), ("p", p)):
            if value.numel() and unknowns.numel():
                slopes = ca.jacobian(value, unknowns)
                outputs[f"{key}_{by}"] = (ca.densify(slopes), tuple(slopes.shape))
    inputs = {"q": s.q, "x": s.x, "p": s.p}
    given = {key: (value, (value.numel(),)) for key, value in inputs.items() if value.numel()}
    return [trace("sensing", given, outputs)]


def _sensed(s: Symbols, sensors: Sequence[str]) -> ca.SX:
    readouts = {r.name: r.value for r in s.equations.readouts}
    places = {f"{name}.{axis}": e for name, at in s.equations.points for axis, e in zip("xyz", at, strict=False)}
    return s.column((readouts | places)[name] for name in sensors)


def geometric(equations: Equations) -> list[str]:
    """The parameters that closures, points or readouts depend on."""
    s = Symbols(equations)
    parts = [s.phi, s.column(e for _, at in equations.points for e in at)]
    parts.append(s.column(r.value for r in equations.readouts))
    found = ca.which_depends(ca.vertcat(*parts), s.p, 1, False) if s.p.numel() else []
    return [p.name for p, used in zip(equations.parameters, found, strict=True) if used]


def regressor_program(equations: Equations, by: str) -> list[Program]:
    """The generalised forces on z by each dynamic parameter: M z̈ + h = W_z χ, exact since they are linear in χ."""
    s, energies, chi, at = _dynamic(equations, by)
    z_ddot = ca.SX.sym("z_ddot", s.z.numel())
    W = ca.jacobian(_forces(s, z_ddot, energies), chi)
    W = ca.substitute(W, chi, at) if by == BODIES else W
    inputs = {"q": s.q, "x": s.x, "q_dot": s.q_dot, "x_dot": s.x_dot, "z_ddot": z_ddot, "p": s.p}
    given = {key: (value, (value.numel(),)) for key, value in inputs.items() if value.numel()}
    return [trace("regressor", given, {"W": (ca.densify(W), tuple(W.shape))})]


BODIES = "bodies"
Energies = tuple[ca.SX, ca.SX, ca.SX]


def _dynamic(equations: Equations, by: str) -> tuple[Symbols, Energies, ca.SX, ca.SX]:
    """Symbols, energies, the dynamic parameters among them and where slopes are taken."""
    s = Symbols(equations)
    if by != BODIES:
        chosen = [s.names[name] for name in linear_parameters(equations)]
        return s, (s.kinetic, s.potential, _column(s, equations.dissipation)), ca.vertcat(*chosen), ca.SX(0, 1)
    assert equations.mechanism is not None
    marked, found = standard(equations.mechanism)
    m = Mechanics(marked)
    chi = ca.SX.sym("chi", len(found))
    s.names |= {one.name: chi[i] for i, one in enumerate(found)}
    energies = tuple(_column(s, e) for e in (m.kinetic(), m.potential(), m.dissipation()))
    return s, energies, chi, ca.SX([one.at for one in found])  # type: ignore[return-value]  # three of them


def _column(s: Symbols, e: Expr) -> ca.SX:
    return s.column([e])


def _forces(s: Symbols, z_ddot: ca.SX, energies: Energies) -> ca.SX:
    """d/dt ∂T/∂ż − ∂T/∂z + ∂V/∂z + ∂D/∂ż."""
    T, V, D = energies
    momentum = ca.gradient(T, s.z_dot)
    inertial = ca.jtimes(momentum, s.z, s.z_dot) + ca.jtimes(momentum, s.z_dot, z_ddot) - ca.gradient(T, s.z)
    return ca.densify(inertial + ca.gradient(V, s.z) + ca.gradient(D, s.z_dot))


NOT_DYNAMIC = ("m", "rad", "m/s^2")  # units of geometry and gravity


def linear_parameters(equations: Equations) -> list[str]:
    """Declared parameters in which the forces are linear together: taken in order, unless one is in another's slope."""
    s = Symbols(equations)
    z_ddot = ca.SX.sym("z_ddot", s.z.numel())
    forces = _forces(s, z_ddot, (s.kinetic, s.potential, _column(s, equations.dissipation)))
    slopes = ca.jacobian(forces, s.p)
    found: list[int] = []
    for k, parameter in enumerate(equations.parameters):
        if parameter.unit in NOT_DYNAMIC or not slopes[:, k].nnz():
            continue
        others = ca.vertcat(*[s.p[i] for i in (*found, k)])
        if not ca.depends_on(slopes[:, [*found, k]], others):
            found.append(k)
    return [equations.parameters[k].name for k in found]
