"""JavaScript: run in a real engine, kernels give the bits that ours give; geometry and motion agree with Python's."""

import re

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.control.feedforward import Constant
from closedchain.errors import BadInput
from closedchain.export.javascript import index, javascript, literal, write
from closedchain.export.stepping import Stepper
from closedchain.model.sampling import sample
from closedchain.model.three_circles import three_circles

QUICK = ("biglide", "fivebar", "furuta", "triplate")
ROBOTS = [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in robots.names()]
CLOSED = [p for p in ROBOTS if p.values[0] != "furuta"]
STATES = 20
KERNELS = """
return Object.fromEntries(Object.entries(kernels).map(([name, k]) =>
  [name, given.map((row) => k.call(...k.inputs.map((o) => row[o.name])))]));
"""


def rows_of(given, count):
    """Inputs as JSON, one object per state."""
    return [{name: np.asarray(v[i]).tolist() for name, v in given.items()} for i in range(count)]


@pytest.mark.parametrize("compiled", [False, True], ids=["text", "wasm"])
@pytest.mark.parametrize("name", ROBOTS)
def test_every_kernel_has_the_bits_of_ours(name, compiled, derived, run_js, random_arrays, same_bits, tmp_path):
    """Every output of every kernel at random states on all branches, in another engine, as text and as WebAssembly."""
    model, programs, inputs = derived(name)
    given = random_arrays(model, STATES, 5)
    answer = run_js(write(model, programs, inputs, compiled), KERNELS, rows_of(given, STATES), tmp_path)
    step = Stepper(model, inputs, 1e-3, 1).library
    for program in programs:
        if program.name == "scale":
            assert answer["scale"][0]["scale"] == model.scale
            continue
        home = next(home for home in (step, model.library, model.dynamics) if program.name in home)
        signature = home.signatures[program.name]
        made = home[program.name](*(given[a.name] for a in signature.inputs))
        for a, wanted in zip(signature.outputs, made if isinstance(made, tuple) else (made,), strict=True):
            for i in range(STATES):
                one = np.broadcast_to(wanted, (STATES, *a.dims))[i]
                found = np.reshape(answer[program.name][i][a.name], a.dims)
                assert same_bits(found, one), (program.name, a.name, i)


@pytest.mark.parametrize("name", CLOSED)
def test_every_working_mode_is_found_with_its_name(name, derived, run_js, tmp_path):
    """The same modes in the same order, the same q to the bit, the same condition."""
    model, programs, inputs = derived(name)
    x = sample(model, 12, 2).x
    answer = run_js(write(model, programs, inputs), "return given.map((x) => inverse(x));", x.tolist(), tmp_path)
    for i, found in enumerate(answer):
        ours = cc.inverse(model, x[i])
        assert [s["mode"] for s in found["solutions"]] == list(ours.mode)
        np.testing.assert_array_equal([s["q"] for s in found["solutions"]], ours.q)
        # both condition numbers are of the same A; the small singular value is uncertain by ε cond
        np.testing.assert_allclose([s["condition"] for s in found["solutions"]], ours.condition, rtol=1e-9)


@pytest.mark.parametrize("name", CLOSED)
def test_every_assembly_mode_is_found_with_its_name(name, derived, run_js, tmp_path):
    """The same poses with the same names; a plate's, found by another iteration, to rounding times the condition."""
    model, programs, inputs = derived(name)
    q = sample(model, 12, 4).q
    answer = run_js(write(model, programs, inputs), "return given.map((q) => direct(q));", q.tolist(), tmp_path)
    for i, found in enumerate(answer):
        ours = cc.direct(model, q[i])
        assert [s["mode"] for s in found["solutions"]] == list(ours.mode)
        for row, s in zip(ours, found["solutions"], strict=True):
            np.testing.assert_allclose(s["x"], row.x, rtol=0, atol=1e-14 * model.scale * max(row.condition, 10.0))


