"""The studio in a real browser: first handle; from a drag's event to its frame, with a simulation or not; playback.

Run it with `python -m benchmarks.studio_latency`. It needs Playwright and a Chromium (CHROMIUM names another one).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from .harness import Claim, report, show

try:
    from playwright.sync_api import Browser, Page, sync_playwright
except ImportError:  # a development dependency
    sync_playwright = None

P50, P95, ALONE, FPS = 0.020, 0.035, 0.020, 55.0  # [s], [s], [s], [1/s] the promises
FIRST = 2.0  # [s] from an address that is opened to a handle that can be taken, the server warm
MOVES = 150  # of the pointer in one round
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
BUSY = {"scenario": "biglide-computed-torque", "settings": {"interval": 1e-3, "step": 2e-7}}  # minutes of work
WATCH = """() => {
  const tip = document.querySelector(".handle.tip");
  const after = new MessageChannel();
  window.times = [];
  let moved = 0;
  after.port1.onmessage = () => { if (moved) window.times.push(performance.now() - moved); moved = 0; };
  addEventListener("pointermove", (e) => { if (!moved) moved = e.timeStamp; }, { capture: true });
  const what = { attributes: true, attributeFilter: ["transform"] };
  new MutationObserver(() => after.port2.postMessage(0)).observe(tip, what);
}"""  # the message is handled after the frame in which the tip was moved has been drawn
FRAMES = """() => new Promise((done) => {
  let frames = 0, changed = false;
  const stage = document.querySelector(".stage svg");
  new MutationObserver(() => { changed = true; }).observe(stage, { attributes: true, subtree: true, childList: true });
  const begin = performance.now();
  const look = (now) => {
    frames += changed ? 1 : 0; changed = false;
    now - begin < 2000 ? requestAnimationFrame(look) : done(1000 * frames / (now - begin));
  };
  requestAnimationFrame(look);
})"""


def main(rounds: int = 3) -> dict[str, Any]:
    """Drag the biglide's tip in each round, with nothing beside it and with a simulation, then play a run."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if sync_playwright is None or chromium is None:
        return report([], _claims([], [], [], None), ["the browser: Playwright or a Chromium is not installed"])
    with served() as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        first = [opened(browser, address) for _ in range(rounds + 1)][1:]  # the first one warms the server
        alone = [t for _ in range(rounds) for t in dragged(page, address)]
        with busy(address):
            times = [t for _ in range(rounds) for t in dragged(page, address)]
            frames = played(page, address)
        browser.close()
    return report([], _claims(first, alone, times, frames), [], moves=len(times))


def _claims(first: list[float], alone: list[float], times: list[float], frames: float | None) -> list[Claim]:
    cuts = statistics.quantiles(times, n=20, method="inclusive") if len(times) > 1 else None
    still = statistics.quantiles(alone, n=20, method="inclusive") if len(alone) > 1 else None
    return [
        Claim("an address → its first handle, slowest [s]", max(first) if first else None, at_most=FIRST),
        Claim("drag → frame, 95 % [s]", still[18] if still else None, at_most=ALONE),
        Claim("drag → frame while a simulation runs, median [s]", cuts[9] if cuts else None, at_most=P50),
        Claim("drag → frame while a simulation runs, 95 % [s]", cuts[18] if cuts else None, at_most=P95),
        Claim("playback, frames that move [1/s]", frames, at_least=FPS),
    ]


@contextmanager
def served() -> Iterator[str]:
    """A studio, by its address."""
    words = [sys.executable, "-m", "closedchain", "studio", "biglide", "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            process.terminate()


@contextmanager
def busy(address: str) -> Iterator[None]:
    """A simulation job in the same studio, from another connection, until the end."""
    origin, token = address.split("/#t=")
    with connect(origin.replace("http", "ws") + "/ws", origin=origin, max_size=None) as socket:
        socket.send(json.dumps({"id": 1, "op": "hello", "token": token}))
        listening = threading.Thread(target=_listen, args=(socket,), daemon=True)
        listening.start()
        yield
    listening.join(5.0)


def _listen(socket: Any) -> None:
    """Read progress; whenever nothing runs, after hello or at a job's end, begin another."""
    number = 1
    with suppress(ConnectionClosed):
        for message in socket:
            if isinstance(message, bytes) or "ok" in json.loads(message):
                number += 1
                socket.send(json.dumps({"id": number, "op": "simulate", **BUSY}))


def opened(browser: Browser, address: str) -> float:
    """Seconds from an address to the handle of its robot, in a profile that has nothing of it yet."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    begin = time.perf_counter()
    page.goto(f"{address}&screen=explore&robot=biglide")
    page.locator(".handle.tip").wait_for()
    taken = time.perf_counter() - begin
    page.close()
    return taken


def dragged(page: Page, address: str) -> list[float]:
    """Seconds from a pointer's event to after the frame that shows the tip there."""
    page.goto("about:blank")
    page.goto(f"{address}&screen=explore&robot=biglide&x=0.05,0.3")
    tip = page.locator(".handle.tip")
    tip.wait_for()
    page.wait_for_timeout(1500)  # kernels and the map have arrived
    box = tip.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(WATCH)
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(MOVES):
        page.mouse.move(x + 30 * ((k % 20) - 10) / 10, y - 40 * ((k % 30) / 30))
        page.wait_for_timeout(12)
    page.mouse.up()
    return [float(t) / 1000 for t in page.evaluate("() => window.times")]


def played(page: Page, address: str) -> float:
    """Frames a second in which something moved, while a run of 3 s is played."""
    page.goto("about:blank")
    page.goto(f"{address}&screen=simulate&robot=biglide")
    page.get_by_role("button", name=re.compile("Run")).first.click()
    page.locator(".player input.time:enabled").wait_for(timeout=120_000)
    page.wait_for_timeout(500)
    page.get_by_role("button", name="To the beginning").click()
    page.get_by_role("button", name="Play", exact=True).click()
    return float(page.evaluate(FRAMES))


if __name__ == "__main__":
    print(show(main()))
