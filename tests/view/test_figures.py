"""Figures of a motion say what they show, in units, and show what the record holds."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from closedchain.errors import BadInput
from closedchain.view import style
from closedchain.view.figures import figure_efforts, figure_energy, figure_tracking
from closedchain.view.record import Energies
from closedchain.view.style import picture, save
from tests.view.motions import ellipse, near


def curve(figure: Figure, panel: str, label: str) -> np.ndarray:
    """Return the y data of a labelled curve in the panel whose label starts so."""
    (axes,) = [a for a in figure.axes if a.get_ylabel().startswith(panel)]
    (line,) = [c for c in axes.get_lines() if c.get_label() == label]
    return np.asarray(line.get_ydata())


@pytest.mark.parametrize("make", [figure_tracking, figure_efforts, figure_energy])
def test_every_axis_has_a_label_with_a_unit(make) -> None:  # type: ignore[no-untyped-def]
    """Each panel names its quantity and unit; the lowest one names time."""
    figure = make(*ellipse(20))
    assert all(re.search(r".+ \[.+\]$", axes.get_ylabel()) for axes in figure.axes)
    assert figure.axes[-1].get_xlabel() == "time [s]"


def test_tracking_shows_output_drives_and_error_in_readable_units() -> None:
    """An output of 0.41 m reads in mm, and so does an error of 2 mm: the data are multiplied by what the label says."""
    model, record = ellipse(300)
    assert record.x_ref is not None
    figure = figure_tracking(model, record)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["output position [mm]", "drive position [mm]", "error [mm]"]
    np.testing.assert_allclose(curve(figure, "output", "y"), record.x[:, 1] * 1e3, rtol=1e-15)
    np.testing.assert_allclose(curve(figure, "output", "desired"), record.x_ref[:, 1] * 1e3, rtol=1e-15)
    np.testing.assert_allclose(curve(figure, "error", "x"), (record.x - record.x_ref)[:, 0] * 1e3, rtol=1e-15)


def test_a_micrometre_error_reads_in_micrometres() -> None:
    """The error's panel has a prefix of its own."""
    model, record = ellipse(50)
    small = replace(record, error=np.full((50, 2), 3e-6))
    assert figure_tracking(model, small).axes[-1].get_ylabel() == "error [µm]"


def test_lengths_and_angles_do_not_share_a_panel() -> None:
    """The triplate's drives are two angles and a length."""
    figure = figure_tracking(*near("triplate"))
    assert sum("rad]" in axes.get_ylabel() for axes in figure.axes) == 3
    assert sum("m]" in axes.get_ylabel() for axes in figure.axes) == 3


def test_an_open_loop_is_on_a_logarithmic_scale_and_rounding_is_not() -> None:
    """Zeros are left out of a logarithm; a gap of the last bits is on a linear scale that says what it is."""
    model, record = ellipse(50)
    some = np.where(np.arange(50) % 2, 0.0, 1e-9)
    panel = figure_energy(model, replace(record, closure=some)).axes[-1]
    assert panel.get_yscale() == "log"
    assert np.isnan(panel.get_lines()[0].get_ydata()[1::2]).all()  # type: ignore[index]
    for gap in (np.zeros(50), np.full(50, 1e-16)):
        closed = figure_energy(model, replace(record, closure=gap))
        assert closed.axes[-1].get_yscale() == "linear"
        assert closed.axes[-1].texts[0].get_text() == "rounding alone"
        picture(closed, ".png", dpi=50)


def test_panels_that_mean_nothing_are_left_out() -> None:
    """A robot moved by velocities has no work to balance; a pendulum has no loop to close."""
    model, record = ellipse(50)
    record = replace(record, energy=Energies(*np.ones((3, 50))))
    assert len(figure_energy(model, record).axes) == 3
    moved = replace(record, units={"tau": ("m/s", "m/s")})
    assert [axes.get_ylabel() for axes in figure_energy(model, moved).axes][0::2] == ["energy [J]"]
    model, record = near("furuta")
    alone = replace(record, energy=Energies(*np.ones((3, len(record.t)))), closure=np.zeros(len(record.t)))
    assert not any("closure" in axes.get_ylabel() for axes in figure_energy(model, alone).axes)


def test_a_short_peak_does_not_flatten_the_rest() -> None:
    """A spike of a thousand times the usual effort puts the axis on a logarithmic scale beyond the middle."""
    model, record = ellipse(100)
    tau = np.sin(np.linspace(0.0, 6.0, 100))[:, None] * [1.0, 2.0]
    assert figure_efforts(model, replace(record, tau=tau)).axes[0].get_yscale() == "linear"
    tau[50] = 1000.0
    assert figure_efforts(model, replace(record, tau=tau)).axes[0].get_yscale() == "symlog"


def test_a_record_without_the_quantity_is_refused() -> None:
    """There is no empty figure."""
    model, record = ellipse(5)
    with pytest.raises(BadInput, match="no efforts"):
        figure_efforts(model, replace(record, tau=None))
    with pytest.raises(BadInput, match="neither energy nor closure"):
        figure_energy(model, replace(record, energy=None, closure=None))


def test_dollars_and_markup_in_a_title_are_only_letters() -> None:
    """A formula that would not parse must not stop a figure."""
    model, record = ellipse(5)
    odd = replace(
        record, title=r"$\frac{ <b> $ & \$", names={"x": ("$\\bad{$", "y")}, energy=Energies(*np.ones((3, 5)))
    )
    for make in (figure_tracking, figure_efforts, figure_energy):
        assert b"</svg>" in picture(make(model, odd), ".svg")


def test_saved_pictures_are_whole_and_repeatable(tmp_path: Path) -> None:
    """A PNG of 300 dpi, an SVG and a PDF; the same figure made twice gives the same bytes."""
    made = [figure_tracking(*ellipse(20)) for _ in range(2)]
    assert picture(made[0], ".svg") == picture(made[1], ".svg")
    with Image.open(save(made[0], tmp_path / "a.png")) as image:
        assert image.width == pytest.approx(6.4 * 300, abs=1)
    assert save(made[0], tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.pdf", "a.png"]
    with pytest.raises(BadInput, match=r"'\.bmp'"):
        save(made[0], tmp_path / "a.bmp")


@pytest.mark.parametrize("curves, last", [(14, "c13"), (15, "… 15 curves")])
def test_a_legend_names_fourteen_curves_and_counts_more(curves, last):
    """A row or two, whatever is drawn: it stays above the axes and off the title."""
    axes = style.blank(6.4, 2.25).subplots()
    for i in range(curves):
        axes.plot([0, 1], [i, i], label=f"c{i}")
    style.legend(axes)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert (names[:6], names[-1]) == ([f"c{i}" for i in range(6)], last)
    assert len(names) == (curves if curves == 14 else 7)
