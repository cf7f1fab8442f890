"""Commands that are killed while they write: no torn file, whatever the instant."""

import io
import json
import os
import random
import signal
import sys
import time
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest
from PIL import Image

from closedchain.cli.main import main
from tests.fuzzing import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is forked and killed")
FORBIDDEN = os.O_WRONLY | os.O_RDWR
OLD = b"what was there before"
WINDOW = ["--window", "-0.2,0.2,0.1,0.4"]
# what is written → the command line
WRITERS = {
    "run.npz": ["simulate", "biglide-computed-torque", "--duration", "0.02", "--out", "run.npz"],
    "run.csv": ["simulate", "biglide-computed-torque", "--duration", "0.02", "--csv", "run.csv"],
    "run.png": ["simulate", "biglide-computed-torque", "--duration", "0.02", "--plot", "run.png"],
    "run.html": ["simulate", "biglide-computed-torque", "--duration", "0.02", "--animate", "run.html"],
    "map.npz": ["map", "biglide", *WINDOW, "--shape", "5,5", "--out", "map.npz"],
    "map.png": ["map", "biglide", *WINDOW, "--shape", "5,5", "--out", "map.png"],
    "reach.svg": ["workspace", "biglide", *WINDOW, "--plot", "reach.svg"],
    "way.svg": ["plan", "biglide", "--from", "0,0.3", "--to", "0.05,0.35", "--plot", "way.svg"],
    "pose.svg": ["singular", "biglide", "--x", "0,0.3", "--working", "++", "--plot", "pose.svg"],
    "robot.xml": ["export", "biglide", "--to", "mjcf", "--out", "robot.xml"],
    "robot.js": ["export", "biglide", "--to", "js", "--out", "robot.js"],
    "page.html": ["export", "biglide", "--to", "html", "--out", "page.html"],
    "sweep.csv": ["sweep", "biglide", "--param", "l=0.3:0.5:3", "--compute", "workspace_area", *WINDOW,
                  "--workers", "0", "--out", "sweep.csv"],
    "sweep.html": ["sweep", "biglide", "--param", "l=0.3:0.5:3", "--compute", "workspace_area", *WINDOW,
                   "--workers", "0", "--report", "sweep.html"],
    "best.csv": ["design", "biglide", "--param", "l=0.3:0.5", "--maximise", "min_conditioning", *WINDOW,
                 "--evaluations", "5", "--out", "best.csv"],
}  # fmt: skip
QUICK = ("run.npz", "robot.xml")
CHECKS = {
    ".npz": lambda data: zipfile.ZipFile(io.BytesIO(data)).testzip() is None and np.load(io.BytesIO(data)).files,
    ".csv": lambda data: data.endswith(b"\n") and len({line.count(b",") for line in data.splitlines()}) == 1,
    ".png": lambda data: Image.open(io.BytesIO(data)).load() is not None,
    ".svg": lambda data: ET.fromstring(data).tag.endswith("svg"),
    ".xml": lambda data: ET.fromstring(data).tag == "mujoco",
    ".html": lambda data: data.rstrip().endswith(b"</html>"),
    ".js": lambda data: data.endswith(b"\n"),
}


def child(words, folder, kill_at=None, seconds=None):
    """A command line in a forked child, killed at its n-th act in the folder or after a time: its end, its acts."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        _live_and_die(words, folder, writing, kill_at)
    os.close(writing)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)
    with open(reading, "rb") as pipe:
        lines = pipe.read().decode().splitlines()
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), [json.loads(line) for line in lines]


def _live_and_die(words, folder, writing, kill_at):
    code = 99
    try:
        os.chdir(folder)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        events = 0

        def watch(event, arguments):
            nonlocal events
            if event not in {"open", "os.rename", "os.remove", "os.mkdir", "os.truncate"}:
                return
            path = os.path.abspath(os.fsdecode(arguments[0])) if not isinstance(arguments[0], int) else ""
            flags = arguments[2] if event == "open" else FORBIDDEN
            if os.path.dirname(path) != os.path.abspath(folder) or not flags & FORBIDDEN:
                return
            os.write(writing, json.dumps([event, os.path.basename(path)]).encode() + b"\n")
            if events == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            events += 1

        sys.addaudithook(watch)
        code = main(words)
    finally:
        os._exit(code)


def whole(path):
    """Whether a file is what was there, or new and readable to its end."""
    data = path.read_bytes()
    return data == OLD or bool(CHECKS[path.suffix](data))


def visible(folder):
    """Files that a user sees: not those beside, which begin with a dot, nor a checkpoint."""
    return [p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".") and "sqlite" not in p.name]


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in WRITERS])
def test_a_command_killed_at_any_step_of_its_writing_leaves_no_torn_file(name, tmp_path):
    """Killed at each of its acts in the folder, it leaves the old file or the new one, which is written beside."""
    (tmp_path / "before").mkdir()
    assert run(WRITERS[name], tmp_path / "before").code == 0  # so that the children find everything loaded
    ended, acts = child(WRITERS[name], tmp_path)
    assert ended == 0
    assert whole(tmp_path / name)
    opened = {file for act, file in acts if act == "open"}
    assert opened, "nothing was seen to be written"
    assert all(file.startswith(".") or "sqlite" in file for file in opened)
    for i, act in enumerate(acts):
        (tmp_path / name).write_bytes(OLD)
        assert child(WRITERS[name], tmp_path, kill_at=i)[0] == -signal.SIGKILL
        assert all(whole(path) for path in visible(tmp_path)), f"torn after {act}"


SWEEP = [
    "sweep",
    "biglide",
    "--param",
    "l=normal(0.3606,1mm)",
    "--param",
    "d=0.3:0.5",
    "--points",
    "3000",
    "--seed",
    "3",
]
SWEEP += ["--compute", "workspace_area", "--compute", "min_conditioning", *WINDOW, "--grid", "16", "--workers", "0"]


def test_a_sweep_killed_again_and_again_goes_on_to_the_same_file(tmp_path):
    """At seven random instants, in a child each time; then --resume ends it, with the bits of a sweep left alone."""
    began = time.monotonic()
    assert child([*SWEEP, "--out", "alone.csv"], tmp_path)[0] == 0
    span = 0.6 * (time.monotonic() - began)
    rng, killed, code = random.Random(5), 0, -1
    for _ in range(40):
        more = ["--resume"] if (tmp_path / "killed.csv.sqlite").exists() else []
        code = child([*SWEEP, "--out", "killed.csv", *more], tmp_path, seconds=rng.uniform(0.0, span))[0]
        killed += code == -signal.SIGKILL
        assert all(whole(path) for path in visible(tmp_path))
        if killed == 7 or (killed and code == 0):
            break
        if code == 0:  # done before it was killed, the computer being less busy than just now: again, and sooner
            span /= 2
            for path in tmp_path.glob("killed.csv*"):
                path.unlink()
    assert killed
    if code:
        assert child([*SWEEP, "--out", "killed.csv", "--resume"], tmp_path)[0] == 0
    assert (tmp_path / "killed.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()
