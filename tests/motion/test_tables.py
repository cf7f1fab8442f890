"""Motions as tables in files."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from closedchain import files
from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.motion import Table, joint, quintic, read_table, sample, write_table


def test_six_seconds_every_2_ms_are_3001_rows(biglide):
    """As the files that seed 000 fed to ADAMS: time, q1, q2."""
    table = sample(joint(biglide, quintic([0.0, 0.3], [0.1, 0.5], 6.0)), 0.002)
    assert table.names == ("t", "q1", "q2")
    assert len(table) == 3001
    assert table.t[-1] == 6.0
    np.testing.assert_allclose(np.diff(table.t), 0.002, rtol=1e-9)


@pytest.mark.parametrize("name", ["motion.csv", "motion.txt"])
def test_what_is_read_back_is_the_same_to_the_last_bit(tmp_path, name):
    """17 digits determine a double."""
    table = sample(quintic([0.1, -1e-9], [1 / 3, 1e300], 0.7), 0.013, rates=3)
    write_table(tmp_path / name, table)
    back = read_table(tmp_path / name)
    assert back.names == table.names
    np.testing.assert_array_equal(back.values, table.values)


def test_numpy_reads_the_text_file(tmp_path):
    """The names stand behind a #, so loadtxt needs no options."""
    table = sample(quintic([0.0], [1.0], 1.0), 0.25)
    write_table(tmp_path / "m.txt", table)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "m.txt"), table.values)


def test_the_end_is_always_the_last_row():
    """1 s every 0.3 s: 0, 0.3, 0.6, 0.9 and 1."""
    np.testing.assert_allclose(sample(quintic([0.0], [1.0], 1.0), 0.3).t, [0, 0.3, 0.6, 0.9, 1.0], rtol=1e-15)
    assert sample(quintic([0.0], [1.0], 1.0), 5.0).t.tolist() == [0.0, 1.0]


def test_columns_have_names():
    """Given ones, with their rates."""
    table = sample(quintic([0.0], [1.0], 1.0), 0.5, names=["height_m"], rates=1)
    assert table.names == ("t", "height_m", "height_m_dot")
    np.testing.assert_allclose(table["height_m_dot"], [0.0, 15 / 8, 0.0], atol=1e-14)
    with pytest.raises(BadInput, match="no column 'depth'; there are t, height_m"):
        table["depth"]


def test_a_file_of_bare_numbers_gets_names(tmp_path):
    """As other programs write them; commas, spaces and empty lines."""
    (tmp_path / "m.dat").write_text("0, 1\n\n0.5 2\n", encoding="utf-8")
    table = read_table(tmp_path / "m.dat")
    assert table.names == ("t", "c1")
    np.testing.assert_array_equal(table.values, [[0, 1], [0.5, 2]])


@pytest.mark.parametrize(
    "text, says",
    [
        ("", "holds no numbers"),
        ("t q\n0 1\n1 two\n", "line 3: 'two' is not a number"),
        ("t q\n0 1\n1\n", "line 3: 1 numbers, but 2 in the first row"),
        ("t q\n0 1\n0 2\n", "time must increase, but 0 s is followed by 0 s"),
        ("t q\n0 1\n1 nan\n", "row 1 has nan in column q"),
        ("t q r\n0 1\n", "3 columns need values"),
        ("t t\n0 1\n", "must differ"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(tmp_path, text, says):
    """One line each: what and where."""
    (tmp_path / "m.txt").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        read_table(tmp_path / "m.txt")


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path):
    """Without a traceback of the decoder."""
    (tmp_path / "m.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match=r"m\.bin is not a text file"):
        read_table(tmp_path / "m.bin")
    with pytest.raises(BadInput, match=r"none\.txt cannot be read"):
        read_table(tmp_path / "none.txt")


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: sample(quintic([0.0], [1.0], 1.0), 0.0), "interval must be above zero"),
        (lambda: sample(quintic([0.0], [1.0], 1.0), 1e-12), "take a longer interval"),
        (lambda: sample(quintic([0.0], [1.0], 1.0), 0.1, names=["a", "b"]), "2 names were given for 1"),
        (lambda: sample(quintic([0.0], [1.0], 1.0), 0.1, rates=4), "0 to 3"),
        (lambda: Table(("t", "a b"), np.zeros((1, 2))), "no spaces"),
    ],
)
def test_bad_samples_are_refused(make, says):
    """One clear error for each."""
    with pytest.raises(BadInput, match=says):
        make()


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    """Whoever reads sees the old file or the whole new one."""
    place = tmp_path / "a.txt"
    atomic_write(place, "old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        atomic_write(place, "new")
    assert place.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_write_keeps_bytes_links_and_permissions(tmp_path):
    """Text is UTF-8 with its own newlines; a link still leads to the file, which keeps its mode."""
    place = tmp_path / "a.txt"
    atomic_write(place, "é\r\n")
    assert place.read_bytes() == b"\xc3\xa9\r\n"
    if os.name == "posix":
        place.chmod(0o640)
        link = tmp_path / "link"
        link.symlink_to(place)
        atomic_write(link, b"\x00")
        assert link.is_symlink()
        assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert Path(place).read_bytes() in (b"\x00", b"\xc3\xa9\r\n")
