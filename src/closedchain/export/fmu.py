"""A robot as an FMU: FMI 2.0 for model exchange and co-simulation, generated C, no Python at run time.

The C is in the FMU's sources/; where this machine has a C compiler, its binary for this platform is there, too.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.errors import BadInput, ClosedChainError
from closedchain.export.c99 import Source, literal, write
from closedchain.export.fmu_description import Field, description
from closedchain.export.programs import motion_programs, natural_inputs
from closedchain.files import atomic_write
from closedchain.kernels.program import Operand, Program
from closedchain.model.model import Model
from closedchain.model.sampling import configurations
from closedchain.model.state import State
from closedchain.model.state import state as make_state

LONGEST = 1e-3  # [s] integration step in co-simulation unless another is set
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the date of every file inside: equal robots make equal files


class CannotCompile(ClosedChainError, RuntimeError):
    """The compiler of this machine refused the generated C."""


@dataclass(frozen=True)
class Fmu:
    """A written FMU."""

    path: Path
    platform: str  # of the binary inside, "linux64" say; empty where there was no compiler
    inputs: str

    def __str__(self) -> str:
        inside = f"with a binary for {self.platform}" if self.platform else NO_BINARY
        return f"{self.path}: FMI 2.0, model exchange and co-simulation, {inside}"


NO_BINARY = (
    "without a binary: no C compiler (cc, gcc, clang) was found, or FMI 2.0 has no name for this platform; "
    "whoever runs it must compile its sources/"
)


def fmu(
    model: Model,
    path: str | Path,
    *,
    inputs: str | None = None,
    start: State | None = None,
    compiler: str | None = None,
) -> Fmu:
    """Write `path` (.fmu) for a robot that starts at `start`, by default at rest where its loops close.

    Inputs are efforts ("tau") or motor voltages ("voltage"); by default voltages where there are motors. `compiler` is
    looked for unless given; "" leaves the binary out.
    """
    path = Path(path)
    if path.suffix != ".fmu":
        raise BadInput(f"an FMU's name ends in .fmu, not {path.name!r:.60}")
    chosen = inputs or natural_inputs(model)
    content, where = packed(model, chosen, start or default_start(model), compiler)
    atomic_write(path, content)
    return Fmu(path, where, chosen)


def packed(model: Model, inputs: str, start: State, compiler: str | None = None) -> tuple[bytes, str]:
    """The bytes of an FMU, and the platform of the binary in it; empty without one."""
    if start.q.ndim != 1:
        raise BadInput(f"{model.name}: an FMU starts at one state, but q has shape {start.q.shape}")
    programs = motion_programs(model, inputs)
    fields = layout(model, programs, start)
    source = write(model, programs, inputs)
    glue = _glue(model, source, programs, fields)
    guid = guid_of(source.source, glue, model.name)
    texts = {
        "kernels.h": source.header,
        "kernels.c": source.source,
        "robot.h": glue.replace("@GUID@", guid),
        "fmi2.c": files("closedchain.export").joinpath("fmi2.c").read_text("utf-8"),
    }
    told = description(model, fields, source.name, guid, inputs, ["fmi2.c", "kernels.c"])
    found = compiler if compiler is not None else find_compiler()
    where = platform_name() if found else ""
    binary = compiled(texts, source.name, found) if where else b""
    return zipped(source.name, told, texts, binary, where), where


def default_start(model: Model) -> State:
    """At rest, on the first configuration that is found; without closures where every coordinate is 0."""
    if not model.nx:
        return make_state(model, q=[0.0] * model.nq)
    z = configurations(model, 1, np.random.default_rng(0), 1e-2)[0]
    return make_state(model, q=z[: model.nq], x=z[model.nq :])


# The robot's part of the C -------------------------------------------------------------------------


def layout(model: Model, programs: Sequence[Program], start: State) -> list[Field]:
    """The members of the struct `Values` in their order: states, what may be set, what follows, what is for itself."""
    sizes = {o.name: o for program in programs for o in (*program.inputs, *program.outputs)}
    values: dict[str, Any] = {
        "q": start.q,
        "x": start.x,
        "q_dot": start.q_dot,
        "x_dot": start.x_dot,
        "p": model.p,
        "longest": [LONGEST],
    }
    states, given = ("q", "x", "q_dot", "x_dot"), ("u", "p", "longest")
    follows = ("q_ddot", "x_ddot", "margin", "passive", "passive_dot", "kinetic", "potential", "gap", "slip")
    own = ("scale", "h", "work", *(f"{name}_next" for name in (*states, "work")))
    fields, offset = [], 0
    for name in (*states, *given, *follows, *own):
        o = sizes.get(name, Operand(name, () if name in ("longest", "margin", "scale") else (0,)))
        fields.append(Field(name, offset, o.size, not o.shape, tuple(float(v) for v in values.get(name, ()))))
        offset += max(o.size, 1)
    return fields


def _glue(model: Model, source: Source, programs: Sequence[Program], fields: Sequence[Field]) -> str:
    """robot.h: the struct, its first values, and each program as a function from Values to Values."""
    lines = [
        "/* The robot behind fmi2.c; written together with kernels.c. */",
        '#include "kernels.h"',
        "",
    ]
    lines += ['#define GUID "@GUID@"', f"#define NQ {model.nq}", f"#define NX {model.nx}", ""]
    lengths = [str(int(c.unit == "m")) for c in (*model.equations.q, *model.equations.x)]
    lines += [f"static const int LENGTHS[] = {{{', '.join(lengths)}}}; /* which of q and x are metres */", ""]
    lines += ["typedef struct {"]
    lines += [f"    double {f.name}{'' if f.scalar else f'[{max(f.size, 1)}]'};" for f in fields]
    lines += ["} Values;", "", "static const Values START = {"]
    for f in fields:
        numbers = [literal(v) for v in f.start] or ["1.0" if f.name == "scale" else "0.0"]
        lines.append(f"    {numbers[0] if f.scalar else '{' + ', '.join(numbers) + '}'}, /* {f.name} */")
    lines += ["};", ""]
    have = {program.name: program for program in programs}
    for name in ("derivatives", "step", "observe", "project", "scale"):
        lines += _call(source.name, name, have.get(name), {f.name for f in fields})
    return "\n".join(lines) + "\n"


def _call(prefix: str, name: str, program: Program | None, known: set[str]) -> Iterator[str]:
    if program is None:  # nothing to project without closures, no size without lengths
        yield f"static void {name}(Values *v) {{ (void)v; }}"
        return
    given = [f"v->{o.name}" for o in program.inputs if o.size]
    made = [f"{'' if o.shape else '&'}v->{o.name}" if o.name in known else "NULL" for o in program.outputs if o.size]
    yield f"static void {name}(Values *v) {{ {prefix}_{program.name}({', '.join(given + made)}); }}"


def guid_of(*texts: str) -> str:
    """A name made of texts: equal ones have equal names."""
    h = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    return f"{{{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:32]}}}"


# Compiling and packing -----------------------------------------------------------------------------


def find_compiler() -> str:
    """A C compiler of this machine: $CC, cc, gcc or clang; empty if there is none."""
    names = (os.environ.get("CC", ""), *COMPILERS)
    return next((found for name in names if name and (found := shutil.which(name))), "")


def platform_name() -> str:
    """FMI's name of this platform; empty where it has none for it."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ""
    return {"linux": "linux64", "darwin": "darwin64", "win32": "win64"}.get(sys.platform, "")


def compiled(texts: dict[str, str], name: str, compiler: str) -> bytes:
    """The shared library of the sources."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in texts.items():
            Path(folder, file).write_text(text, encoding="utf-8")
        sources = [file for file in texts if file.endswith(".c")]
        library = ["-lm"] if os.name != "nt" else []
        command = [compiler, *FLAGS, *sources, "-o", "robot.bin", *library]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            first = (done.stderr.strip().splitlines() or ["no message"])[0]
            raise CannotCompile(f'{compiler} refuses the C of {name}: {first[:200]}; compiler="" leaves the binary out')
        return Path(folder, "robot.bin").read_bytes()


def zipped(name: str, told: str, texts: dict[str, str], binary: bytes, where: str) -> bytes:
    """The zip file: the same bytes for the same content."""
    ending = {"win64": "dll", "darwin64": "dylib"}.get(where, "so")
    content: dict[str, bytes] = {"modelDescription.xml": told.encode()}
    content |= {f"sources/{file}": text.encode() for file, text in texts.items()}
    if binary:
        content[f"binaries/{where}/{name}.{ending}"] = binary
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as pack:
        for file, data in content.items():
            entry = zipfile.ZipInfo(file, EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            pack.writestr(entry, data)
    return buffer.getvalue()
