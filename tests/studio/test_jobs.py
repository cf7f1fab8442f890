"""Jobs: progress, cancelling, limits of memory, time and number; whatever ends one ends only that one."""

import asyncio
import contextlib
import sys
import time

import psutil
import pytest

from closedchain.studio.child import Child, Gone
from closedchain.studio.jobs import Jobs
from closedchain.studio.limits import MB, Limits
from closedchain.studio.solver import Solver
from tests.studio.server import browser, get, run, studio

BIGLIDE = {"source": "biglide"}
# a long one: three million steps of control
LONG = {"scenario": "biglide-computed-torque", "settings": {"interval": 1e-3, "step": 1e-6}}


async def until(condition, seconds=20.0):
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_a_run_is_simulated_shown_and_taken_away(tmp_path):
    """Frames with every history, progress before, and the same run as a file that can be fetched once."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as one:
            meta, arrays, data = await one.ask("simulate", scenario="biglide-computed-torque", record=0.01)
            named = {row["name"]: row for row in arrays}
            assert {"t", "q", "x", "tau", "x_ref", "error", "kinetic", "balance", "closure"} <= set(named)
            assert named["q"]["shape"] == [named["t"]["shape"][0], 2]
            assert len(data) >= named["q"]["offset"]
            assert meta["finished"]
            assert meta["summary"]["max_error"] == pytest.approx(2.53e-6, rel=1e-2)  # as `closedchain simulate` tells
            made = await one.ask("file", job=meta["job"], format="csv")
            assert made["ok"]
            status, headers, body = await get(running, made["url"])
            assert (status, len(body)) == (200, made["bytes"])
            assert headers["content-disposition"] == 'attachment; filename="biglide-computed-torque.csv"'
            assert body.splitlines()[0].startswith(b"t_s,q1_m")
            assert (await get(running, made["url"]))[0] == 404
            gone = await one.ask("file", job="nothing", format="csv")
            assert gone["error"]["where"] == "job"

    run(test())


def test_a_job_is_cancelled_at_once(tmp_path):
    """Its process is gone, its answer is "cancelled", the connection goes on."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as one:
            number = await one.send("simulate", **LONG)
            await until(lambda: running.desk.jobs.busy)
            (child,) = running.desk.jobs.busy
            assert (await one.ask("cancel", target=number)) in ({"id": number + 1, "ok": True, "found": True},)
            await until(lambda: not child.alive)
            assert not running.desk.jobs.busy
            assert (await one.ask("cancel", target=number))["found"] is False
            assert (await one.ask("solve", robot=BIGLIDE, x=[0.03, 0.25]))["ok"]

    run(test())


def test_the_cancelled_job_itself_is_answered(tmp_path):
    """With a failure of that kind."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as one:
            number = await one.send("simulate", **LONG)
            await until(lambda: running.desk.jobs.busy)
            await one.send("cancel", target=number)
            assert (await one.answer(number))["error"]["kind"] == "cancelled"

    run(test())


def test_dragging_goes_on_while_a_job_runs(tmp_path):
    """The solver is another process: it answers before the job does."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as one:
            job = await one.send("simulate", **LONG)
            await until(lambda: running.desk.jobs.busy)
            for _ in range(5):
                assert (await one.ask("solve", robot=BIGLIDE, x=[0.03, 0.25]))["ok"]
            assert running.desk.jobs.busy
            await one.send("cancel", target=job)
            assert (await one.answer(job))["error"]["kind"] == "cancelled"

    run(test())


def test_a_connection_has_so_many_jobs(tmp_path):
    """More are refused, and those that wait are cancelled like those that run."""

    async def test():
        async with studio(tmp_path, Limits(jobs=2, running=1)) as running, browser(running) as one:
            first, second = await one.send("simulate", **LONG), await one.send("simulate", **LONG)
            refused = await one.ask("simulate", **LONG)
            assert "2 jobs are open" in refused["error"]["message"]
            for number in (second, first):
                await one.send("cancel", target=number)
                assert (await one.answer(number))["error"]["kind"] == "cancelled"
            await until(lambda: running.desk.jobs.open == 0)

    run(test())


