"""Solution paths of a quadratic system whose coefficients move; written in the small Python of `kernels.loops`.

    F_e(z, t) = Σ_k (c_k + t d_k) z_i z_j = 0,     t from 0 to 1,     z[n] = 1

Products z_i z_j that several equations have are made once: `left` and `right` are the factors of each product, and the
terms of equation e, from `first[e]` to `first[e + 1]`, are products with real factors c that do not move; those from
`moving[e]` to `moving[e + 1]` have complex C that move along D. A step expands the path: with z(t + τ) = Σ_a z_a τ^a
the coefficient of τ^a in F vanishes, which is one linear system with the same matrix J = ∂F/∂z for each order,

    J z_a = − Σ_k [ C_k Σ_{0<b<a} z_b,i z_{a−b},j + D_k Σ_{0≤b<a} z_b,i z_{a−1−b},j ].

The step is as long as the last term of the series allows; Newton's method then returns to the path, and a step whose
first correction is large, or whose second is not much smaller, is made again at a third of its length. As many paths as
there are lanes are followed at once, each with a t and a step of its own; a lane whose path ends takes the next one.
"""

from typing import Annotated

from closedchain.kernels.loops import (
    LANES,
    Complexes,
    ComplexLanes,
    Integers,
    RealLanes,
    Reals,
    abs2,
    lanes,
    some,
    sqrt,
    where,
)

WIDTH = 8  # lanes
ORDER = 5  # of the expansion
DRIFT = 1e-4  # the last term of the expansion, of the size of z
JUMP = 1e-2  # a first correction beyond this is not trusted
CLOSE = 1e-9  # corrections along the path end below this
ROUGH = 1e-6  # corrections that rounding keeps from shrinking, far out, are good enough below this
SAME = 1e-3  # factors of J serve for the next expansion after corrections below this
SHORTEST = 1e-9  # a step shorter than this meets a singularity
FAR = 1e7  # a solution of this size has gone to infinity
TRIES = 500  # steps of one path
ARRIVED, LOST_FAR, LOST_SINGULAR, LOST_LONG = 0, 1, 2, 3
TINY = 1e-280
PIVOT = 16.0  # rows are exchanged where another one's square is larger by more than this
T, REST, LENGTH, STEPS, REGULAR, FIRST, SECOND, SIZE = 0, 1, 2, 3, 4, 5, 6, 7  # of each lane
STATES = 8
assert WIDTH == LANES


def products(pairs: int, left: Integers, right: Integers, z: ComplexLanes, W: ComplexLanes) -> None:
    """W = z_i z_j."""
    for p in range(pairs):
        W[p] = z[left[p]] * z[right[p]]


def residuals(
    n: int,
    first: Integers,
    product: Integers,
    c: Reals,
    moving: Integers,
    moved: Integers,
    C: Complexes,
    D: Complexes,
    t: RealLanes,
    W: ComplexLanes,
    F: ComplexLanes,
) -> None:
    """F(z) from the products W."""
    for e in range(n):
        total = lanes(0.0 + 0j)
        for k in range(first[e], first[e + 1]):
            total = total + W[product[k]] * c[k]
        for k in range(moving[e], moving[e + 1]):
            total = total + (C[k] + t[0] * D[k]) * W[moved[k]]
        F[e] = total


def jacobian(
    n: int,
    left: Integers,
    right: Integers,
    first: Integers,
    product: Integers,
    c: Reals,
    moving: Integers,
    moved: Integers,
    C: Complexes,
    D: Complexes,
    t: RealLanes,
    z: ComplexLanes,
    J: Annotated[ComplexLanes, "n + 1"],
) -> None:
    """∂F/∂z; the last column, of the constant 1, is not used."""
    for e in range(n):
        for i in range(n + 1):
            J[e, i] = lanes(0.0 + 0j)
        for k in range(first[e], first[e + 1]):
            i = left[product[k]]
            j = right[product[k]]
            J[e, i] = J[e, i] + z[j] * c[k]
            J[e, j] = J[e, j] + z[i] * c[k]
        for k in range(moving[e], moving[e + 1]):
            i = left[moved[k]]
            j = right[moved[k]]
            here = C[k] + t[0] * D[k]
            J[e, i] = J[e, i] + here * z[j]
            J[e, j] = J[e, j] + here * z[i]


