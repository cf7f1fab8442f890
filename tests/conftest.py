"""What holds for every test: a kernel cache of its own, no display, Ctrl-C that is heard, repeatable runs."""

import os
import shutil
import signal
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

LONG = Path(__file__).with_name("long.toml")  # how many cases of costly tests stay in the ordinary run
OURS = pytest.StashKey[str]()

settings.register_profile("closedchain", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("closedchain")


def pytest_configure(config: pytest.Config) -> None:
    """Before collection: compile kernels into a folder of this run, unless CLOSEDCHAIN_CACHE names one to keep."""
    os.environ["MPLBACKEND"] = "Agg"
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # in the background; a child would inherit it and never end
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "CLOSEDCHAIN_CACHE" not in os.environ:
        config.stash[OURS] = os.environ["CLOSEDCHAIN_CACHE"] = tempfile.mkdtemp(prefix="closedchain-test-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder again, but never one that was handed to us."""
    folder = config.stash.get(OURS, None)
    if folder is not None:
        del os.environ["CLOSEDCHAIN_CACHE"]
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as long, or as slow, the cases of costly tests beyond those that long.toml lets stay."""
    stays, seen = tomllib.loads(LONG.read_text(encoding="utf-8")), Counter[tuple[str, str]]()
    for item in items:
        file, name = item.path.relative_to(LONG.parent).as_posix(), getattr(item, "originalname", item.name)
        seen[file, name] += 1
        kept = stays.get(file, {}).get(name, len(items))
        for count, mark in zip(kept if isinstance(kept, list) else [kept], ("long", "slow"), strict=False):
            if seen[file, name] > count:
                item.add_marker(mark)


def pytest_xdist_auto_num_workers() -> int:
    """One more than processors: browsers, child processes and clocks are waited for."""
    return (os.cpu_count() or 1) + 1
