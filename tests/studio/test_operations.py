"""Operations: what the page is told is what the library computes, checked by hand geometry and other routes."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.describe.writing import dumps
from closedchain.errors import BadInput, Unreachable
from closedchain.singularity.along import along as every_point
from closedchain.studio.checking import check
from closedchain.studio.failures import failure
from closedchain.studio.frames import encode
from closedchain.studio.messages import OPERATIONS
from closedchain.studio.operations.hello import hello
from closedchain.studio.operations.staging import check_files, written
from closedchain.studio.worker import answer
from closedchain.studio.workspace import NotInWorkspace, Workspace

L, D = 0.3606, 0.4  # of the biglide: bars and the rails' distance [m]
OWN = {  # a motion that was drawn, as tables
    "schema": "closedchain.scenario/1",
    "robot": "biglide",
    "interval": 0.005,
    "controller": {"kind": "computed-torque", "kp": 100, "kd": 20},
    "trajectory": {"kind": "quintic", "from": [0, 0.3], "to": [0.05, 0.35], "duration": 0.5, "working": "++"},
}


ADDED = {  # what the server adds to a request
    "simulate": {"job": "job", "workspace": "."},
    "robot": {"kernels": "/k/some.js"},
    "define": {"kernels": "/k/some.js"},
}


def ask(op, **fields):
    """An operation as the page asks it: checked, run in this process, raised if it fails, sendable."""
    body = check(OPERATIONS[op].request, json.loads(json.dumps(fields))) | ADDED.get(op, {})
    kind, made = answer(op, body, lambda *told: None)
    assert kind != b"E", made
    if kind == b"B":
        return made
    json.dumps(made, allow_nan=False)
    return made


def frame(op, **fields):
    """The arrays and the meta of an operation that answers with a frame."""
    made = ask(op, **fields)
    length = int.from_bytes(made[8:12], "little")
    header = json.loads(made[12 : 12 + length])
    arrays = {}
    for row in header["arrays"]:
        count = math.prod(row["shape"])
        arrays[row["name"]] = np.frombuffer(made, "<" + row["dtype"], count, 12 + length + row["offset"]).reshape(
            row["shape"]
        )
    return arrays, header["meta"]


def refusal(op, **fields):
    """Why an operation has no answer."""
    kind, made = answer(op, check(OPERATIONS[op].request, fields) | ADDED.get(op, {}), lambda *told: None)
    assert kind == b"E"
    return made


def named(name, **values):
    """A robot by its name."""
    return {"source": name, "values": values}


def test_the_parameter_sets_of_every_robot_and_linkage_are_offered():
    """As `closedchain list` names them."""
    offered = [name for row in hello({}, None)["robots"] for name in row["presets"]]
    assert {"biglide:lab", "furuta:qube", "cartpole:light"} <= set(offered)
    assert [name for name in offered if ask("robot", robot=named(name))["name"] != name] == []


@pytest.mark.parametrize("name", robots.known())
def test_every_robot_can_be_opened(name):
    """It says what it is, and begins at a configuration that closes its loops, well away from singularities."""
    made = ask("robot", robot=named(name))
    model = cc.load(name)
    q, x = np.array(made["start"]["q"]), np.array(made["start"]["x"])
    x0, x1, y0, y1 = made["window"]
    assert x0 < x1
    assert y0 < y1
    if model.equations.closures:
        gap = model.call("closures", q=q, x=x)["gap"]
        assert np.abs(gap).max() <= 1e-9 * model.scale  # what counts as closed
    if made["working"]:
        assert made["start"]["working"] in made["working"]
        assert ask("at", robot=named(name), q=q.tolist(), x=x.tolist())["condition"] > 0.03
    parts = made["scene"]["parts"]
    count = len(made["scene"]["names"]) + len(made["scene"]["constants"])
    assert len(made["start"]["points"]) == count
    assert all(0 <= i < count for part in parts for i in part["points"])


def test_the_biglides_scene_is_its_figure():
    """Two bars from the feet to the tip, two rails along y at ±d/2, drives that slide there."""
    scene = ask("robot", robot=named("biglide"))["scene"]
    assert scene["names"] == ["A1", "A2", "C"]
    assert [p["points"] for p in scene["parts"] if p["kind"] == "bar"] == [[0, 2], [1, 2]]
    assert [r["through"] for r in scene["rails"]] == [[-D / 2, 0.0], [D / 2, 0.0]]
    assert [r["along"] for r in scene["rails"]] == [[0.0, 1.0]] * 2
    assert [(d["kind"], d["point"]) for d in scene["drives"]] == [("slider", 0), ("slider", 1)]
    assert (scene["tip"], scene["plate"]) == (2, False)


def test_values_change_the_robot():
    """A slider of the page is a parameter: with longer bars the feet stand lower."""
    short, long = (ask("solve", robot=named("biglide", l=l), x=[0.0, 0.3])["branches"][0] for l in (0.36, 0.40))
    assert short["q"][0] == pytest.approx(0.3 - math.sqrt(0.36**2 - 0.04), abs=1e-15)  # rounding
    assert long["q"][0] == pytest.approx(0.3 - math.sqrt(0.40**2 - 0.04), abs=1e-15)


def test_every_branch_is_solved_and_drawn():
    """Four working modes of the five-bar; their points are where a bar's length says; `near` chooses one."""
    start = ask("robot", robot=named("fivebar"))["start"]
    near = {"q": start["q"], "x": start["x"]}
    made = ask("solve", robot=named("fivebar"), x=start["x"], near=near)
    assert [b["working"] for b in made["branches"]] == ["++", "+-", "-+", "--"]
    for branch in made["branches"]:
        names = {"A1": 0, "A2": 1, "C": 2}
        for foot in ("A1", "A2"):
            bar = np.subtract(branch["points"][names["C"]], branch["points"][names[foot]])
            assert np.linalg.norm(bar) == pytest.approx(0.09, abs=1e-15)  # rounding
    assert [b["working"] for b in made["branches"] if b["nearest"]] == [start["working"]]
    both = ask("solve", robot=named("fivebar"), q=start["q"], near=near)
    assert {b["assembly"] for b in both["branches"]} == {"+", "-"}


