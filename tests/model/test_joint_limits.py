"""Joint limits: which inverse solutions they leave, by hand geometry, and what is told of the others."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Recipe, Slider, Telescope
from closedchain.describe.files import BadFile, loads
from closedchain.describe.mechanism import BadMechanism
from closedchain.describe.writing import dumps
from closedchain.model.joint_limits import BeyondLimit, drive_limits

L, D = 0.36, 0.4


def limited_biglide(low=-0.1, high=0.2, **options):
    """Two feet on upright rails 0.4 m apart with a stroke; bars of 0.36 m."""
    A1, A2 = (
        Slider(f"q{i}", at=(x, 0.0), along=(0.0, 1.0), mass=1.0, limits=(low, high))
        for i, x in ((1, -D / 2), (2, D / 2))
    )
    C = Free("C", mass=3.0)
    return cc.load(
        Recipe(Mechanism("short", drives=(A1, A2), bars=(Bar(A1, C, L), Bar(A2, C, L)), output=C, **options))
    )


def test_feet_beyond_their_stroke_are_left_out_and_told():
    """q = y ∓ √(l² − d²/4): at y = 0.4 the upper feet, at 0.699, are beyond 0.2, the lower ones, at 0.101, are not."""
    rise = np.sqrt(L**2 - D**2 / 4)
    found = cc.inverse(limited_biglide(), [0.0, 0.4])
    assert found.working == ("++",)
    np.testing.assert_allclose(found.q, [[0.4 - rise] * 2], atol=1e-15)
    assert len(found.beyond[0]) == 3
    told = f"q2 = {0.4 + rise:.6g} m is {0.2 + rise:.3g} m beyond its limits [-0.1, 0.2]"
    assert f"3 left out: in mode +- {told}" in found.why()
    assert found.complete.all()


def test_where_every_solution_is_beyond_a_limit_there_is_none_and_the_reason_is_told():
    """At y = 0.6 even the lower feet stand at 0.301."""
    found = cc.inverse(limited_biglide(), [0.0, 0.6])
    assert len(found) == 0
    assert isinstance(found.reasons[0], BeyondLimit)
    assert "q1 = 0.300667 m is 0.101 m beyond its limits [-0.1, 0.2]" in found.why()
    with pytest.raises(BeyondLimit, match="beyond its limits"):
        found.unwrap("++")
    with pytest.raises(BeyondLimit):
        cc.state(limited_biglide(), x=[0.0, 0.6])


def test_a_batch_keeps_what_each_row_allows():
    """Rows with and without solutions, and one out of reach for another reason."""
    found = cc.inverse(limited_biglide(), [[0.0, 0.4], [0.0, 0.6], [0.9, 0.0], [0.0, 0.2]])
    assert found.index.tolist() == [0, 3]
    assert sorted(found.reasons) == [1, 2]
    assert "misses" in found.why(2)


def limited_fivebar(limits, passive=None):
    """Cranks at ∓0.06 m, all bars 0.1 m."""
    A1, A2 = (Crank(f"q{i}", about=(x, 0.0), radius=0.1, limits=limits) for i, x in ((1, -0.06), (2, 0.06)))
    C = Free("C", mass=1.0)
    readouts = (Angle("p1", A1, C, relative_to=A1, limits=passive), Angle("p2", A2, C))
    bars = (Bar(A1, C, 0.1), Bar(A2, C, 0.1))
    return cc.load(Recipe(Mechanism("five", drives=(A1, A2), bars=bars, output=C, readouts=readouts)))


def test_an_angle_is_within_its_limits_on_any_turn_and_given_on_theirs():
    """Limits from 90° to 250°: an arm that points to −149° stands at 211°, one that points to −90° is beyond."""
    low, high = np.radians([90.0, 250.0])
    robot, free = limited_fivebar((low, high)), limited_fivebar(None)
    x = [-0.12, -0.02]
    everything, found = cc.inverse(free, x), cc.inverse(robot, x)
    turned = {m: np.mod(q, 2 * np.pi) for m, q in zip(everything.working, everything.q, strict=True)}
    kept = {m: q for m, q in turned.items() if ((q >= low) & (q <= high)).all()}
    assert 0 < len(kept) < len(turned)
    assert set(found.working) == set(kept)
    for mode, q in zip(found.working, found.q, strict=True):
        np.testing.assert_allclose(q, kept[mode], atol=1e-13)


def test_a_passive_angle_may_have_limits_too():
    """Arms of equal length make the elbow ±(π − 2 asin(ρ/2l)): only the positive one is left."""
    robot = limited_fivebar(None, passive=(0.0, np.pi))
    x = np.array([0.01, 0.15])
    rho = np.hypot(x[0] + 0.06, x[1])
    elbow = np.pi - 2 * np.arcsin(rho / 0.2)
    found = cc.inverse(robot, x)
    assert len(found) == 2
    np.testing.assert_allclose(found.passive[:, 0], elbow, atol=1e-13)
    assert f"p1 = {-np.degrees(elbow):.6g}° is {np.degrees(elbow):.3g}° beyond its limits [0°, 180°]" in found.why()


def test_limits_are_written_and_read_back():
    """By numbers and by formulas of parameters, of drives and of readouts."""
    text = """
name = "short"
output = "C"
[parameters]
stroke = 0.3
[points]
C = { free = true, mass = 1 }
B = { fixed = [1, 0] }
[drives.q1]
slider = { at = [0, 0], along = [0, 1] }
limits = [0, "stroke"]
[drives.rho]
telescope = { base = "B", tip = "C" }
limits = [0.5, "2*stroke + 0.5"]
[[bars]]
between = ["q1", "C"]
length = 0.5
[[readouts]]
name = "psi"
angle = ["q1", "C"]
limits = ["-90*deg", "90*deg"]
"""
    recipe = loads(text)
    again = loads(dumps(recipe))
    robot = cc.load(again)
    assert [limit.name for limit in robot.equations.limits] == ["q1", "rho", "psi"]
    low, high = drive_limits(robot)
    np.testing.assert_allclose([low, high], [[0.0, 0.5], [0.3, 1.1]])
    np.testing.assert_allclose(drive_limits(robot.with_values(stroke=0.2))[1], [0.2, 0.9])
    assert again.description.drives[0].limits[1].name == "stroke"


@pytest.mark.parametrize(
    "limits, words",
    [("[0]", "two numbers are needed"), ("[1, 0]", "leave no room"), ("0.3", "a list is needed"),
     ("[-1, 1]", "never shorter than 0"), ('["a", 1]', "unknown name 'a'")],
)  # fmt: skip
def test_limits_that_are_none_are_refused_with_their_place(limits, words):
    """One line, at the key."""
    text = f"""
name = "leg"
output = "C"
points = {{ C = {{ free = true }}, B = {{ fixed = [1, 0] }}, A = {{ fixed = [0, 0] }} }}
[drives.a]
telescope = {{ base = "A", tip = "C" }}
[drives.b]
telescope = {{ base = "B", tip = "C" }}
limits = {limits}
"""
    with pytest.raises(BadFile, match=words) as caught:
        loads(text)
    assert caught.value.line in (8, 9)
    assert caught.value.place.startswith("drives.b")


def test_limits_without_room_are_refused_in_python():
    """Also when a parameter's value closes them."""
    A, B, C = Fixed("A", at=(0, 0)), Fixed("B", at=(1, 0)), Free("C")
    with pytest.raises(BadMechanism, match=r"telescope a.limits: from 2 to 1 leave no room"):
        Mechanism("leg", drives=(Telescope("a", A, C, limits=(2, 1)), Telescope("b", B, C)), output=C)
