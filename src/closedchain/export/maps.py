"""A transmission's maps as programs that need no history: numbers for every parameter, a guard for every answer.

motor_to_joint   a polynomial's guess and Newton's steps
joint_to_motor   in closed form where each motor follows from one closure alone, else as the other
follow           motor_to_joint from where the joints were, wherever the branch goes
rates            Jacobians and their rates of time at a configuration
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.derive.transmitting import Transmitting, newton
from closedchain.describe.elements import Crank
from closedchain.describe.expressions import Expr, Operation, Symbol
from closedchain.errors import NoSolution
from closedchain.export.baking import baked
from closedchain.export.bounded import WIDER, bounded
from closedchain.export.fitting import DEGREES, Fit, Samples, fitted, one_solution, sampled
from closedchain.kernels.lower import lower
from closedchain.kernels.program import Program
from closedchain.model.transmission import MARGIN, Transmission
from closedchain.policy import ROUNDED

STEPS = (2, 3, 4)  # of Newton's, tried in this order with each degree
RIM = 1e-9  # [rad, m] beyond the range that still counts as inside
EDGE = 1e-10  # of 1: nearer to the end of a leg's reach a motor is not told
COSINE, SINE = "cos of the drive", "sin of the drive"


@dataclass(frozen=True, eq=False)
class Maps:
    """The programs of a transmission, and what was found out about its range."""

    t: Transmission
    samples: Samples
    programs: tuple[Program, ...]  # outputs count where `margin` is above 0
    closed_form: bool  # of joint_to_motor
    degree: int  # of the guess
    steps: int  # of Newton's


def maps(t: Transmission, low: ArrayLike, high: ArrayLike) -> Maps:
    """The maps of a transmission whose joints stay in a range."""
    n = t.model.outputs
    s = sampled(t, vectors(low, n, "low"), vectors(high, n, "high"))
    made = Transmitting(t.model.equations)
    direct, degree, steps = guessed(made, s, True)
    found = closed_form(made, s)
    back = found or guessed(made, s, False)[0]
    follow = renamed(numbered(t, made.follow(True), "follow"), {"known": "q", "near": "x", "found": "x"})
    programs = [direct, back, follow, numbered(t, made.guarded_rates(MARGIN))]
    return Maps(t, s, tuple(programs), found is not None, degree, steps)


def numbered(t: Transmission, program: Program, name: str = "") -> Program:
    """The program with the robot's numbers for its parameters and its size."""
    return baked(program, {"p": t.model.p, "size": np.array([t.model.scale])}, name)


def renamed(program: Program, names: Mapping[str, str]) -> Program:
    """The program with other names for its arrays."""
    inputs, outputs = (
        tuple(replace(o, name=names.get(o.name, o.name)) for o in group) for group in (program.inputs, program.outputs)
    )
    return replace(program, inputs=inputs, outputs=outputs)


# By a guess ------------------------------------------------------------------------------------------


def guessed(made: Transmitting, s: Samples, to_joint: bool) -> tuple[Program, int, int]:
    """The shortest program of this kind that closes the loops on every sample, its degree and its steps."""
    known, unknown = made.split(to_joint)
    z = np.concatenate([s.q, s.x], axis=-1)
    fits: dict[int, Fit] = {}  # those within which there is one solution only
    found: list[tuple[int, Program, int, int]] = []
    for degree in DEGREES:
        fit = fitted(z[:, known], z[:, unknown], degree)
        if to_joint and not one_solution(s, fit):
            continue
        fits[degree] = fit
        function = _answer(made, s, fit, to_joint, STEPS[0])
        if _closes(function, z[:, known], z[:, unknown]):
            found.append(_measured(made, s, function, to_joint, degree, STEPS[0]))
            break
    for steps in STEPS[1:]:  # more steps may do with a lower degree
        for degree, fit in fits.items():
            function = _answer(made, s, fit, to_joint, steps)
            if _closes(function, z[:, known], z[:, unknown]):
                found.append(_measured(made, s, function, to_joint, degree, steps))
                break
    if not found:
        raise NoSolution(
            f"{s.t.model.name}: no polynomial up to degree {DEGREES[-1]} guesses the branch well enough over this "
            f"range; give a smaller one"
        )
    return min(found, key=lambda one: one[0])[1:]


