"""What goes to a target together: programs with one robot's numbers, and cases to test them by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.export.baking import baked
from closedchain.export.c99 import chosen_programs, comment, identifier
from closedchain.export.maps import Maps
from closedchain.export.programs import every_program, natural_inputs
from closedchain.kernels.lower import lower
from closedchain.kernels.program import LIBRARY, Program, run
from closedchain.model.model import Model
from closedchain.model.sampling import sample

CASES = 32  # of the self-test, each kernel
GUARD = "margin"  # the output that must be above 0
COUNTED = {"add": "additions", "sub": "additions", "mul": "products", "div": "divisions", "sqrt": "roots"}


@dataclass(frozen=True, eq=False)
class Package:
    """Programs without parameters and without calls; cases are inputs by name, (count, *shape)."""

    name: str  # as C takes it
    model: Model
    programs: tuple[Program, ...]
    cases: Mapping[str, Mapping[str, Doubles]]
    told: tuple[str, ...] = ()  # about the range, in words

    def expected(self, program: Program) -> tuple[Doubles, ...]:
        """A program's outputs on its cases, by NumPy, operation by operation."""
        return run(lower(program), *(self.cases[program.name][o.name] for o in program.inputs))


def guarded(program: Program) -> bool:
    """Whether an output tells if the others count."""
    return any(o.name == GUARD and not o.shape for o in program.outputs)


def model_package(model: Model, kernels: Iterable[str] | None = None) -> Package:
    """Every kernel of a robot that needs no library, or those named."""
    wanted = chosen_programs(every_program(model, natural_inputs(model)), kernels)
    programs = [baked(program, {"p": model.p}) for program in wanted]
    calls = {p.name: sorted({line.op for line in p.code if line.op in LIBRARY}) for p in programs}
    if kernels is not None and any(calls.values()):
        name, ops = next((n, o) for n, o in calls.items() if o)
        raise BadInput(f"{model.name}: {name} calls {', '.join(ops)} of a C library; code for a target has none")
    kept = tuple(p for p in programs if not calls[p.name] and p.outputs)
    given = random_inputs(model, CASES)
    cases = {p.name: {o.name: given[o.name] for o in p.inputs} for p in kept}
    return Package(identifier(model.name), model, kept, cases)


def map_package(maps: Maps) -> Package:
    """A transmission's maps; a quarter of the cases lies outside the range, where they must be refused."""
    s, rng = maps.samples, np.random.default_rng(1)
    rows = rng.choice(len(s.q), CASES)
    n, own = s.q.shape[1], len(s.low)
    q, x = s.q[rows], s.x[rows]
    outside = np.arange(CASES) % 4 == 3
    beyond = np.where(outside[:, None], rng.uniform(-3.0, 3.0, (CASES, n)), q)
    far = np.where(outside[:, None], s.high + (s.high - s.low) * rng.random((CASES, own)), x[:, :own])
    cases = {
        "motor_to_joint": {"q": beyond},
        "joint_to_motor": {"y": far},
        "follow": {"q": q + 0.01 * rng.standard_normal(q.shape), "x": x},
        "rates": {"q": q, "x": x, "q_dot": rng.standard_normal(q.shape)},
    }
    e = s.t.model.equations
    joints = zip(e.x, s.low, s.high, strict=False)
    ranges = ", ".join(f"{c.name} {a:.9g} to {b:.9g} {c.unit}" for c, a, b in joints)
    form = "in closed form" if maps.closed_form else "by a guess and Newton's steps"
    told = (
        f"Range: {ranges}; the branch reaches {100 * s.reached:.1f} % of its samples, the rest is refused.",
        f"Motors q ({', '.join(c.name for c in e.q)}) for joints y ({', '.join(c.name for c in e.x[:own])}) {form};",
        f"joints x for motors by a polynomial of degree {maps.degree} and {maps.steps} of Newton's steps.",
    )
    return Package(identifier(s.t.model.name), s.t.model, maps.programs, cases, told)


def random_inputs(model: Model, count: int, seed: int = 0) -> dict[str, Doubles]:
    """Numbers for every input of every kernel, states on all branches among them."""
    rng, state = np.random.default_rng(seed), sample(model, count, seed)
    n, nx, driven = model.nq, model.nx, len(model.driven)
    sizes = {"q_ddot": n, "x_ddot": nx, "z_ddot": n + nx, "tau": driven, "u": driven, "lam": nx}
    found = {name: getattr(state, name) for name in ("q", "x", "q_dot", "x_dot")}
    found |= {name: rng.standard_normal((count, size)) for name, size in sizes.items()}
    found |= {"h": np.full(count, 1e-3), "work": rng.standard_normal(count)}
    return found | {"sigma": rng.choice([-1.0, 1.0], (count, n)), "s": rng.choice([-1.0, 1.0], count)}


def counts(program: Program) -> dict[str, int]:
    """How many operations there are of each kind, trigonometry written out: each is done once, whatever the input."""
    found = Counter(COUNTED.get(line.op, "others") for line in lower(program).code if line.op not in ("const", "input"))
    return {kind: found[kind] for kind in ("additions", "products", "divisions", "roots", "others")}


def bound(program: Program) -> str:
    """The same in words, and the most memory that values can need."""
    code = lower(program).code
    values = sum(line.op != "const" for line in code)
    work = ", ".join(f"{n} {kind}" for kind, n in counts(program).items())
    return comment(f"{work}; at most {8 * values} bytes of values")


def results(program: Program, values: Sequence[Doubles], case: int) -> list[float]:
    """One case's outputs, end to end."""
    return [float(v) for array in values for v in np.ravel(array[case])]
