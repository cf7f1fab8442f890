"""det A, det B and the legs' reach along curves of the output, as programs free of branches and angles.

Each drive is replaced by its closed form: a crank by its cosine and sine, rational in the output and in √g, where g ≥ 0
says that the leg reaches. So a program's real function is smooth where every g is positive, and its bounds are tight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import casadi as ca

from closedchain.derive.linear import determinant
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.structure import Leg
from closedchain.derive.symbolic import CASADI
from closedchain.derive.turning import TURNING, Turn
from closedchain.derive.twists import twist_jacobian
from closedchain.describe.elements import Bar, Carried, Crank, Fixed, Plate, Slider, Telescope
from closedchain.describe.expressions import Expr, evaluate_all
from closedchain.errors import BadInput
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.model import Model

Operands = dict[str, ca.SX | tuple[ca.SX, tuple[int, ...]]]


def check_free_output(model: Model) -> None:
    """Raise BadInput unless the output can be put anywhere and each drive follows from its own leg."""
    if model.mechanism is None or not model.nx:
        raise BadInput(f"{model.name} has no closures, so it has no singular curves; give a robot with loops")
    closures = {c.name for c in model.equations.closures}
    if model.nq == model.outputs < model.nx:
        raise BadInput(
            f"{model.name}: other bodies follow from its output, and singular curves and segments are searched only "
            f"where none do; use `map` or `workspace`, or `singularities` at its poses"
        )
    if model.nq != model.nx or {leg.name for leg in model.legs} != closures:
        raise BadInput(
            f"{model.name}: its output cannot be moved freely ({model.nx} coordinates, {model.nq} drives, "
            f"{len(closures)} closures), so a line of x is not a motion of it; use `singularities` at its poses"
        )


class ClosedForm:
    """The drives as functions of the output, and the determinants they give, as CasADi expressions."""

    def __init__(self, model: Model) -> None:
        check_free_output(model)
        equations, self.model = model.equations, model
        assert model.mechanism is not None
        self.legs: Sequence[Leg] = model.legs
        self.m = Mechanics(model.mechanism)
        self.x = ca.SX.sym("x", model.nx)
        self.p = ca.SX.sym("p", len(equations.parameters))
        self.sigma = ca.SX.sym("sigma", len(self.legs))
        self.names = {c.name: self.x[i] for i, c in enumerate(equations.x)}
        self.names |= {parameter.name: self.p[i] for i, parameter in enumerate(equations.parameters)}
        self.joints: dict[str, ca.SX | Turn] = {}
        for leg in self.legs:
            name = leg.drive.name
            turn = Turn(ca.SX.sym(f"c_{name}"), ca.SX.sym(f"s_{name}"))
            self.joints[name] = turn if isinstance(leg.drive, Crank) else ca.SX.sym(name)
        solved = [self.leg(leg, self.sigma[i]) for i, leg in enumerate(self.legs)]
        self.reach = ca.vertcat(*[g for g, _ in solved])
        self.values = ca.vertcat(*[ca.vertcat(*value) for _, value in solved])
        phi = self.column(c.residual for c in equations.closures)
        self.A = twist_jacobian(ca.jacobian(phi, self.x), equations, {**self.names, **self.joints}, TURNING)

    def column(self, exprs: Iterable[Expr]) -> ca.SX:
        """Expressions as a column of CasADi expressions of x, the parameters and the drives' symbols."""
        values: ca.SX = ca.vertcat(*evaluate_all(exprs, {**self.names, **self.joints}, TURNING))
        return values

    @property
    def det_A(self) -> ca.SX:
        """det A with every drive in closed form."""
        return self.closed(determinant(self.A))

    @property
    def jacobian(self) -> ca.SX:
        """A with every drive in closed form."""
        return self.closed(self.A)

    def closed(self, e: ca.SX) -> ca.SX:
        """An expression with the drives' closed forms in it."""
        symbols = ca.vertcat(*[s for j in self.joints.values() for s in ((j.c, j.s) if isinstance(j, Turn) else (j,))])
        return ca.substitute(e, symbols, self.values)

    def leg(self, leg: Leg, sigma: ca.SX) -> tuple[ca.SX, tuple[ca.SX, ...]]:
        """(g, the drive's value): g ≥ 0 where the leg reaches; a telescope's is its length squared."""
        far = self.column(self.m.position(leg.far))
        match leg.drive:
            case Telescope():
                square = ca.sumsqr(far - self.column(self.m.position(leg.drive.base)))
                return square, (ca.sqrt(square),)
            case Slider():
                return self.slider(leg.drive, far, self.length(leg), sigma)
            case Crank():
                return self.crank(leg.drive, far, self.length(leg), sigma)

    def length(self, leg: Leg) -> ca.SX:
        assert isinstance(leg.link, Bar)
        return self.column([leg.link.length])

    def slider(self, drive: Slider, far: ca.SX, length: ca.SX, sigma: ca.SX) -> tuple[ca.SX, tuple[ca.SX, ...]]:
        """q = (o·a − σ √g) / a·a with o from the rail's origin: g = l² a·a − |o × a|²."""
        along, offset = self.column(drive.along), far - self.column(drive.at)
        across = offset[0] * along[1] - offset[1] * along[0] if far.numel() == 2 else ca.cross(offset, along)
        g = length**2 * ca.sumsqr(along) - ca.sumsqr(across)
        return g, ((ca.dot(offset, along) - sigma * ca.sqrt(g)) / ca.sumsqr(along),)

    def crank(self, drive: Crank, far: ca.SX, length: ca.SX, sigma: ca.SX) -> tuple[ca.SX, tuple[ca.SX, ...]]:
        """cos q = (h u − σ w v) / ρ², sin q = (h v + σ w u) / ρ² with 2Rh = |o|² + R² − l² and w² = ρ² − h²."""
        assert drive.plane is not None
        e1, e2 = (self.column(e) for e in drive.plane)
        radius, offset = self.column([drive.radius]), far - self.column(drive.about)
        u, v = ca.dot(offset, e1), ca.dot(offset, e2)
        square = u * u + v * v
        k = ca.sumsqr(offset) + (radius - length) * (radius + length)  # 2 R h
        g = (2 * radius) ** 2 * square - k**2  # (2 R w)²
        w = sigma * ca.sqrt(g)
        return g, ((k * u - w * v) / (2 * radius * square), (k * v + w * u) / (2 * radius * square))