def _answer(made: Transmitting, s: Samples, fit: Fit, to_joint: bool, steps: int) -> ca.Function:
    """known → unknown, margin; with the robot's numbers."""
    known, unknown = made.split(to_joint)
    given, p = ca.SX.sym("known", len(known)), ca.SX(s.t.model.p)
    at = made.at(known, unknown)
    guess = _polynomial(fit, given)
    found = newton(at, given, guess, p, steps)
    steep = ca.Function("slopes", [made.s.z, made.s.p], [ca.vertcat(*made.s.slopes)])
    home = np.concatenate([s.t.q_home, s.t.x_home])
    tolerance = ROUNDED * s.t.model.scale * np.abs(np.asarray(steep(home, s.t.model.p)))
    margins = [1 - ca.mmax(ca.fabs(at(given, found, p)[0]) * ca.DM(1 / tolerance))]
    margins += [1 - ca.mmax(ca.fabs(found - guess) * ca.DM(1 / fit.away))]
    margins += _inside(s.low, s.high, found[: len(s.low)] if to_joint else given)
    margins += _inside(*_wider(s.q), given) if to_joint else []
    return ca.Function("answer", [given], [found, least(margins)])


def least(margins: list[ca.SX]) -> ca.SX:
    """The least of margins; −1 where that is less or no number."""
    found = margins[0]
    for one in margins[1:]:
        found = ca.fmin(found, one)
    return ca.if_else(found > -1, found, -1)


def _inside(low: Doubles, high: Doubles, y: ca.SX) -> list[ca.SX]:
    """How far inside a range each number is, of half the range: 1 in its middle, 0 at its ends."""
    middle, half = (low + high) / 2, (high - low) / 2 + RIM
    return [1 - ca.fabs(y[i] - middle[i]) * (1 / half[i]) for i in range(len(half))]


def _wider(q: Doubles) -> tuple[Doubles, Doubles]:
    """The samples' motors, and the little that lies between the last sample and the end of a crank's reach."""
    low, high = q.min(axis=0), q.max(axis=0)
    more = (WIDER - 1) * np.minimum(np.maximum(np.abs(low), np.abs(high)), high - low)
    return low - more, high + more


def _polynomial(fit: Fit, known: ca.SX) -> ca.SX:
    """By Horner's rule, variable by variable."""
    u = (known - ca.DM(fit.middle)) * ca.DM(1.0 / fit.half)

    def nested(terms: Mapping[tuple[int, ...], float], i: int) -> ca.SX:
        if i == known.numel():
            return ca.SX(terms[()])
        value = ca.SX(0)
        for k in range(max(p[0] for p in terms), -1, -1):
            inner = nested({p[1:]: c for p, c in terms.items() if p[0] == k}, i + 1)
            value = value * u[i] + inner
        return value

    rows = [dict(zip(fit.powers, row.tolist(), strict=True)) for row in fit.coefficients]
    return ca.vertcat(*[nested(row, 0) for row in rows])


def _closes(function: ca.Function, known: Doubles, unknown: Doubles) -> bool:
    found, margin = function(known.T)
    away = np.abs(np.asarray(found).T - unknown).max()
    return bool(np.asarray(margin).min() > 0.0 and away < 1e-9)


def _measured(
    made: Transmitting, s: Samples, function: ca.Function, to_joint: bool, degree: int, steps: int
) -> tuple[int, Program, int, int]:
    """A program behind its length."""
    program = _guessed_program(made, s, function, to_joint)
    return len(lower(program).code), program, degree, steps


def _guessed_program(made: Transmitting, s: Samples, function: ca.Function, to_joint: bool) -> Program:
    known, _ = made.split(to_joint)
    given = made.s.z[known]
    found, margin = function(given)
    name, takes, gives = ("motor_to_joint", "q", "x") if to_joint else ("joint_to_motor", "y", "q")
    own = found if to_joint else found[: len(made.motors)]
    program = numbered(s.t, made.program(name, {takes: given}, {gives: own, "margin": (margin, ())}))
    return bounded(program, [np.concatenate([s.q, s.x], axis=-1)[:, known]])


# In closed form --------------------------------------------------------------------------------------


def closed_form(made: Transmitting, s: Samples) -> Program | None:
    """Each motor from the one closure it stands in, where nothing else is unknown; None where that is not so."""
    model = s.t.model
    if made.rest or len(model.equations.closures) != model.nq:
        return None
    motors, margins = [], _inside(s.low, s.high, made.s.x)
    for i, drive in enumerate(model.mechanism.drives if model.mechanism else ()):
        used = [k for k in range(model.nq) if ca.depends_on(made.s.phi[k], made.s.q[i])]
        if len(used) != 1 or any(ca.depends_on(made.s.phi[used[0]], made.s.q[j]) for j in range(model.nq) if j != i):
            return None
        solve = _turned if isinstance(drive, Crank) else _shifted
        found = solve(made, s, i, used[0])
        if found is None:
            return None
        motors.append(found[0])
        margins.append(found[1])
    program = made.program(
        "joint_to_motor", {"y": made.s.x}, {"q": ca.vertcat(*motors), "margin": (least(margins), ())}
    )
    return bounded(numbered(s.t, program), [s.x])