def test_out_of_reach_the_robot_stays_at_the_boundary():
    """On the way from x = 0 to the right the left leg ends at l − d/2; the message names it."""
    start = ask("solve", robot=named("biglide"), x=[0.0, 0.3])["branches"][0]
    near = {"q": start["q"], "x": start["x"]}
    made = ask("solve", robot=named("biglide"), x=[0.5, 0.3], near=near)
    assert made["why"]["leg"] == "leg A1-C"
    assert made["why"]["short_by"] == pytest.approx(0.5 + D / 2 - L, abs=1e-12)
    assert made["why"]["boundary"] == pytest.approx([L - D / 2, 0.3], abs=1e-8)  # 32⁻⁶ of the way
    assert "--set" not in made["why"]["message"]
    assert made["branches"]
    assert ask("solve", robot=named("biglide"), x=[0.5, 0.3])["branches"] == []


def test_a_linkage_is_dragged_with_its_loops_closed():
    """With the cart held the pole's end comes to the nearest point of its circle; the cart takes the pole along."""
    start = ask("robot", robot={"source": "cartpole"})["start"]
    near = {"q": start["q"], "x": start["x"]}
    (swung,) = ask("solve", robot={"source": "cartpole"}, x=[3.0, -4.0], near=near)["branches"]
    assert swung["q"] == start["q"] == [0.0]
    np.testing.assert_allclose(swung["x"], [0.6, -0.8], atol=1e-12)  # 3-4-5, and the pole is 1 m long
    (pulled,) = ask("solve", robot={"source": "cartpole"}, q=[0.25], near=near)["branches"]
    assert pulled["q"] == [0.25]
    assert math.dist(pulled["x"], (0.25, 0.0)) == pytest.approx(1.0, abs=1e-12)
    (hung,) = ask("solve", robot={"source": "pendulum"}, x=[0.0, -2.0])["branches"]
    np.testing.assert_allclose(hung["x"], [0.0, -1.0], atol=1e-12)


