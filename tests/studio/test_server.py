"""The server: it starts and ends cleanly with its children, answers over the wire, and forgets nothing it promised."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import httpx
import numpy as np
import psutil
import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st

from closedchain import robots
from closedchain.cli import main
from closedchain.cli.studio import opened
from closedchain.describe.writing import dumps
from closedchain.errors import BadInput
from closedchain.studio.app import build
from closedchain.studio.child import Reply
from closedchain.studio.desk import Desk, Downloads
from closedchain.studio.limits import Limits
from closedchain.studio.security import doors
from closedchain.studio.serving import listen
from closedchain.studio.workspace import Workspace
from tests.studio.server import browser, get, run, studio

BIGLIDE = {"source": "biglide"}


# The command ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """`closedchain studio`, running, with its address."""
    folder = tmp_path_factory.mktemp("work")
    words = [sys.executable, "-m", "closedchain", "studio", "fivebar", "--no-browser", "--workspace", str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    line = process.stdout.readline()
    yield process, line
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")
def test_it_says_where_it_is_stays_small_and_ends_with_its_children(command):
    """One line with the token in the fragment; ≤ 150 MB in all when idle; SIGTERM ends everything with code 0."""
    process, line = command
    found = re.fullmatch(r"the studio is at http://127\.0\.0\.1:(\d+)/#t=([\w-]{32}) until Ctrl-C\n", line)
    assert found
    family = psutil.Process(process.pid)
    end = time.monotonic() + 30
    while time.monotonic() < end and not family.children():
        time.sleep(0.05)
    time.sleep(2.0)  # the solver has imported by now, or is smaller still
    children = family.children(recursive=True)
    assert len(children) == 1
    assert sum(p.memory_info().rss for p in (family, *children)) <= 150e6  # the design's bar
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0
    assert not [p for p in children if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def test_a_port_that_is_taken_is_one_sentence(capsys):
    """Exit code 2, what and what to try."""
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["studio", "--port", str(port), "--no-browser"]) == 2
    assert "try --port 0" in capsys.readouterr().err


def test_a_parameter_set_is_opened_by_its_name(tmp_path):
    """Of a robot here, and of a file."""
    assert opened("biglide:lab") == {"source": "biglide:lab", "toml": None, "values": {}}
    path = tmp_path / "own.toml"
    path.write_text(dumps(robots.find("biglide")), encoding="utf-8")
    assert opened(f"{path}:lab")["values"] == {"l": 0.2828427}
    assert opened(str(path))["values"] == {}


@pytest.mark.parametrize(
    "words", [["nosuch"], ["biglide:nosuch"], ["--port", "70000"], ["--workspace", "/no/such/folder"]]
)
def test_bad_words_are_refused_before_anything_starts(words, capsys):
    """One line, exit code 2."""
    assert main(["studio", "--no-browser", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_listening_elsewhere_allows_only_the_names_that_were_given():
    """The list is exact whatever the address."""
    there = doors("192.0.2.7", 8000, ("lab.example",))
    assert {"192.0.2.7:8000", "lab.example:8000", "127.0.0.1:8000"} <= there.hosts
    assert "evil.example:8000" not in there.hosts
    with pytest.raises(BadInput):
        listen("192.0.2.7", 8000)  # not an address of this computer


# Over the wire --------------------------------------------------------------------------------------------


def test_a_browser_opens_a_robot_and_drags_it(tmp_path):
    """hello, robot, kernels, solve: branches over the wire are those of the library."""

    async def test():
        async with studio(tmp_path, opened=BIGLIDE) as running, browser(running) as one:
            assert one.greeting["ok"]
            assert one.greeting["open"] == BIGLIDE
            assert {"biglide", "furuta"} <= {r["name"] for r in one.greeting["robots"]}
            robot = await one.ask("robot", robot=BIGLIDE)
            status, headers, body = await get(running, robot["kernels"])
            assert (status, headers["content-type"]) == (200, "text/javascript; charset=utf-8")
            assert b"export const robot" in body
            found = await one.ask("solve", robot=BIGLIDE, x=[0.03, 0.25])
            # TRUTH.md §1.1: q = y ∓ sqrt(l² − (x ± d/2)²)
            expected = [0.25 - np.sqrt(0.3606**2 - 0.23**2), 0.25 - np.sqrt(0.3606**2 - 0.17**2)]
            np.testing.assert_allclose(found["branches"][0]["q"], expected, rtol=1e-14)  # rounding

    run(test())


def test_answers_are_relayed_as_the_solver_wrote_them(tmp_path):
    """Spaces and digits that no double has, which reading and printing again would change, reach the page."""
    said = b'{"branches" :[ 0.10000000000000000000001,1E2 ] }'

    async def test():
        async with studio(tmp_path) as running, browser(running) as page:

            async def answered(op, body, seconds):
                return Reply(True, said)

            running.desk.solver.ask = answered
            number = await page.send("solve", robot=BIGLIDE, x=[0.03, 0.25])
            assert await page.socket.recv() == f'{{"id": {number}, "ok": true, {said[1:].decode()}'

    run(test())


def test_only_texts_that_are_robots_keep_an_address_of_kernels(tmp_path):
    """A text that is being written asks at every pause; those that are no robot put none out of memory."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as page:
            await page.ask("define", toml="name = ")
            assert not running.desk.robots
            toml = (await page.ask("robot", robot=BIGLIDE))["toml"]
            made = await page.ask("define", toml=toml)
            assert [f"/k/{key}.js" for key in running.desk.robots][-1] == made["robot"]["kernels"]

    run(test())