def test_six_poses_of_a_plate(derived, run_js, tmp_path):
    """A 3-RPR plate with six real poses, the most there can be (example six_poses)."""
    model, programs, inputs = derived("rpr3")
    q = cc.inverse(model, [10.0, 80.0, np.radians(-20.0)]).q[0]
    wanted = cc.direct(model, q)
    (found,) = run_js(write(model, programs, inputs), "return given.map((q) => direct(q));", [q.tolist()], tmp_path)
    assert len(found["solutions"]) == len(wanted) == 6
    assert [s["mode"] for s in found["solutions"]] == list(wanted.mode)
    np.testing.assert_allclose([s["x"] for s in found["solutions"]], wanted.x, atol=1e-9)


def test_many_plates_have_as_many_poses_as_the_proven_search_finds(derived, run_js, tmp_path):
    """Three circles at random: the number of poses is Python's, whose number is proven."""
    model, programs, inputs = derived("triplate")
    rng = np.random.default_rng(1)
    centre, local = rng.uniform(-1, 1, (150, 3, 2)), rng.uniform(-1, 1, (150, 3, 2))
    radius = rng.uniform(0.3, 1.5, (150, 3))
    ours = three_circles(centre, radius, local, prove=True)
    given = [
        [c.ravel().tolist(), r.tolist(), p.ravel().tolist()] for c, r, p in zip(centre, radius, local, strict=True)
    ]
    script = "return given.map(([c, r, p]) => threeCircles(c, r, p).map((s) => s.x));"
    found = run_js(write(model, programs, inputs), script, given, tmp_path)
    assert {len(f) for f in found} >= {0, 2, 4}
    for i in np.nonzero(ours.complete)[0]:
        wanted = ours.x[ours.index == i]
        assert len(found[i]) == len(wanted), i
        if len(wanted):
            np.testing.assert_allclose(sorted(f[2] for f in found[i]), wanted[:, 2], atol=1e-7)


def test_a_pose_out_of_reach_names_the_leg_and_its_miss(derived, run_js, tmp_path):
    """The biglide's bars of 0.3606 m, 0.2 m beside the rail of leg 1 at x = 0.3: 0.5 m off, 0.1394 m are missing."""
    model, programs, inputs = derived("biglide")
    module = write(model, programs, inputs)
    answer = run_js(module, "return [inverse(given[0]), direct(given[1])];", [[0.3, 0.2], [0.0, 2.0]], tmp_path)
    assert answer[0]["solutions"] == []
    assert answer[0]["misses"][0]["leg"] == model.legs[0].name
    np.testing.assert_allclose(answer[0]["misses"][0]["by"], 0.5 - 0.3606, rtol=1e-13)
    feet = np.hypot(0.4, 2.0)
    np.testing.assert_allclose(answer[1]["misses"][0]["by"], feet - 2 * 0.3606, rtol=1e-13)


def test_a_leg_at_its_end_is_one_solution_called_zero(derived, run_js, tmp_path):
    """Straight below the point where bar 1 lies flat, both of its working modes are one."""
    model, programs, inputs = derived("biglide")
    x = [0.3606 - 0.2, 0.1]
    (found,) = run_js(write(model, programs, inputs), "return given.map((x) => inverse(x));", [x], tmp_path)
    assert [s["mode"] for s in found["solutions"]] == list(cc.inverse(model, x).mode) == ["0+", "0-"]