def test_at_a_configuration_everything_is_told():
    """A, B, J of the biglide by hand: 2 (C − A) and −2 (y − q); J = −A⁻¹B."""
    branch = ask("solve", robot=named("biglide"), x=[0.03, 0.25])["branches"][0]
    made = ask("at", robot=named("biglide"), q=branch["q"], x=branch["x"])
    q1, q2 = branch["q"]
    A = np.array([[2 * (0.03 + D / 2), 2 * (0.25 - q1)], [2 * (0.03 - D / 2), 2 * (0.25 - q2)]])
    B = np.diag([-2 * (0.25 - q1), -2 * (0.25 - q2)])
    np.testing.assert_allclose(made["A"], A, rtol=1e-14)
    np.testing.assert_allclose(made["B"], B, rtol=1e-14)
    np.testing.assert_allclose(made["J"], -np.linalg.solve(A, B), rtol=1e-12)
    assert made["det_A"] == pytest.approx(np.linalg.det(A), rel=1e-12)
    assert made["distances"]["type1"]["metres"] == pytest.approx(
        L - D / 2 - 0.03, abs=1e-12
    )  # to the end of the left leg
    assert made["free_motion"] is None


def test_the_distance_to_type_2_is_that_to_the_line_where_it_lies():
    """The biglide's "+-" is singular on x = 0: the distance is |x|. In "++" there is none."""
    for x in (0.05, -0.11):
        branch = next(b for b in ask("solve", robot=named("biglide"), x=[x, 0.3])["branches"] if b["working"] == "+-")
        made = ask("at", robot=named("biglide"), q=branch["q"], x=branch["x"])
        assert made["distances"]["type2"]["metres"] == pytest.approx(
            abs(x), rel=1e-4
        )  # the fan's last angle is 1/400 rad
    first = ask("solve", robot=named("biglide"), x=[0.05, 0.3])["branches"][0]
    assert ask("at", robot=named("biglide"), q=first["q"], x=first["x"])["distances"]["type2"] == {
        "metres": None,
        "searched": True,
    }


def test_at_a_singularity_numbers_stay_finite():
    """J is absent, the free motion is there, infinite radii are null, a warning says it."""
    branch = next(b for b in ask("solve", robot=named("biglide"), x=[0.0, 0.3])["branches"] if b["working"] == "+-")
    made = ask("at", robot=named("biglide"), q=branch["q"], x=branch["x"])
    assert made["kinds"] == ["type 2"]
    assert made["J"] is None
    assert made["velocity_ellipse"]["radii"][0] is None
    across = np.array([D / 2, 0.3 - branch["q"][0]])  # along the bars, which lie on one line
    assert np.dot(made["free_motion"], across) == pytest.approx(0.0, abs=1e-12)
    assert made["warnings"][0].startswith("Type 2 singularity")


def test_a_configuration_that_is_open_is_refused():
    """By how much."""
    made = refusal("at", robot=named("biglide"), q=[0.0, 0.0], x=[0.0, 0.3])
    assert made["kind"] == "usage"
    assert "open by" in made["message"]


def test_along_a_line_determinants_and_proven_points():
    """det A changes its sign where `along` has a point, in that mode only."""
    arrays, meta = frame("along", robot=named("biglide"), start=[-0.1, 0.2], end=[0.1, 0.3], samples=201)
    assert arrays["det_A"].shape == (4, 201)
    assert meta["complete"]
    assert {(p["working"], p["type"]) for p in meta["points"]} == {("+-", 2), ("-+", 2)}
    model = cc.load("biglide")
    assert len(meta["points"]) == sum(len(every_point(model, [-0.1, 0.2], [0.1, 0.3], kind=k)) for k in "AB")
    mode = meta["working"].index("+-")
    assert arrays["det_A"][mode, 0] * arrays["det_A"][mode, -1] < 0
    assert np.all(arrays["det_A"][meta["working"].index("++")] > 0)


def test_a_line_of_what_cannot_be_moved_along_it_is_refused_with_the_reason():
    """A four-bar's joint goes along one curve; a pendulum, which nothing drives, stays on its circle."""
    start = ask("robot", robot=named("fourbar"))["start"]["x"]
    told = refusal("along", robot=named("fourbar"), start=start, end=[start[0] + 0.01, start[1]], working=None)
    assert "its output cannot be moved freely" in told["message"]
    (rest,) = ask("solve", robot=named("pendulum"), q=[])["branches"]
    assert (rest["q"], rest["residual"] < 1e-12) == ([], True)


