"""The first minute: a copy of the checkout, an empty home, no caches; `start.py demo` by pip and by uv, and again.

    python -m benchmarks.first_minute [--tests]

With `--tests` also the three test commands, which takes half an hour. Times are of this machine, now, and of its
network: the load before each step is printed beside it, and a figure taken above a load of 1 says little.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ("PIP_", "UV_", "SSL_", "REQUESTS_", "HTTP", "http", "NO_PROXY", "no_proxy", "LANG")  # how packages are reached
PATHS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


@dataclass(frozen=True)
class Step:
    """One command and how long it may take."""

    what: str
    bar: float  # [s]
    words: tuple[str, ...]


FIRST, AGAIN = Step("the demo from nothing", 60.0, ("demo",)), Step("the demo again", 6.0, ("demo",))
TESTS = (
    Step("test --quick", 60.0, ("test", "--quick")),
    Step("test", 300.0, ("test",)),
    Step("test --all", 1500.0, ("test", "--all")),
)


def main_script(arguments: list[str]) -> int:
    """Measure and print; exit code 1 if a command failed. A bar that is missed is printed, not hidden."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", action="store_true", help="also time the test commands")
    tests = parser.parse_args(arguments).tests
    lines = list(measured(tests))
    return 0 if all(lines) else 1


def measured(tests: bool) -> Iterator[bool]:
    """Each figure, printed as it is known; whether its command succeeded."""
    with tempfile.TemporaryDirectory(prefix="closedchain-first-") as folder:
        yield from by("pip", Path(folder, "pip"), 60.0, TESTS if tests else ())
        if shutil.which("uv") is not None:
            yield from by("uv", Path(folder, "uv"), 25.0, ())
        else:
            print("uv is not on the PATH: not measured with it")


def by(installer: str, folder: Path, bar: float, more: tuple[Step, ...]) -> Iterator[bool]:
    """The demo from nothing and again with one installer, and what it installed."""
    checkout, environment = prepare(folder, installer)
    first = Step(f"{FIRST.what}, by {installer}", bar, FIRST.words)
    yield timed(first, checkout, environment)
    site = next((checkout / ".venv").glob("lib/python*/site-packages"), None)
    if site is not None:
        size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        print(f"{'':<32} {len(list(site.glob('*.dist-info')))} packages, {size / 1e6:.0f} MB", flush=True)
    for step in (AGAIN, *more):
        yield timed(step, checkout, environment)


def prepare(folder: Path, installer: str) -> tuple[Path, dict[str, str]]:
    """A clone of what is committed, and an environment with an empty home that has uv or has not."""
    checkout, home = folder / "closedchain", folder / "home"
    home.mkdir(parents=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(checkout)], check=True)
    environment = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    path = [str(Path(sys.executable).resolve().parent), *PATHS]
    uv = shutil.which("uv")
    if installer == "uv" and uv is not None:
        path.insert(0, str(Path(uv).parent))
    return checkout, environment | {"HOME": str(home), "PATH": os.pathsep.join(path), "UV_NO_CONFIG": "1"}


def timed(step: Step, checkout: Path, environment: dict[str, str]) -> bool:
    """Run one command and print its seconds beside its bar."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    start = time.perf_counter()
    command = [str(Path(sys.executable).resolve()), "start.py", *step.words]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    verdict = "met" if seconds <= step.bar else "missed"
    print(
        f"{step.what:<32} {seconds:7.1f} s   bar {step.bar:5.0f} s: {verdict}   (load {load:.1f} before it)", flush=True
    )
    if done.returncode:
        print(f"it ended with code {done.returncode}:", *done.stderr.splitlines()[-5:], sep="\n  ", flush=True)
    elif step.words[0] == "test":
        print(f"{'':<32} {done.stdout.splitlines()[-1].strip('= ')}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main_script(sys.argv[1:]))