def factorise(
    n: int, A: Annotated[ComplexLanes, "n + 1"], pivots: RealLanes, swapped: Integers, regular: RealLanes
) -> None:
    """A = P L U in place, pivots inverted; rows are exchanged in the lanes that need it. regular = 0 where it fails."""
    regular[0] = lanes(1.0)
    for k in range(n):
        own = abs2(A[k, k])
        best = own
        row = lanes(0.0) + k
        for i in range(k + 1, n):
            size = abs2(A[i, k])
            row = where(size > best, float(i), row)
            best = where(size > best, size, best)
        regular[0] = where(best > TINY, regular[0], 0.0)
        poor = best > PIVOT * own
        swapped[k] = 0
        if some(poor):
            swapped[k] = 1
            pivots[k] = where(poor, row, float(k))
            for i in range(k + 1, n):
                here = pivots[k] == float(i)
                if some(here):
                    for j in range(n):
                        one = where(here, A[i, j], A[k, j])
                        A[i, j] = where(here, A[k, j], A[i, j])
                        A[k, j] = one
        inverse = lanes(1.0) / where(best > TINY, A[k, k], 1.0)
        A[k, k] = inverse
        for i in range(k + 1, n):
            factor = A[i, k] * inverse
            A[i, k] = factor
            for j in range(k + 1, n):
                A[i, j] = A[i, j] - factor * A[k, j]


def substitute(
    n: int, A: Annotated[ComplexLanes, "n + 1"], pivots: RealLanes, swapped: Integers, b: ComplexLanes
) -> None:
    """b becomes the solution of A x = b, A factorised with its pivots inverted."""
    for k in range(n):
        if swapped[k] == 1:
            for i in range(k + 1, n):
                here = pivots[k] == float(i)
                if some(here):
                    one = where(here, b[i], b[k])
                    b[i] = where(here, b[k], b[i])
                    b[k] = one
    for k in range(1, n):
        total = lanes(0.0 + 0j) + b[k]
        for j in range(k):
            total = total - A[k, j] * b[j]
        b[k] = total
    for k in range(n - 1, -1, -1):
        total = lanes(0.0 + 0j) + b[k]
        for j in range(k + 1, n):
            total = total - A[k, j] * b[j]
        b[k] = total * A[k, k]


def size_of(n: int, z: ComplexLanes, size: RealLanes) -> None:
    """√Σ|z|²."""
    total = lanes(0.0)
    for i in range(n):
        total = total + abs2(z[i])
    size[0] = sqrt(total)


def expand(
    n: int,
    pairs: int,
    left: Integers,
    right: Integers,
    driven: Integers,
    first: Integers,
    product: Integers,
    c: Reals,
    moving: Integers,
    moved: Integers,
    C: Complexes,
    D: Complexes,
    t: RealLanes,
    series: Annotated[ComplexLanes, "n + 1"],
    J: Annotated[ComplexLanes, "n + 1"],
    pivots: RealLanes,
    swapped: Integers,
    inner: ComplexLanes,
    whole: ComplexLanes,
) -> None:
    """The path's derivatives: series[a] = z_a for a = 1 … ORDER, from series[0] = z and the factors of J.

    `whole` are the products' coefficients of one order less, `inner` those without the ends of the sum; driven[p] = 1
    for the products whose factor moves.
    """
    for p in range(pairs):
        inner[p] = lanes(0.0 + 0j)
        if driven[p] == 1:
            whole[p] = series[0, left[p]] * series[0, right[p]]
    for a in range(1, ORDER + 1):
        if a > 1:
            for p in range(pairs):
                i = left[p]
                j = right[p]
                if i < n and j < n:
                    total = lanes(0.0 + 0j)
                    for b in range(1, a):
                        total = total + series[b, i] * series[a - b, j]
                    inner[p] = total
        for e in range(n):
            total = lanes(0.0 + 0j)
            if a > 1:
                for k in range(first[e], first[e + 1]):
                    total = total - inner[product[k]] * c[k]
            for k in range(moving[e], moving[e + 1]):
                p = moved[k]
                total = total - (C[k] + t[0] * D[k]) * inner[p] - D[k] * whole[p]
            series[a, e] = total
        series[a, n] = lanes(0.0 + 0j)
        substitute(n, J, pivots, swapped, series[a])
        if a < ORDER:
            for p in range(pairs):
                i = left[p]
                j = right[p]
                if driven[p] == 0:
                    continue
                whole[p] = inner[p] + series[0, i] * series[a, j] + series[a, i] * series[0, j]


