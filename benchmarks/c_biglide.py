"""The C peer, compiled on the spot by the system's compiler into a temporary folder."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .harness import Unavailable

SOURCE = Path(__file__).with_name("c_biglide.c")
# No -ffast-math: sums keep their order. Contraction to fused multiply-add, GCC's default, is left on.
OPTIMISE = ("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math")


@dataclass(frozen=True)
class Built:
    """The compiled extension and how it was made."""

    inverse_dynamics: Callable[..., Any]  # (q, q_dot, q_ddot, sign) -> tau
    forward_dynamics: Callable[..., Any]  # (q, x, q_dot, x_dot, tau) -> (q_ddot, x_ddot, lam)
    all_models: Callable[..., None]  # (inputs (6, n), sign, outputs (36, n))
    compiler: str  # its own first line about itself
    flags: tuple[str, ...]
    vector_report: str  # what the compiler says about the batch loop; empty when it did not vectorise it
    folder: tempfile.TemporaryDirectory[str]  # lives as long as the module


@functools.cache
def build() -> Built:
    """Compile and load the extension once a process."""
    if sys.platform == "win32":
        raise Unavailable("the C peer needs a compiler that takes GCC's options; on Windows use WSL")
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise Unavailable("no C compiler found (cc, gcc, clang); install one or set CC")
    name = _run([compiler, "--version"]).stdout.partition("\n")[0]
    folder = tempfile.TemporaryDirectory(prefix="closedchain-bench-", ignore_cleanup_errors=True)
    target = Path(folder.name) / f"c_biglide{sysconfig.get_config_var('EXT_SUFFIX')}"
    remarks = "-Rpass=loop-vectorize" if "clang" in name else "-fopt-info-vec"
    link = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)
    includes = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    done = _run([compiler, *OPTIMISE, remarks, "-fPIC", *link, *includes, str(SOURCE), "-o", str(target), "-lm"])
    if done.returncode != 0:
        error = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise Unavailable(f"the C peer did not compile with {name}: {error.rpartition('error: ')[2]}")
    module = _load(target)
    functions = (module.inverse_dynamics, module.forward_dynamics, module.all_models)
    return Built(*functions, name, OPTIMISE, _vector_report(done.stderr), folder)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("c_biglide", path)
    if spec is None or spec.loader is None:
        raise Unavailable("the compiled C peer has no loader for this Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _vector_report(remarks: str) -> str:
    """The compiler's first remark about vectorising the loop of batch(): the one for its body, not for its rest."""
    source = SOURCE.read_text().splitlines()
    start = next(k for k, line in enumerate(source, 1) if line.startswith("static void batch("))
    found = []
    for line, remark in re.findall(r"c_biglide\.c:(\d+):\d+: (?:optimized|remark): +(.*)", remarks):
        if start < int(line) < start + 6 and "vectorized" in remark:
            found.append(remark)
    return found[0] if found else ""