def test_a_map_is_the_determinant_at_its_points():
    """The first row is the lowest; NaN out of reach; every point as `at` tells it."""
    arrays, meta = frame(
        "map", robot=named("biglide"), quantity="det_A", working="++", window=[-0.3, 0.3, 0.1, 0.4], shape=[4, 7]
    )
    values = arrays["values"]
    assert values.dtype == np.dtype("<f4")
    xs, ys = np.linspace(-0.3, 0.3, 7), np.linspace(0.1, 0.4, 4)
    for i, y in enumerate(ys):
        for j, x in enumerate(xs):
            if abs(x) > L - D / 2:
                assert np.isnan(values[i, j])
                continue
            branch = ask("solve", robot=named("biglide"), x=[x, y])["branches"][0]
            found = ask("at", robot=named("biglide"), q=branch["q"], x=branch["x"])["det_A"]
            assert values[i, j] == pytest.approx(found, rel=1e-6)  # single precision
    assert (meta["low"], meta["high"]) == (pytest.approx(np.nanmin(values)), pytest.approx(np.nanmax(values)))


def test_aspects_of_the_five_bar_have_two_signs():
    """Half of its reach each, by symmetry; labels are numbers of the list."""
    arrays, meta = frame("aspects", robot=named("fivebar"), working="++", shape=[60, 40])
    assert meta["count"] == 2
    areas = [a["area"] for a in meta["aspects"]]
    assert areas[0] == pytest.approx(areas[1], rel=1e-3)  # cells of 1/512 of the window
    assert set(np.unique(arrays["labels"])) == {-1.0, 0.0, 1.0}


def test_singular_curves_of_the_biglide_are_lines():
    """Type 2 of "+-" is x = 0; Type 1 are x = ±(l − d/2)."""
    made = ask("loci", robot=named("biglide"), working="+-", window=[-0.3, 0.3, 0.0, 0.4], lines=6)
    places = {round(p[0], 9) for c in made["curves"] for p in c["points"] if c["type"] == 2}
    assert places == {0.0}
    ends = {round(abs(p[0]), 9) for c in made["curves"] for p in c["points"] if c["type"] == 1}
    assert ends == {round(L - D / 2, 9)}


def test_cusps_of_the_plate_lie_where_det_a_is_double():
    """At each cusp A is singular, and along its free motion det A does not change: three poses meet."""
    made = ask("cusps", robot=named("rpr3"), drive="rho1", value=14.98)
    model = cc.load("rpr3")
    assert made["complete"]
    assert len(made["cusps"]) == 4
    for cusp in made["cusps"]:
        q, x = np.array(cusp["q"]), np.array(cusp["x"])
        A = model.call("closures", q=q, x=x)["A"]
        free = np.linalg.svd(A)[2][-1]
        sides = [np.linalg.det(model.call("closures", q=q, x=x + s * free)["A"]) for s in (-1e-4, 0, 1e-4)]
        usual = np.prod(np.linalg.norm(A, axis=0))
        assert abs(sides[1]) < 1e-9 * usual
        assert abs(sides[2] - sides[0]) < 1e-9 * usual  # of first order it would be some 1e-5


def test_a_definition_is_drawn_or_its_mistake_has_a_line():
    """TOML, names and units are checked; a right one gives the robot and its equations."""
    text = dumps(cc.load("biglide").recipe, {})
    made = ask("define", toml=text, equations=True)
    assert made["valid"]
    assert made["robot"]["name"] == "biglide"
    titles = [row["title"] for row in made["equations"]]
    assert any("Closures" in title for title in titles)
    wrong = text.replace('unit = "m"', 'unit = "furlong"', 1)
    line = 1 + wrong[: wrong.index("furlong")].count("\n")
    broken = ask("define", toml=wrong)
    assert not broken["valid"]
    assert broken["errors"][0]["line"] == line
    assert "furlong" in broken["errors"][0]["message"]
    assert ask("define", toml="name = [")["errors"][0]["line"] == 1


@pytest.mark.parametrize("text", ["", " \n", "# nothing yet"])
def test_an_empty_definition_is_told_as_that(text):
    """Whoever clears the editor is told how to begin."""
    (told,) = ask("define", toml=text)["errors"]
    assert told["line"] == 1
    assert "is empty; begin with schema" in told["message"]


