"""Compiled functions of one state: the gufunc's bits, anything else to the fallback, no reference lost or kept."""

import gc
import subprocess
import sys
import tracemalloc
import weakref
from dataclasses import replace
from typing import NamedTuple

import casadi as ca
import numpy as np
import pytest

from closedchain.kernels import Operand, fastcall
from closedchain.kernels.build import Builder
from closedchain.kernels.fastcall import CannotBind, usable
from closedchain.kernels.trace import trace

pytestmark = pytest.mark.skipif(not usable(), reason="this interpreter gets the fallback itself")
P = np.array([0.7, -1.3, 2.0])


class Pair(NamedTuple):
    """Two results by name."""

    y: np.ndarray
    M: np.ndarray


class Fallback:
    """It remembers what it was called with."""

    def __init__(self):
        self.calls = []

    def __call__(self, *args):
        self.calls.append(args)
        return "fallback"


def example():
    """A vector, a scalar and a matrix in; a vector, a matrix, a scalar and a margin out."""
    x, s, M, p = ca.SX.sym("x", 2), ca.SX.sym("s"), ca.SX.sym("M", 2, 3), ca.SX.sym("p", 3)
    y = ca.atan2(M @ p, x) * s
    outputs = {"y": y, "N": M.T * p[0], "e": ca.sqrt(ca.dot(x, x)), "margin": p[2] - x[0]}
    return replace(trace("f", {"x": x, "s": s, "M": M, "p": p}, outputs), single=True)


@pytest.fixture(scope="module")
def library(compiled):
    """The example, compiled for batches and for one state."""
    return compiled(example())


@pytest.fixture
def other():
    """A fallback to watch."""
    return Fallback()


@pytest.fixture
def f(library, other):
    """The example with p bound and the margin guarded."""
    return library.fast("f", fallback=other, constants={"p": P}, guard=1e-3)