def step_length(n: int, series: Annotated[ComplexLanes, "n + 1"], tightness: float, state: RealLanes) -> None:
    """How far the series may go: last · length^ORDER = tightness · DRIFT · size."""
    size_of(n, series[ORDER], state[FIRST:])
    size_of(n, series[ORDER - 1], state[SECOND:])
    size_of(n, series[0], state[SIZE:])
    last = state[FIRST] + 1e-3 * state[SECOND]
    ratio = tightness * DRIFT * (1.0 + state[SIZE]) / where(last > 1e-200, last, 1e-200)
    ratio = where(ratio < 1.0, ratio, 1.0)
    half = sqrt(ratio)
    eighth = sqrt(sqrt(half))
    sixteenth = sqrt(eighth)
    fine = sqrt(sqrt(sqrt(sixteenth)))  # of 1/128
    length = eighth * sixteenth * fine * sqrt(fine)  # ratio^0.1992: a fifth, by square roots, and a little more
    length = where(length < state[REST], length, state[REST])
    left = 1.0 - state[T]
    state[LENGTH] = where(length < left, length, left)


def track(
    n: int,
    pairs: int,
    left: Integers,
    right: Integers,
    driven: Integers,
    first: Integers,
    product: Integers,
    c: Reals,
    moving: Integers,
    moved: Integers,
    C: Complexes,
    D: Complexes,
    paths: int,
    Z: Annotated[Complexes, "n + 1"],
    tightness: float,
    codes: Integers,
    ends: Reals,
    J: Annotated[ComplexLanes, "n + 1"],
    series: Annotated[ComplexLanes, "n + 1"],
    ahead: ComplexLanes,
    F: ComplexLanes,
    W: ComplexLanes,
    V: ComplexLanes,
    pivots: RealLanes,
    swapped: Integers,
    state: RealLanes,
    held: Integers,
) -> int:
    """Follow each row of Z from t = 0 to 1 in place; codes tell how it ended, ends at which t. The steps made."""
    given = 0
    steps = 0
    running = 0
    for lane in range(WIDTH):
        held[lane] = -1
        take(n, lane, min(given, paths - 1), Z, series, state)
        if given < paths:
            held[lane] = given
            given += 1
            running += 1
    fresh = 0  # whether the factors of the last correction serve for the next expansion: they differ by its length
    while running > 0:
        if fresh == 0:
            jacobian(n, left, right, first, product, c, moving, moved, C, D, state[T:], series[0], J)
            factorise(n, J, pivots, swapped, state[REGULAR:])
        stuck = state[REGULAR] < 0.5
        expand(
            n,
            pairs,
            left,
            right,
            driven,
            first,
            product,
            c,
            moving,
            moved,
            C,
            D,
            state[T:],
            series,
            J,
            pivots,
            swapped,
            W,
            V,
        )
        step_length(n, series, tightness, state)
        power = lanes(1.0)
        for i in range(n + 1):
            ahead[i] = series[0, i]
        for a in range(1, ORDER + 1):
            power = power * state[LENGTH]
            for i in range(n):
                ahead[i] = ahead[i] + series[a, i] * power
        state[STEPS] = state[STEPS] + 1.0
        steps += running
        start = state[T] + 0.0
        state[T] = where(state[LENGTH] < 1.0 - start, start + state[LENGTH], 1.0)
        scale = 1.0 + state[SIZE]
        products(pairs, left, right, ahead, W)
        residuals(n, first, product, c, moving, moved, C, D, state[T:], W, F)
        jacobian(n, left, right, first, product, c, moving, moved, C, D, state[T:], ahead, J)
        factorise(n, J, pivots, swapped, state[REGULAR:])
        move(n, J, pivots, swapped, F, ahead, state[FIRST:])
        good = (state[FIRST] <= tightness * JUMP * scale) & (state[REGULAR] > 0.5)
        if some(good & (state[FIRST] > CLOSE * scale)):  # once more, with the same factors
            products(pairs, left, right, ahead, W)
            residuals(n, first, product, c, moving, moved, C, D, state[T:], W, F)
            move(n, J, pivots, swapped, F, ahead, state[SECOND:])
            close = state[FIRST] <= CLOSE * scale
            good = good & (close | (state[SECOND] <= 0.1 * state[FIRST]) | (state[SECOND] <= ROUGH * scale))
        for i in range(n):
            series[0, i] = where(good, ahead[i], series[0, i])
        state[T] = where(good, state[T], start)
        state[REST] = where(good, 3.0 * state[LENGTH], state[LENGTH] / 3.0)
        size_of(n, series[0], state[SIZE:])
        fresh = 1
        if some((state[T] <= start) | (state[FIRST] > SAME * scale)):
            fresh = 0
        over = (state[T] >= 1.0) | (state[REST] < SHORTEST) | (state[STEPS] >= TRIES) | (state[SIZE] > FAR) | stuck
        if some(over):
            state[FIRST] = where(over, 1.0, 0.0)
            state[REGULAR] = where(stuck, 0.0, 1.0)
            for lane in range(WIDTH):
                if state[FIRST, lane] > 0.5 and held[lane] >= 0:
                    put(n, lane, held[lane], Z, codes, ends, series, state)
                    held[lane] = -1
                    running -= 1
                    if given < paths:
                        take(n, lane, given, Z, series, state)
                        fresh = 0
                        held[lane] = given
                        given += 1
                        running += 1
    return steps