@pytest.mark.parametrize(
    ("screen", "state"),
    [
        ("explore", {"x": [0.03, 0.25], "working": "++"}),
        ("explore", {"x": [0.03, 0.25], "working": "+-", "path": {"kind": "spline", "through": [[-0.1, 0], [0.1, 0]]}}),
        ("singularities", {"start": [-0.1, 0.2], "end": [0.1, 0.3]}),
        ("simulate", {"scenario": "biglide-computed-torque", "settings": {"controller.kp": 50}}),
        ("simulate", {"scenario": OWN, "settings": {"trajectory.to": [0.05, 0.3]}, "plant": "exact"}),
    ],
)
def test_the_copied_script_runs(screen, state, tmp_path):
    """In a Python of its own."""
    code = ask("python", robot=named("biglide", l=0.37), screen=screen, state=state)["code"]
    (tmp_path / "script.py").write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "biglide" in done.stdout


@pytest.mark.parametrize("plant", ["exact", "mujoco"])
def test_the_script_of_a_robot_and_a_motion_of_ones_own_runs_what_the_studio_ran(plant, tmp_path, monkeypatch):
    """A changed definition, a drawn trajectory and the plant are in the script: its last pose is that of the run."""
    text = ask("robot", robot=named("biglide"))["toml"].replace("value = 0.4,", "value = 0.42,")
    robot = {"source": None, "toml": text, "values": {"m_p": 2.5}}
    state = {"scenario": OWN, "settings": {}, "plant": plant}
    monkeypatch.chdir(tmp_path)
    code, made = ask("python", robot=robot, screen="simulate", state=state)["code"], {}
    exec(compile(code, "run.py", "exec"), made)  # noqa: S102 (our own script)
    arrays, _ = frame("simulate", robot=robot, **state)
    np.testing.assert_allclose(made["run"].q[-1], arrays["q"][-1], rtol=1e-6)  # sent as 32-bit numbers
    assert made["run"].model.values["d"] == 0.42
    assert made["run"].model.values["m_p"] == 2.5


def test_a_script_cannot_be_written_by_names():
    """Texts of a state become Python strings, whatever is in them."""
    code = ask("python", robot=named("biglide"), screen="explore", state={"x": [0, 0], "working": "'); import os #"})
    assert 'working="\'); import os #")' in code["code"]


@pytest.mark.parametrize("name", ["biglide", "fivebar", "triplate", "rrr3", "fourbar", "furuta"])
def test_a_robot_says_beforehand_what_a_crossing_would_say(name):
    """For a tip on two bars nothing, for any other robot the reason with which a crossing is refused."""
    told = ask("robot", robot=named(name))
    if name in ("biglide", "fivebar"):
        assert told["no_crossing"] == ""
        return
    x = told["start"]["x"]
    refused = refusal("crossing", robot=named(name), start=x, end=[v + 0.01 for v in x], duration=1.0, working="+")
    assert told["no_crossing"] == refused["message"]


def test_a_plan_and_a_crossing():
    """Around a singularity with a proof, or through it with bounded efforts."""
    made = ask("plan", robot=named("fivebar"), start=[0.05, 0.12], end=[-0.05, 0.12], margin=0.02)
    assert made["found"]
    np.testing.assert_allclose([made["path"][0], made["path"][-1]], [[0.05, 0.12], [-0.05, 0.12]], atol=1e-12)
    arrays, meta = frame(
        "crossing", robot=named("biglide"), start=[-0.1, 0.3], end=[0.1, 0.5], duration=2.0, working="+-"
    )
    assert meta["bounded"]
    assert meta["x_singular"][0][0] == pytest.approx(0.0, abs=1e-9)  # where "+-" is singular
    assert np.isfinite(arrays["tau"]).all()
    assert np.abs(arrays["tau"]).max() <= meta["max_effort"] * 1.05  # its samples are others


