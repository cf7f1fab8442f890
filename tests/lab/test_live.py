"""The lab in the browser: a run as it goes; this computer only, and only by the address given."""

import http.client
import json
import threading
import time
from urllib.parse import urlsplit

import pytest

from closedchain_lab.live import Live
from closedchain_lab.running import run_script
from closedchain_lab.session import Session, Settings
from tests.lab.scripts import written


def get(address, name="", host=None):
    """Status and text of a page."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    try:
        connection.request("GET", f"{parts.path}{name}", headers={"Host": host or parts.netloc})
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")
    finally:
        connection.close()


def test_nothing_is_served_but_to_who_has_the_address():
    """Guesses without the token, other names for this computer, other pages."""
    with Live(Session(Settings()), "script.py", str) as server:
        parts = urlsplit(server.address)
        assert get(server.address)[0] == 200
        assert get(f"http://{parts.netloc}/")[0] == 404
        assert get(server.address, "../news")[0] == 404
        assert get(server.address, host="example.net")[0] == 403
        assert parts.hostname == "127.0.0.1"
        assert len(server.token) >= 20


SCRIPT = """
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *
robot = Robot("biglide")
scope = Scope("left", -1, 1)
robot.start_oscillate()
while True:
    scope.update(robot.get_time(), robot.active_left_joint.position, float("nan"))
    robot.continue_oscillations()
"""


def test_a_run_is_told_as_it_goes_and_ends_with_its_page(tmp_path):
    """Messages hold the robot now and the scopes as the page will draw them; after the last one the page is there."""
    session = Session(Settings(duration=0.6, real_time=True))
    messages, pages, said = [], [], []

    def watch(address):
        while not messages or not messages[-1]["ended"]:
            messages.append(json.loads(get(address, "news")[1]))
            time.sleep(0.05)
        pages.append(get(address, "result"))

    with Live(session, "script.py", said.append) as live:
        assert said == [f"watch it at {live.address}"]
        assert "live.js" in get(live.address)[1]
        assert get(live.address, "result")[0] == 404
        watcher = threading.Thread(target=watch, args=(live.address,))
        watcher.start()
        done = run_script(written(tmp_path, SCRIPT), session=session)
        live.end(done)
        watcher.join(10)
    assert len(messages) > 2
    assert messages[-1]["t"] == pytest.approx(0.6)
    assert messages[-1]["charts"] == f"<figure>{done.session.charts[0].svg(inline=True)}</figure>"
    last = messages[-1]["robots"][0]
    assert last["name"] == "biglide:lab"
    assert {"rail", "bar"} <= {part["kind"] for part in last["parts"]}
    assert pages[0][0] == 200
    assert '<section class="player"' in pages[0][1]
