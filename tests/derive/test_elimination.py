"""The elimination of M z̈ − Φᵀλ = f, Φ z̈ = r against dense solutions, and how its length grows."""

import casadi as ca
import numpy as np
import pytest

import closedchain as cc
from closedchain.derive.elimination import Elimination, Scales
from closedchain.derive.marching import marching_programs
from closedchain.derive.mechanics import equations
from closedchain.robots.linkages.nfourbar import n_four_bar

RNG = np.random.default_rng(5)


def solved(M, Phi, force, r, augmented=False, **options):
    """z̈, λ, rank and how many closures were kept, of numbers; rows of one point are known to have a length."""
    n, m = M.shape[0], Phi.shape[0]
    symbols = ca.SX.sym("M", ca.Sparsity.lower(n)), ca.SX.sym("Phi", n * m)
    sparse = (Phi != 0).astype(int)
    P = ca.SX(m, n)
    for i, j in np.argwhere(sparse):
        P[i, j] = symbols[1][int(i) * n + int(j)]
    S = ca.tril2symm(symbols[0])
    f, rest = ca.SX.sym("f", n), ca.SX.sym("r", m)
    sizes = [ca.sumsqr(P[i, :]) if np.count_nonzero(Phi[i]) == 2 else None for i in range(m)]
    system = Elimination(S, P, Scales([ca.SX(1)] * n, [ca.SX(1)] * m) if augmented else None, sizes, **options)
    z_ddot, others = system.solve(f, rest)
    outputs = [z_ddot, system.multipliers(z_ddot, others, f), ca.densify(system.rank), ca.densify(system.kept)]
    function = ca.Function("solved", [*symbols, f, rest], outputs)
    made = function(ca.DM(np.tril(M)), Phi.ravel(), force, r)
    return [np.array(v).ravel() for v in made]


def dense(M, Phi, force, r):
    """The same by NumPy, with least squares where closures are dependent."""
    n, m = M.shape[0], Phi.shape[0]
    K = np.block([[M, -Phi.T], [Phi, np.zeros((m, m))]])
    return np.linalg.lstsq(K, np.concatenate([force, r]), rcond=1e-12)[0][:n]


