"""However a study is run, and whatever is killed on the way, its results are the same to the last bit."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

from closedchain.sweep.asking import study
from closedchain.sweep.checkpoint import Checkpoint, CheckpointLost
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.pool import Limits
from closedchain.sweep.running import Progress, missing, remaining, sweep
from closedchain.sweep.study import Study
from closedchain.sweep.task import Part, compute

COMMAND = [
    "sweep", "biglide", "--param", "l=normal(0.3606,1mm)", "--param", "controller.kp=50:150", "--points", "80",
    "--compute", "tracking_error", "--scenario", "biglide-computed-torque", "--seed", "3",
]  # fmt: skip


@pytest.fixture
def expected(runs: Study) -> str:
    """The results' hash, one point after another in this process."""
    return sweep(runs).hash


def test_any_number_of_workers_gives_the_same_bits(strip, runs, expected):
    """Serial, one and three processes; a study of kernels and one of simulations."""
    assert sweep(runs, workers=3).hash == expected
    assert sweep(strip, workers=1).hash == sweep(strip).hash


def test_the_cut_into_tasks_does_not_change_a_bit(strip):
    """Point by point, and all at once: vectors in the kernels hold other neighbours."""
    whole = compute(strip, 0, strip.count)
    parts = [compute(strip, i, i + 1) for i in range(strip.count)]
    np.testing.assert_array_equal(np.concatenate([p.values for p in parts]), whole.values)
    assert {i: why for p in parts for i, why in p.failed.items()} == whole.failed
    assert 0 < len(whole.failed) < strip.count


def test_a_killed_worker_is_replaced_and_its_points_run_again(runs, expected):
    """kill −9 of a process twice on the way."""
    killed = []

    def kill(now: Progress) -> None:
        children = [c for c in multiprocessing.active_children() if c.pid not in killed]
        if now.done in range(4, 30) and len(killed) < 2 and children:
            killed.append(children[0].pid)
            os.kill(children[0].pid, signal.SIGKILL)

    done = sweep(runs, workers=2, progress=kill)
    assert len(killed) == 2
    assert done.hash == expected
    assert not done.failed


def test_resume_runs_only_what_is_missing(strip, tmp_path):
    """A third of the points was kept: progress begins there, and the results are those of a whole run."""
    path, told = tmp_path / "c.sqlite", []
    with Checkpoint(path, strip) as kept:
        kept.keep(compute(strip, 20, 68))
    done = sweep(strip, checkpoint=path, resume=True, progress=told.append)
    assert told[0].done > 48
    assert done.hash == sweep(strip).hash
    told.clear()
    assert sweep(strip, checkpoint=path, resume=True, progress=told.append).hash == done.hash
    assert told == []
    sweep(strip, checkpoint=path, progress=told.append)
    assert told[-1].done == strip.count  # without resume it begins anew


def test_points_of_another_study_are_not_taken(strip, tmp_path):
    """The digest knows values, window and seed."""
    path = tmp_path / "c.sqlite"
    sweep(strip, checkpoint=path)
    other = study(
        "biglide", {"l": "0.10:0.40:13", "d": "0.1:0.5:11"}, strip.computes, window=(-0.3, 0.3, -0.3, 0.4), grid=32
    )
    told = []
    sweep(other, checkpoint=path, resume=True, progress=told.append)
    assert told[-1].done == other.count
    assert len({strip.digest, other.digest}) == 2


def test_a_file_of_something_else_is_refused(strip, tmp_path):
    """Neither text nor another program's database is written to."""
    text, base = tmp_path / "t.sqlite", tmp_path / "b.sqlite"
    text.write_text("not a database, but long enough to be looked at " * 20)
    other = sqlite3.connect(base)
    other.execute("CREATE TABLE x (y)")
    other.close()
    for path in (text, base):
        with pytest.raises(BadStudy, match="not a checkpoint"):
            sweep(strip, checkpoint=path)


def test_a_checkpoint_that_cannot_be_opened_is_named(strip, tmp_path):
    """A folder that is not there is a mistake, not a bug of ours."""
    with pytest.raises(BadStudy, match=r"nowhere.c\.sqlite cannot be opened"):
        sweep(strip, checkpoint=tmp_path / "nowhere" / "c.sqlite")


