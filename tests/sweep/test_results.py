"""Files, sensitivities, pictures and the page of a study."""

import csv

import numpy as np
import pytest

from closedchain.sweep import pictures, report
from closedchain.sweep.asking import study
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.results import Results
from closedchain.sweep.running import sweep
from closedchain.sweep.sensitivity import sensitivity
from closedchain.sweep.study import Study


def test_csv_has_every_digit_and_a_reason_for_each_empty_cell(strip, tmp_path):
    """Read back, the numbers are the same bits; no NaN is written."""
    done = sweep(strip)
    done.save(tmp_path / "s.csv")
    text = (tmp_path / "s.csv").read_text()
    assert "nan" not in text.lower()
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["point", "l_m", "d_m", "workspace_area_m^2", "min_conditioning", "status"]
    for i, row in enumerate(rows):
        assert (float(row["l_m"]), float(row["d_m"])) == tuple(done.points[i])
        assert (row["status"] == "ok") == (row["min_conditioning"] != "") == (i not in done.failed)
        if row["status"] == "ok":
            assert float(row["min_conditioning"]) == done.column("min_conditioning")[i]
        else:
            assert row["status"] == "no place of the grid is within reach of all legs"
            assert float(row["workspace_area_m^2"]) <= 0.6 * 0.6 / 32  # thinner than a cell, and known all the same


def test_parquet_holds_the_same(strip, tmp_path):
    """Numbers, and nulls where there are none."""
    parquet = pytest.importorskip("pyarrow.parquet")
    done = sweep(strip)
    done.save(tmp_path / "s.parquet")
    table = parquet.read_table(tmp_path / "s.parquet").to_pydict()
    assert table["l_m"] == done.points[:, 0].tolist()
    there = [v is not None for v in table["min_conditioning"]]
    assert there == [i not in done.failed for i in range(len(done))]
    assert table["status"].count("ok") == len(done) - len(done.failed)


def made(values, method, factors="a b c"):
    """A study's results whose values are given."""
    names = factors.split()
    vary = dict.fromkeys(names, "0:1")
    one = study("biglide", {"l": "0:1"}, ["moving_mass"], sample=method, points=1)
    renamed = tuple(type(one.factors[0])(name, "", "between", (0.0, 1.0)) for name in vary)
    whole = Study(one.robot, renamed, ("moving_mass",), method, values, 0)
    x = whole.rows(0, whole.count)
    return whole, x


def test_sobol_indices_of_ishigami_are_the_known_ones():
    """sin x + 7 sin² y + 0.1 z⁴ sin x over ±π: S = (0.3139, 0.4424, 0), T = (0.5576, 0.4424, 0.2437)."""
    asked, u = made(4096, "saltelli")
    x, y, z = (np.pi * (2 * u - 1)).T
    done = Results(asked, (np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x))[:, None], {})
    found = sensitivity(done, "moving_mass")
    assert found.method == "sobol"
    np.testing.assert_allclose(found.first, [0.3139, 0.4424, 0.0], atol=0.02)  # about three standard errors of 4096
    np.testing.assert_allclose(found.total, [0.5576, 0.4424, 0.2437], atol=0.02)


def test_regression_finds_the_shares_of_a_sum():
    """f = 3 a + b: nine tenths and one tenth of the variance, all of it explained."""
    asked, u = made(2000, "latin")
    found = sensitivity(Results(asked, (3 * u[:, 0] + u[:, 1])[:, None], {}), "moving_mass")
    assert found.method == "regression"
    np.testing.assert_allclose(found.first, [0.9, 0.1, 0.0], atol=0.03)  # columns of a sample are not quite orthogonal
    assert found.explained == pytest.approx(1.0, abs=1e-12)


def test_marked_points_do_not_enter_indices():
    """A base point with a gap is left out whole; none left is an error."""
    asked, u = made(64, "saltelli")
    values = u[:, :1].copy()
    values[7] = np.nan
    found = sensitivity(Results(asked, values, {7: "gone"}), "moving_mass")
    assert found.explained == pytest.approx(63 / 64)
    with pytest.raises(BadStudy, match="too few"):
        sensitivity(
            Results(asked, np.where(np.arange(len(u)) % 5 == 0, np.nan, u[:, 0])[:, None], {0: "gone"}), "moving_mass"
        )


def test_a_measure_that_does_not_change_has_no_sensitivity():
    """Said, not divided by zero."""
    asked, u = made(64, "latin")
    with pytest.raises(BadStudy, match="no factor matters"):
        sensitivity(Results(asked, np.ones((len(u), 1)), {}), "moving_mass")


def test_the_page_has_pictures_numbers_and_reasons(strip, tmp_path):
    """One file; what a heat map, lines and bars show stands in it."""
    done = sweep(strip)
    report.write(done, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    for words in (
        "workspace_area",
        "What matters",
        "R² =",
        "Marked",
        "within reach of all legs",
        done.study.digest[:16],
    ):
        assert words in text
    assert text.count("<figure") >= 3


def test_pictures_follow_what_varies(strip):
    """A heat map for a grid of two: one mesh for each measure; a curve for one factor; lines for a sample."""
    heat = pictures.figure_study(sweep(strip))
    assert [len(axes.collections) for axes in heat.axes[:2]] == [1, 1]
    curve = pictures.figure_study(sweep(study("biglide", {"l": "0.3:0.4:5"}, ["moving_mass"])))
    assert len(curve.axes[0].lines) == 1
    sample = study(
        "biglide", {"l": "0.3:0.4", "d": "0.2:0.3"}, ["moving_mass", "workspace_area"], sample="sobol", points=16
    )
    lines = pictures.figure_study(sweep(sample))
    assert len(lines.axes[0].collections[0].get_segments()) == 16


def test_nothing_to_draw_is_said():
    """Every point is out of reach."""
    done = sweep(study("biglide", {"l": "0.05:0.1:3"}, ["min_conditioning"], window=(-0.3, 0.3, -0.3, 0.3)))
    assert len(done.failed) == 3
    with pytest.raises(BadStudy, match="nothing to draw"):
        pictures.figure_study(done)
    assert "No point has a value" in report.report(done).html()