def take(
    n: int,
    lane: int,
    path: int,
    Z: Annotated[Complexes, "n + 1"],
    series: Annotated[ComplexLanes, "n + 1"],
    state: RealLanes,
) -> None:
    """Begin a path in a lane."""
    for i in range(n + 1):
        series[0, i, lane] = Z[path, i]
    state[T, lane] = 0.0
    state[REST, lane] = 1.0
    state[STEPS, lane] = 0.0


def put(
    n: int,
    lane: int,
    path: int,
    Z: Annotated[Complexes, "n + 1"],
    codes: Integers,
    ends: Reals,
    series: Annotated[ComplexLanes, "n + 1"],
    state: RealLanes,
) -> None:
    """Write where a lane's path ended, and how."""
    for i in range(n):
        Z[path, i] = series[0, i, lane]
    ends[path] = state[T, lane]
    codes[path] = LOST_LONG
    if state[SIZE, lane] > FAR:
        codes[path] = LOST_FAR
    elif state[T, lane] >= 1.0:
        codes[path] = ARRIVED
    elif state[REST, lane] < SHORTEST or state[REGULAR, lane] < 0.5:
        codes[path] = LOST_SINGULAR
        if state[SIZE, lane] > 1e-2 * FAR:
            codes[path] = LOST_FAR


def move(
    n: int,
    J: Annotated[ComplexLanes, "n + 1"],
    pivots: RealLanes,
    swapped: Integers,
    F: ComplexLanes,
    z: ComplexLanes,
    length: RealLanes,
) -> None:
    """One step of Newton's method with the factors of J, and its length."""
    substitute(n, J, pivots, swapped, F)
    for i in range(n):
        z[i] = z[i] - F[i]
    size_of(n, F, length)


