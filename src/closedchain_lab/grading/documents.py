"""The exercises of two documents: seed 002's plate with three legs, seed 003's Furuta pendulum."""

from dataclasses import replace

import numpy as np

from closedchain import evaluate, load, simulate
from closedchain.arrays import Doubles
from closedchain.control import Constant
from closedchain.model import Model
from closedchain.singularity import singular_points
from closedchain_lab.grading.exercise import REST, any_robot, numbers
from closedchain_lab.grading.mutation import formulas
from closedchain_lab.grading.question import Exercise, Question, packed

GEOMETRY = ("inverse", "direct", "jacobians")
MODES = {"++": (1.0, 1.0), "+-": (1.0, -1.0), "-+": (-1.0, 1.0), "--": (-1.0, -1.0)}
SIGMA, PLATE = ("sigma1", "sigma2"), ("x", "y", "phi")
LINES = ((0.0, 10.0, 0.51, 3.0), (-1.0, 40.0, -3.0, -0.6))  # y [m], phi [deg], x from, to [m]; the document's first
PATHS = (  # [m, m, deg] the document's own two, and some
    ((-3, -1, 45), (-2, 0, 0)),
    ((-3, -2, 45), (-2, 0, 0)),
    ((0.6, 0, 10), (1.5, 0.5, 20)),
    ((-2, 0, 0), (-2, 1.5, -30)),
)
STATES, RUNS = 30, 4
OWN_STEPS = 1e-3  # a simulation of the group's own, with steps of its own
ARM, RATES = ("q1", "q2"), ("q1D", "q2D")
HANGING = "q2 = 0 hangs in this file, as in the document's eq 7 and program; graded so."
NAMES = {  # the document's, and ours
    "J1": "J_1", "l1": "L_1", "m": "m_2", "lc": "c_2", "Jc": "J_2", "b1": "b_1", "b2": "b_2", "g": "g", "Ra": "R_a",
    "kt": "k_t", "kv": "k_v", "kr": "k_r", "up": "up",
}  # fmt: skip


def triplate(seed: int) -> tuple[Exercise, ...]:
    """Every inverse and direct solution, Jacobians, singular points, modes in which a path is open."""
    model = load("triplate")
    whole = any_robot(model, seed)
    asked = {name: whole.questions[name] for name in GEOMETRY}
    return (replace(whole, questions=asked | {q.name: q for q in (_singular(model), _open(model))}),)


def _singular(model: Model) -> Question:
    """Every x between two at which det J_x = 0 in a working mode."""
    inputs, found = [], []
    for y, degrees, low, high in LINES:
        phi = np.radians(degrees)
        for mode, signs in MODES.items():
            points = singular_points(model, [low, y, phi], [high, y, phi], working=mode)
            if points.complete:
                inputs.append([y, phi, *signs, low, high])
                found.append(np.array([p.x[0] for p in points]).reshape(-1, 1))
    arguments = ("y", "phi", *SIGMA, "low", "high")
    return Question("singular_x", arguments, ("x",), np.array(inputs), packed(found, 1), single=False)


def _open(model: Model) -> Question:
    """The working modes in which the straight path meets no singularity and stays within reach."""
    inputs, found = [], []
    for path in PATHS:
        ends = [np.array([a, b, np.radians(c)]) for a, b, c in path]
        looked = {m: [singular_points(model, *ends, working=m, kind=k) for k in "AB"] for m in MODES}
        if all(one.complete for both in looked.values() for one in both):
            free = [m for m, both in looked.items() if not any(len(one) or one.out_of_reach for one in both)]
            inputs.append(np.concatenate(ends))
            found.append(np.array([MODES[m] for m in free]).reshape(-1, 2))
    arguments = tuple(f"{name}{end}" for end in "01" for name in PLATE)
    return Question("open_modes", arguments, SIGMA, np.array(inputs), packed(found, 2), single=False)


def furuta(seed: int) -> tuple[Exercise, ...]:
    """With q2 counted from upright, as the title of the document says, or from hanging, as its program does."""
    return _pendulum(load("furuta"), seed, ""), _pendulum(load("furuta:hanging"), seed, HANGING)


def _pendulum(model: Model, seed: int, note: str) -> Exercise:
    """Lagrange's equations, the motor, accelerations, energies, the picture's tip, a simulation."""
    rng = np.random.default_rng(seed)
    q, q_dot = rng.uniform(-np.pi, np.pi, (STATES, 2)), rng.normal(0.0, 4.0, (STATES, 2))
    q_dot[::REST] = 0.0
    v = rng.uniform(-10.0, 10.0, (STATES, 1))
    made = evaluate(model, q=q, q_dot=q_dot, voltage=v).items()
    places = model.call("points", q=q, x=np.zeros((STATES, 0)))["points"][:, -1]
    moving = np.concatenate([q, q_dot], axis=-1)
    energies = np.stack([made["kinetic"], made["potential"]], axis=-1)
    powered = np.concatenate([moving, v], axis=-1)
    asked = (
        numbers("mass_matrix", ARM, ("M11", "M12", "M21", "M22"), q, made["M"].reshape(-1, 4)),
        numbers("bias", (*ARM, *RATES), ("c1", "c2"), moving, made["c"]),
        numbers("motor_torque", ("v", "q1D"), ("tau",), np.concatenate([v, q_dot[:, :1]], axis=-1), made["tau"]),
        numbers("accelerations", (*ARM, *RATES, "v"), ("q1DD", "q2DD"), powered, made["q_ddot"]),
        numbers("energies", (*ARM, *RATES), ("kinetic", "potential"), moving, energies),
        numbers("tip", ARM, ("x", "y", "z"), q, places),
        _simulation(model, moving, v),
    )
    constants = {theirs: model.values[ours] for theirs, ours in NAMES.items()}
    return Exercise("furuta", {one.name: one for one in asked}, formulas("furuta"), constants, note)


def _simulation(model: Model, moving: Doubles, v: Doubles) -> Question:
    """The state after a while under a constant voltage, to a thousandth: the group integrates as it likes."""
    inputs = np.concatenate([0.3 * moving[:RUNS], v[:RUNS], np.linspace(0.2, 0.5, RUNS)[:, None]], axis=-1)
    ends = []
    for *state, volts, duration in inputs:
        law = Constant(volts, "voltage")
        run = simulate(model, law, q=state[:2], q_dot=state[2:], duration=duration, interval=1e-3, method="rk6")
        ends.append(np.concatenate([run.q[-1], run.q_dot[-1]]))
    asked = numbers("simulate", (*ARM, *RATES, "v", "duration"), (*ARM, *RATES), inputs, np.array(ends))
    return replace(asked, turning=ARM, tolerance=OWN_STEPS)