def test_a_checkpoint_that_can_no_longer_be_written_breaks_off(strip, tmp_path):
    """A disk that is full, here a file that may not grow: what was kept stays readable."""
    part = compute(strip, 0, 100)
    with Checkpoint(tmp_path / "c.sqlite", strip) as kept:
        kept.keep(part)
        kept.base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = kept.base.execute("PRAGMA page_count").fetchone()[0]
        kept.base.execute(f"PRAGMA max_page_count={pages}")
        large = Part(100, 10_100, np.zeros((10_000, 2)), {})
        with pytest.raises(CheckpointLost, match="full"):
            kept.keep(large)
        assert next(kept.parts()).values.tobytes() == part.values.tobytes()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killing_the_main_process_loses_no_finished_point(finished, tmp_path):
    """kill −9 in the middle; its workers end by themselves; --resume completes to the same file."""
    run = [sys.executable, "-m", "closedchain", *COMMAND, "--workers", "2", "--out"]
    first, whole = tmp_path / "first.csv", tmp_path / "whole.csv"
    kept = tmp_path / "first.csv.sqlite"
    begun = subprocess.Popen([*run, str(first)], stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while finished(kept) < 4 and begun.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    begun.kill()
    begun.wait()
    before = finished(kept)
    assert 4 <= before < 80
    assert not first.exists()
    wait_for_group(begun.pid)
    again = subprocess.run([*run, str(first), "--resume"], capture_output=True, check=True)
    assert b"80 points" in again.stdout
    vary = {"l": "normal(0.3606,1mm)", "controller.kp": "50:150"}
    asked = study("biglide", vary, ["tracking_error"], points=80, seed=3, scenario="biglide-computed-torque")
    sweep(asked).save(whole)
    assert first.read_bytes() == whole.read_bytes()
    assert whole.read_text().count("\n") == 81


def wait_for_group(leader):
    """Until no process of a session is left."""
    for _ in range(200):
        try:
            os.killpg(leader, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(leader, signal.SIGKILL)
    raise AssertionError("workers outlive their parent")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to a group")
def test_an_interrupt_keeps_what_is_done(finished, tmp_path):
    """Exit code 130, one line that tells how to go on, and the finished points in the checkpoint."""
    out = tmp_path / "o.csv"
    run = [sys.executable, "-m", "closedchain", *COMMAND, "--workers", "2", "--out", str(out)]
    begun = subprocess.Popen(run, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while finished(tmp_path / "o.csv.sqlite") < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(begun.pid, signal.SIGINT)
    _, err = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert b"--resume" in err
    assert b"Traceback" not in err
    assert finished(tmp_path / "o.csv.sqlite") >= 4
    assert not out.exists()


def test_a_point_that_takes_too_long_is_marked_and_the_others_are_not():
    """The last of six has steps of 0.1 µs: three seconds of motion are 30 million of them."""
    steps = "1e-3, 1.1e-3, 1.2e-3, 1.3e-3, 1.4e-3, 1e-7"
    asked = study("biglide", {"scenario.step": steps}, ["tracking_error"], scenario="biglide-computed-torque")
    done = sweep(asked, workers=1, limits=Limits(seconds=0.7))
    assert done.failed == {5: "it takes longer than 0.7 s"}
    assert np.isfinite(done.column("tracking_error")[:5]).all()


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts from /proc")
def test_a_point_that_needs_too_much_memory_is_marked():
    """A grid of 2000 cells a side holds four million places, 64 MB, and more while they are made."""
    asked = study("biglide", {"l": [0.3, 0.4]}, ["min_conditioning"], window=(-0.3, 0.3, -0.3, 0.3), grid=2000)
    done = sweep(asked, workers=1, limits=Limits(memory=30_000_000))
    assert set(done.failed.values()) == {"it needs more memory than 30 MB"}
    assert list(done.failed) == [0, 1]


def test_missing_ranges_are_what_is_not_covered():
    """In pieces of at most the size asked for."""
    covered = np.array([1, 1, 0, 0, 0, 0, 0, 1, 0, 1], dtype=bool)
    assert list(missing(covered, 3)) == [(2, 5), (5, 7), (8, 9)]
    assert list(missing(np.ones(4, dtype=bool), 3)) == []
    assert list(missing(np.zeros(2, dtype=bool), 3)) == [(0, 2)]


def test_remaining_time_is_not_told_before_it_is_known():
    """And then in the unit that fits."""
    assert remaining(None) == "time left not known yet"
    assert [remaining(s) for s in (0.2, 65, 600, 9000)] == [
        "about 1 s left", "about 65 s left", "about 10 min left", "about 2.5 h left",
    ]  # fmt: skip


def test_no_workers_is_not_minus_one(strip):
    """A number that cannot be."""
    with pytest.raises(BadStudy, match="cannot work"):
        sweep(strip, workers=-1)


def test_another_table_of_numbers_is_another_study(tmp_path):
    """A scenario names its trajectory's file: what stands in it decides the numbers."""
    (tmp_path / "scene.toml").write_text(
        'schema = "closedchain.scenario/1"\nrobot = "biglide"\ninterval = 0.01\n'
        '[trajectory]\nkind = "table"\nfile = "table.csv"\n[controller]\nkind = "computed-torque"\n'
    )
    digests = []
    for y in (0.30, 0.31):
        rows = "\n".join(f"{t},{0.01 * t},{y}" for t in np.linspace(0.0, 1.0, 5))
        (tmp_path / "table.csv").write_text(f"t,x,y\n{rows}\n")
        made = study("biglide", {"m_p": [2.0, 3.0]}, ["peak_effort"], scenario=tmp_path / "scene.toml")
        digests.append(made.digest)
    assert digests[0] != digests[1]
