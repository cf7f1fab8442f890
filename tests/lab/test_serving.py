"""The lab in the browser: runs of a folder, a run as it goes; this computer only, and only by the address given."""

import http.client
import json
import threading
import time
from urllib.parse import urlsplit

import pytest

from closedchain.errors import BadInput
from closedchain_lab.live import Live
from closedchain_lab.running import run_script
from closedchain_lab.serving import Runs
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


@pytest.fixture
def folder(tmp_path):
    """A folder of two runs, a file that is none of a run's, and one outside."""
    for name in ("control-1", "model_<test>-2"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "index.html").write_text(f"page of {name}")
    (tmp_path / "runs" / "control-1" / "scope-1.svg").write_text("<svg/>")
    (tmp_path / "runs" / "control-1" / "secret.py").write_text("answers")
    (tmp_path / "outside.html").write_text("outside")
    return tmp_path / "runs"


def test_the_runs_of_a_folder_are_listed_and_shown(folder):
    """Names are escaped and linked; a new run is there at the next look."""
    with Runs(folder) as server:
        status, text = get(server.address)
        assert status == 200
        assert 'href="control-1/"' in text
        assert "model_&lt;test&gt;-2" in text
        assert get(server.address, "control-1/") == (200, "page of control-1")
        assert get(server.address, "control-1/scope-1.svg") == (200, "<svg/>")
        (folder / "new.html").write_text("one page")
        assert 'href="new.html"' in get(server.address)[1]
        assert get(server.address, "new.html") == (200, "one page")


def test_nothing_else_is_served(folder):
    """Other files, other folders, guesses without the token, other names for this computer."""
    with Runs(folder) as server:
        for name in ("control-1/secret.py", "../outside.html", "%2e%2e/outside.html", "control-1", "nothing.html"):
            assert get(server.address, name)[0] == 404, name
        parts = urlsplit(server.address)
        bare = f"http://{parts.netloc}/"
        assert get(bare)[0] == 404
        assert get(bare, "control-1/")[0] == 404
        assert get(server.address, host="example.net")[0] == 403
        assert parts.hostname == "127.0.0.1"
        assert len(server.token) >= 20


def test_a_folder_must_be_there(tmp_path):
    """One that is not is named."""
    with pytest.raises(BadInput, match="nowhere"):
        Runs(tmp_path / "nowhere")


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
