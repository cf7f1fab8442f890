"""Drawings of configurations and of every mode of a pose."""

import numpy as np
import pytest
from matplotlib.axes import Axes

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.model.sampling import sample
from closedchain.view.pictures import figure_branches, figure_drawing
from closedchain.view.style import BLUE, picture
from tests.view.motions import EVERY, ellipse, near


def blue_bars(axes: Axes) -> list[np.ndarray]:
    """Return the ends (2, 2) of each bar that is drawn in full colour."""
    lines = [np.asarray(line.get_xydata()) for line in axes.get_lines() if line.get_color() == BLUE]
    return [line for line in lines if len(line) == 2]


@pytest.mark.parametrize("name", EVERY)
def test_every_robot_draws(name: str) -> None:
    """One state, several, and a record of each robot that comes with the package."""
    model, record = near(EVERY[name])
    for states in (sample(model, 1), sample(model, 4), record):
        assert picture(figure_drawing(model, states), ".png", dpi=40).startswith(b"\x89PNG")


def test_a_single_state_without_a_batch_axis_draws() -> None:
    """q of shape (2,) is one configuration."""
    model = cc.load("biglide")
    figure = figure_drawing(model, cc.state(model, x=[0.03, 0.25], working="++"))
    assert {"A1", "A2", "C"} <= {text.get_text() for text in figure.axes[0].texts}


def test_a_bar_is_drawn_from_end_to_end_with_equal_scales() -> None:
    """The blue lines of the biglide are its two bars of 0.3606 m."""
    model = cc.load("biglide")
    (axes,) = figure_drawing(model, cc.state(model, x=[0.03, 0.25], working="++")).axes
    assert axes.get_aspect() == 1.0
    bars = blue_bars(axes)
    lengths = [float(np.linalg.norm(b - a)) for a, b in bars]
    np.testing.assert_allclose(lengths, [0.3606, 0.3606], rtol=1e-12)


def test_each_mode_has_a_panel_with_its_name_to_one_scale() -> None:
    """The biglide's four working modes at one pose; all panels cover the same box."""
    model, record = ellipse(5)
    figure = figure_branches(model, cc.inverse(model, record.x[0]))
    assert [axes.get_title() for axes in figure.axes] == ["++", "+−", "−+", "−−"]
    assert len({axes.get_xlim() + axes.get_ylim() for axes in figure.axes}) == 1


def test_each_panel_shows_its_own_mode_in_colour() -> None:
    """A biglide's bar goes from its foot, at height q, to the tip."""
    model, record = ellipse(5)
    found = cc.inverse(model, record.x[0])
    for axes, solution in zip(figure_branches(model, found).axes, found, strict=True):
        feet = [float(bar[0, 1]) for bar in blue_bars(axes)]
        np.testing.assert_allclose(feet, solution.q, rtol=1e-12)


def test_modes_of_space_and_plates_draw() -> None:
    """The delta's eight working modes, and the poses of a 3-RPR."""
    delta, record = near("delta")
    assert len(figure_branches(delta, cc.inverse(delta, record.x[0])).axes) == 8
    rpr3, record = near("rpr3")
    found = cc.direct(rpr3, record.q[0])
    figure = figure_branches(rpr3, found)
    assert len(figure.axes) == len(found)
    assert picture(figure, ".png", dpi=40).startswith(b"\x89PNG")


def test_nothing_to_draw_says_why() -> None:
    """The reason is the solver's own: which leg misses, by how much; and a batch is not one pose."""
    model, record = ellipse(5)
    with pytest.raises(BadInput, match="misses"):
        figure_branches(model, cc.inverse(model, [5.0, 0.0]))
    with pytest.raises(BadInput, match="one pose at a time"):
        figure_branches(model, cc.inverse(model, record.x))
