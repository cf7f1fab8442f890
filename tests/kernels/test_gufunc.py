"""Compiled programs behave as NumPy's own functions: any batch, any strides, out=, casting, clear refusals."""

import casadi as ca
import numpy as np
import pytest

from closedchain.kernels.gufunc import BadArguments, Routine
from closedchain.kernels.lower import lower
from closedchain.kernels.program import Program, run
from closedchain.kernels.trace import trace

WIDTHS = [1, 2, 4, 8]
BATCHES = [(), (0,), (1,), (3,), (4,), (5,), (7,), (8,), (63,), (64,), (65,), (1000,), (7, 13), (2, 0, 3), (3, 1, 5)]


def everything() -> Program:
    """Operands of all kinds: sizes below, at and above any width, odd ones, matrices, a scalar."""
    q, x, M, p = ca.SX.sym("q", 2), ca.SX.sym("x", 3), ca.SX.sym("M", 3, 3), ca.SX.sym("p", 11)
    s = ca.SX.sym("s")
    y = M @ x * p[0] + ca.sin(q[0]) * s
    outputs = {"y": y, "J": ca.jacobian(y, ca.vertcat(q, s)), "big": ca.vertcat(p * s, q, x), "e": ca.dot(y, y) / p[10]}
    return trace("f", {"q": q, "s": s, "x": x, "M": M, "p": p}, outputs)


SHAPES = [(2,), (), (3,), (3, 3), (11,)]


@pytest.fixture(scope="module", params=WIDTHS)
def f(request, compiled):
    """The program, compiled in one width."""
    return compiled(everything(), width=request.param)["f"]


@pytest.fixture(scope="module")
def reference():
    """The interpreter."""
    program = lower(everything())
    return lambda *arrays: run(program, *arrays)