def test_without_its_shape_a_crossing_asks_for_efforts_that_grow_as_one_over_the_time_left():
    """τ = c / (t − t_s) beside Type 2 where the criterion is not met: half of the time, twice the effort."""
    given = {"start": [-0.1, 0.3], "end": [0.1, 0.5], "duration": 2.0, "working": "+-", "samples": 4001}
    arrays, meta = frame("crossing", robot=named("biglide"), **given)
    away = np.abs(arrays["t"] - meta["t_singular"][0])
    size = np.abs(arrays["tau_plain"]).max(axis=1)
    ends = [size[np.argmin(np.abs(away - far))] * away[np.argmin(np.abs(away - far))] for far in (0.01, 0.005, 0.0025)]
    np.testing.assert_allclose(ends, ends[-1], rtol=0.1)  # the next term is of the first order in the time left
    assert meta["plain_effort"] == pytest.approx(ends[-1] / 0.002, rel=0.1)
    assert np.isnan(size[np.argmin(away)])


def test_mujoco_moves_a_linkage_too():
    """Bricard's, five seconds under its weight, whose closures are more than it needs."""
    ours, _ = frame("simulate", scenario="iftomm-a04", record=0.1)
    other, _ = frame("simulate", scenario="iftomm-a04", record=0.1, plant="mujoco")
    np.testing.assert_allclose(other["x"], ours["x"], atol=1e-5)


def test_mujoco_moves_the_same_run():
    """The same controller and start in another engine: the tip is elsewhere by less than a micrometre."""
    exact, _ = frame("simulate", scenario="biglide-computed-torque", record=0.01)
    other, meta = frame("simulate", scenario="biglide-computed-torque", record=0.01, plant="mujoco")
    assert "MuJoCo" in meta["title"]
    assert meta["finished"]
    assert len(other["t"]) > 100
    where = np.array([np.interp(other["t"], exact["t"], exact["x"][:, i]) for i in (0, 1)]).T
    assert np.abs(other["x"] - where).max() < 1e-6  # softness of its loops, single precision of the frame
    assert np.abs(other["x"] - where).max() > 0.0  # another engine


# What a scenario may name ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tables", "error"),
    [
        ({"robot": "/etc/passwd"}, BadInput),
        ({"robot": "../biglide.toml"}, BadInput),
        ({"robot": 3}, BadInput),
        ({"robot": "biglide", "trajectory": {"kind": "table", "file": "/etc/passwd"}}, NotInWorkspace),
        ({"robot": "biglide", "trajectory": [{"kind": "table", "file": "../a.csv"}]}, NotInWorkspace),
    ],
)
def test_a_scenario_reads_no_file_outside_the_workspace(tables, error, tmp_path):
    """Whether it says so itself or a setting does."""
    with pytest.raises(error):
        check_files(tables, Workspace(tmp_path), "")
    kind, made = answer(
        "simulate",
        check(OPERATIONS["simulate"].request, {"scenario": "biglide-computed-torque", "settings": tables})
        | {"job": "j", "workspace": str(tmp_path)},
        lambda *told: None,
    )
    assert kind == b"E"
    assert made["kind"] in ("usage", "input")


def test_tables_and_definitions_can_be_run():
    """A scenario as JSON, with a robot as text: the same run as by their names."""
    tables = {
        "robot": "biglide",
        "interval": 0.005,
        "trajectory": {"kind": "quintic", "from": [0, 0.3], "to": [0.1, 0.5], "duration": 3},
        "controller": {"kind": "computed-torque", "kp": 100, "kd": 100},
    }
    _, by_name = frame("simulate", scenario="biglide-computed-torque")
    text = dumps(cc.load("biglide").recipe, {})
    _, by_text = frame("simulate", scenario=tables, robot={"toml": text})
    assert by_text["summary"]["max_error"] == pytest.approx(by_name["summary"]["max_error"], rel=1e-9)


def test_a_scenario_tells_its_tables():
    """As they are written, by name or from a text; what JSON cannot say is refused."""
    made = ask("scenario", source="biglide-computed-torque")
    assert made["robot"] == "biglide"
    assert made["tables"]["controller"] == {"kind": "computed-torque", "kp": 100, "kd": 100}
    assert ask("scenario", source='robot = "fivebar"\n')["robot"] == "fivebar"
    assert refusal("scenario", source="interval = inf\n")["kind"] == "usage"
    assert "biglide-oscillate" in refusal("scenario", source="../secret")["message"]