def polish(
    n: int,
    pairs: int,
    left: Integers,
    right: Integers,
    driven: Integers,
    first: Integers,
    product: Integers,
    c: Reals,
    moving: Integers,
    moved: Integers,
    C: Complexes,
    D: Complexes,
    paths: int,
    Z: Annotated[Complexes, "n + 1"],
    lengths: Reals,
    J: Annotated[ComplexLanes, "n + 1"],
    series: Annotated[ComplexLanes, "n + 1"],
    F: ComplexLanes,
    W: ComplexLanes,
    pivots: RealLanes,
    swapped: Integers,
    state: RealLanes,
) -> None:
    """Newton's method on each row until it changes no more; lengths holds the last correction, −1 for none."""
    for start in range(0, paths, WIDTH):
        for lane in range(WIDTH):
            take(n, lane, min(start + lane, paths - 1), Z, series, state)
        state[SECOND] = lanes(1e300)  # the correction before
        state[STEPS] = lanes(1.0)  # whether a lane still moves
        for _ in range(12):
            products(pairs, left, right, series[0], W)
            residuals(n, first, product, c, moving, moved, C, D, state[T:], W, F)
            jacobian(n, left, right, first, product, c, moving, moved, C, D, state[T:], series[0], J)
            factorise(n, J, pivots, swapped, state[REGULAR:])
            substitute(n, J, pivots, swapped, F)
            size_of(n, F, state[FIRST:])
            moves = (state[STEPS] > 0.5) & (state[REGULAR] > 0.5)
            for i in range(n):
                series[0, i] = where(moves, series[0, i] - F[i], series[0, i])
            ended = (state[FIRST] >= 0.5 * state[SECOND]) & (state[FIRST] < 1e-9)
            lesser = where(state[FIRST] < state[SECOND], state[FIRST], state[SECOND])
            last = where(ended, lesser, state[FIRST])
            state[SECOND] = where(moves, last, where(state[STEPS] > 0.5, -1.0, state[SECOND]))
            state[STEPS] = where(moves & (state[FIRST] > 0.0), where(ended, 0.0, 1.0), 0.0)
            if not some(state[STEPS] > 0.5):
                break
        for lane in range(WIDTH):
            if start + lane < paths:
                for i in range(n):
                    Z[start + lane, i] = series[0, i, lane]
                lengths[start + lane] = state[SECOND, lane]


def magnitudes(
    n: int,
    left: Integers,
    right: Integers,
    first: Integers,
    product: Integers,
    c: Reals,
    moving: Integers,
    moved: Integers,
    C: Complexes,
    size: RealLanes,
    F: RealLanes,
    J: Annotated[RealLanes, "n + 1"],
    h: Reals,
) -> None:
    """Sums of the absolute values of the terms of F and of J, at |z| = size; h are twice those of the products."""
    for e in range(n):
        total = lanes(0.0)
        h[e] = 0.0
        for i in range(n + 1):
            J[e, i] = lanes(0.0)
        for k in range(first[e], first[e + 1]):
            i = left[product[k]]
            j = right[product[k]]
            much = abs(c[k])
            total = total + much * size[i] * size[j]
            J[e, i] = J[e, i] + much * size[j]
            J[e, j] = J[e, j] + much * size[i]
            if i < n and j < n:
                h[e] = h[e] + 2.0 * much
        for k in range(moving[e], moving[e + 1]):
            i = left[moved[k]]
            j = right[moved[k]]
            much = sqrt(abs2(C[k]))
            total = total + much * size[i] * size[j]
            J[e, i] = J[e, i] + much * size[j]
            J[e, j] = J[e, j] + much * size[i]
            if i < n and j < n:
                h[e] = h[e] + 2.0 * much
        F[e] = total