def test_an_id_in_use_is_refused(tmp_path):
    """Two answers with one id could not be told apart."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as one:
            await one.send("simulate", **LONG)
            one.number -= 1
            refused = await one.answer(await one.send("solve", robot=BIGLIDE, x=[0, 0]))
            assert refused["error"]["where"] == "id"

    run(test())


def test_a_job_that_takes_too_long_is_stopped():
    """With a sentence of kind "limit", and no process left."""

    async def test():
        jobs = Jobs(Limits())
        body = {**LONG, "robot": None, "plant": "exact", "record": None, "job": "j", "workspace": "."}
        reply = await jobs.run("simulate", body, 0.05, lambda progress: None, keep=False)
        assert (reply.ok, reply.document["kind"]) == (False, "limit")
        assert "longer than 0.05 s" in reply.document["message"]
        assert not jobs.busy
        await jobs.end()

    run(test())


def test_more_jobs_than_there_is_room_for_are_refused():
    """In all connections together."""

    async def test():
        jobs = Jobs(Limits(jobs_in_all=0))
        reply = await jobs.run("map", {}, 1.0, lambda progress: None, keep=False)
        assert reply.document["kind"] == "limit"

    run(test())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS is kept on Linux")
def test_a_child_has_so_much_memory():
    """What needs more is told so, and the child itself goes on."""

    async def test():
        child = await Child.start()
        try:
            small = {"robot": {"source": "biglide", "toml": None, "values": {}}, "quantity": "det_A", "working": "++"}
            small |= {"window": [-0.4, 0.4, -0.4, 0.4], "shape": [20, 20], "orientation": None, "hold": {}}
            fine = await child.ask("map", small, memory=3000 * MB, seconds=60.0, tell=None)
            assert fine.framed
            now = float("inf")
            for _ in range(10):  # what compiling took is given back a little later
                await asyncio.sleep(0.05)
                now = min(now, psutil.Process(child.process.pid).memory_info().vms)
            large = small | {"shape": [1400, 1400]}
            reply = await child.ask("map", large, memory=now + 2 * MB, seconds=60.0, tell=None)
            assert (reply.ok, reply.document["kind"]) == (False, "limit")
            again = await child.ask("map", small, memory=3000 * MB, seconds=60.0, tell=None)
            assert again.framed
        finally:
            await child.end()
        assert not child.alive

    run(test())


def test_a_worker_rests_and_ends():
    """Maps are made by a warm process, which ends when nobody needs it for a while."""

    async def test():
        jobs = Jobs(Limits(idle=0.3))
        body = {"robot": {"source": "biglide", "toml": None, "values": {}}}
        first = await jobs.run("javascript", body, 60.0, lambda progress: None, keep=True)
        child = jobs.idle
        second = await jobs.run("javascript", body, 60.0, lambda progress: None, keep=True)
        assert first.document == second.document
        assert jobs.idle is child
        await until(lambda: not child.alive)
        assert jobs.idle is None
        await jobs.end()

    run(test())


def test_a_solver_that_hangs_is_replaced():
    """Its question is refused after the time it has, the next is answered by another process."""

    async def test():
        solver = Solver(Limits())
        await solver.warm()
        process = psutil.Process(solver.child.process.pid)
        process.suspend()
        reply = await solver.ask("hello", {}, 0.3)
        assert (reply.ok, reply.document["kind"]) == (False, "limit")
        assert (await solver.ask("hello", {}, 60.0)).ok
        assert solver.restarts == 1
        await solver.end()

    run(test())


def test_a_child_that_ends_is_known_to_be_gone():
    """Whoever asks is told."""

    async def test():
        child = await Child.start()
        child.process.kill()
        with pytest.raises(Gone):
            await child.ask("hello", {}, memory=0, seconds=5.0, tell=None)
        await child.end()
        with contextlib.suppress(psutil.NoSuchProcess):
            assert psutil.Process(child.process.pid).status() == psutil.STATUS_ZOMBIE

    run(test())
