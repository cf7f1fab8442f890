"""The studio in a real browser: the bytes of a first load, and what 200 changes of screen and robot leave behind.

Run it with `python -m benchmarks.studio_weight [CHANGES]`. It needs Playwright and a Chromium (CHROMIUM names another).
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from typing import Any

from .harness import Claim, report, show
from .studio_latency import ARGUMENTS, served

try:
    from playwright.sync_api import Browser, Page, sync_playwright
except ImportError:  # a development dependency
    sync_playwright = None

LOAD, DEFINE = (
    150.0,
    250.0,
)  # [kB] compressed; the promise is for every screen but Define, which brings its editor, and 3-D
SCREENS = ("explore", "simulate", "verify", "study", "lab", "define")
VISITS = (("explore", "fivebar"), ("simulate", "biglide"), ("define", "biglide"), ("verify", "fivebar"))
MORE = {"Nodes": 60, "JSEventListeners": 30, "JSHeapUsedSize": 3e6}  # that count as flat; [B] for the heap
READY = {"explore": ".handle.tip", "simulate": ".set-up .quantity", "define": ".status.good", "verify": ".tools button"}


def main(changes: int = 200) -> dict[str, Any]:
    """Open each screen in a profile of its own; then change screen and robot again and again on one page."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if sync_playwright is None or chromium is None:
        return report([], [], ["the browser: Playwright or a Chromium is not installed"])
    with served() as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=[*ARGUMENTS, "--js-flags=--expose-gc"])
        loads = {screen: loaded(browser, address, screen) for screen in SCREENS}
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{address}&screen=explore&robot=fivebar")
        page.locator(".handle.tip").wait_for()
        first = visited(page, changes // 4)  # caches and compiled code are there after these
        last = visited(page, changes)
        browser.close()
    claims = [
        Claim(f"first load of {name}, compressed [kB]", size, at_most=DEFINE if name == "define" else LOAD)
        for name, size in loads.items()
    ]
    grown = [
        Claim(f"{name} more after {changes} changes", last[name] - first[name], at_most=more)
        for name, more in MORE.items()
    ]
    return report([], [*claims, *grown], [], changes=changes)


def loaded(browser: Browser, address: str, screen: str) -> float:
    """Kilobytes of everything that a new profile fetches for a screen, each compressed by gzip."""
    page, answers = browser.new_page(), []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{address}&screen={screen}&robot=biglide")
    page.locator(f".screen.{screen}").wait_for()
    page.wait_for_timeout(1500)
    size = sum(len(gzip.compress(answer.body(), 9)) for answer in answers if answer.ok)
    page.close()
    return size / 1000


def visited(page: Page, changes: int) -> dict[str, float]:
    """What the page holds after so many changes, garbage collected."""
    for k in range(changes):
        screen, robot = VISITS[k % len(VISITS)]
        page.evaluate(
            "([screen, source]) => studio.open({ source, toml: null, values: {} }).then(() => studio.go(screen))",
            [screen, robot],
        )
        page.wait_for_function(
            "([screen, ready]) => document.querySelector(`.screen.${screen} ${ready}`) !== null",
            arg=[screen, READY[screen]],
        )
    page.wait_for_timeout(3000)  # late answers
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("HeapProfiler.collectGarbage")
    told = {row["name"]: float(row["value"]) for row in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return {name: told[name] for name in MORE}


if __name__ == "__main__":
    print(show(main(*map(int, sys.argv[1:2]))))
