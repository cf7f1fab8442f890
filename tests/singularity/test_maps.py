"""Maps against hand geometry, the inverse geometry and dense linear algebra; their files, threads and errors."""

import json

import numpy as np
import pytest

import closedchain as cc
from benchmarks import harness, singularity_map
from closedchain.derive.mapping import Mapping, map_programs
from closedchain.derive.negations import share_negations
from closedchain.describe.elements import Plate
from closedchain.errors import BadInput
from closedchain.kernels.build import Builder
from closedchain.kernels.program import Operand
from closedchain.kernels.program import run as interpret
from closedchain.model.geometry import Configurations, inverse
from closedchain.model.model import NoClosedForm
from closedchain.singularity import maps
from closedchain.singularity.maps import Map, map_grid

L, D = 0.3606, 0.4  # the biglide of seed 000
WINDOW = (-0.2, 0.2, -0.3, 0.3)
SLICES = {
    "biglide": {"window": WINDOW},
    "fivebar": {},
    "triplate": {"orientation": 0.3},
    "rrr3": {"orientation": 0.3},
    "rpr3": {"orientation": 0.2, "window": (0.0, 100.0, -50.0, 50.0)},
    "delta": {"height": -0.9},
}


def matrices(x, working):
    """A and B of the biglide by hand: r_i from foot to tip, A = 2 [r_1; r_2], B = −2 diag(r_iy)."""
    signs = [1.0 if s == "+" else -1.0 for s in working]
    u = x + D / 2, x - D / 2
    v = [s * np.sqrt(L**2 - a**2) for s, a in zip(signs, u, strict=True)]
    return 2 * np.array([[u[0], v[0]], [u[1], v[1]]]), -2 * np.diag(v)


@pytest.mark.parametrize("working", ["++", "+-", "-+", "--"])
def test_the_biglides_map_is_its_hand_geometry(biglide, working):
    """Determinants, 1/κ of A with unit rows and the effort for a unit force, at every point that is reached."""
    found = map_grid(biglide, WINDOW, (3, 41), working=working, dtype=np.float64)
    force = np.array([np.cos(a := np.linspace(0, np.pi, 20001)), np.sin(a)])  # step h: a maximum is missed by h²/2
    for k in np.nonzero(found.reachable[1])[0]:
        A, B = matrices(found.x[k], working)
        at = {name: found.plane(name, working)[1, k] for name in found.quantities}
        unit = A / np.linalg.norm(A, axis=1, keepdims=True)
        assert at["det_A"] == pytest.approx(np.linalg.det(A), abs=1e-15)
        assert at["det_B"] == pytest.approx(np.linalg.det(B), abs=1e-15)
        assert at["condition"] == pytest.approx(1 / np.linalg.cond(unit), rel=1e-12, abs=1e-14)
        if abs(np.linalg.det(A)) > 1e-6:
            efforts = np.linalg.solve(A, B).T @ force  # (drives, directions)
            assert at["effort"] == pytest.approx(np.abs(efforts).max(), rel=1e-7)


def test_beyond_the_bars_everything_is_zero_and_the_slack_says_by_how_much(biglide):
    """The bar of the farther rail ends at |x| = l − d/2; its slack there is l − |x ± d/2|."""
    found = map_grid(biglide, WINDOW, (3, 41), dtype=np.float64)
    slack = np.minimum(L - np.abs(found.x + D / 2), L - np.abs(found.x - D / 2))
    np.testing.assert_allclose(found.slack, np.tile(slack, (3, 1)), atol=1e-16)
    np.testing.assert_array_equal(found.reachable[0], slack >= 0)
    assert 0 < found.reachable.sum() < found.reachable.size
    assert (found.values[1:, ~found.reachable] == 0).all()


