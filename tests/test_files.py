"""Files that are whole or not there."""

import os
import re
import threading

import pytest

from closedchain.files import atomic_write


@pytest.mark.parametrize("content", ["one\ntwo\n", b"one\ntwo\n", [b"one\n", b"two\n"], iter([b"one\n", b"two\n"])])
def test_text_bytes_and_pieces_are_written_alike(content, tmp_path):
    """Newlines as they are."""
    atomic_write(tmp_path / "a.csv", content)
    assert (tmp_path / "a.csv").read_bytes() == b"one\ntwo\n"


def test_pieces_that_end_in_an_error_leave_what_was_there(tmp_path):
    """The old file, and nothing beside it."""
    path = tmp_path / "a.csv"
    path.write_text("old")

    def pieces():
        yield b"new"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        atomic_write(path, pieces())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    """A file moved over /dev/stdout, or any device, would take its place."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    atomic_write(pipe, "φ = 0\n")
    reader.join(timeout=10)
    assert got == ["φ = 0\n".encode()]
    assert pipe.is_fifo()
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]


def test_a_failure_names_the_file_as_it_was_given(tmp_path):
    """And not what was to be written beside it and moved."""
    (tmp_path / "a folder").mkdir()
    for place in (tmp_path / "nowhere" / "x.csv", tmp_path / "a folder"):
        with pytest.raises(OSError, match=re.escape(str(place))) as caught:
            atomic_write(place, "new")
        assert caught.value.filename == str(place)
        assert ".part" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["a folder"]


def test_a_link_keeps_pointing_at_the_file_that_is_replaced(tmp_path):
    """And the file keeps its permissions."""
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    atomic_write(link, "new")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"
    assert real.stat().st_mode & 0o777 == 0o640