def random_arrays(batch: tuple[int, ...], seed: int = 0) -> list[np.ndarray]:
    """One array for each input."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=batch + shape) for shape in SHAPES]


def assert_equal(got: tuple[np.ndarray, ...], want: tuple[np.ndarray, ...]) -> None:
    """Same shapes, same bits."""
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_any_batch_gives_the_interpreters_bits(f, reference, batch):
    """Sizes around the vector width and the block, none, several axes."""
    arrays = random_arrays(batch)
    assert_equal(f(*arrays), reference(*arrays))


LAYOUTS = {
    "columns": lambda a, core: np.asfortranarray(a),
    "states last": lambda a, core: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0),
    "reversed": lambda a, core: a[::-1].copy()[::-1],
    "every second": lambda a, core: np.repeat(a, 2, axis=0)[::2],
    "wider rows": lambda a, core: np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, 3)])[..., : a.shape[-1]],
    "elements reversed": lambda a, core: a[..., ::-1].copy()[..., ::-1] if core else a,
    "transposed": lambda a, core: np.swapaxes(np.swapaxes(a, -1, -2).copy(), -1, -2) if core == 2 else a,
    "one for all": lambda a, core: np.broadcast_to(a[:1], a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [3, 130])
def test_strides_do_not_matter(f, reference, layout, size):
    """The same numbers in any layout give the same bits."""
    arrays = [LAYOUTS[layout](a, len(s)) for a, s in zip(random_arrays((size,)), SHAPES, strict=True)]
    assert_equal(f(*arrays), reference(*arrays))


@pytest.mark.parametrize(
    "layout", ["columns", "states last", "reversed", "every second", "wider rows", "elements reversed"]
)
@pytest.mark.parametrize("size", [3, 130])
def test_out_may_have_any_strides_and_only_its_elements_change(f, reference, layout, size):
    """Results land in `out`, and what lies between its elements stays."""
    arrays = random_arrays((size,))
    want = reference(*arrays)
    outs = tuple(LAYOUTS[layout](np.full(w.shape, -7.0), w.ndim - 1) for w in want)
    bases = [o if o.base is None else o.base for o in outs]
    untouched = [b.size - o.size for b, o in zip(bases, outs, strict=True)]
    got = f(*arrays, out=outs)
    assert all(g is o for g, o in zip(got, outs, strict=True))
    assert_equal(got, want)
    marks = {"every second": -7.0, "wider rows": 0.0}
    if layout in marks:
        for base, count in zip(bases, untouched, strict=True):
            assert np.sum(base == marks[layout]) >= count


@pytest.fixture(scope="module")
def many(compiled):
    """More elements than one buffer holds: a long vector, a square, long rows."""
    x = ca.SX.sym("x", 40)
    square, rows = x @ x.T, ca.vertcat(*(k * ca.repmat(x, 3, 1).T for k in range(1, 4)))
    return compiled(trace("f", {"x": x}, {"long": ca.repmat(x, 4, 1) + 1, "square": square, "rows": rows}))["f"]


@pytest.mark.parametrize("layout", ["columns", "states last", "elements reversed", "transposed"])
def test_outputs_of_many_elements_keep_their_order(many, layout):
    """In layouts of their own."""
    x = np.random.default_rng(0).normal(size=(70, 40))
    tripled = np.tile(x, 3)[:, None]
    want = np.tile(x, 4) + 1, x[:, :, None] * x[:, None], tripled * np.arange(1.0, 4.0)[:, None]
    outs = tuple(LAYOUTS[layout](np.empty(w.shape), w.ndim - 1) for w in want)
    assert_equal(many(x, out=outs), want)


def test_a_parameter_sweep_is_a_broadcast(f, reference):
    """One state and 50 parameter sets, 6 states and one parameter set, or 6 x 50 of them."""
    q, s, x, M, _ = random_arrays((6, 1))
    p = np.random.default_rng(1).normal(size=(50, 11))
    assert_equal(f(q, s, x, M, p), reference(q, s, x, M, p))
    assert_equal(f(q, s, x, M, p[0]), reference(q, s, x, M, p[0]))
    assert_equal(f(q[0, 0], s[0, 0], x[0, 0], M[0, 0], p), reference(q[0, 0], s[0, 0], x[0, 0], M[0, 0], p))


def test_an_output_over_an_input_is_computed_from_the_old_values(f, reference):
    """x ← y(x) in place, although both have the same memory."""
    q, s, x, M, p = random_arrays((100,))
    want = reference(q, s, x, M, p)
    f(q, s, x, M, p, out=(x, None, None, None))
    np.testing.assert_array_equal(x, want[0])


def by_component(a: np.ndarray) -> np.ndarray:
    """The same array with its states side by side in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0)


@pytest.mark.parametrize("size", [1, 3, 4, 9, 64, 100, 131])
def test_states_side_by_side_are_used_in_place_and_nothing_beside_them_is_written(f, reference, size):
    """Rows inside larger arrays, some operands in place and some not; what lies around the outputs stays."""
    arrays = [by_component(a) if k % 2 else a for k, a in enumerate(random_arrays((size,)))]
    want = reference(*arrays)
    room = [np.full((*w.shape[1:], size + 10), -7.0) for w in want]
    outs = tuple(np.moveaxis(r[..., 5 : size + 5], -1, 0) for r in room)
    outs = (*outs[:2], np.empty_like(want[2]), outs[3])  # one by rows
    assert_equal(f(*arrays, out=outs), want)
    for k in (0, 1, 3):
        np.testing.assert_array_equal(room[k][..., :5], -7.0)
        np.testing.assert_array_equal(room[k][..., size + 5 :], -7.0)