def test_numbers_beyond_double_precision_are_told_in_one_sentence(tmp_path):
    """Rails 1e308 m apart: the answer would hold an infinite determinant, for which JSON has no word."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as page:
            far = BIGLIDE | {"values": {"d": 1e308}}
            refused = (await page.ask("at", robot=far, q=[0.0, 0.0], x=[0.0, 0.3]))["error"]
            assert refused["kind"] == "limit"
            assert "double precision" in refused["message"]

    run(test())


def test_a_second_connection_goes_on_where_the_first_was_lost(tmp_path):
    """Requests carry all they need: nothing is remembered of a connection, and its jobs end with it."""

    async def test():
        async with studio(tmp_path) as running:
            async with browser(running) as one:
                first = await one.ask("solve", robot=BIGLIDE, x=[0.03, 0.25])
                await one.send("loci", robot={"source": "triplate"}, window=[-8, 8, -8, 8], orientation=0.2)
                await asyncio.sleep(0.3)
            async with browser(running) as two:
                second = await two.ask("solve", robot=BIGLIDE, x=[0.03, 0.25])
            assert first["branches"] == second["branches"]
            for _ in range(200):
                if not (running.desk.jobs.busy or running.desk.jobs.open):
                    break
                await asyncio.sleep(0.05)
            assert not running.desk.jobs.busy
            assert running.desk.jobs.open == 0

    run(test())


def test_the_solver_is_started_again_when_it_dies(tmp_path):
    """Killed from outside: the question is refused, the next one is answered."""

    async def test():
        async with studio(tmp_path) as running, browser(running) as one:
            running.desk.solver.child.process.kill()
            await running.desk.solver.child.process.wait()
            found = await one.ask("solve", robot=BIGLIDE, x=[0.03, 0.25])
            assert found["ok"]
            victim = running.desk.solver.child.process
            number = await one.send("solve", robot={"source": "triplate"}, q=[0.1, 0.2, 3.0])
            victim.kill()
            assert (await one.answer(number))["ok"] in (True, False)
            assert (await one.ask("solve", robot=BIGLIDE, x=[0.03, 0.25]))["ok"]

    run(test())


def test_a_download_is_fetched_once():
    """Under an address that cannot be guessed; old ones go when there is too much."""
    held = Downloads(most=100)
    first = held.put("a.csv", b"x" * 80)
    second = held.put("b.csv", b"y" * 80)
    assert held.take(first.split("/")[2], "a.csv") is None
    key = second.split("/")[2]
    assert held.take(key, "other.csv") is None
    assert held.take(key, "b.csv").content == b"y" * 80
    assert held.take(key, "b.csv") is None


# The HTTP side against its description ---------------------------------------------------------------------

SCHEMA = json.loads((resources.files("closedchain.studio") / "openapi.json").read_text("utf-8"))


@pytest.fixture
def application(tmp_path):
    """The routes without a socket, and a client that the doors know."""
    desk = Desk(doors("127.0.0.1", 80), Workspace(tmp_path), Limits())
    return build(desk, warm=False)


def asked(application, method, path, headers=None):
    """One request, without a socket."""

    async def one():
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, f"http://127.0.0.1{path}", headers=headers)

    return run(one())


def test_every_route_keeps_to_its_description(application):
    """Schemathesis: hundreds of generated requests; statuses, media types and headers are those that are stated."""
    tried = []
    for found in schemathesis.openapi.from_dict(SCHEMA).get_all_operations():
        operation = found.ok()

        @settings(max_examples=35)
        @given(case=operation.as_strategy())
        def attempt(case):
            response = asked(application, case.method, case.formatted_path)
            tried.append(response.status_code)
            case.validate_response(response)
            assert response.headers["content-security-policy"].startswith("default-src 'none'")

        attempt()
    assert len(tried) >= 100


@settings(max_examples=150)
@given(
    path=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60),
    headers=st.dictionaries(
        st.from_regex(r"[A-Za-z-]{1,12}", fullmatch=True),
        st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30),
        max_size=3,
    ),
)
def test_no_path_or_header_whatever_breaks_the_server(path, headers):
    """Every answer is a page, a refusal or nothing: never an error of the server."""
    desk = Desk(doors("127.0.0.1", 80), Workspace(Path(__file__).parent), Limits())
    response = asked(build(desk, warm=False), "GET", quote("/" + path, safe="/%?&=.;:@"), headers)
    assert response.status_code in (200, 400, 403, 404, 413, 414, 421, 503)
    assert response.headers["x-content-type-options"] == "nosniff"