@pytest.mark.parametrize("name", SLICES)
def test_a_map_agrees_with_the_inverse_geometry_mode_by_mode(name):
    """Every robot with a map: det A, det B, conditioning and effort from the closures at `inverse`'s solutions."""
    robot = cc.load(name)
    found = map_grid(robot, shape=(8, 12), dtype=np.float64, **SLICES[name])
    third = [] if found.third is None else [found.third]
    rows, columns = np.nonzero(found.slack > 1e-6)
    points = np.array([[found.x[c], found.y[r], *third] for r, c in zip(rows, columns, strict=True)])
    solved = inverse(robot, points)
    assert len(solved) == len(points) * len(found.working) > 0
    here = Configurations(robot, solved.q, solved.x)
    plate = isinstance(robot.mechanism.output, Plate)
    lever = max(np.hypot(*map(robot.number, leg.far.at)) for leg in robot.legs) if plate else 1.0
    A = here.A / np.array([1, 1, lever]) if plate else here.A
    lengths = np.linalg.norm(A, axis=2)
    J = np.linalg.solve(here.A, here.B)[:, : 2 if plate else robot.nx]
    kappa = np.linalg.cond(A / lengths[..., None])
    expected = {
        "det_A": np.linalg.det(here.A),
        "det_B": np.linalg.det(here.B),
        "condition": 1 / kappa if robot.nx == 2 else np.abs(np.linalg.det(A)) / lengths.prod(axis=1),
        "effort": np.linalg.norm(J, axis=1).max(axis=1),
    }
    for quantity, values in expected.items():
        mode = [found.working.index(w) for w in solved.working]
        mine = found.plane(quantity)[mode, rows[solved.index], columns[solved.index]]
        scale = np.abs(values) if quantity == "effort" else np.abs(values).max()
        # q from `inverse` passes through angles; the effort loses as many digits as A has lost
        tolerance = 1e-11 * (kappa if quantity == "effort" else 1.0)
        assert (np.abs(mine - values) <= tolerance * scale).all(), quantity


@pytest.mark.parametrize("name", SLICES)
def test_a_point_is_reachable_where_inverse_finds_it(name):
    """The mask and the number of working modes agree away from the edge itself."""
    robot = cc.load(name)
    found = map_grid(robot, shape=(9, 11), quantities=["slack"], **SLICES[name])
    third = [] if found.third is None else [found.third]
    for r, c in np.ndindex(found.slack.shape):
        if abs(found.slack[r, c]) > 1e-6:
            assert bool(len(inverse(robot, [found.x[c], found.y[r], *third]))) == found.reachable[r, c]


def test_no_value_is_a_nan_even_at_a_pivot_or_on_a_singularity():
    """Five-bar: a tip on a motor's axis has no direction. Biglide: x = 0 is singular in +-, its effort infinite."""
    five = map_grid(cc.load("fivebar"), (-0.059, 0.059, -0.1, 0.1), (3, 3))
    assert not np.isnan(five.values).any()
    assert five.reachable[1, 0]  # the folded leg ends there
    two = map_grid(cc.load("biglide"), WINDOW, (3, 41), dtype=np.float64)
    assert two.x[20] == 0.0
    assert not np.isnan(two.values).any()
    assert two.plane("det_A", "+-")[1, 20] == 0.0
    assert two.plane("condition", "+-")[1, 20] == 0.0
    assert two.plane("effort", "+-")[1, 20] == np.inf
    assert np.isfinite(two.plane("effort", "++")).all()


def test_single_precision_is_the_rounding_of_double_on_any_number_of_threads(biglide, monkeypatch):
    """Tiles of 16 points cut rows and columns: every part of the grid is written, once, with the same bits."""
    monkeypatch.setattr(maps, "TILE", 16)
    kept = map_grid(biglide, WINDOW, (23, 37), threads=1, dtype=np.float64)
    for threads in (1, 3):
        rounded = map_grid(biglide, WINDOW, (23, 37), threads=threads)
        np.testing.assert_array_equal(rounded.values, kept.values.astype(np.float32))
        np.testing.assert_array_equal(
            map_grid(biglide, WINDOW, (23, 37), threads=threads, dtype="f8").values, kept.values
        )