@pytest.mark.parametrize("size", [3, 64, 100, 131])
def test_an_output_over_an_input_in_place_is_computed_from_the_old_values(f, reference, size):
    """x ← y(x) where states lie side by side, and x ← y into a part of the array that x is a part of."""
    q, s, x, M, p = (by_component(a) for a in random_arrays((size,)))
    want = reference(q, s, x, M, p)
    f(q, s, x, M, p, out=(x, None, None, None))
    np.testing.assert_array_equal(x, want[0])
    q, s, x, M, p = (by_component(a) for a in random_arrays((size,)))
    table = np.concatenate([x, np.zeros((1, 3))])
    f(q, s, table[:-1], M, p, out=(table[1:], None, None, None))
    np.testing.assert_array_equal(table[1:], want[0])


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, bool])
def test_other_numbers_are_converted(f, reference, dtype):
    """Floats of less precision and integers become doubles; lists do too."""
    arrays = [(4 * a).astype(dtype) for a in random_arrays((9,))]
    assert_equal(f(*arrays), reference(*arrays))
    assert_equal(f(*(a.tolist() for a in arrays)), reference(*arrays))


def test_complex_numbers_are_refused(f):
    """There is no safe conversion."""
    with pytest.raises(TypeError, match="casting"):
        f(*(a.astype(complex) for a in random_arrays(())))


@pytest.mark.parametrize("which, shape", [(0, (3,)), (2, (1,)), (3, (9,)), (3, (3, 2)), (4, (10,))])
def test_a_wrong_core_shape_is_refused(f, which, shape):
    """NumPy names the operand; a size 1 is not stretched."""
    arrays = random_arrays(())
    arrays[which] = np.zeros(shape)
    with pytest.raises(ValueError, match=f"Input operand {which}"):
        f(*arrays)


def test_the_documentation_names_arguments_and_shapes(compiled):
    """help(f) says what goes in and out."""
    f = compiled(everything())["f"]
    assert f.signature == "(2),(),(3),(3,3),(11)->(3),(3,3),(16),()"
    assert "f: q(2), s, x(3), M(3,3), p(11) -> y(3), J(3,3), big(16), e" in f.__doc__


@pytest.fixture(scope="module")
def sparse(compiled) -> Routine:
    """y = 2 q, with an input and an output that have no elements."""
    q, none = ca.SX.sym("q", 2), ca.SX.sym("none", 0)
    program = trace("sparse", {"none": none, "q": q}, {"empty": ca.SX(0, 1), "y": 2 * q})
    return compiled(program)["sparse"]


def test_empty_arguments_are_passed_by(sparse):
    """They have a batch like others, and empty results come back in shape."""
    empty, y = sparse(np.zeros((5, 1, 0)), np.ones((3, 2)))
    assert empty.shape == (5, 3, 0)
    np.testing.assert_array_equal(y, np.full((5, 3, 2), 2.0))
    out = np.empty(2)
    assert sparse([], [1, 2], out=(None, out))[1] is out


@pytest.mark.parametrize(
    "arrays, complaint",
    [(([1.0], [1, 2]), r"none has shape \(1,\); it must end in \(0\)"), (([],), r"takes 2 arrays \(none, q\), not 1"),
     (([], [1, 2, 3]), r"q has shape \(3,\)"), (([], 1.0), r"q has shape \(\)")],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_named(sparse, arrays, complaint):
    """Empty arguments are checked as strictly as others."""
    with pytest.raises(BadArguments, match=complaint):
        sparse(*arrays)


def test_a_wrong_number_of_out_arrays_is_refused(sparse):
    """Two outputs need two."""
    with pytest.raises(BadArguments, match="1 arrays in `out` for 2"):
        sparse([], [1, 2], out=np.empty(2))


def test_programs_without_inputs_or_results_work(compiled):
    """A constant has the batch of its empty input; nothing in gives nothing out."""
    none = ca.SX.sym("none", 0)
    library = compiled(trace("constant", {"none": none}, {"y": ca.SX(3.0)}), trace("alone", {}, {"y": ca.SX(4.0)}))
    np.testing.assert_array_equal(library["constant"](np.zeros((2, 3, 0))), np.full((2, 3), 3.0))
    assert library["alone"]() == 4.0