def test_written_tables_are_toml():
    """Quotes, nesting and unusual keys survive."""
    made = written({"a b": {"c": [1, 2.5, {"d": 'x"y'}], "e": True}, "none": None})
    assert made == '"a b" = {"c" = [1, 2.5, {"d" = "x\\"y"}], "e" = true}\n'


# The lab --------------------------------------------------------------------------------------------------


def test_a_groups_file_runs_only_when_confirmed():
    """Without a yes nothing is written or run; names with a path are refused."""
    assert "confirm" in refusal("grade", name="biglide_models.py", text="x = 1", confirmed=False)["message"]
    assert refusal("grade", name="../biglide_models.py", text="x", confirmed=True)["kind"] == "usage"


def test_a_groups_file_is_graded_in_the_sandbox():
    """A file without its functions is told so."""
    made = ask("grade", name="biglide_models.py", text="def dgm(a, b, c):\n    return 0, 0\n", confirmed=True)
    functions = {f["name"]: f["verdict"] for f in made["submissions"][0]["files"][0]["functions"]}
    assert functions["igm"] == "missing"
    assert not made["passed"]


# Failures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Unreachable("r", "leg", 0.1, "x"), "unreachable"),
        (BadInput("no"), "usage"),
        (MemoryError(), "limit"),
        (RuntimeError("can't start new thread"), "limit"),
        (np.linalg.LinAlgError("singular"), "limit"),
        (KeyError("secret/path"), "internal"),
        (ZeroDivisionError("a"), "internal"),
    ],
)
def test_a_failure_has_a_kind_and_no_inside(error, kind):
    """What is a bug says so without its words."""
    made = failure(error)
    assert made["kind"] == kind
    assert "secret" not in made["message"]
    assert made["message"]


def test_an_answer_is_never_not_a_number():
    """JSON has no NaN: a frame's meta and an answer that hold one are refused where they are made."""
    with pytest.raises(OverflowError, match="JSON"):
        encode({}, {"a": float("nan")})


def test_unknown_robots_are_told_with_the_known_ones():
    """A path is no name."""
    for source in ("nosuch", "/etc/passwd", "robots/biglide.toml"):
        made = refusal("robot", robot=named(source))
        assert "biglide" in made["message"]
    both = refusal("robot", robot={"source": "biglide", "toml": "name = 1"})
    assert "one of them" in both["message"]


def test_a_run_is_thinned_to_its_ends_at_most():
    """However long the time asked for between samples."""
    arrays, _ = frame("simulate", scenario="biglide-computed-torque", record=1e150)
    assert len(arrays["t"]) == 2


def test_a_negative_seed_is_refused_in_one_sentence():
    """Before anything runs."""
    assert "from 0" in refusal("grade", name="a.py", text="x = 1", confirmed=True, seed=-1)["message"]


def test_a_motion_of_the_drives_by_formula_is_run_and_its_error_is_called_like_them():
    """Tables with formulas, as the page sends them; what is followed are the drives, not the output."""
    formula = {"kind": "formula", "formula": {"q1": "0.1*sin(t)", "q2": "-0.1*sin(t)"}, "duration": 0.5}
    arrays, meta = frame("simulate", scenario=OWN | {"trajectory": formula})
    assert (meta["names"]["error"], meta["units"]["error"]) == (["q1", "q2"], ["m", "m"])
    np.testing.assert_allclose(arrays["q_ref"][:, 0], 0.1 * np.sin(arrays["t"]), atol=1e-7)  # sent in single precision
    assert meta["summary"]["max_error"] < 1e-5


def test_a_motion_of_the_output_by_formula_is_run_and_its_error_is_called_like_it():
    """The names decide: formulas of x and y are followed by the tip."""
    formula = {"kind": "formula", "formula": {"x": "0.03*sin(t)", "y": "0.3 + 0.02*t**2"}, "duration": 0.5}
    arrays, meta = frame("simulate", scenario=OWN | {"trajectory": formula})
    assert (meta["names"]["error"], meta["units"]["error"]) == (["x", "y"], ["m", "m"])
    np.testing.assert_allclose(arrays["x_ref"][:, 1], 0.3 + 0.02 * arrays["t"] ** 2, atol=1e-7)
    assert meta["summary"]["max_error"] < 1e-5


