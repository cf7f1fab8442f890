"""A Dask scheduler and two worker processes, over TLS on this computer, some of them killed in the middle."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

distributed = pytest.importorskip("distributed")

from closedchain.cli import main  # noqa: E402 (after the package is known to be there)
from closedchain.sweep import cluster  # noqa: E402
from closedchain.sweep.asking import study  # noqa: E402
from closedchain.sweep.cluster import Cluster, ClusterLost, Keys  # noqa: E402
from closedchain.sweep.running import sweep  # noqa: E402

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL"),
    pytest.mark.filterwarnings("ignore"),  # Dask's own, about connections that were cut
]
VARY = {"l": "normal(0.3606,1mm)", "controller.kp": "50:150"}
ASKED = {"points": 60, "seed": 3, "scenario": "biglide-computed-torque"}
LONG = 60.0  # [s] after which a process that was started is taken for dead


class Processes:
    """A scheduler and workers as processes of their own."""

    def __init__(self, folder):
        self.folder, self.address, self.running = folder, "", []
        made = distributed.Security.temporary()
        texts = {"ca-file": made.tls_ca_file, "cert": made.tls_client_cert, "key": made.tls_client_key}
        for name, text in texts.items():
            (folder / name).write_text(text)
        self.files = [str(folder / name) for name in texts]
        self.tls = [word for name in texts for word in (f"--tls-{name}", str(folder / name))]

    def start(self, kind, *words):
        """A process of Dask's command line."""
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *self.tls, *words]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.running.append(subprocess.Popen(command, cwd=self.folder, **quiet))
        return self.running[-1]

    def start_scheduler(self):
        """Its address is known when this ends."""
        file = self.folder / "scheduler.json"
        words = ("--protocol", "tls", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        self.scheduler = self.start("scheduler", *words, "--scheduler-file", str(file))
        wait(file.exists)
        wait(lambda: file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start_workers(self):
        """Two processes of one thread each."""
        words = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--death-timeout", "20")
        self.workers = [self.start("worker", self.address, *words) for _ in range(2)]

    def end(self):
        """Whatever is left of them."""
        for process in reversed(self.running):
            process.kill()
            process.wait()


def wait(ready):
    """Until something is true."""
    deadline = time.monotonic() + LONG
    while not ready():
        assert time.monotonic() < deadline, "a process did not start"
        time.sleep(0.02)


@pytest.fixture
def processes(tmp_path):
    """A scheduler, ended after the test however it went, and whatever else was started."""
    made = Processes(tmp_path)
    try:
        made.start_scheduler()
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def asked():
    """Sixty simulations, one task for every two."""
    return study("biglide", VARY, ["tracking_error"], **ASKED)


@pytest.fixture(scope="module")
def expected(asked):
    """The results of this process."""
    return sweep(asked)


def test_a_killed_worker_of_a_cluster_costs_nothing_but_time(processes, asked, expected):
    """kill −9 of one of two in the middle: the other one does its points again; the same hash."""
    processes.start_workers()
    seen, killed = [], []

    def kill(now):
        seen.append(now.done)
        if now.done >= 10 and not killed:
            killed.append(now.done)
            os.kill(processes.workers[0].pid, signal.SIGKILL)

    with Cluster(processes.address, asked, Keys(*processes.files)) as runner:
        runner.client.wait_for_workers(2, timeout=LONG)
        done = sweep(asked, runner=runner, progress=kill)
    assert processes.address.startswith("tls://")
    assert killed
    assert killed[0] < asked.count
    assert processes.workers[0].wait(LONG) == -signal.SIGKILL
    assert seen[-1] == asked.count
    assert not done.failed
    assert done.hash == expected.hash


def test_a_killed_scheduler_is_one_line_and_loses_nothing(processes, asked, expected, finished, tmp_path):
    """Exit code 5 with what to do; --resume completes to the same file without the cluster."""
    processes.start_workers()
    out, kept, whole = tmp_path / "o.csv", tmp_path / "o.csv.sqlite", tmp_path / "whole.csv"
    words = ["sweep", "biglide", "--compute", "tracking_error"]
    words += [word for name, said in VARY.items() for word in ("--param", f"{name}={said}")]
    words += [word for name, said in ASKED.items() for word in (f"--{name}", str(said))]
    words += ["--out", str(out)]
    tls = [w for pair in zip(("--tls-ca", "--tls-cert", "--tls-key"), processes.files, strict=True) for w in pair]
    begun = subprocess.Popen(
        [sys.executable, "-m", "closedchain", *words, "--cluster", processes.address, *tls], stderr=subprocess.PIPE
    )
    wait(lambda: finished(kept) >= 10 or begun.poll() is not None)
    os.kill(processes.scheduler.pid, signal.SIGKILL)
    _, err = begun.communicate(timeout=LONG)
    before = finished(kept)
    assert begun.returncode == 5
    assert 10 <= before < asked.count
    assert not out.exists()
    assert f"the scheduler at {processes.address} is gone".encode() in err
    assert b"--resume" in err
    assert err.count(b"\n") == 1
    assert main([*words, "--workers", "0", "--resume"]) == 0
    expected.save(whole)
    assert out.read_bytes() == whole.read_bytes()


def test_a_cluster_without_workers_is_not_waited_for_for_ever(processes, asked, monkeypatch):
    """A scheduler alone: after a while that is said."""
    with Cluster(processes.address, asked, Keys(*processes.files)) as runner:
        monkeypatch.setattr(cluster, "PATIENCE", 1.0)
        with pytest.raises(ClusterLost, match=r"no worker of tls://.* has been there for 1 s"):
            sweep(asked, runner=runner)


class Dying:
    """A client whose scheduler ends at the worst moment, as Dask was seen to tell it."""

    status = "running"

    def nthreads(self):
        raise ValueError("IOStream is not idle; cannot convert to SSL")

    def close(self, timeout):
        self.status = "closing"
        raise TimeoutError(f"nobody answered within {timeout} s")


def test_whatever_dask_says_of_a_lost_scheduler_is_one_error(asked):
    """And the client counts as closed, or Dask would wait for it another minute when it is collected."""
    runner = Cluster("tcp://127.0.0.1:8786", asked)
    runner.client = Dying()
    with pytest.raises(ClusterLost, match=r"the scheduler at tcp:.* is gone"):
        next(iter(runner.run([(0, 1)])))
    runner.__exit__()
    assert runner.client.status == "closed"
