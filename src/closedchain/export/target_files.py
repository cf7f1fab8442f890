"""The files of code for a target, headers or objects with their prototypes, each with a self-test; and their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from closedchain.errors import BadInput
from closedchain.export.headers import c99_header, cpp_header, prototypes
from closedchain.export.package import GUARD, Package, counts
from closedchain.export.selftest import selftest
from closedchain.kernels.targets import TARGETS, Built, build

Files = dict[str, str | bytes]


def header_files(package: Package, stem: str) -> tuple[Files, list[str], dict[str, Any]]:
    """C99, C++17 and the self-test, by their endings; notes; operations of each function."""
    files: Files = {".h": c99_header(package), ".hpp": cpp_header(package)}
    files[".selftest.c"] = selftest(package, f"{stem}.h")
    notes = [f"{stem}.selftest.c, compiled with -lm and run on the target, ends with 0 where its bits are as expected"]
    return files, notes, {"operations": {p.name: counts(p) for p in package.programs}}


def object_files(package: Package, stem: str, targets: Sequence[str] = ()) -> tuple[Files, list[str], dict[str, Any]]:
    """Prototypes, the self-test, and an object for each target, all of them unless named; the bounds of each."""
    wanted = list(targets) or list(TARGETS)
    for name in wanted:
        if name not in TARGETS:
            raise BadInput(f"no target {name!r:.40}; there are {', '.join(TARGETS)}")
    files: Files = {".h": prototypes(package)}
    files[".selftest.c"] = selftest(package, f"{stem}.h", "the object")
    made = [build(package.programs, f"{package.name}_", name, GUARD) for name in wanted]
    for one in made:
        files[f".{one.target}.{TARGETS[one.target].ending}"] = one.content
    notes = [f"{one.target}: {one.text} bytes of code and constants, {_most(one)}" for one in made]
    bounds = {one.target: {"bytes": one.text, "functions": {n: vars(b) for n, b in one.bounds.items()}} for one in made}
    return files, notes, {"bounds": bounds}


def _most(one: Built) -> str:
    """The largest of the bounds."""
    instructions, stack = (max((getattr(b, key) for b in one.bounds.values()), default=0) for key in
                           ("instructions", "stack"))  # fmt: skip
    where = "no memory but its arguments'" if one.target == "wasm32" else f"{stack} bytes of stack"
    return f"at most {instructions} instructions a call and {where}"