def arguments(seed=0):
    """One state."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=2), np.array(rng.normal()), rng.normal(size=(2, 3))


def assert_equal(got, want):
    """Same bits."""
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)


def test_one_state_has_the_bits_of_the_gufunc(library, f, other):
    """Two hundred random states, trigonometry and roots included; results are new arrays that own their memory."""
    for seed in range(200):
        x, s, M = arguments(seed)
        *want, margin = library["f"](x, s, M, P)
        if margin > 1e-3:
            got = f(x, s, M)
            assert_equal(got, want)
            assert type(got) is tuple
            assert [type(g) for g in got] == [np.ndarray, np.ndarray, float]
            assert all(g.flags.owndata and g.flags.writeable for g in got[:2])
    assert not other.calls


def test_every_width_gives_the_same_bits_as_one_state(compiled):
    """Code for one state and code for vectors of 2, 4 and 8 are lane by lane the same arithmetic."""
    x, s, M = arguments(1)
    for width in (1, 2, 4, 8):
        library = compiled(example(), width=width)
        got = library.fast("f", fallback=Fallback(), constants={"p": P})(x, s, M)
        assert_equal(got, [r[4] for r in library["f"](np.stack([x] * 9), s, M, P)])


WRONG = {
    "a list": lambda x, s, M: (x.tolist(), s, M),
    "a number for an array": lambda x, s, M: (x, float(s), M),
    "a NumPy scalar": lambda x, s, M: (x, np.float64(s), M),
    "single precision": lambda x, s, M: (x.astype(np.float32), s, M),
    "integers": lambda x, s, M: (np.array([1, 2]), s, M),
    "another byte order": lambda x, s, M: (x.astype(x.dtype.newbyteorder()), s, M),
    "every second element": lambda x, s, M: (np.repeat(x, 2)[::2], s, M),
    "columns first": lambda x, s, M: (x, s, np.asfortranarray(M)),
    "a batch": lambda x, s, M: (np.stack([x, x]), s, M),
    "a batch of one": lambda x, s, M: (x[None], s, M),
    "too long": lambda x, s, M: (np.append(x, 0.0), s, M),
    "too short": lambda x, s, M: (x[:1], s, M),
    "transposed": lambda x, s, M: (x, s, np.ascontiguousarray(M.T)),
    "a subclass": lambda x, s, M: (x.view(np.recarray), s, M),
    "unaligned": lambda x, s, M: (np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64), s, M),
    "nothing": lambda x, s, M: (),
    "one argument less": lambda x, s, M: (x, s),
    "one argument more": lambda x, s, M: (x, s, M, x),
    "None": lambda x, s, M: (None, s, M),
    "NaN": lambda x, s, M: (np.array([np.nan, 0.0]), s, M),
    "infinity": lambda x, s, M: (x, np.array(np.inf), M),
    "NaN that no result depends on": lambda x, s, M: (x, s, np.where(np.eye(2, 3) == 1, np.nan, M)),
    "the guard at its tolerance": lambda x, s, M: (np.array([P[2] - 1e-3, 0.0]), s, M),
    "the guard below": lambda x, s, M: (np.array([5.0, 0.0]), s, M),
}


@pytest.mark.parametrize("what", WRONG)
def test_anything_else_goes_to_the_fallback_as_it_is(f, other, what):
    """The very same objects, in order, and its answer comes back."""
    given = WRONG[what](*arguments())
    assert f(*given) == "fallback"
    (called,) = other.calls
    assert all(c is g for c, g in zip(called, given, strict=True))


def test_frozen_arrays_and_views_of_rows_are_taken(f, other):
    """Only layout matters: a read-only array, a contiguous row of a larger one."""
    x, s, M = arguments()
    want = f(x, s, M)
    frozen, table = x.copy(), np.stack([x, x + 1])
    frozen.setflags(write=False)
    assert_equal(f(frozen, s, M), want)
    assert_equal(f(table[0], s, M), want)
    assert not other.calls


def test_an_error_of_the_fallback_is_the_functions(library):
    """It propagates as from any Python function."""

    def refuse(*args):
        raise ZeroDivisionError("as told")

    with pytest.raises(ZeroDivisionError, match="as told"):
        library.fast("f", fallback=refuse, constants={"p": P})([1, 2], 3)


def test_keywords_are_refused(f):
    """Arguments have places, not names."""
    with pytest.raises(TypeError, match="no keyword arguments"):
        f(x=np.zeros(2))


def test_results_may_be_chosen_named_and_absent(library, other):
    """A named tuple; one result comes alone; names the program does not have are empty vectors on both sides."""
    x, s, M = arguments()
    y, N, e, margin = library["f"](x, s, M, P)
    pair = library.fast("f", fallback=other, constants={"p": P}, gives=("y", "lam"), result=Pair)(x, s, M)
    assert type(pair) is Pair
    np.testing.assert_array_equal(pair.y, y)
    assert pair.M.shape == (0,)
    alone = library.fast("f", fallback=other, constants={"p": P}, gives=("N",))(x, s, M)
    np.testing.assert_array_equal(alone, N)
    number = library.fast("f", fallback=other, constants={"p": P}, gives=("e",))(x, s, M)
    assert (type(number), number) == (float, e)
    takes = ("M", "none", "s", "x", "p")
    unbound = library.fast("f", fallback=other, takes=takes, gives=("margin", "y"))
    got = unbound(M, np.zeros(0), s, x, P)
    assert got[0] == margin
    np.testing.assert_array_equal(got[1], y)
    assert not other.calls
    assert unbound(M, np.zeros(1), s, x, P) == "fallback"


def test_a_bound_array_is_a_copy(library, other):
    """Changing the caller's array afterwards changes nothing."""
    p = P.copy()
    f = library.fast("f", fallback=other, constants={"p": p})
    want = f(*arguments())
    p[:] = 0.0
    assert_equal(f(*arguments()), want)


@pytest.mark.parametrize(
    "given, complaint",
    [({"constants": {"p": P[:2]}}, r"p has shape \(2,\); it must be \(3,\)"),
     ({"constants": {"p": P, "y": P}}, "each once"), ({"takes": ("x", "s")}, "each once"),
     ({"constants": {"p": P}, "takes": ("x", "s", "M", "p")}, "each once"),
     ({"constants": {"p": P}, "gives": ()}, "name one or more"),
     ({"constants": {"p": P}, "gives": ("y", "y")}, "each once")],
)  # fmt: skip
def test_names_that_do_not_fit_are_refused(library, given, complaint):
    """When the function is made, not when it is called."""
    with pytest.raises(CannotBind, match=complaint):
        library.fast("f", fallback=Fallback(), **given)


def test_a_guard_needs_a_margin(compiled, single):
    """One scalar output of that name."""
    with pytest.raises(CannotBind, match="no scalar output 'margin'"):
        compiled(replace(single("neg"), single=True)).fast("f", fallback=Fallback(), guard=0.1)


def test_a_program_without_code_for_one_state_is_not_there(compiled, single):
    """Only those marked have it."""
    with pytest.raises(KeyError, match="there are none"):
        compiled(single("neg")).fast("f", fallback=Fallback())


def test_a_program_without_inputs_is_a_function_of_nothing(compiled):
    """A constant."""
    builder = Builder()
    program = builder.finish("f", [], [Operand("y")], [builder.const(4.0)])
    assert compiled(replace(program, single=True)).fast("f", fallback=Fallback())() == 4.0