def bounds(
    n: int,
    pairs: int,
    left: Integers,
    right: Integers,
    driven: Integers,
    first: Integers,
    product: Integers,
    c: Reals,
    moving: Integers,
    moved: Integers,
    C: Complexes,
    D: Complexes,
    paths: int,
    Z: Annotated[Complexes, "n + 1"],
    F_rounding: float,
    J_rounding: float,
    rounding: float,
    eta: Reals,
    delta: Reals,
    kappa: Reals,
    J: Annotated[ComplexLanes, "n + 1"],
    A: Annotated[ComplexLanes, "n + 1"],
    slopes: Annotated[ComplexLanes, "n + 1"],
    series: Annotated[ComplexLanes, "n + 1"],
    F: ComplexLanes,
    W: ComplexLanes,
    size: RealLanes,
    F_size: RealLanes,
    J_size: Annotated[RealLanes, "n + 1"],
    h: Reals,
    pivots: RealLanes,
    swapped: Integers,
    state: RealLanes,
) -> None:
    """The bounds η, δ, κ of `certificate` at each row of Z; infinite where J is singular.

    Column i of A = J⁻¹ is A[i]; F_rounding, J_rounding and rounding are relative errors of sums of terms.
    """
    for start in range(0, paths, WIDTH):
        for lane in range(WIDTH):
            take(n, lane, min(start + lane, paths - 1), Z, series, state)
        products(pairs, left, right, series[0], W)
        residuals(n, first, product, c, moving, moved, C, D, state[T:], W, F)
        jacobian(n, left, right, first, product, c, moving, moved, C, D, state[T:], series[0], slopes)
        for i in range(n + 1):
            size[i] = sqrt(abs2(series[0, i]))
        magnitudes(n, left, right, first, product, c, moving, moved, C, size, F_size, J_size, h)
        for e in range(n):
            F_size[e] = F_rounding * F_size[e] + rounding * sqrt(abs2(F[e]))
            for i in range(n):
                J[e, i] = slopes[e, i] + 0.0
                J_size[e, i] = J_rounding * J_size[e, i] + rounding * sqrt(abs2(slopes[e, i]))
        factorise(n, J, pivots, swapped, state[REGULAR:])
        for i in range(n):
            for e in range(n):
                A[i, e] = lanes(0.0 + 0j)
            A[i, i] = lanes(1.0 + 0j)
            substitute(n, J, pivots, swapped, A[i])
        state[FIRST] = lanes(0.0)
        state[SECOND] = lanes(0.0)
        state[SIZE] = lanes(0.0)
        state[LENGTH] = lanes(0.0)  # finite where all bounds are
        for i in range(n):
            step = lanes(0.0 + 0j)
            rough = lanes(0.0)
            curved = lanes(0.0)
            for e in range(n):
                much = sqrt(abs2(A[e, i]))
                step = step + A[e, i] * F[e]
                rough = rough + much * F_size[e]
                curved = curved + much * h[e]
            defect = lanes(0.0)
            for j in range(n):
                entry = lanes(0.0 + 0j)
                if i == j:
                    entry = lanes(1.0 + 0j)
                for e in range(n):
                    entry = entry - A[e, i] * slopes[e, j]
                    defect = defect + sqrt(abs2(A[e, i])) * J_size[e, j]
                defect = defect + sqrt(abs2(entry))
            rough = rough + sqrt(abs2(step))
            state[LENGTH] = state[LENGTH] + rough + defect + curved
            state[FIRST] = where(rough > state[FIRST], rough, state[FIRST])
            state[SECOND] = where(defect > state[SECOND], defect, state[SECOND])
            state[SIZE] = where(curved > state[SIZE], curved, state[SIZE])
        for lane in range(WIDTH):
            if start + lane < paths:
                eta[start + lane] = state[FIRST, lane]
                delta[start + lane] = state[SECOND, lane]
                kappa[start + lane] = state[SIZE, lane]
                if state[REGULAR, lane] < 0.5 or not state[LENGTH, lane] < 1e300:
                    delta[start + lane] = 1e300
