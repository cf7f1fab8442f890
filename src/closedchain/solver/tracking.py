"""Solution paths of a quadratic system whose coefficients move; written in the small Python of `kernels.loops`.

    F_e(z, t) = Σ_k C_k(t) z_i z_j = 0,     C(t) = C0 + t (C1 − C0),     t from 0 to 1

with terms k = (e, i, j) and z[n] = 1, so that terms with j = n are linear and those with i = j = n constant. A step
expands the path: with z(t + τ) = Σ_a z_a τ^a the coefficient of τ^a in F vanishes, which is one linear system with the
same matrix J = ∂F/∂z for each order,

    J z_a = − Σ_k [ C_k Σ_{0<b<a} z_b,i z_{a−b},j + Ċ_k Σ_{0≤b<a} z_b,i z_{a−1−b},j ].

The step is as long as the last term of the series allows; Newton's method then returns to the path, and a step whose
first correction is large, or whose second is not much smaller, is made again at a third of its length.
"""

from math import sqrt
from typing import Annotated

from closedchain.kernels.loops import Complexes, Integers, Reals, abs2

ORDER = 5  # of the expansion
DRIFT = 1e-4  # the last term of the expansion, of the size of z
JUMP = 1e-2  # a first correction beyond this is not trusted
CLOSE = 1e-9  # corrections along the path end below this
ROUGH = 1e-6  # corrections that rounding keeps from shrinking, far out, are good enough below this
SHORTEST = 1e-9  # a step shorter than this meets a singularity
FAR = 1e7  # a solution of this size has gone to infinity
TRIES = 400  # steps of one path
ARRIVED, LOST_FAR, LOST_SINGULAR, LOST_LONG = 0, 1, 2, 3
TINY = 1e-280


def residuals(n: int, m: int, terms: Annotated[Integers, 3], C: Complexes, z: Complexes, F: Complexes) -> None:
    """F(z); z has n + 1 numbers, the last one 1."""
    for e in range(n):
        F[e] = 0.0 + 0j
    for k in range(m):
        F[terms[k, 0]] += C[k] * (z[terms[k, 1]] * z[terms[k, 2]])


def jacobian(
    n: int, m: int, terms: Annotated[Integers, 3], C: Complexes, z: Complexes, J: Annotated[Complexes, "n + 1"]
) -> None:
    """∂F/∂z; the last column, of the constant 1, is not used."""
    for e in range(n):
        for i in range(n + 1):
            J[e, i] = 0.0 + 0j
    for k in range(m):
        J[terms[k, 0], terms[k, 1]] += C[k] * z[terms[k, 2]]
        J[terms[k, 0], terms[k, 2]] += C[k] * z[terms[k, 1]]


def factorise(n: int, A: Annotated[Complexes, "n + 1"], rows: Integers) -> int:
    """A = P L U in place by rows exchanged for the largest pivot; 0 where a column vanishes."""
    for k in range(n):
        best = abs2(A[k, k])
        row = k
        for i in range(k + 1, n):
            size = abs2(A[i, k])
            if size > best:
                best = size
                row = i
        if not best > TINY:
            return 0
        rows[k] = row
        if row != k:
            for j in range(n):
                held = A[k, j]
                A[k, j] = A[row, j]
                A[row, j] = held
        inverse = 1.0 / A[k, k]
        A[k, k] = inverse
        for i in range(k + 1, n):
            factor = A[i, k] * inverse
            A[i, k] = factor
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]
    return 1


def substitute(n: int, A: Annotated[Complexes, "n + 1"], rows: Integers, b: Complexes) -> None:
    """b becomes the solution of A x = b, A factorised with its pivots inverted."""
    for k in range(n):
        held = b[k]
        b[k] = b[rows[k]]
        b[rows[k]] = held
    for k in range(1, n):
        total = b[k]
        for j in range(k):
            total -= A[k, j] * b[j]
        b[k] = total
    for k in range(n - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, n):
            total -= A[k, j] * b[j]
        b[k] = total * A[k, k]


def size_of(n: int, z: Complexes) -> float:
    """√Σ|z|²."""
    total = 0.0
    for i in range(n):
        total += abs2(z[i])
    return sqrt(total)


def correct(
    n: int,
    m: int,
    terms: Annotated[Integers, 3],
    C: Complexes,
    z: Complexes,
    J: Annotated[Complexes, "n + 1"],
    F: Complexes,
    rows: Integers,
) -> float:
    """One step of Newton's method; its length, or −1 where J is singular."""
    residuals(n, m, terms, C, z, F)
    jacobian(n, m, terms, C, z, J)
    if factorise(n, J, rows) == 0:
        return -1.0
    substitute(n, J, rows, F)
    for i in range(n):
        z[i] -= F[i]
    return size_of(n, F)