def test_every_reference_is_given_back(library):
    """Counts of arguments, types, fallback and block are what they were after 3000 calls on each way."""
    other = Fallback()
    other.calls = type("Nowhere", (), {"append": lambda self, args: None})()
    f = library.fast("f", fallback=other, constants={"p": P}, guard=1e-3, gives=("y", "N"), result=Pair)
    x, s, M = arguments()
    bad = np.array([np.nan, 0.0])
    watched = [x, s, M, bad, other, f, f.__self__, np.ndarray, np.dtype(np.float64), Pair, tuple]
    before = [sys.getrefcount(w) for w in watched]
    for _ in range(3000):
        f(x, s, M)
        f(bad, s, M)
        f(x, s)
    after = [sys.getrefcount(w) for w in watched]
    assert [b - a for a, b in zip(before, after, strict=True)] == [0] * len(watched)


def test_a_million_calls_take_no_memory(library):
    """Results, their tuple and the fallback's arguments are freed: below 1 kB for 10⁶ calls."""
    f = library.fast("f", fallback=lambda *args: None, constants={"p": P}, guard=1e-3)
    x, s, M = arguments()
    bad = np.array([np.nan, 0.0])
    f(x, s, M)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(500_000):
        f(x, s, M)
        f(bad, s, M)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 1000


def test_results_hold_what_they_need_and_nothing_else(f):
    """A result lives on after the others; it refers to no argument."""
    x, s, M = arguments()
    y, N, _ = f(x, s, M)
    assert sys.getrefcount(y) == 2
    assert y.base is None
    assert N.base is None


def test_a_function_and_all_it_holds_is_collected_even_in_a_circle(library):
    """The fallback refers to an owner, the owner to the function, as a model does: the collector frees them."""

    class Owner:
        def general(self, *args):
            return "general"

    owner = Owner()
    owner.f = library.fast("f", fallback=owner.general, constants={"p": P})
    assert owner.f(1) == "general"
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_a_failed_allocation_is_a_memory_error():
    """In a process whose allocator fails on the k-th request, for each k: MemoryError, and the next call works."""
    pytest.importorskip("_testcapi", reason="this Python comes without its test module")
    code = """
import _testcapi, numpy as np, sys
sys.path[:0] = {path!r}
from tests.kernels.test_fastcall import P, arguments, example
from closedchain.kernels.cache import Library
from closedchain.kernels.entry import Entry
from closedchain.kernels.llvm import compile_object
from closedchain.kernels.signature import signature_of
library = Library(Entry("test", (signature_of(example()),), compile_object([example()])))
f = library.fast("f", fallback=print, constants={{"p": P}})
given, failed = arguments(), 0
kept = [f(*given) for _ in range(300)]  # NumPy's and Python's stocks of small blocks are used up
for k in range(12):
    held = [f(*given) for _ in range(40)]
    _testcapi.set_nomemory(k, k + 1)
    try:
        f(*given)
    except MemoryError:
        failed += 1
    finally:
        _testcapi.remove_mem_hooks()
    assert len(f(*given)) == 4
assert failed > 0, failed
"""
    command = [sys.executable, "-c", code.format(path=sys.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_floating_point_flag_makes_numpy_warn(f, other):
    """A division by zero inside, then NumPy's own arithmetic: no warning (they are errors here)."""
    f(np.array([np.inf, 0.0]), *arguments()[1:])
    assert np.add(np.ones(3), 1.0)[0] == 2.0
    assert np.float64(1.0) * 2.0 == 2.0
    assert np.float64(1.0).astype(np.float32) == 1.0


@pytest.mark.parametrize(
    "change",
    [("sys.implementation.name", "pypy"), ("sys.version_info", (3, 99, 0)), ("ctypes.sizeof", lambda kind: 4),
     ("sysconfig.get_config_var", lambda name: 1), ("_as_expected", lambda array: False), ("INSIDE", 24)],
    ids=lambda change: change[0],
)  # fmt: skip
def test_an_unknown_interpreter_gets_the_fallback_itself(library, monkeypatch, change):
    """Other implementations and versions, free threading, and any layout that a trial finds different."""
    name, value = change
    usable.cache_clear()
    try:
        with monkeypatch.context() as patch:
            if name == "sys.implementation.name":
                patch.setattr(sys, "implementation", type("Other", (), {"name": value}))
            else:
                owner, _, attribute = name.rpartition(".")
                patch.setattr(getattr(fastcall, owner) if owner else fastcall, attribute, value)
            found = usable()
    finally:
        usable.cache_clear()
    assert not found
    monkeypatch.setattr(fastcall, "usable", lambda: False)
    other = Fallback()
    assert library.fast("f", fallback=other, constants={"p": P}) is other
