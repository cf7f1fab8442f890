"""The fastest motion that a plant can make at a state, and what a method makes of it in steps of a length.

ż = v, v̇ = a(z, v, u) is linearised by central differences at fixed u. The closures hold a to φ̈ = 0 wherever it is
asked, so what lies off them has the rate 0 and the other eigenvalues are the plant's own.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.model.dynamics import coordinate_sizes, motor_constants
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.tableaux import GAMMA, TABLEAUX, rosenbrock

Rates = NDArray[np.complex128]
NUDGE = 1e-6  # of the robot's size, or rad: differences then miss an acceleration's slope by about 1e-10 of it
ROUNDS = 8  # of Gauss's stages, as in the compiled step
LOSS = 1e-4  # of an oscillation's energy over a whole run, which a step that is advised may take
QUICK = 0.05  # rate times step from which a fixed step is worth blaming
CHOOSING = ("dop853", "adaptive", "stiff", "events")  # methods that choose their steps themselves
LARGEST = 60  # coordinates of a plant that is looked at: eigenvalues of larger ones take seconds


def fastest(model: Model, states: State, command: Doubles, output: str) -> complex:
    """The rate [1/s] of largest size at any of the states, (k, …), under held commands; 0 if none is known."""
    n, nz = model.nq, model.nq + model.nx
    if nz > LARGEST or not len(states.q):
        return 0j
    y = np.concatenate([states.z, states.z_dot], axis=-1)
    sizes = coordinate_sizes(model)
    nudges = NUDGE * np.concatenate([sizes, np.maximum(np.abs(states.z_dot).max(), sizes)])
    around = y[:, None, None, :] + np.array([1.0, -1.0])[:, None, None] * np.diag(nudges)  # (k, 2, 2 nz, 2 nz)
    given = {
        "q": around[..., :n],
        "x": around[..., n:nz],
        "q_dot": around[..., nz : nz + n],
        "x_dot": around[..., nz + n :],
    }
    u = command[:, None, None, :]
    if output == "voltage":
        gain, back = motor_constants(model)
        u = gain * u - back * given["q_dot"][..., list(model.driven)]
    with np.errstate(all="ignore"):
        made = model.call("forward_dynamics", **given, tau=u)
        parts = [made[name] for name in ("z_ddot", "q_ddot", "x_ddot") if name in made]
        a = np.concatenate(parts, axis=-1)  # (k, 2, 2 nz, nz)
        slopes = np.swapaxes(a[:, 0] - a[:, 1], -1, -2) / (2 * nudges)
    slopes = slopes[np.isfinite(slopes).all(axis=(-2, -1))]
    moving = np.broadcast_to(np.eye(nz, 2 * nz, nz), slopes.shape)
    found = np.linalg.eigvals(np.concatenate([moving, slopes], axis=-2)).ravel()
    return complex(found[np.argmax(np.abs(found))]) if found.size else 0j


def amplification(method: str, z: complex) -> complex:
    """By what one step h of a method multiplies y, for ẏ = λ y and z = λ h."""
    if method == "gauss4":
        r = math.sqrt(3) / 6
        first = second = 1 + 0j
        for _ in range(ROUNDS):
            first, second = (
                1 + z * (first / 4 + (1 / 4 - r) * second),
                1 + z * ((1 / 4 + r) * first + second / 4),
            )
        return 1 + z * (first + second) / 2
    if method == "rodas":
        return complex(rosenbrock(lambda y: z * y, lambda r: r / (1 / GAMMA - z), 1 + 0j, 1.0))
    rows, weights = TABLEAUX["rk4" if method == "rk4" else "rk6"]
    slopes: list[complex] = []
    for row in rows:
        slopes.append(1 + z * sum(w * k for w, k in zip(row, slopes, strict=False)))
    return 1 + z * sum(w * k for w, k in zip(weights, slopes, strict=True))


def advised(method: str, rate: complex, duration: float) -> float:
    """A step [s] with which a motion at this rate [1/s] keeps or loses energy as it should, but for `LOSS` of it.

    What oscillates keeps it for the whole duration; what friction stops has none left after 1 / (2 |Re rate|).
    """
    lives = min(duration, -0.5 / rate.real) if rate.real < 0.0 else duration
    h = 1.0 / abs(rate)

    def lost() -> float:
        kept = abs(amplification(method, rate * h)) ** 2 / math.exp(2 * rate.real * h)
        return lives / h * abs(1.0 - kept)

    while lost() > LOSS and h > 1e-4 / abs(rate):
        h /= 1.25
    return float(f"{h:.1e}")


def too_long(model: Model, states: State, command: Doubles, output: str, method: str, h: float, duration: float) -> str:
    """That steps h are too long for the fastest motion at some states, where that is so, and which are not."""
    if method in CHOOSING or output == "velocity":
        return ""
    rate = fastest(model, states, command, output)
    if abs(rate) * h < QUICK:
        return ""
    return (
        f"its fastest motion, at {abs(rate):.3g}/s, is too quick for steps of {h:.3g} s (rate × step = "
        f"{abs(rate) * h:.2g}); take shorter ones, step = {advised(method, rate, duration):g}"
        + otherwise(model, decaying=-rate.real > abs(rate.imag))
    )


def otherwise(model: Model, decaying: bool = False) -> str:
    """Another way for this kind of model; for one whose fastest motion dies out, one that need not follow it."""
    if decaying:
        return ', or method = "rodas", which is implicit'
    return ', or method = "adaptive", which chooses its own'