@pytest.mark.parametrize("tile", [16, 100])
def test_a_file_holds_the_same_map_and_a_note(biglide, tmp_path, monkeypatch, tile):
    """Written in blocks narrower and taller than a row; what comes back is mapped from the file, read only."""
    monkeypatch.setattr(maps, "TILE", tile)
    target = tmp_path / "map.npy"
    streamed = map_grid(biglide, WINDOW, (23, 37), ["condition"], out=target, threads=2)
    kept = map_grid(biglide, WINDOW, (23, 37), ["condition"])
    np.testing.assert_array_equal(np.load(target), kept.values)
    np.testing.assert_array_equal(streamed.plane("condition", "+-"), kept.plane("condition", "+-"))
    assert not streamed.values.flags.writeable
    note = json.loads(target.with_suffix(".json").read_text())
    assert note["window"] == list(WINDOW)
    assert note["working"] == ["++", "+-", "-+", "--"]
    assert {path.name for path in tmp_path.iterdir()} == {"map.npy", "map.json"}


def test_an_interrupted_file_is_not_there(biglide, tmp_path, monkeypatch):
    """A cancellation half way leaves the old file as it was and nothing beside it."""
    monkeypatch.setattr(maps, "TILE", 37)
    target = tmp_path / "map.npy"
    target.write_bytes(b"old")

    def cancel(done):
        if done > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_grid(biglide, WINDOW, (23, 37), out=target, progress=cancel, threads=1)
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["map.npy"]


def test_progress_goes_up_to_one(biglide, monkeypatch):
    """One report for each row of tiles."""
    monkeypatch.setattr(maps, "TILE", 5 * 37)
    seen = []
    map_grid(biglide, WINDOW, (23, 37), progress=seen.append, threads=1)
    assert seen == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_an_array_to_fill_is_filled(biglide):
    """`out` is the array of the answer, and must fit it."""
    out = np.full((5, 4, 6), np.nan, np.float32)
    found = map_grid(biglide, WINDOW, (4, 6), "det_A", out=out)
    assert found.values is out
    assert not np.isnan(out).any()
    with pytest.raises(BadInput, match=r"`out` is float32 \(5, 4, 6\); a writeable float32 \(5, 4, 7\)"):
        map_grid(biglide, WINDOW, (4, 7), "det_A", out=out)


@pytest.mark.parametrize(
    "robot, options, message",
    [
        ("biglide", {}, "no end along a rail"),
        ("biglide", {"window": (1, 0, 0, 1)}, "x_min, x_max, y_min, y_max"),
        ("biglide", {"window": (0, float("nan"), 0, 1)}, "finite"),
        ("biglide", {"window": WINDOW, "quantities": ["det"]}, "no quantity 'det'; there are det_A, det_B"),
        ("biglide", {"window": WINDOW, "working": "+"}, r"no working mode '\+'; there are \+\+, \+-"),
        ("biglide", {"window": WINDOW, "working": ()}, "no working mode was named"),
        ("biglide", {"window": WINDOW, "shape": (1, 5)}, "at least 2"),
        ("biglide", {"window": WINDOW, "threads": 0}, "0 threads"),
        ("biglide", {"window": WINDOW, "dtype": int}, "float32 or float64, not int64"),
        ("biglide", {"window": WINDOW, "orientation": 1.0}, "takes neither orientation nor height"),
        ("biglide", {"window": WINDOW, "out": "map.txt"}, "written to a .npy file"),
        ("biglide", {"window": WINDOW, "shape": (20000, 20000)}, "GB in memory; write it to a file with out="),
        ("triplate", {}, "needs orientation"),
        ("triplate", {"orientation": float("inf")}, "orientation is inf"),
        ("delta", {"orientation": 0.0}, "needs height"),
        ("delta", {"height": 5.0}, "does not come to height 5 m"),
        ("fourbar", {"window": WINDOW}, "as many drives as coordinates"),
        ("furuta", {"window": WINDOW}, "one output body"),
    ],
)
def test_what_cannot_be_mapped_is_refused_in_one_sentence(robot, options, message):
    """What is wrong and what there is instead."""
    with pytest.raises((BadInput, NoClosedForm, cc.ClosedChainError), match=message):
        map_grid(cc.load(robot), **options)


