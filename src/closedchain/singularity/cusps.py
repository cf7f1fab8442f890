"""Cusps of a plate on three telescopes in a slice of joint space: triple poses, around which assembly modes connect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.kernels.program import Program
from closedchain.model.model import Model
from closedchain.singularity.closed_form import leg_of_plate
from closedchain.singularity.continuation import Tracer
from closedchain.singularity.interval import Interval, bounds, exact
from closedchain.singularity.krawczyk import krawczyk
from closedchain.singularity.loci import Loci, Locus, loci
from closedchain.singularity.systems import System, curve_program, cusp_program, held_coordinates

RADII = (1e-9, 1e-8, 1e-7, 1e-6)  # of the robot's size: boxes in which a cusp is proven unique


@dataclass(frozen=True, eq=False)
class Cusp:
    """Three poses meet here: φ = 0, det A = 0, and det A does not change along the free motion."""

    q: Doubles  # (nq,)
    x: Doubles  # (nx,)
    free_motion: Doubles  # (nx,) unit null vector of A
    error: float  # [m] of each coordinate, at most; angles counted by their characteristic lengths
    certified: bool  # proven to exist and to be the only one in a box around it


@dataclass(frozen=True, eq=False)
class Cusps:
    """The cusps of a slice, with the singular curves they lie on."""

    robot: str
    fixed: dict[str, float]
    cusps: tuple[Cusp, ...]
    curves: Loci

    def __len__(self) -> int:
        return len(self.cusps)

    def __str__(self) -> str:
        slice_ = ", ".join(f"{name} = {value:g}" for name, value in self.fixed.items())
        lines = [f"{self.robot}: {len(self)} cusp(s) at {slice_}, on {len(self.curves.ended)} singular curve(s)"]
        for c in self.cusps:
            proof = "proven" if c.certified else "not proven"
            lines.append(f"  q {np.array2string(c.q, precision=9)}  x {np.array2string(c.x, precision=9)}  {proof}")
        return "\n".join(lines)


def cusps(model: Model, fixed: dict[str, float], *, lines: int = 24) -> Cusps:
    """Every cusp on the singular curves of the slice where one telescope has a given length: fixed={"rho1": 14.98}.

    A cusp is sought wherever the derivative of det A along the free motion changes its sign on a traced curve.
    """
    if len(fixed) != 1:
        raise BadInput(
            f"{model.name}: a slice fixes one telescope, as in fixed={{'rho1': 14.98}}; {len(fixed)} are fixed"
        )
    leg_of_plate(model, next(iter(fixed)))
    curves = loci(model, fixed=fixed, lines=lines)
    program = cusp_program(model)
    held = held_coordinates(model, fixed)
    found: list[Cusp] = []
    for piece in curves.pieces:
        for z in _candidates(model, piece):
            cusp = _solved(model, program, held, z)
            if cusp is not None and not any(_same(model, cusp, other) for other in found):
                found.append(cusp)
    found.sort(key=lambda c: (float(np.arctan2(c.x[1], c.x[0])), float(c.x[2])))
    return Cusps(model.name, dict(fixed), tuple(found), curves)


def bend(model: Model, z: Doubles) -> Doubles:
    """The derivative of det A along the free motion at points of a singular curve, free of jumps of its sign, (k,)."""
    n = model.nq
    A = model.call("closures", q=z[:, :n], x=z[:, n:])["A"]
    free = np.linalg.svd(A)[2][:, -1, :]
    for i in range(1, len(free)):
        free[i] *= 1.0 if free[i] @ free[i - 1] >= 0 else -1.0
    system = System(model, curve_program(model, -1))
    slopes = np.array([system(row)[1][model.nx, n:] * system.scales[n:] for row in z])
    return np.einsum("ki,ki->k", slopes, free)


def _candidates(model: Model, piece: Locus) -> list[Doubles]:
    """Points of a curve beside which the bend changes its sign."""
    z = np.concatenate([piece.q, piece.x], axis=1)
    values = bend(model, z)
    places = np.nonzero(np.sign(values[:-1]) != np.sign(values[1:]))[0]
    share = np.abs(values[places]) / np.maximum(np.abs(values[places]) + np.abs(values[places + 1]), 1e-300)
    return [z[i] + t * (z[i + 1] - z[i]) for i, t in zip(places, share, strict=True)]


def _solved(model: Model, program: Program, held: dict[int, float], z: Doubles) -> Cusp | None:
    n = model.nq
    left, _, _ = np.linalg.svd(model.call("closures", q=z[:n], x=z[n:])["A"])
    w = left[:, -1].copy()
    system = System(model, program, held, (w,))
    tracer = Tracer(system, system.scales, model.scale, 1.0, np.zeros(len(z)), np.zeros(len(z), bool))
    found = tracer.onto(z)
    if found is None:
        return None
    for index, value in held.items():
        found[index] = value
    certified, error = _proof(model, program, held, found, w, system.scales)
    free = np.linalg.svd(model.call("closures", q=found[:n], x=found[n:])["A"])[2][-1]
    return Cusp(found[:n], found[n:], free * (1.0 if free[2] >= 0 else -1.0), error, certified)


def _proof(
    model: Model, program: Program, held: dict[int, float], z: Doubles, w: Doubles, scales: Doubles
) -> tuple[bool, float]:
    """Krawczyk's test in the coordinates that are not held."""
    free = [i for i in range(len(z)) if i not in held]

    def G(box: Interval) -> tuple[Interval, Interval]:
        lo, hi = z.copy(), z.copy()
        lo[free], hi[free] = box.lo, box.hi
        whole, n = Interval(lo, hi), model.nq
        rows, slopes = bounds(program, whole[:n], whole[n:], exact(w), exact(model.p))
        return rows, slopes[:, free]

    for radius in RADII:
        proven, where = krawczyk(G, z[free], radius * model.scale / scales[free])
        if bool(proven):
            return True, float((np.maximum(where.hi - z[free], z[free] - where.lo) * scales[free]).max())
    return False, float("inf")


def _same(model: Model, a: Cusp, b: Cusp) -> bool:
    turn = abs(float(np.angle(np.exp(1j * (a.x[2] - b.x[2])))))
    return bool(np.abs(a.x[:2] - b.x[:2]).max() <= 1e-7 * model.scale and turn <= 1e-7)
