"""Makes exact_loop.json: 3 s of the biglide under computed torque at 1 kHz, with 30 digits.

A sampled-data system: the law of seed 000 eq 53 decides at t_k = k/1000 s and its efforts are held until t_{k+1}. In
between q̈ = M⁻¹(τ − c) in the drives, by Gauss's collocation with five points (order 10; halving its step changes
nothing in 27 digits). All is derived here by hand, with legs as unit vectors; nothing is taken from closedchain.

    python tests/data/make_exact_loop.py [seconds]      takes about half a minute for 3 s
"""

import json
import sys
from pathlib import Path

from mpmath import matrix, mp, mpf, polyroots, sqrt, taylor

mp.dps = 30
L, D, M_P, M_F, K = mpf(0.3606), mpf(0.4), mpf(3), mpf(1), mpf(100)  # the doubles that the robot has
START, END, T = (mpf(0), mpf(0.3)), (mpf(0.1), mpf(0.5)), mpf(3)
RATE, KEEP = 1000, 50  # [1/s], rows kept in each second are RATE/KEEP


def reference(t):
    """q, q̇, q̈ of the drives: a quintic of the tip, then each leg by itself, w the tip's distance from its rail."""
    s = t / T
    shape = (
        10 * s**3 - 15 * s**4 + 6 * s**5,
        (30 * s**2 - 60 * s**3 + 30 * s**4) / T,
        (60 * s - 180 * s**2 + 120 * s**3) / T**2,
    )
    (x, x1, x2), (y, y1, y2) = (
        [a + (b - a) * shape[0], (b - a) * shape[1], (b - a) * shape[2]] for a, b in zip(START, END, strict=True)
    )
    rows = []
    for w in (x + D / 2, x - D / 2):
        r = sqrt(L**2 - w**2)
        rows.append((y - r, y1 + w * x1 / r, y2 + (x1**2 + w * x2) / r + (w * x1) ** 2 / r**3))
    return [[row[order] for row in rows] for order in range(3)]


def tip(q):
    """C above the line of the feet."""
    half, lift = (q[0] - q[1]) / 2, D / 2
    a2 = half**2 + lift**2
    h = sqrt((L**2 - a2) / a2)
    return h * half, (q[0] + q[1]) / 2 + h * lift


def model(q, v):
    """M (2 × 2) and c (2): u_i along each leg, u_i·ẋ = u_iy q̇_i, u_i·ẍ = u_iy q̈_i − |ẋ − q̇_i ŷ|²/l."""
    x, y = tip(q)
    u = [((x + D / 2) / L, (y - q[0]) / L), ((x - D / 2) / L, (y - q[1]) / L)]
    det = u[0][0] * u[1][1] - u[0][1] * u[1][0]

    def solve(a, b):
        return (a * u[1][1] - u[0][1] * b) / det, (u[0][0] * b - a * u[1][0]) / det

    columns = (solve(u[0][1], mpf(0)), solve(mpf(0), u[1][1]))  # of J
    x_dot = [columns[0][k] * v[0] + columns[1][k] * v[1] for k in (0, 1)]
    spin = [(x_dot[0] ** 2 + (x_dot[1] - v[i]) ** 2) / L for i in (0, 1)]
    drift = solve(-spin[0], -spin[1])
    M = [
        [M_P * sum(a * b for a, b in zip(columns[i], columns[j], strict=True)) + (M_F if i == j else 0) for j in (0, 1)]
        for i in (0, 1)
    ]
    return M, [M_P * sum(a * b for a, b in zip(columns[i], drift, strict=True)) for i in (0, 1)]


def command(t, q, v):
    """τ = M (q̈_ref + K (q̇_ref − q̇) + K (q_ref − q)) + c."""
    at, speed, pull = reference(t)
    wanted = [pull[i] + K * (speed[i] - v[i]) + K * (at[i] - q[i]) for i in (0, 1)]
    M, c = model(q, v)
    return [M[i][0] * wanted[0] + M[i][1] * wanted[1] + c[i] for i in (0, 1)]


def acceleration(q, v, tau):
    """q̈ by Cramer's rule."""
    M, c = model(q, v)
    a, b = tau[0] - c[0], tau[1] - c[1]
    det = M[0][0] * M[1][1] - M[0][1] * M[1][0]
    return (a * M[1][1] - M[0][1] * b) / det, (M[0][0] * b - a * M[1][0]) / det


def collocation(points):
    """Nodes c, matrix a and weights b of Gauss's method: Legendre's roots, and integrals of Lagrange's polynomials."""
    legendre = [c * mpf(1) for c in reversed(taylor(lambda s: mp.legendre(points, 2 * s - 1), 0, points))]
    nodes = sorted(polyroots(legendre, maxsteps=500, extraprec=200))
    powers = matrix([[c**k for c in nodes] for k in range(points)])
    inverse = powers**-1

    def weights(end):
        return list(inverse * matrix([end ** (k + 1) / (k + 1) for k in range(points)]))

    return [weights(c) for c in nodes], weights(mpf(1))


A, B = collocation(5)


def advance(q, v, tau, h):
    """One step under held efforts; the stages are iterated until they stand still."""
    slopes = [(v[0], v[1], *acceleration(q, v, tau))] * len(B)
    y = (*q, *v)
    for _ in range(40):
        stages = [[y[k] + h * sum(a * s[k] for a, s in zip(row, slopes, strict=True)) for k in range(4)] for row in A]
        new = [(s[2], s[3], *acceleration(s[:2], s[2:], tau)) for s in stages]
        change = max(abs(n[k] - s[k]) for n, s in zip(new, slopes, strict=True) for k in range(4))
        slopes = new
        if change < mpf(10) ** -29:
            break
    after = [y[k] + h * sum(b * s[k] for b, s in zip(B, slopes, strict=True)) for k in range(4)]
    return after[:2], after[2:]


def simulate(seconds, steps=1):
    """Rows of t, q, x, q̇ and the command that holds from t on."""
    q, v = reference(mpf(0))[:2]
    rows = []
    for k in range(round(seconds * RATE) + 1):
        tau = command(mpf(k) / RATE, q, v)
        if k % KEEP == 0:
            rows.append([mpf(k) / RATE, *q, *tip(q), *v, *tau])
        for _ in range(steps):
            q, v = advance(q, v, tau, mpf(1) / RATE / steps)
    return rows


if __name__ == "__main__":
    table = simulate(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
    header = {
        "origin": "make_exact_loop.py beside this file, 30 digits",
        "columns": ["t", "q1", "q2", "x", "y", "q1_dot", "q2_dot", "tau1", "tau2"],
    }
    rows = ",\n  ".join(json.dumps([mp.nstr(v, 25) for v in row]) for row in table)
    head = ",\n ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in header.items())
    Path(__file__).with_name("exact_loop.json").write_text(
        f'{{\n {head},\n "rows": [\n  {rows}\n ]\n}}\n', encoding="utf-8"
    )
