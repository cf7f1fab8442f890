"""An animation is one page that plays offline and holds the robot's true positions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.describe import Coordinate, Equations, Parameter, Recipe, cos, sin
from closedchain.describe.expressions import expr
from closedchain.errors import BadInput
from closedchain.view.animation import animate, player
from closedchain.view.frames import decode
from tests.view.motions import EVERY, ellipse, near
from tests.view.reading import assert_self_contained, payloads, read

HOSTILE = "</script><img src=x onerror=alert(1)><!-- \u2028 ' \" & $"


def unpacked(data: dict[str, Any], *, behind: bool = False) -> np.ndarray:
    """Return every point at every frame, (frames, n, dim), as the page's script puts them together."""
    own = max(data["runs"], default=-1) + 1
    whole = decode(data["points"]["code"], own)
    if behind:
        whole = whole + decode(data["behind"], own)
    flat = np.tile(data["rest"], (data["frames"], 1))
    for k, (column, run) in enumerate(zip(data["columns"], data["runs"], strict=True)):
        flat[:, column] = data["points"]["low"][k] + data["points"]["step"][k] * whole[:, run]
    return flat.reshape(data["frames"], -1, data["dimension"])


@pytest.mark.parametrize("name", EVERY)
def test_frames_hold_the_robots_points(name: str, tmp_path: Path) -> None:
    """Positions read back from the page, obtained and desired, are the model's to a millionth of the picture's size."""
    model, record = near(EVERY[name])
    path = animate(model, record, tmp_path / "robot.html")
    assert [p.name for p in tmp_path.iterdir()] == ["robot.html"]
    text = path.read_text(encoding="utf-8")
    assert_self_contained(text)
    (data,) = payloads(read(text))
    for behind, q, x in ((False, record.q, record.x), (True, record.q_ref, record.x_ref)):
        points = model.call("points", q=q, x=x)["points"]  # type: ignore[arg-type]
        shown = unpacked(data, behind=behind)[:, : points.shape[1]]
        assert np.abs(shown - points).max() <= 1e-6 * data["size"]


def test_the_biglides_tip_is_its_output_by_hand() -> None:
    """The marked point runs along x, its shadow along x_ref."""
    model, record = ellipse(100)
    (data,) = payloads(read(player(model, record)))
    tip = data["names"].index("C")
    assert data["tip"] == tip
    assert np.abs(unpacked(data)[:, tip] - record.x).max() <= 1e-6 * data["size"]
    assert np.abs(unpacked(data, behind=True)[:, tip] - record.x_ref).max() <= 1e-6 * data["size"]


def test_a_desired_path_alone_gives_no_ghost_but_its_line() -> None:
    """Without q_ref the reference's links are unknown; only the output's desired place is shown."""
    model, record = ellipse(50)
    (data,) = payloads(read(player(model, replace(record, q_ref=None))))
    assert data["ghost"] is False
    assert np.abs(unpacked(data, behind=True)[:, data["tip"]] - record.x_ref).max() <= 1e-6 * data["size"]


def test_values_are_read_back_in_the_units_they_are_shown_in() -> None:
    """The first drive's column, times its unit, is q1."""
    model, record = ellipse(100)
    (data,) = payloads(read(player(model, record)))
    rows = {row["label"]: row for row in data["values"]}
    assert {"drive q₁", "output y", "effort q₂", "error x"} <= set(rows)
    drive = rows["drive q₁"]
    assert drive["unit"] == "mm"
    shown = drive["low"][0] + drive["step"][0] * decode(drive["code"], 1)[:, 0]
    np.testing.assert_allclose(shown, record.q[:, 0] * 1e3, atol=1e-6 * np.ptp(record.q[:, 0]) * 1e3)


def test_a_long_record_is_thinned_at_stated_samples() -> None:
    """Of 5000 samples 2000 are shown; the page says so and keeps each one's own number and time."""
    model, record = ellipse(5000)
    text = player(model, record)
    (data,) = payloads(read(text))
    index = decode(data["index"], 1)[:, 0]
    assert (data["frames"], data["samples"], index[0], index[-1]) == (2000, 5000, 0, 4999)
    assert "2000 of the record&#x27;s 5000 samples are shown" in text
    tip = data["names"].index("C")
    assert np.abs(unpacked(data)[:, tip] - record.x[index]).max() <= 1e-6 * data["size"]
    time = data["time"]["low"][0] + data["time"]["step"][0] * decode(data["time"]["code"], 1)[:, 0]
    np.testing.assert_allclose(time, record.t[index], atol=1e-6 * 3.0)


