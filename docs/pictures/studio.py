"""Record docs/pictures/studio.gif: the biglide dragged over its map, another branch taken, a circle checked.

    python docs/pictures/studio.py [FILE]

It starts a studio of its own and drives the system's Chromium without a window.
"""

from __future__ import annotations

import io
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
VIEW, SIZE = (1024, 640), (768, 480)  # [px] of the page and of the picture
COLOURS, FRAME, HOLD = 160, 80, 1200  # of the palette; [ms] of a frame, of one to look at
THEME = "0a62a3 146c43 b3261e 8a5300 0072b2 c24e00 00805c 7a8592 a3480a 9c1150 1d242c 535d68 d3dae1 f6f8fa ffffff"


class Film:
    """Frames with their times."""

    def __init__(self, page: Page) -> None:
        self.page, self.frames, self.times = page, [], []

    def take(self, milliseconds: int = FRAME) -> None:
        """What is on the page now."""
        picture = Image.open(io.BytesIO(self.page.screenshot()))
        self.frames.append(picture.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS))
        self.times.append(milliseconds)

    def save(self, path: Path) -> None:
        """One palette for all frames, so that what rests costs nothing."""
        sheet = Image.new("RGB", (SIZE[0], 3 * SIZE[1]))
        for k, i in enumerate((0, len(self.frames) // 2, len(self.frames) - 1)):
            sheet.paste(self.frames[i], (0, k * SIZE[1]))
        found = sheet.quantize(COLOURS, method=Image.Quantize.MEDIANCUT).getpalette() or []
        palette = Image.new("P", (1, 1))
        palette.putpalette([*found[: 3 * COLOURS], *bytes.fromhex(THEME)])  # small things keep their colours
        flat = [f.quantize(palette=palette, dither=Image.Dither.NONE) for f in self.frames]
        flat[0].save(path, save_all=True, append_images=flat[1:], duration=self.times, loop=0, optimize=True)


def drag(film: Film, selector: str, places: Iterator[tuple[float, float]]) -> None:
    """Take something by its middle along places [px] from there, a frame at each."""
    box = film.page.locator(selector).first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    film.page.mouse.move(x, y)
    film.page.mouse.down()
    for dx, dy in places:
        film.page.mouse.move(x + dx, y + dy)
        film.page.wait_for_timeout(60)
        film.take()
    film.page.mouse.up()


def story(film: Film) -> None:
    """A loop over the map; another branch, up to its Type 2 line; a path that goes too far."""
    page = film.page
    film.take(HOLD)
    turn = [2 * math.pi * k / 28 for k in range(29)]
    drag(film, ".handle.tip .seen", ((85 * math.sin(t), -70 * math.sin(2 * t)) for t in turn))
    drag(film, ".handle.tip .seen", ((5.0 * k, -2.0 * k) for k in range(1, 12)))
    page.locator("fieldset", has_text="Working").get_by_label("+−").check(force=True)
    page.wait_for_timeout(600)
    film.take(HOLD)
    drag(film, ".handle.tip .seen", ((-5.0 * k, 2.0 * k) for k in range(1, 12)))
    page.wait_for_timeout(400)
    film.take(HOLD)
    page.locator(".path-row").get_by_label("circle").check(force=True)
    middle = page.locator(".stage svg").first.bounding_box()
    assert middle is not None
    x, y = middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 10):
        page.mouse.move(x + 13 * k, y)
        page.wait_for_timeout(40)
        film.take()
    page.mouse.up()
    page.wait_for_selector(".path-row .path-verdict.bad")
    page.mouse.move(x, y + 200)
    page.wait_for_timeout(300)
    film.take(2 * HOLD)


def main(path: Path) -> None:
    """Start the studio, play the story, write the picture."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"none of {', '.join(BROWSERS)} is installed")
    command = [sys.executable, "-m", "closedchain", "studio", "--no-browser", "--port", "0"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address is not None
            opened = driver.chromium.launch(executable_path=browser, args=SWITCHES)
            page = opened.new_page(viewport={"width": VIEW[0], "height": VIEW[1]}, color_scheme="light")
            page.goto(f"{address[0]}&screen=explore&robot=biglide")
            page.wait_for_selector(".readout dd.good")
            page.wait_for_timeout(1500)
            film = Film(page)
            story(film)
            opened.close()
        finally:
            process.terminate()
            process.wait(20)
    film.save(path)
    print(f"{path}: {len(film.frames)} frames, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".gif"))