def line_programs(model: Model, chart: str = "output") -> tuple[Program, Program]:
    """(reach, determinant) along x(s) = chart(start + s step), each with its derivative by s.

    The chart "output" is x itself; "leg NAME" is (length, direction, plate angle) of a telescope under a plate.
    """
    form = ClosedForm(model)
    s, start, step = ca.SX.sym("s"), ca.SX.sym("start", model.nx), ca.SX.sym("step", model.nx)
    u = start + s * step
    x = u if chart == "output" else leg_chart(form, chart.removeprefix("leg "), u)
    inputs: Operands = {"s": s, "start": (start, (model.nx,)), "step": (step, (model.nx,))}
    return _pair(form, x, s, inputs)


def curve_programs(model: Model, curve: Sequence[Expr]) -> tuple[Program, Program]:
    """The same along a curve whose coordinates are expressions of s and the parameters."""
    form = ClosedForm(model)
    s = ca.SX.sym("s")
    x = ca.vertcat(*evaluate_all(curve, {**form.names, "s": s}, CASADI))
    return _pair(form, x, s, {"s": s})


def _pair(form: ClosedForm, x: ca.SX, s: ca.SX, inputs: Operands) -> tuple[Program, Program]:
    given: Operands = {**inputs, "p": (form.p, form.p.shape[:1])}
    reach = ca.substitute(form.reach, form.x, x)
    det = ca.substitute(form.det_A, form.x, x)
    n = (len(form.legs),)
    first = trace("reach", given, {"value": (reach, n), "slope": (ca.densify(ca.jacobian(reach, s)), n)})
    signed: Operands = {**given, "sigma": (form.sigma, n)}
    second = trace("determinant", signed, {"value": (det, ()), "slope": (ca.densify(ca.jacobian(det, s)), ())})
    return first, second


def leg_chart(form: ClosedForm, name: str, u: ca.SX) -> ca.SX:
    """x of a plate from u = (length, direction of one telescope, the plate's angle)."""
    drive, tip = leg_of_plate(form.model, name)
    base, local = form.column(drive.base.at), form.column(tip.at)  # type: ignore[union-attr]
    length, direction, phi = u[0], u[1], u[2]
    c, s = ca.cos(phi), ca.sin(phi)
    arm = ca.vertcat(c * local[0] - s * local[1], s * local[0] + c * local[1])
    return ca.vertcat(base + length * ca.vertcat(ca.cos(direction), ca.sin(direction)) - arm, phi)


def leg_of_plate(model: Model, name: str) -> tuple[Telescope, Carried]:
    """A telescope between the ground and the output plate, and its point on the plate."""
    output = model.mechanism.output if model.mechanism else None
    for drive in model.mechanism.drives if model.mechanism else ():
        if isinstance(drive, Telescope) and drive.name == name and isinstance(drive.base, Fixed):
            tip = drive.tip
            if isinstance(tip, Carried) and tip.by is output and isinstance(output, Plate):
                return drive, tip
    raise BadInput(f"{model.name}: {name!r:.30} is not a telescope from the ground to the output plate")