@pytest.mark.parametrize("name", ["biglide", "rrr3", "delta"])
def test_two_thousand_frames_fit_in_150_kilobytes(name: str, tmp_path: Path) -> None:
    """Also for eleven moving points with their reference; the script and styles are within it."""
    model, record = near(name, 2000)
    assert animate(model, record, tmp_path / "a.html").stat().st_size < 150_000


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    """A title, a name and a unit that try to close the script add no element, and are shown as they are."""
    model, record = ellipse(10)
    names = {"q": (HOSTILE, "q2"), "tau": ("q1", HOSTILE)}
    odd = replace(record, title=HOSTILE, names=names, units={"tau": ("N", HOSTILE)})
    plain = read(animate(model, record, tmp_path / "plain.html").read_text(encoding="utf-8"))
    text = animate(model, odd, tmp_path / "odd.html").read_text(encoding="utf-8")
    assert_self_contained(text)
    reader = read(text)
    assert [tag for tag, *_ in reader.elements] == [tag for tag, *_ in plain.elements]
    assert reader.all("title") == [({}, HOSTILE)]
    assert reader.all("h1") == [({}, HOSTILE)]
    (data,) = payloads(reader)
    assert f"drive {HOSTILE}" in [row["label"] for row in data["values"]]


def test_a_robot_of_a_hostile_name_stays_text() -> None:
    """Equations stated directly may call the robot and its points anything."""
    th, m = Coordinate("th", "rad"), Parameter(1.0, "kg m^2", "chosen", name="m")
    points = (("O", (expr(0.0), expr(0.0))), (HOSTILE, (sin(th.symbol), -cos(th.symbol))))
    motion = {"kinetic": m * th.rate**2 / 2, "points": points, "lines": (("O", HOSTILE),)}
    model, record = near(Recipe(Equations(HOSTILE, parameters=(m,), q=(th,), driven=("th",), **motion)))
    reader = read(player(model, record))
    assert [tag for tag, *_ in reader.elements].count("script") == 1
    assert not reader.all("img")
    (data,) = payloads(reader)
    assert data["names"] == ["O", HOSTILE]
    assert HOSTILE in (reader.all("svg")[0][0]["aria-label"] or "")


def test_controls_are_real_and_labelled() -> None:
    """Buttons are buttons; the slider, the speed and the boxes stand in labels with words."""
    model, record = ellipse(10)
    reader = read(player(model, record))
    assert [a["type"] for a, _ in reader.all("button")] == ["button"]
    assert [a["type"] for a, _ in reader.all("input")] == ["range", "checkbox", "checkbox", "checkbox"]
    around = [
        tags for (tag, *_), tags in zip(reader.elements, reader.inside, strict=True) if tag in ("input", "select")
    ]
    assert [tags[-1] for tags in around] == ["label"] * 5
    words = [text.strip() for _, text in reader.all("label")]
    assert words == ["", "Speed", "Loop", "Trace", "Reference"]
    assert reader.all("span") == [({}, "Time")]  # the first label's words
    assert reader.all("svg")[0][0]["role"] == "img"


def test_planar_robots_are_svg_and_spatial_ones_canvas() -> None:
    """The furuta states points of space; a mechanism is in the plane or in space."""
    for name in robots.names():
        reader = read(player(*near(name, 3)))
        mechanism = cc.load(name).mechanism
        spatial = name == "furuta" if mechanism is None else mechanism.dimension == 3
        assert len(reader.all("canvas")) == spatial
        assert len(reader.all("svg")) == (not spatial)


def test_a_robot_that_stands_still_is_a_page_too() -> None:
    """One sample, nothing moves: no division by a span of zero."""
    model, record = ellipse(5)
    still = replace(record, t=record.t[:1], q=record.q[:1], x=record.x[:1])
    one = replace(still, q_ref=None, x_ref=None, tau=None, energy=None, closure=None)
    (data,) = payloads(read(player(model, one)))
    assert data["frames"] == 1
    np.testing.assert_allclose(unpacked(data)[0, data["tip"]], record.x[0], atol=1e-9)


def test_another_ending_is_refused(tmp_path: Path) -> None:
    """The error names the function that writes the other kind."""
    model, record = ellipse(5)
    with pytest.raises(BadInput, match=r"`video` writes \.gif and \.mp4"):
        animate(model, record, tmp_path / "a.gif")
    with pytest.raises(BadInput, match="at least 2 frames"):
        animate(model, record, tmp_path / "a.html", frames=1)
    assert not list(tmp_path.iterdir())
