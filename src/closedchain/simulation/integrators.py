"""One step of ẏ = f(y), as straight-line expressions: f is called with symbols and the stages are written out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from closedchain.simulation.tableaux import GAMMA, rosenbrock
from closedchain.simulation.tableaux import ORDERS as ORDERS
from closedchain.simulation.tableaux import TABLEAUX as TABLEAUX

Field = Callable[[ca.SX], ca.SX]

ROUNDS = 8  # of Gauss's stages: each gains a factor h·L, to rounding for steps well below the motion's time scale


@dataclass(frozen=True)
class Manifold:
    """Where y must stay: g(y) = 0, and the directions back to it, g'(y) pull(y, ν) = −ν."""

    error: Callable[[ca.SX], ca.SX]  # g
    pull: Callable[[ca.SX, ca.SX], ca.SX]


def step(method: str, f: Field, y: ca.SX, h: ca.SX, manifold: Manifold | None = None) -> ca.SX:
    """y after a time h; the symmetric method needs to know the manifold on which y is to stay."""
    if method == "gauss4":
        return gauss4(f, y, h) if manifold is None else gauss4_on(manifold, f, y, h)
    if method == "rodas":
        return rodas(f, y, h)
    rows, weights = TABLEAUX[method]
    slopes: list[ca.SX] = []
    for row in rows:
        slopes.append(f(y + h * combined(row, slopes)))
    return y + h * combined(weights, slopes)


def combined(weights: list[float], slopes: list[ca.SX]) -> ca.SX:
    """Σ weight · slope."""
    total = ca.SX(0)
    for weight, slope in zip(weights, slopes, strict=False):
        total = total + weight * slope if weight else total
    return total


def rodas(f: Field, y: ca.SX, h: ca.SX) -> ca.SX:
    """A step of Rosenbrock's kind with the exact Jacobian, for y = (z, ż, work) and f = (ż, z̈, power).

    Of (1/γh − f') u = r the rows of z say u_z = γh (r_z + u_ż), so that what is left to solve has the size of z:

        (1/γh − ∂z̈/∂ż − γh ∂z̈/∂z) u_ż = r_ż + γh ∂z̈/∂z r_z
    """
    n, step_ = (y.numel() - 1) // 2, GAMMA * h
    Y = ca.SX.sym("Y", y.numel())
    slopes = ca.jacobian(f(Y)[n:], Y)
    slopes = ca.substitute(slopes, Y, y)
    by_place, by_rate = slopes[:, :n], slopes[:, n : 2 * n]
    Q, R = ca.qr(ca.densify(ca.SX.eye(n) / step_ - by_rate[:n, :] - step_ * by_place[:n, :]))

    def solve(r: ca.SX) -> ca.SX:
        place, rate, work = r[:n], r[n : 2 * n], r[2 * n :]
        rate = ca.solve(R, ca.mtimes(Q.T, rate + step_ * ca.mtimes(by_place[:n, :], place)))
        place = step_ * (place + rate)
        power = ca.mtimes(by_place[n, :], place) + ca.mtimes(by_rate[n, :], rate)
        return ca.vertcat(place, rate, step_ * (work + power))

    return rosenbrock(f, solve, y, h)


def gauss4_on(manifold: Manifold, f: Field, y: ca.SX, h: ca.SX) -> ca.SX:
    """Gauss's method between two equal pushes ν off the manifold, chosen so that the second one ends on it.

    A projection at the end alone would break the symmetry, and energy would drift; this one keeps it (Hairer, Lubich
    and Wanner, Geometric Numerical Integration, V.4.1). ν is found along with the stages: each round gains a factor
    h·L.
    """
    first = second = f(y)
    end, push = y, 0 * manifold.error(y)
    for _ in range(ROUNDS):
        begin = y + manifold.pull(y, push)
        first, second = _collocate(f, begin, h, first, second)
        end = begin + h * (first + second) / 2 + manifold.pull(end, push)
        push = push + manifold.error(end) / 2
    return end


def gauss4(f: Field, y: ca.SX, h: ca.SX) -> ca.SX:
    """Gauss's collocation at two points: order 4, symmetric in time, so that energy does not drift."""
    first = second = f(y)
    for _ in range(ROUNDS):
        first, second = _collocate(f, y, h, first, second)
    return y + h * (first + second) / 2


def _collocate(f: Field, y: ca.SX, h: ca.SX, first: ca.SX, second: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Better slopes at Gauss's two points."""
    r = math.sqrt(3) / 6
    a = y + h * (first / 4 + (1 / 4 - r) * second)
    b = y + h * ((1 / 4 + r) * first + second / 4)
    return f(a), f(b)
