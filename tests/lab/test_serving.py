"""The lab in the browser: runs of a folder, a run as it goes; this computer only, and only by the address given."""

import http.client
import json
import threading
from urllib.parse import urlsplit

import pytest

from closedchain.errors import BadInput
from closedchain.lab.live import Live, news
from closedchain.lab.running import run_script
from closedchain.lab.serving import Runs
from closedchain.lab.session import Session, Settings
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
    """Messages hold the robot now and each point of a curve once; after the last one the final page is there."""
    session = Session(Settings(duration=0.6, real_time=True))
    told, pages = [], []

    def watch(address):
        told.extend(get(address, "messages")[1].split("\n\n"))
        pages.append(get(address, "result"))

    with Live(session, "script.py") as live:
        assert "live.js" in get(live.address)[1]
        assert get(live.address, "result")[0] == 404
        watcher = threading.Thread(target=watch, args=(live.address,))
        watcher.start()
        done = run_script(written(tmp_path, SCRIPT), session=session)
        live.end(done)
        watcher.join(10)
    messages = [json.loads(line.removeprefix("data: ")) for line in told if line.startswith("data: ")]
    assert "event: end" in told[-2]
    assert len(messages) > 2
    assert messages[-1]["t"] == pytest.approx(0.6)
    times = [point[0] for m in messages for chart in m["charts"] for point in chart["curves"][0]["points"]]
    assert times == pytest.approx([0.01 * (k + 1) for k in range(60)])
    last = messages[-1]["robots"][0]
    assert last["name"] == "biglide:lab"
    assert {"rail", "bar"} <= {part["kind"] for part in last["parts"]}
    assert pages[0][0] == 200
    assert '<section class="player"' in pages[0][1]


def test_news_are_told_once(tmp_path):
    """What was told is not told again."""
    done = run_script(written(tmp_path, SCRIPT), settings=Settings(duration=0.1))
    told = {}
    first, second = news(done.session, told), news(done.session, told)
    assert len(first["charts"][0]["curves"][0]["points"]) == 10
    assert first["charts"][0]["curves"][1]["points"] == []  # not numbers
    assert second["charts"][0]["curves"][0]["points"] == []