def random_system(n, m, seed):
    """A positive definite M, and a sparse Φ: some closures of one point alone, some of two."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    Phi = np.zeros((m, n))
    for i in range(m):
        points = rng.choice(n // 2, 1 if i % 3 == 0 else 2, replace=False)
        for p in points:
            Phi[i, 2 * p : 2 * p + 2] = rng.standard_normal(2)
    return root @ root.T + n * np.eye(n), Phi


def test_a_closure_that_one_of_two_coordinates_implies_is_left_out_though_only_rounding_remains_of_it():
    """Three times another closure, but for rounding: after that one is taken out, 1e-16 is left and no direction."""
    M = np.diag([1.0, 2.0, 3.0])
    row = np.array([0.0, 0.3, 0.7])
    Phi = np.array([row, [0.5, 0.1, -0.2], 3 * row + [1e-17, 5e-17, -3e-17]])
    force, r = np.array([1.0, -2.0, 0.5]), np.array([0.4, 0.1, 1.2])
    z_ddot, _, _, kept = solved(M, Phi, force, r)
    assert kept == 2
    np.testing.assert_allclose(z_ddot, dense(M, Phi, force, r), atol=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_it_solves_what_a_dense_solver_solves(seed):
    """Random masses and closures, to the ground and between points; 1e-12 is the rounding of a hundred operations."""
    M, Phi = random_system(10, 6, seed)
    force, r = RNG.standard_normal(10), RNG.standard_normal(6)
    z_ddot, lam, _, kept = solved(M, Phi, force, r)
    if np.linalg.matrix_rank(Phi) == 6:
        assert kept == 6
    np.testing.assert_allclose(z_ddot, dense(M, Phi, force, r), atol=1e-12)
    np.testing.assert_allclose(M @ z_ddot - Phi.T @ lam, force, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(Phi @ z_ddot, r, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_lengths_that_one_closure_alone_knows_are_taken_out_with_it(seed):
    """Telescopes between points and to the ground, some with mass: the same z̈ and every λ as with the whole matrix."""
    M, _ = random_system(8, 5, seed)
    Phi = RNG.standard_normal((5, 8))
    Phi[0, 2:], Phi[1, 4:], Phi[2, :2] = 0.0, 0.0, 0.0
    Phi[:, 6:] = 0.0
    Phi[3, 6], Phi[4, 7] = 1.3, -0.7
    force, r = RNG.standard_normal(8), RNG.standard_normal(5)
    z_ddot, lam, _, _ = solved(M, Phi, force, r, lengths={3: 6, 4: 7}, dependent=False)
    K = np.block([[M, -Phi.T], [Phi, np.zeros((5, 5))]])
    wanted = np.linalg.solve(K, np.concatenate([force, r]))
    np.testing.assert_allclose(np.concatenate([z_ddot, lam]), wanted, atol=1e-10)


def test_the_margin_vanishes_where_closures_depend_on_one_another_though_none_may():
    """Two closures of two points that become one: the smallest pivot over its own diagonal is zero to rounding."""
    M = np.diag([1.0, 2.0, 3.0, 4.0])
    row = ca.SX([[1.0, 0.4, -1.0, -0.4]])
    for turn, least, most in ((0.3, 0.01, 1.0), (0.0, 0.0, 1e-15)):
        Phi = ca.vertcat(row, row + turn * ca.SX([[0.4, -1.0, -0.4, 1.0]]))
        margin = float(ca.DM(Elimination(ca.SX(M), Phi, dependent=False).margin))
        assert least <= margin <= most


def test_a_closure_said_twice_is_left_out_and_counted():
    """A third row that is the difference of two others changes nothing, and its multiplier is zero."""
    M, Phi = random_system(8, 4, 1)
    Phi[3] = Phi[1] - Phi[2]
    r = RNG.standard_normal(4)
    r[3] = r[1] - r[2]
    force = RNG.standard_normal(8)
    z_ddot, lam, _, kept = solved(M, Phi, force, r)
    assert kept == 3
    assert lam[3] == 0.0 or lam[1] == 0.0 or lam[2] == 0.0
    np.testing.assert_allclose(z_ddot, dense(M, Phi[:3], force, r[:3]), atol=1e-12)


def test_a_massless_body_that_closures_hold_needs_the_augmented_form():
    """M without the first point's mass: M + ρ ΦᵀΦ gives what the whole matrix gives."""
    M, Phi = np.diag([0.0, 0.0, 2.0, 2.0, 3.0, 3.0]), np.zeros((2, 6))
    Phi[0, :4], Phi[1, [0, 1, 4, 5]] = [1.0, 0.5, -1.0, -0.5], [-0.3, 1.0, 0.3, -1.0]
    force, r = RNG.standard_normal(6), RNG.standard_normal(2)
    force[:2] = Phi[:, :2].T @ [0.4, -0.7]  # a force that the two closures can bear
    z_ddot, _, _, _ = solved(M, Phi, force, r, augmented=True)
    K = np.block([[M, -Phi.T], [Phi, np.zeros((2, 2))]])
    np.testing.assert_allclose(z_ddot, np.linalg.solve(K, np.concatenate([force, r]))[:6], atol=1e-13)


def test_the_code_of_a_chain_grows_like_its_length():
    """Instructions a loop: the same at 10 and at 40 windows, and at most 150 for a stage."""
    count = {}
    for N in (10, 40):
        programs = marching_programs(equations(n_four_bar(N).description), False, False)
        count[N] = {p.name: len(p.code) for p in programs}
    for name in ("flow", "settle"):
        assert count[40][name] <= 4.02 * count[10][name]
    assert count[40]["flow"] <= 150 * 40


def test_forward_dynamics_is_right_just_before_the_chain_lies_flat():
    """Upright angles of 1e-5: every joint has the acceleration of the one pendulum that the chain is."""
    chain = cc.load("nfourbar:3")
    angle, rate = 1e-5, 2.0
    N, c, s = 3, np.cos(angle), np.sin(angle)
    x = np.array([[i + c, s] for i in range(N + 1)]).ravel()
    state = cc.state(chain, x=x, x_dot=rate * np.array([[-s, c]] * (N + 1)).ravel())
    found = cc.forward_dynamics(chain, state, []).x_ddot.reshape(-1, 2)
    turn = -9.81 * c * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    want = turn * np.array([-s, c]) - rate**2 * np.array([c, s])
    np.testing.assert_allclose(
        found, np.broadcast_to(want, (N + 1, 2)), atol=1e-8
    )  # rounding of 1e-16 over 1e-5, squared by v²