def test_a_plane_that_was_not_asked_for_is_refused(biglide):
    """The map names what it holds."""
    found = map_grid(biglide, WINDOW, (3, 3), ["det_A"], working="+-")
    assert isinstance(found, Map)
    assert found.plane("det_A").shape == (1, 3, 3)
    with pytest.raises(BadInput, match="there are slack, det_A"):
        found.plane("effort")
    with pytest.raises(BadInput, match=r"there are \+-"):
        found.plane("det_A", "++")


# The program ----------------------------------------------------------------------------------------------------------


def test_sharing_negatives_keeps_every_bit():
    """Random points: the shared program and the plain one differ at most in the sign of a zero, and it is shorter."""
    equations = cc.load("biglide").equations
    modes, quantities = ("++", "+-", "-+", "--"), ("det_A", "det_B", "condition", "effort")
    (shared,) = map_programs(equations, quantities, modes)
    plain = Mapping(equations).plain(quantities, modes)
    x, y = np.random.default_rng(0).uniform(-0.2, 0.2, (2, 1000))
    p = cc.load("biglide").p
    np.testing.assert_array_equal(interpret(shared, x, y, p)[0], interpret(plain, x, y, p)[0])
    assert len(shared.code) < 0.6 * len(plain.code)


def test_every_kind_of_negative_is_found():
    """a − b and b − a, (−a)·b and a·b, |−a| and |a| are one value each; a choice keeps the right sign."""
    b = Builder()
    x, y = b.input(0, 0), b.input(0, 1)
    minus_x = b.emit("neg", x)
    lines = [b.emit("sub", x, y), b.emit("sub", y, x), b.emit("mul", x, y), b.emit("mul", minus_x, y)]
    lines += [b.emit("abs", x), b.emit("abs", minus_x), b.emit("div", minus_x, y), b.emit("max", minus_x, y)]
    lines += [b.emit("select", b.emit("lt", x, y), minus_x, y), b.emit("sqrt", b.emit("abs", b.emit("sub", y, x)))]
    program = b.finish("all", [Operand("z", (2,))], [Operand("out", (len(lines),))], lines)
    shared = share_negations(program)
    z = np.random.default_rng(1).normal(size=(500, 2))
    np.testing.assert_array_equal(interpret(shared, z)[0], interpret(program, z)[0])
    count = [line.op for line in shared.code]
    assert [count.count(op) for op in ("sub", "mul", "abs")] == [1, 1, 2]


def test_programs_that_ask_for_the_sign_of_a_zero_are_left_alone():
    """copysign sees −0."""
    b = Builder()
    x = b.input(0, 0)
    program = b.finish("sign", [Operand("x", ())], [Operand("out", ())], [b.emit("copysign", b.const(1.0), x)])
    assert share_negations(program) is program


# The benchmark --------------------------------------------------------------------------------------------------------


def test_the_benchmark_checks_and_times_everybody():
    """One round on 60 × 60 points: every contestant passes its check in both precisions, and memory is measured."""
    result = singularity_map.main(rounds=1, n=60, threads=2)
    assert [len(table["rows"]) + len(result["skipped"]) for table in result["tables"]] == [8, 8]
    assert all(used is None or used > 1e7 for used in result["peak_bytes"].values())
    json.dumps(result)


def test_the_benchmark_refuses_a_wrong_map(monkeypatch):
    """A planted error of 1e-5 in one value of one plane is found before timing."""

    def almost(*args, out, **options):
        found = map_grid(*args, out=out, **options)
        out[7, 30, 31] += 1e-5
        return found

    monkeypatch.setattr(singularity_map, "map_grid", almost)
    with pytest.raises(harness.WrongAnswer, match="closedchain, 1 thread is off by 1e-05"):
        singularity_map.main(rounds=1, n=60, threads=1)
