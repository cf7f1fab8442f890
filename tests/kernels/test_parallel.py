"""Threads change the time, not the bits."""

import threading

import casadi as ca
import numpy as np
import pytest

from closedchain.kernels import Scan, parallel
from closedchain.kernels.gufunc import BadArguments
from closedchain.kernels.parallel import run, run_for_least
from closedchain.kernels.trace import trace


@pytest.fixture(scope="module")
def library(compiled):
    """A program, one with an empty input, and a scan."""
    q, p, none = ca.SX.sym("q", 3), ca.SX.sym("p", 2), ca.SX.sym("none", 0)
    y = ca.vertcat(ca.atan2(q[0], q[1]) * p[0], ca.exp(ca.sin(q[2])) / p[1])
    plain = trace("plain", {"q": q, "p": p}, {"y": y, "e": ca.dot(q, q)})
    empty = trace("empty", {"q": q, "none": none}, {"y": 2 * q})
    walk = trace("walk", {"q": q, "p": p}, {"q_next": ca.sin(q) + p[0], "e": ca.dot(q, q)})
    return compiled(plain, empty, Scan(walk, (("q", "q_next"),), ("p",), ("e",)))


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("batch", [(1000,), (5, 7), (1,), (0,), ()])
def test_any_number_of_threads_gives_the_same_bits(library, threads, batch):
    """Pieces of any size, also more threads than rows."""
    rng = np.random.default_rng(0)
    q, p = rng.normal(size=(*batch, 3)), rng.normal(size=2)
    for got, want in zip(run(library["plain"], (q, p), threads=threads), library["plain"](q, p), strict=True):
        assert got.shape == want.shape
        np.testing.assert_array_equal(got, want)


def test_what_is_broadcast_along_the_first_axis_stays_whole(library):
    """Parameters of each column, of all rows, and a first axis of size 1."""
    rng = np.random.default_rng(0)
    q = rng.normal(size=(20, 4, 3))
    for p in (rng.normal(size=(4, 2)), rng.normal(size=(1, 4, 2)), rng.normal(size=(20, 1, 2))):
        for got, want in zip(run(library["plain"], (q, p), threads=3), library["plain"](q, p), strict=True):
            np.testing.assert_array_equal(got, want)


def test_results_go_where_they_are_wanted(library):
    """`out` is filled, also for a routine with empty arguments."""
    q = np.random.default_rng(0).normal(size=(50, 3))
    out = np.empty((50, 3))
    assert run(library["empty"], (q, np.zeros(0)), out=[out], threads=2)[0] is out
    np.testing.assert_array_equal(out, 2 * q)


def test_rollouts_split_over_threads(library):
    """A scan's time axis is no batch axis."""
    rng = np.random.default_rng(0)
    q, p = rng.normal(size=(10, 3)), rng.normal(size=(10, 6, 2))
    for got, want in zip(run(library["walk"], (q, p), threads=4), library["walk"](q, p), strict=True):
        np.testing.assert_array_equal(got, want)


def test_other_threads_run_while_a_routine_works(library):
    """The interpreter lock is released: this thread sees results whose first row is there and whose last is not."""
    q = np.ones((1_000_000, 3))

    def half_done() -> bool:
        out = np.full((len(q), 2), np.nan)
        worker = threading.Thread(target=library["plain"], args=(q, np.ones(2)), kwargs={"out": (out, None)})
        worker.start()
        seen = False
        while worker.is_alive() and not seen:
            last, first = out[-1, 0], out[0, 0]  # in this order: the last is filled after the first
            seen = not np.isnan(first) and bool(np.isnan(last))
        worker.join()
        return seen

    assert any(half_done() for _ in range(50))


def test_wrong_arguments_are_refused(library):
    """Too few arrays, no threads."""
    with pytest.raises(BadArguments, match="2 arrays with core dimensions"):
        run(library["plain"], (np.zeros(3),))
    with pytest.raises(BadArguments, match="0 threads"):
        run(library["plain"], (np.zeros(3), np.zeros(2)), threads=0)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("batch", [(100,), (7, 13), (1,), (0,), ()])
@pytest.mark.parametrize("portion", [1, 10, 10**6])
def test_the_least_of_the_last_output_is_returned_and_the_others_kept(library, monkeypatch, threads, batch, portion):
    """Portions of any size, any batch; the least of none is infinite."""
    monkeypatch.setattr(parallel, "PORTION", portion)
    rng = np.random.default_rng(0)
    q, p = rng.normal(size=(*batch, 3)), rng.normal(size=2)
    y, e = library["plain"](q, p)
    out = np.full(y.shape, np.nan)
    assert run_for_least(library["plain"], (q, p), [out], threads) == np.min(e, initial=np.inf)
    np.testing.assert_array_equal(out, y)


def test_one_nan_makes_the_least_nan(library):
    """Wherever it is."""
    for where in (0, 50, 99):
        q = np.ones((100, 3))
        q[where, 2] = np.nan
        assert np.isnan(run_for_least(library["plain"], (q, np.ones(2)), [np.empty((100, 2))], threads=2))
