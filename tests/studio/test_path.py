"""Paths: parts out of reach and singular points of lines, polylines and circles, by hand geometry."""

import json
import math

import numpy as np
import pytest

import closedchain as cc
from closedchain.studio.checking import check
from closedchain.studio.messages import OPERATIONS
from closedchain.studio.worker import answer

L, D = 0.3606, 0.4  # of the biglide: bars and the rails' distance [m]
EDGE = L - D / 2  # the tip's largest |x|
ROUNDING = 1e-12  # of lengths below 1 m after some hundred operations, with the width of the enclosures


def ask(robot, working, values=None, **path):
    """The answer that the page gets, which must be JSON."""
    fields = {"robot": {"source": robot, "values": values or {}}, "working": working, **path}
    kind, made = answer("path", check(OPERATIONS["path"].request, fields), lambda *told: None)
    assert kind != b"E", made
    json.dumps(made, allow_nan=False)
    return made


def refusal(robot, working, **path):
    """Why there is no answer."""
    fields = {"robot": {"source": robot}, "working": working, **path}
    kind, made = answer("path", check(OPERATIONS["path"].request, fields), lambda *told: None)
    assert kind == b"E"
    return made["message"]


def test_a_line_inside_is_proven_free():
    """Between the rails' edges the mode ++ of the biglide has no singularity: det A is a sum of positive terms."""
    made = ask("biglide", "++", corners=[[-0.15, 0.2], [0.15, 0.3]])
    assert (made["points"], made["out_of_reach"], made["unresolved"]) == ([], [], [])
    assert made["complete"]
    assert made["end"] == 1


def test_a_line_beyond_the_edge_names_the_leg_and_by_how_much():
    """From x = 0 to 0.3: bar 1 ends at l − d/2, a Type 1 point, and misses the end by 0.3 + d/2 − l."""
    made = ask("biglide", "++", corners=[[0.0, 0.3], [0.3, 0.3]])
    (part,) = made["out_of_reach"]
    (leg,) = part["legs"]
    assert part["low"] == pytest.approx(EDGE / 0.3, abs=ROUNDING)
    assert part["high"] == 1
    assert part["start"] == pytest.approx([EDGE, 0.3], abs=ROUNDING)
    assert (leg["leg"], leg["side"]) == ("A1-C", "far")
    assert leg["by"] == pytest.approx(0.3 - EDGE, abs=ROUNDING)
    (edge,) = made["points"]
    assert (edge["type"], edge["leg"], edge["working"]) == (1, "A1-C", "0+")
    assert edge["x"] == pytest.approx([EDGE, 0.3], abs=ROUNDING)


def test_a_type_2_point_is_found_where_the_bars_are_in_line():
    """In mode +− the bars of the biglide lie on one line when the tip is half-way between the rails, x = 0."""
    made = ask("biglide", "+-", corners=[[-0.1, 0.2], [0.1, 0.3], [0.1, 0.35], [-0.1, 0.35]])
    assert [p["type"] for p in made["points"]] == [2, 2]
    assert [p["s"] for p in made["points"]] == pytest.approx([0.5, 2.5], abs=ROUNDING)
    assert made["points"][0]["x"] == pytest.approx([0.0, 0.25], abs=ROUNDING)
    assert made["complete"]
    assert made["end"] == 3


def test_a_circle_is_searched_as_a_circle():
    """Radius 0.2 about x = 0: it leaves the reach where cos θ = (l − d/2)/0.2, on both sides, and comes back."""
    made = ask("biglide", "++", circle={"centre": [0.0, 0.25], "radius": 0.2, "angle": math.pi / 2})
    turn = math.acos(EDGE / 0.2) / (2 * math.pi)  # of a whole turn, from the x axis
    s = [0.25 - turn, 0.25 + turn, 0.75 - turn, 0.75 + turn]
    assert [p["s"] for p in made["points"]] == pytest.approx(s, abs=ROUNDING)
    assert [g["legs"][0]["leg"] for g in made["out_of_reach"]] == ["A2-C", "A1-C"]
    for part in made["out_of_reach"]:
        assert part["legs"][0]["by"] == pytest.approx(0.2 - EDGE, abs=1e-9)  # a flat maximum, met within 32⁻³ squared
        assert abs(part["legs"][0]["x"][0]) == pytest.approx(0.2, abs=1e-9)


def test_parts_of_a_polyline_that_meet_at_a_corner_are_one():
    """A detour beyond the edge in four pieces is one part, which begins and ends where the edge is crossed."""
    made = ask("biglide", "++", corners=[[0.1, 0.2], [0.2, 0.2], [0.25, 0.25], [0.2, 0.3], [0.1, 0.3]])
    (part,) = made["out_of_reach"]
    assert (part["low"], part["high"]) == pytest.approx(((EDGE - 0.1) / 0.1, 4 - (EDGE - 0.1) / 0.1), abs=ROUNDING)
    assert part["legs"][0]["by"] == pytest.approx(0.25 - EDGE, abs=ROUNDING)