@pytest.mark.parametrize("formulas", ["q1 = 0.1*sin(t); q2 = 0", "x = 0.03*sin(t); y = 0.3"])
def test_a_robot_is_verified_along_a_motion_by_formula(formulas):
    """Of the drives or of the output; the rows are of that motion alone."""
    told = ask("verify", robot=named("biglide"), engine="mujoco", motion=formulas, duration=0.4)
    assert told["passed"]
    assert {row["motion"] for row in told["rows"]} == {"own"}


def test_a_motion_that_verify_cannot_take_is_refused_in_one_sentence():
    """A name that none has, a drive too few, and an hour."""
    assert "oscillation" in refusal("verify", robot=named("biglide"), motion="waltz")["message"]
    assert "q1, q2" in refusal("verify", robot=named("biglide"), motion="q1 = t")["message"]
    assert "60 s" in refusal("verify", robot=named("biglide"), motion="q1 = t; q2 = t", duration=3600.0)["message"]


def test_a_text_that_is_not_finished_is_drawn_and_says_what_is_missing():
    """Two cranks (2 drives), a joint (2 coordinates), one bar (1 closure): mobility 2 + 2 − 1 = 3, one is missing."""
    text = (
        'name = "half"\n[parameters]\nr = 0.1\n[points]\nC = { free = true, near = [0, "3*r"] }\n'
        '[drives.q1]\ncrank = { about = [-0.1, 0], radius = "r" }\npoint = "A1"\n'
        '[drives.q2]\ncrank = { about = [0.1, 0], radius = "r" }\npoint = "A2"\n'
        '[[bars]]\nbetween = ["A1", "C"]\nlength = "2*r"\n'
    )
    made = ask("define", toml=text)
    assert not made["valid"]
    drawn = made["sketch"]
    assert (drawn["mobility"], drawn["next"]) == (3, "add one bar")
    assert drawn["points"][0]["at"] == pytest.approx([0, 0.3])
    assert drawn["bars"] == [{"a": "A1", "b": "C", "length": pytest.approx(0.2)}]


def test_a_sweep_maps_a_measure_over_two_parameters():
    """The moving mass of the biglide is its platform's and twice a foot's, at every point of the map."""
    axes = [{"name": "m_p", "low": 1.0, "high": 3.0, "count": 5}, {"name": "m_f", "low": 0.5, "high": 2.0, "count": 4}]
    arrays, meta = frame("sweep", robot=named("biglide"), axes=axes, compute="moving_mass")
    m_p, m_f = np.meshgrid(np.linspace(1, 3, 5), np.linspace(0.5, 2, 4))
    np.testing.assert_allclose(arrays["values"], m_p + 2 * m_f, rtol=1e-6)  # single precision is sent
    assert meta["unit"] == "kg"


def test_what_a_sweep_cannot_take_is_refused_in_one_sentence():
    """One parameter twice, an axis that goes down, too many points."""
    up, down = {"name": "l", "low": 0.3, "high": 0.5}, {"name": "d", "low": 0.5, "high": 0.3}
    refused = {"robot": named("biglide"), "compute": "workspace_area"}
    assert "different" in refusal("sweep", **refused, axes=[up, up])["message"]
    assert "larger" in refusal("sweep", **refused, axes=[up, down])["message"]
    wide = [up | {"count": 400}, {"name": "d", "low": 0.3, "high": 0.5, "count": 400}]
    assert "10000" in refusal("sweep", **refused, axes=wide)["message"]


def test_designs_between_two_goals_are_none_of_them_beaten():
    """Longer bars reach further and weigh the conditioning down: no design of the front is better in both goals."""
    pytest.importorskip("pymoo")
    vary = [{"name": "l", "low": 0.2, "high": 0.5}, {"name": "d", "low": 0.1, "high": 0.8}]
    goals = ["workspace_area", "centre_conditioning"]
    told = ask("design", robot=named("biglide"), vary=vary, maximise=goals, evaluations=300)
    rows = np.array([row["goals"] for row in told["rows"]])
    assert told["dimensions"] == ["l", "d"]
    assert len(rows) > 5
    order = np.argsort(rows[:, 0])
    assert (np.diff(rows[order, 1]) <= 1e-12).all()
