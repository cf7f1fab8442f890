"""The six roots of real trigonometric polynomials of degree 3, each in a disc; small Python of `kernels.loops`.

    f(φ) = c_0 + 2 Re Σ_k c_k z^k,    z = e^{iφ},    P(z) = z³ f,    eight polynomials at a time

Roots come from Aberth's iteration. Whatever they are, the roots of every polynomial whose coefficients differ from P's
by at most s lie in the discs about z_i of radius

    r_i = 6 (|P(z_i)| + errors) / ((|c_3| − s) Π |z_i − z_j|)        (Smith 1970),

errors being those of s and of rounding; discs that are disjoint hold one root each.
"""

from typing import Annotated

from closedchain.kernels.loops import LANES, Complexes, ComplexLanes, RealLanes, Reals, abs2, lanes, some, sqrt, where

WIDTH = 8  # lanes
DEGREE = 6
STEPS = 40
STILL = 1e-30  # of |z|²: a root that moves by less has arrived
ROUNDING = 1e-14  # of P, of the sum of its terms' magnitudes: 2 (2 · 6 + 3) √2 units of 1.1e-16, and more
HUGE = 1e300
assert WIDTH == LANES


def steps(a: ComplexLanes, z: ComplexLanes, state: RealLanes) -> None:
    """Aberth's iteration on all roots until none moves; a polynomial that has arrived waits for its neighbours."""
    state[0] = lanes(HUGE)
    for _ in range(STEPS):
        largest = lanes(0.0)
        for i in range(DEGREE):
            here = z[i] + 0.0
            value = a[DEGREE] + 0.0
            slope = lanes(0.0 + 0j)
            for k in range(DEGREE - 1, -1, -1):
                slope = slope * here + value
                value = value * here + a[k]
            others = lanes(0.0 + 0j)
            for j in range(DEGREE):
                if j != i:
                    between = here - z[j]
                    others = others + lanes(1.0) / where(abs2(between) > 0.0, between, 1e-8)
            divisor = slope - value * others
            step = value / where(abs2(divisor) > 0.0, divisor, 1.0)
            z[i] = where(state[0] > STILL, here - step, here)
            much = abs2(step) / (abs2(here) + 1e-300)
            largest = where(much > largest, much, largest)
        state[0] = where(state[0] > STILL, largest, state[0])
        if not some(state[0] > STILL):
            break


def discs(a: ComplexLanes, z: ComplexLanes, slack: RealLanes, radius: RealLanes) -> None:
    """The discs' radii."""
    lead = sqrt(abs2(a[DEGREE])) - slack[0]
    for i in range(DEGREE):
        here = z[i] + 0.0
        size = sqrt(abs2(here))
        value = a[DEGREE] + 0.0
        terms = sqrt(abs2(a[DEGREE]))
        loose = lanes(1.0)
        for k in range(DEGREE - 1, -1, -1):
            value = value * here + a[k]
            terms = terms * size + sqrt(abs2(a[k]))
            loose = loose * size + 1.0
        apart = lead + 0.0
        for j in range(DEGREE):
            if j != i:
                apart = apart * sqrt(abs2(here - z[j]))
        error = ROUNDING * terms + slack[0] * loose
        good = (apart > 1e-300) & (lead > 0.0)
        radius[i] = where(good, 6.0 * (1.0 + 1e-12) * (sqrt(abs2(value)) + error) / where(good, apart, 1.0), HUGE)


def isolate(
    count: int,
    c: Annotated[Complexes, "4"],
    slack: Reals,
    start: Complexes,
    Z: Annotated[Complexes, "6"],
    radii: Annotated[Reals, "6"],
    a: ComplexLanes,
    z: ComplexLanes,
    radius: RealLanes,
    state: RealLanes,
) -> None:
    """Roots and radii of `count` polynomials; state has two rows."""
    for first in range(0, count, WIDTH):
        for lane in range(WIDTH):
            row = min(first + lane, count - 1)
            for k in range(4):
                a[3 + k, lane] = c[row, k]
                a[3 - k, lane] = c[row, k].real - (c[row, k] - c[row, k].real)
            for i in range(DEGREE):
                z[i, lane] = start[i]
            state[1, lane] = slack[row]
        steps(a, z, state)
        discs(a, z, state[1:], radius)
        for lane in range(WIDTH):
            if first + lane < count:
                for i in range(DEGREE):
                    Z[first + lane, i] = z[i, lane]
                    radii[first + lane, i] = radius[i, lane]
