"""Straight-line linear algebra against NumPy's, for every zero pattern that matters."""

from itertools import permutations

import casadi as ca
import numpy as np
import pytest

from closedchain.derive.linear import Square, determinant, regularity, solve

RNG = np.random.default_rng(3)
ROUNDING = {"rtol": 1e-12, "atol": 1e-12}  # condition numbers below 100


def symbolic(pattern):
    """A matrix of symbols where the pattern is true, and the function that fills in numbers."""
    pattern = np.asarray(pattern, bool)
    A = ca.SX(*pattern.shape)
    symbols = ca.SX.sym("a", int(pattern.sum()))
    for k, (i, j) in enumerate(np.argwhere(pattern)):
        A[int(i), int(j)] = symbols[k]
    return A, symbols


def evaluated(symbols, expression, values):
    """The numbers of an expression."""
    return np.array(ca.Function("f", [symbols], [ca.densify(expression)])(values))


def shuffled(pattern):
    """The pattern with its rows and columns in a random order."""
    n = len(pattern)
    return np.asarray(pattern)[RNG.permutation(n)][:, RNG.permutation(n)]


BLOCKS = np.array(
    [
        [1, 1, 0, 1, 0, 1],
        [1, 1, 1, 0, 0, 0],
        [0, 0, 1, 0, 1, 0],
        [0, 0, 0, 1, 1, 1],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 1, 1],
    ]
)
PATTERNS = {
    "1 × 1": np.ones((1, 1)),
    "2 × 2": np.ones((2, 2)),
    "3 × 3": np.ones((3, 3)),
    "4 × 4": np.ones((4, 4)),
    "diagonal": np.eye(5),
    "triangular": np.triu(np.ones((5, 5))),
    "blocks 2, 1, 3": BLOCKS,
    "blocks, shuffled": shuffled(BLOCKS),
    "triangular, shuffled": shuffled(np.triu(np.ones((5, 5)))),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_the_block_solution_is_the_solution(name):
    """A x = b with several right-hand sides, block by block, whatever the order of rows and columns."""
    pattern = PATTERNS[name]
    A, symbols = symbolic(pattern)
    n = len(pattern)
    values = RNG.uniform(0.5, 2.0, symbols.numel()) * RNG.choice([-1, 1], symbols.numel())
    b = RNG.standard_normal((n, 2))
    dense = evaluated(symbols, A, values)
    x = evaluated(symbols, solve(A, ca.SX(b)), values)
    np.testing.assert_allclose(dense @ x, b, rtol=0, atol=1e-13 * np.linalg.cond(dense) * n)


def test_an_empty_system_has_an_empty_solution():
    """A robot without closures solves nothing."""
    assert solve(ca.SX(0, 0), ca.SX(0, 3)).shape == (0, 3)
    assert float(determinant(ca.SX(0, 0))) == 1.0


@pytest.mark.parametrize("name", PATTERNS)
def test_the_determinant_has_its_value_and_sign(name):
    """The product over blocks, with the signs of both permutations, is NumPy's determinant."""
    A, symbols = symbolic(PATTERNS[name])
    for _ in range(5):
        values = RNG.standard_normal(symbols.numel())
        got = evaluated(symbols, determinant(A), values)[0, 0]
        np.testing.assert_allclose(got, np.linalg.det(evaluated(symbols, A, values)), **ROUNDING)


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_every_permutation_matrix_keeps_its_sign(order):
    """A wrong sign would turn every assembly mode's name round: all 24 orders of four rows are tried."""
    A, symbols = symbolic(np.eye(4)[list(order)])
    values = np.array([2.0, 3.0, 5.0, 7.0])
    inversions = sum(order[i] > order[j] for i in range(4) for j in range(i + 1, 4))
    assert evaluated(symbols, determinant(A), values)[0, 0] == (-1) ** inversions * 210.0


def test_regularity_is_one_for_perpendicular_rows_and_zero_for_dependent_ones():
    """|det A| over the rows' lengths: the sine of the angle between two rows."""
    A, symbols = symbolic(np.ones((2, 2)))
    angle = 0.3
    rows = [[2.0, 0.0], [5 * np.cos(angle), 5 * np.sin(angle)]]
    np.testing.assert_allclose(evaluated(symbols, regularity(A), np.ravel(rows))[0, 0], np.sin(angle), **ROUNDING)
    assert evaluated(symbols, regularity(A), [3.0, 0.0, 0.0, 4.0])[0, 0] == 1.0
    assert evaluated(symbols, regularity(A), [1.0, 2.0, 2.0, 4.0])[0, 0] == 0.0


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_one_factorisation_solves_for_the_matrix_and_its_transpose(n):
    """A x = b and Aᵀ y = b, dense and block-triangular, against NumPy."""
    for shape in (np.ones((n, n)), np.tril(np.ones((n, n)))):
        A, symbols = symbolic(shape)
        values = RNG.standard_normal((n, n)) * shape + 2 * np.eye(n)
        b = RNG.standard_normal((n, 2))
        given = values[shape != 0] if shape.all() else np.array([values[i, j] for i, j in np.argwhere(shape)])
        factored = Square(A)
        x, y = (evaluated(symbols, e, given) for e in (factored.solve(ca.SX(b)), factored.solve_transposed(ca.SX(b))))
        np.testing.assert_allclose(x, np.linalg.solve(values, b), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(y, np.linalg.solve(values.T, b), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n", [6, 7, 12])
def test_a_determinant_of_many_rows_is_short_and_right(n):
    """Minors of twelve rows would be millions; rotations make them thousands, with the sign and zeros of det A."""
    A = ca.SX.sym("A", n, n)
    det = ca.Function("det", [A], [determinant(A)])
    assert det.n_instructions() < 5 * n**3 + 2000
    rng = np.random.default_rng(n)
    for _ in range(20):
        given = rng.standard_normal((n, n))
        given[:2, 0] = 0.0  # nothing to turn by in the first two rows
        np.testing.assert_allclose(float(det(given)), np.linalg.det(given), rtol=1e-11)
    given[:, 3] = 0.0
    assert float(det(given)) == 0.0