def expand(
    n: int,
    m: int,
    terms: Annotated[Integers, 3],
    C: Complexes,
    D: Complexes,
    series: Annotated[Complexes, "n + 1"],
    J: Annotated[Complexes, "n + 1"],
    rows: Integers,
) -> None:
    """The path's derivatives: series[a] = z_a for a = 1 … ORDER, from series[0] = z and the factors of J."""
    for a in range(1, ORDER + 1):
        for e in range(n + 1):
            series[a, e] = 0.0 + 0j
        for k in range(m):
            e = terms[k, 0]
            i = terms[k, 1]
            j = terms[k, 2]
            inner = 0.0 + 0j
            for b in range(1, a):
                inner += series[b, i] * series[a - b, j]
            outer = 0.0 + 0j
            if abs2(D[k]) > 0.0:
                for b in range(a):
                    outer += series[b, i] * series[a - 1 - b, j]
            series[a, e] -= C[k] * inner + D[k] * outer
        substitute(n, J, rows, series[a])
        series[a, n] = 0.0 + 0j


def track(
    n: int,
    m: int,
    terms: Annotated[Integers, 3],
    C0: Complexes,
    C1: Complexes,
    paths: int,
    Z: Annotated[Complexes, "n + 1"],
    tightness: float,
    codes: Integers,
    ends: Reals,
    work: Annotated[Complexes, "n + 1"],
    coefficients: Complexes,
    D: Complexes,
    rows: Integers,
) -> None:
    """Follow each row of Z from t = 0 to 1 in place; codes tell how it ended and ends at which t.

    `work` holds J (n rows), the series (ORDER + 1) and two vectors.
    """
    for k in range(m):
        D[k] = C1[k] - C0[k]
    for p in range(paths):
        t = 0.0
        codes[p] = LOST_LONG
        rest = 1.0  # no longer than this
        for _ in range(TRIES):
            for k in range(m):
                coefficients[k] = C0[k] + t * D[k]
            for i in range(n + 1):
                work[n, i] = Z[p, i]
            jacobian(n, m, terms, coefficients, Z[p], work)
            if factorise(n, work, rows) == 0:
                codes[p] = LOST_SINGULAR
                break
            expand(n, m, terms, coefficients, D, work[n:], work, rows)
            scale = 1.0 + size_of(n, Z[p])
            last = size_of(n, work[n + ORDER]) + 1e-3 * size_of(n, work[n + ORDER - 1])
            length = 1.0
            if last > 0.0:  # last · length^ORDER = DRIFT · scale, by square roots: ORDER is 5
                ratio = tightness * DRIFT * scale / last
                length = fifth_root(ratio)
            length = min(min(length, rest), 1.0 - t)
            accepted = 0
            while accepted == 0:
                if length < SHORTEST:
                    break
                power = 1.0
                for i in range(n + 1):
                    work[n + ORDER + 1, i] = work[n, i]
                for a in range(1, ORDER + 1):
                    power = power * length
                    for i in range(n):
                        work[n + ORDER + 1, i] += power * work[n + a, i]
                ahead = t + length
                if length >= 1.0 - t:
                    ahead = 1.0
                for k in range(m):
                    coefficients[k] = C0[k] + ahead * D[k]
                first = correct(n, m, terms, coefficients, work[n + ORDER + 1], work, work[n + ORDER + 2], rows)
                good = first >= 0.0 and first <= tightness * JUMP * scale
                if good and first > CLOSE * scale:
                    second = correct(n, m, terms, coefficients, work[n + ORDER + 1], work, work[n + ORDER + 2], rows)
                    good = second >= 0.0 and (second <= 0.1 * first or second <= ROUGH * scale)
                if good:
                    accepted = 1
                    t = ahead
                    rest = 3.0 * length
                else:
                    length = length / 3.0
            if accepted == 0:
                codes[p] = LOST_SINGULAR
                if size_of(n, Z[p]) > 1e-2 * FAR:
                    codes[p] = LOST_FAR
                break
            for i in range(n):
                Z[p, i] = work[n + ORDER + 1, i]
            if size_of(n, Z[p]) > FAR:
                codes[p] = LOST_FAR
                break
            if t >= 1.0:
                codes[p] = ARRIVED
                break
        ends[p] = t


def fifth_root(x: float) -> float:
    """x^(1/5) for x > 0, by Newton's method from a power of two's square roots."""
    if x >= 1.0:
        return 1.0
    if x < 1e-60:
        return 1e-12
    y = sqrt(sqrt(x))  # between x^(1/5) squared … and above it
    for _ in range(60):
        y4 = y * y * y * y
        change = (y4 * y - x) / (5.0 * y4)
        y = y - change
        if abs(change) < 1e-3 * y:
            break
    return y


def polish(
    n: int,
    m: int,
    terms: Annotated[Integers, 3],
    C: Complexes,
    paths: int,
    Z: Annotated[Complexes, "n + 1"],
    lengths: Reals,
    work: Annotated[Complexes, "n + 1"],
    rows: Integers,
) -> None:
    """Newton's method on each row until it changes no more; lengths holds the last correction, −1 for none."""
    for p in range(paths):
        before = -1.0
        for _ in range(12):
            now = correct(n, m, terms, C, Z[p], work, work[n], rows)
            if now < 0.0:
                before = now
                break
            if before >= 0.0 and now >= 0.5 * before and now < 1e-9:
                before = min(before, now)
                break
            before = now
            if now == 0.0:
                break
        lengths[p] = before
