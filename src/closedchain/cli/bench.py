"""`closedchain bench`: the comparisons behind the figures in the documentation."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from closedchain.cli.main import fail
from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import note

PACKAGE = "closedchain.benchmarks"
CHECK_FAILED = 1


def run(args: Arguments) -> int:
    """Run the benchmarks that were named, or all; exit code 1 if a claim is missed."""
    known = scripts(home())
    for name in args.names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise Usage(f"no benchmark {name[:40]!r}; {hint}")
    harness = importlib.import_module(f"{PACKAGE}.harness")
    results: dict[str, Any] = {}
    for name in args.names or known:
        note(f"{name}: measuring, this takes a while")
        try:
            results[name] = importlib.import_module(f"{PACKAGE}.{name}").main()
        except harness.WrongAnswer as error:
            return fail(f"{name}: {error}", CHECK_FAILED)
        if not args.json:
            print(harness.show(results[name]), flush=True)
    if args.json:
        print_json(document("bench", results=results))
    missed = any(claim["met"] is False for result in results.values() for claim in result["claims"])
    return CHECK_FAILED if missed else 0


def home() -> Path:
    """The folder of the scripts: in the wheel a part of the package, in a checkout beside `src`."""
    found = importlib.util.find_spec(PACKAGE)
    if found is not None and found.origin is not None:
        return Path(found.origin).parent
    folder = Path(__file__).parents[3] / "benchmarks"
    if not (folder / "harness.py").is_file():
        raise Usage("the benchmarks are not installed here; they come with the wheel and with a checkout")
    place = str(folder)
    spec = importlib.util.spec_from_file_location(PACKAGE, folder / "__init__.py", submodule_search_locations=[place])
    assert spec is not None
    assert spec.loader is not None
    sys.modules[PACKAGE] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    return folder


def scripts(folder: Path) -> list[str]:
    """The files that have a main()."""
    files = sorted(folder.glob("*.py"))
    return [file.stem for file in files if re.search(r"^def main\(", file.read_text(encoding="utf-8"), re.MULTILINE)]