def _turned(made: Transmitting, s: Samples, i: int, row: int) -> tuple[ca.SX, ca.SX] | None:
    """φ = a cos q + b sin q + c = 0, with w = ±√(a² + b² − c²):

        (cos q, sin q) (a² + b²) = (−a c − b w, −b c + a w)

    The sign is the home's: it is that of ∂φ/∂q = b cos q − a sin q = −w. The angle is counted from the samples'
    middle, so that a range across half a turn is one piece.
    """
    names = made.s.names
    drive, cosine, sine = made.s.equations.q[i].name, ca.SX.sym("c"), ca.SX.sym("s")
    rewritten = _circular(made.s.equations.closures[row].residual, drive)
    made.s.names = names | {COSINE: cosine, SINE: sine}
    phi = made.s.column([rewritten])
    made.s.names = names
    circle = ca.vertcat(cosine, sine)
    if ca.depends_on(phi, made.s.q[i]):
        return None
    H = ca.densify(ca.hessian(phi, circle)[0])
    if ca.depends_on(H, circle):
        return None
    slopes, rest = (ca.substitute(e, circle, ca.SX([0, 0])) for e in (ca.gradient(phi, circle), phi))
    a, b, c = slopes[0], slopes[1], rest + H[0, 0] / 2  # k (cos² + sin²) where both squares count alike
    values = ca.Function("h", [made.s.x, made.s.p], [H])(s.x[0], s.t.model.p)
    uneven = max(abs(float(values[0, 0] - values[1, 1])), abs(float(values[0, 1])))
    if uneven > 1e-12 * max(1e-300, abs(float(values[0, 0])), s.t.model.scale**2):
        return None
    sign = -1.0 if _slope(made, s, row, i) > 0 else 1.0
    square = a * a + b * b
    left = square - c * c
    w = sign * ca.sqrt(ca.fmax(left, 0))
    x, y = -(a * c) - b * w, a * w - b * c
    middle = float((s.q[:, i].min() + s.q[:, i].max()) / 2)
    turn = middle if s.q[:, i].max() > 3.0 or s.q[:, i].min() < -3.0 else 0.0
    if turn:
        x, y = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    return turn + ca.atan2(y, x), left / square - EDGE


def _shifted(made: Transmitting, s: Samples, i: int, row: int) -> tuple[ca.SX, ca.SX] | None:
    """φ = a q² + b q + c = 0:  q = (−b ± √(b² − 4 a c)) / 2a, or −c / b; the sign is that of 2 a q + b at home."""
    phi, q = made.s.phi[row], made.s.q[i]
    a = ca.gradient(ca.gradient(phi, q), q) / 2
    if ca.depends_on(a, q):
        return None
    b, c = (ca.substitute(e, q, ca.SX(0)) for e in (ca.gradient(phi, q), phi))
    if a.is_zero():
        return -c / b, ca.SX(1)
    left = b * b - 4 * a * c
    sign = 1.0 if _slope(made, s, row, i) > 0 else -1.0
    reach = ca.sqrt(ca.fmax(left, 0))
    return (sign * reach - b) / (2 * a), left / (b * b + ca.fabs(4 * a * c)) - EDGE


def _slope(made: Transmitting, s: Samples, row: int, i: int) -> float:
    """∂φ/∂q at home."""
    slope = ca.jacobian(made.s.phi[row], made.s.q[i])
    at = ca.Function("slope", [made.s.q, made.s.x, made.s.p], [slope])
    return float(at(s.t.q_home, s.t.x_home, s.t.model.p))


def _circular(e: Expr, drive: str) -> Expr:
    """The expression with symbols in the place of the drive's cosine and sine."""
    done: dict[int, Expr] = {}

    def swap(e: Expr) -> Expr:
        if id(e) not in done:
            done[id(e)] = e
            if isinstance(e, Operation):
                of_drive = len(e.args) == 1 and isinstance(e.args[0], Symbol) and e.args[0].name == drive
                if of_drive and e.op in ("cos", "sin"):
                    done[id(e)] = Symbol(COSINE if e.op == "cos" else SINE)
                else:
                    done[id(e)] = Operation(e.op, tuple(map(swap, e.args)))
        return done[id(e)]

    return swap(e)
