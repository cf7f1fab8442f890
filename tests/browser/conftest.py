"""A studio, the system's Chromium, and pages that must end without a console error or a request to elsewhere."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from urllib.parse import quote

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests are driven by Playwright")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PATIENCE = 30_000  # [ms] for one thing to appear on a busy computer


@dataclass
class Walk:
    """A page in a fresh browser profile, and what went wrong on it."""

    page: object
    address: str  # with the token
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, screen, robot, more=""):
        """Open a screen for a robot by its address."""
        self.page.goto(f"{self.address}&screen={screen}&robot={quote(robot)}{more}")
        self.page.wait_for_selector(f".screen.{screen}")
        return self.page

    def state(self, name):
        """A field of the state that the address mirrors."""
        return self.page.evaluate("name => studio.state.value[name]", name)

    def until(self, condition, *given):
        """Wait until a JavaScript expression of `a` is true."""
        return self.page.wait_for_function(f"a => {condition}", arg=list(given))

    def middle(self, selector):
        """The middle of something on the screen [px]."""
        box = self.page.locator(selector).first.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, selector, dx, dy, steps=8, release=True):
        """Drag the middle of something by pixels."""
        x, y = self.middle(selector)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for k in range(1, steps + 1):
            self.page.mouse.move(x + dx * k / steps, y + dy * k / steps)
            self.page.wait_for_timeout(20)
        if release:
            self.page.mouse.up()
        self.page.wait_for_timeout(60)


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    """The address, with its token, of a studio that runs while the tests do."""
    command = [sys.executable, "-m", "closedchain", "studio", "--no-browser", "--port", "0"]
    folder = tmp_path_factory.mktemp("workspace")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            yield re.search(r"http://\S+", process.stdout.readline())[0]
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="session")
def chromium():
    """The system's browser, without a window."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium):
    """Open pages at an address; afterwards none of them may have had a problem or asked another computer."""
    walks, contexts = [], []

    def start(address, width=1280, height=720, scheme="light", **options):
        size = {"width": width, "height": height}
        context = chromium.new_context(viewport=size, color_scheme=scheme, accept_downloads=True, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        walk = Walk(context.new_page(), address)
        walk.page.on("console", lambda m: m.type == "error" and walk.problems.append(m.text))
        walk.page.on("pageerror", lambda e: walk.problems.append(f"exception: {e}"))
        walk.page.on("request", lambda r: walk.requests.append(r.url))
        walks.append(walk)
        return walk

    yield start
    for context in contexts:
        context.close()
    own = ("blob:", "data:")
    for walk in walks:
        home = walk.address.split("#")[0]
        assert walk.problems == []
        assert [r for r in walk.requests if not r.startswith((home, *own))] == []


@pytest.fixture
def walk(browse, studio):
    """A page of the studio, 1280 × 720, light."""
    return browse(studio)