@pytest.mark.parametrize("name", ["biglide", "furuta", "triplate"])
def test_stepping_is_the_simulation(name, derived, run_js, tmp_path):
    """A hundred steps under a held input end where `simulate` ends, to the rounding of a hundred steps."""
    model, programs, inputs = derived(name)
    start = sample(model, 1, 6)
    begin = {k: getattr(start, k)[0].tolist() for k in ("q", "x", "q_dot", "x_dot")}
    u = [0.3] * len(model.driven)
    script = "return advance(given.begin, given.u, parameters(), 1e-3, 100);"
    found = run_js(write(model, programs, inputs), script, {"begin": begin, "u": u}, tmp_path)
    state = cc.state(model, **{k: v for k, v in begin.items() if v})
    run = cc.simulate(model, Constant(tuple(u), output=inputs), start=state, duration=0.1)
    assert found["ok"] is True
    for name_ in ("q", "x", "q_dot", "x_dot"):
        if begin[name_]:
            np.testing.assert_allclose(found[name_], getattr(run.final, name_), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(found["work"], run.work[-1], rtol=1e-13)


def test_a_run_that_overflows_stops_at_its_last_good_state(derived, run_js, tmp_path):
    """An absurd voltage: not ok, and every number finite."""
    model, programs, inputs = derived("furuta")
    script = "return advance({q: [0, 0.1], q_dot: [0, 0]}, [1e200], parameters(), 1e-3, 100);"
    found = run_js(write(model, programs, inputs), script, None, tmp_path)
    assert found["ok"] is False
    assert np.isfinite(found["q"]).all()


def test_singular_values_are_numpys(derived, run_js, tmp_path):
    """Random matrices of one to six columns, and a singular one whose condition is infinite."""
    model, programs, inputs = derived("biglide")
    rng = np.random.default_rng(0)
    given = [rng.standard_normal((n, n)) for n in range(1, 7)]
    script = """return [given.map((a) => singularValues(a.flat(), a.length)), condition([1, 2, 0, 0], 2),
      given.map((a) => determinant(a.flat(), a.length))];"""
    values, infinite, dets = run_js(write(model, programs[:1], inputs), script, [a.tolist() for a in given], tmp_path)
    for a, s, d in zip(given, values, dets, strict=True):
        np.testing.assert_allclose(sorted(s), sorted(np.linalg.svd(a, compute_uv=False)), rtol=1e-12)
        np.testing.assert_allclose(d, np.linalg.det(a), rtol=1e-12)
    assert infinite == np.inf


def test_parameters_are_changed_by_name_and_arguments_are_checked(derived, run_js, tmp_path):
    """A wrong name, a wrong size and a wrong number of arguments are errors that say so."""
    model, programs, inputs = derived("biglide")
    script = """const told = (f) => { try { f(); return ""; } catch (e) { return e.message; } };
      return [parameters({l: 0.5}), told(() => parameters({L: 1})), told(() => kernels.closures.call([1], [1, 2], [1])),
              told(() => kernels.closures.call([1, 2])), told(() => evaluate("closure", {}))];"""
    p, *messages = run_js(write(model, programs, inputs), script, None, tmp_path)
    assert p == [0.5, 0.4, 3.0, 1.0]
    assert messages == [
        "biglide has no parameter L",
        "closures: q must be 2 numbers",
        "closures takes (q, x, p), not 1 arguments",
        messages[3],
    ]
    assert "no kernel closure; there are closures" in messages[3]


def test_the_index_tells_every_signature(derived):
    """Names, shapes and units of what goes in and out."""
    model, programs, inputs = derived("fivebar")
    told = index(model, programs, inputs)
    closures = told["kernels"]["closures"]
    assert [o["name"] for o in closures["inputs"]] == ["q", "x", "p"]
    assert closures["inputs"][0]["units"] == ["rad", "rad"]
    assert {o["name"]: o["shape"] for o in closures["outputs"]}["A"] == [2, 2]
    assert [p["value"] for p in told["parameters"]] == list(model.values.values())


def test_only_the_kernels_asked_for_are_written():
    """A page that draws needs fewer than one that simulates; an unknown one is refused."""
    model = cc.load("biglide")
    text = javascript(model, kernels=["closures", "inverse"])
    assert re.findall(r"^function (\w+)_\(", text, re.MULTILINE) == ["closures", "inverse"]
    assert len(text) < len(javascript(model)) / 2
    with pytest.raises(BadInput, match="no kernel"):
        javascript(model, kernels=["nothing"])


def test_constants_are_written_to_the_bit():
    """The shortest decimal form that reads back as the same double; whole numbers without a point."""
    assert [literal(v) for v in (2.0, 0.1, -0.0, float("inf"), float("nan"), -1.5)] == [
        "2", "0.1", "(-0.0)", "Infinity", "NaN", "(-1.5)",
    ]  # fmt: skip
