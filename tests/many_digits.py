"""A robot's programs in fifty digits, interpreted by mpmath: differences of them are right to thirty."""

import mpmath as mp
import numpy as np

from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols

DIGITS = 50
STEP = mp.mpf(10) ** -17  # differences are off by its square, and by 1e-50 / 1e-17

MEANING = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "sqrt": mp.sqrt, "abs": abs, "min": min, "max": max, "floor": mp.floor, "sin": mp.sin,
    "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "atan2": mp.atan2, "exp": mp.exp,
    "log": mp.log, "tanh": mp.tanh, "pow": mp.power, "hypot": mp.hypot, "not": lambda a: int(a == 0),
    "lt": lambda a, b: int(a < b), "le": lambda a, b: int(a <= b), "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b), "and": lambda a, b: int(a != 0 and b != 0),
    "or": lambda a, b: int(a != 0 or b != 0),
    "select": lambda c, a, b: a if c != 0 else b, "copysign": lambda a, b: abs(a) if b >= 0 else -abs(a),
}  # fmt: skip


def run(program, given):
    """The outputs of a program by name, as lists of numbers row after row."""
    done = []
    for line in program.code:
        if line.op == "const":
            done.append(mp.mpf(line.value))
        elif line.op == "input":
            done.append(given[program.inputs[line.args[0]].name][line.args[1]])
        else:
            done.append(MEANING[line.op](*(done[a] for a in line.args)))
    outputs, start = {}, 0
    for o in program.outputs:
        outputs[o.name] = [done[r] for r in program.results[start : start + o.size]]
        start += o.size
    return outputs


def numbers(values):
    """Doubles as they are."""
    return [mp.mpf(float(v)) for v in np.ravel(values)]


class Robot:
    """A robot's own programs: closures, everything for accelerations, forward dynamics for efforts."""

    def __init__(self, model):
        m = Models(Symbols(model.equations))
        self.model, self.closures = model, m.closures()
        self.evaluate, self.inverse_rates = m.evaluate(), m.inverse_rates() if model.nx else None
        self.forward, self.points = m.forward_dynamics(model.massless), m.points()

    def close(self, given, unknown):
        """The unknown side of z that closes the loops, by Newton's method from where it was."""
        if not self.model.nx:
            return given
        for _ in range(6):
            made = run(self.closures, given)
            k = len(made["phi"])
            slopes = mp.matrix(k, k)
            name = "A" if unknown == "x" else "B"
            for i in range(k):
                for j in range(k):
                    slopes[i, j] = made[name][i * k + j]
            step = mp.lu_solve(slopes, mp.matrix(made["phi"]))
            given = given | {unknown: [v - step[i] for i, v in enumerate(given[unknown])]}
        assert max(map(abs, run(self.closures, given)["phi"])) < mp.mpf(10) ** (8 - DIGITS)
        return given

    def models(self, given):
        """Every model at drives, rates and accelerations, or efforts."""
        given = self.close(given, "x")
        still = given | {"q_ddot": given.get("q_ddot", [mp.mpf(0)] * self.model.nq)}
        found = run(self.evaluate, still)
        if "tau" in given:
            given = given | {"x_dot": found.get("x_dot", [])}
            found |= run(self.forward, given)
        own = {name: v for name, v in given.items() if name in ("q", "x", "q_dot", "q_ddot")}
        return found | (run(self.points, given) if self.points else {}) | own

    def models_by_output(self, given):
        """Every model at an output, its rates and accelerations: the drives' follow."""
        given = self.close(given, "q")
        rates = run(self.inverse_rates, given)
        return self.models(given | {"q_dot": rates["q_dot"], "q_ddot": rates["q_ddot"]})


def slope(function, given, direction):
    """The derivative of every output along a direction."""
    with mp.workdps(DIGITS):
        ahead, behind = (
            function({k: [v + s * STEP * d for v, d in zip(given[k], direction[k], strict=True)] for k in given})
            for s in (1, -1)
        )
        both = {name: zip(ahead[name], behind[name], strict=True) for name in ahead}
        return {name: np.array([float((a - b) / (2 * STEP)) for a, b in pairs]) for name, pairs in both.items()}