def test_a_crank_with_unequal_parts_is_told_to_be_too_near():
    """The tip of a five-bar passes over a pivot: its leg, 60 and 90 mm long, cannot fold to less than 30 mm."""
    model = cc.load("fivebar", l1=0.06, l2=0.09)
    d = model.values["d"]
    pivot = np.array([-d / 2, 0.0])
    made = ask("fivebar", "++", {"l1": 0.06, "l2": 0.09}, corners=[(pivot - [0.0, 0.05]).tolist(), pivot.tolist()])
    told = {leg["leg"]: leg for part in made["out_of_reach"] for leg in part["legs"] if leg["side"] == "near"}
    assert set(told) == {model.legs[0].name}
    assert told[model.legs[0].name]["by"] == pytest.approx(0.03, abs=1e-9)


def test_a_plate_keeps_its_angle():
    """The triplate along a circle: at each singular point det A or a leg's slack vanishes, at the plate's own angle."""
    centre = [-1.1, -1.9, math.pi / 3]
    made = ask("triplate", "++", circle={"centre": centre, "radius": 2.0})
    model = cc.load("triplate")
    assert {p["type"] for p in made["points"]} == {1, 2}
    for p in made["points"]:
        x, q = np.array(p["x"]), np.array(p["q"])
        row = model.call("closures", q=q, x=x)
        assert math.hypot(x[0] - centre[0], x[1] - centre[1]) == pytest.approx(2.0, abs=1e-12)
        assert x[2] == centre[2]
        scale = np.prod(np.linalg.norm(row["A"], axis=1))
        if p["type"] == 2:
            assert abs(np.linalg.det(row["A"])) < 1e-9 * scale  # the enclosure's width times the slope
        else:
            slack = model.call("inverse", x=x, sigma=np.ones(3))["slack"]
            leg = [one.name for one in model.legs].index(p["leg"])
            assert abs(slack[leg]) < 1e-9 * model.scale  # the same
    for part in made["out_of_reach"]:
        s = np.linspace(part["low"], part["high"], 7)[1:-1]
        turn = 2 * np.pi * s
        inside = np.stack([centre[0] + 2 * np.cos(turn), centre[1] + 2 * np.sin(turn), np.full(5, centre[2])], axis=-1)
        slack = model.call("inverse", x=inside, sigma=np.ones(3))["slack"]
        assert (slack.min(axis=1) < 0).all()
        worst = -slack.min()
        assert max(leg["by"] for leg in part["legs"]) >= worst


@pytest.mark.parametrize(
    ("robot", "path", "words"),
    [
        ("biglide", {}, "corners or a circle"),
        ("biglide", {"corners": [[0, 0.2]]}, "from 2 to 64"),
        ("biglide", {"corners": [[0, 0.2 + 1e-3 * k] for k in range(65)]}, "from 2 to 64"),
        ("biglide", {"corners": [[0, 0.2], [0, 0.2]]}, "no length"),
        ("biglide", {"corners": [[0, 0.2], [0, 0.2, 1]]}, "corners[1]"),
        ("biglide", {"circle": {"centre": [0, 0.2], "radius": 0}}, "more than 0"),
        ("furuta", {"corners": [[0, 0.2], [0.1, 0.2]]}, "no plane"),
    ],
)
def test_a_path_that_is_none_is_refused(robot, path, words):
    """One sentence says what is wrong with it."""
    assert words in refusal(robot, "++", **path)


def test_an_unknown_mode_is_refused():
    """The modes that there are, are named."""
    assert "++, +-, -+, --" in refusal("biglide", "+", corners=[[0, 0.2], [0.1, 0.2]])


@pytest.mark.parametrize(
    "path",
    [
        {"kind": "quintic", "from": [-0.1, 0.2], "to": [0.1, 0.3]},
        {"kind": "circle", "centre": [0.0, 0.25], "radius": 0.1, "angle": 0.5},
    ],
)
def test_the_script_of_a_path_prints_its_singular_points(path, capsys):
    """In mode +− both paths meet Type 2 at x = 0: the line once, the circle twice; a path that is none is left out."""
    state = {"x": [0.03, 0.25], "working": "+-", "path": path}
    body = {"robot": {"source": "biglide"}, "screen": "explore", "state": state}
    code = answer("python", check(OPERATIONS["python"].request, body), lambda *told: None)[1]["code"]
    exec(compile(code, "explore.py", "exec"), {})  # noqa: S102 (our own script)
    count = 1 if path["kind"] == "quintic" else 2
    assert f"biglide: {count} Type 2 point(s) in +-; no other" in capsys.readouterr().out
    body["state"]["path"] = {"kind": "circle", "centre": ["__import__('os')", 0], "radius": 1, "angle": 0}
    code = answer("python", check(OPERATIONS["python"].request, body), lambda *told: None)[1]["code"]
    assert "import__" not in code
    assert "along" not in code
