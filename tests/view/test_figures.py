"""Figures of a motion say what they show, in units, and show what the record holds."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from closedchain.errors import BadInput
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


def test_the_closure_gap_is_on_a_logarithmic_scale_and_may_be_zero() -> None:
    """Zeros are left out of a logarithm; a gap that is always zero is said in words."""
    model, record = ellipse(50)
    assert record.closure is not None
    some = np.where(np.arange(50) % 2, 0.0, record.closure)
    panel = figure_energy(model, replace(record, closure=some)).axes[-1]
    assert panel.get_yscale() == "log"
    assert np.isnan(panel.get_lines()[0].get_ydata()[1::2]).all()  # type: ignore[index]
    none = figure_energy(model, replace(record, closure=np.zeros(50)))
    assert "closed to the last bit" in none.axes[-1].texts[0].get_text()
    picture(none, ".png", dpi=50)


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
