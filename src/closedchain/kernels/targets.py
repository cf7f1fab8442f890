"""Objects for other processors: programs as C functions in LLVM IR, without a library, with bounds that are counted.

Code is straight: each instruction runs once at most, and only the choice of what is stored branches. So the number of
instructions in a function bounds what it does, and its frame bounds its stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from closedchain.errors import BadInput
from closedchain.kernels.build import Builder, rewrite
from closedchain.kernels.ir import Code, declarations
from closedchain.kernels.lower import lower
from closedchain.kernels.program import LIBRARY, Instruction, Program
from closedchain.kernels.wasm import exporting

WHOLE = 2.0**52  # from here on every double is a whole number


@dataclass(frozen=True)
class Target:
    """A processor as LLVM names it."""

    triple: str
    cpu: str
    features: str
    reloc: str = "static"
    ending: str = "o"


TARGETS: dict[str, Target] = {
    "x86-64": Target("x86_64-unknown-linux-gnu", "x86-64", "", "pic"),
    "aarch64": Target("aarch64-unknown-linux-gnu", "generic", "", "pic"),
    "cortex-m7": Target("thumbv7em-none-eabihf", "cortex-m7", ""),
    "riscv64": Target("riscv64-unknown-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+c", "pic"),
    "riscv32": Target("riscv32-unknown-elf", "generic-rv32", "+m,+a,+f,+d,+c"),
    "wasm32": Target("wasm32-unknown-unknown", "generic", "", "static", "wasm"),
}
ABI = {"riscv64": "lp64d", "riscv32": "ilp32d"}  # doubles in their registers


@dataclass(frozen=True)
class Bounds:
    """Of one function on one target."""

    instructions: int  # in it, each done once at most
    stack: int  # [bytes] its frame, with what it saves; it calls nothing


@dataclass(frozen=True)
class Built:
    """An object, or a module of wasm, and what each function in it needs at most."""

    target: str
    content: bytes
    text: int  # [bytes] of code and constants
    bounds: Mapping[str, Bounds]


def build(programs: Sequence[Program], prefix: str, target: str, guard: str) -> Built:
    """Functions `prefix` + name, with the arguments of their inputs and then of their outputs, for one target.

    A program with an output named `guard` gives an int: 0 where that is not above 0, and then nothing else is stored.
    """
    if target not in TARGETS:
        raise BadInput(f"no target {target!r:.40}; there are {', '.join(TARGETS)}")
    to = TARGETS[target]
    module = _parsed(programs, prefix, guard, target, unwind=False)
    machine = _machine(to, ABI.get(target, ""))
    content = machine.emit_object(module)
    names = [f"{prefix}{p.name}" for p in programs]
    bounds = _bounds(machine.emit_assembly(_parsed(programs, prefix, guard, target, unwind=True)), names, target)
    size = _size(content) if to.ending == "o" else len(content)
    return Built(target, exporting(content, names) if to.ending == "wasm" else content, size, bounds)


def wasm_module(programs: Sequence[Program]) -> bytes:
    """A module of functions by the programs' own names; quickly made, since an engine optimises what it loads."""
    to = TARGETS["wasm32"]
    module = _parsed(programs, "", "", "wasm32", unwind=False)
    return exporting(_machine(to, "", optimise=0).emit_object(module), [p.name for p in programs])


@cache
def _ready() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _machine(to: Target, abi: str, optimise: int = 2) -> llvm.TargetMachine:
    _ready()
    return llvm.Target.from_triple(to.triple).create_target_machine(
        cpu=to.cpu, features=to.features, opt=optimise, reloc=to.reloc, codemodel="default", abiname=abi
    )


def _parsed(programs: Sequence[Program], prefix: str, guard: str, target: str, unwind: bool) -> llvm.ModuleRef:
    _ready()
    to, abi = TARGETS[target], ABI.get(target, "")
    words = [f'target triple = "{to.triple}"', *declarations(1)]
    words += [line for p in programs for line in function(p, f"{prefix}{p.name}", guard)]
    words.append(f"attributes #0 = {{ nounwind {'uwtable ' if unwind else ''}}}")
    if abi:
        words.append(f'!llvm.module.flags = !{{!0}}\n!0 = !{{i32 1, !"target-abi", !"{abi}"}}')
    module = llvm.parse_assembly("\n".join(words) + "\n")
    module.verify()
    return module


# IR ----------------------------------------------------------------------------------------------------


def function(program: Program, name: str, guard: str) -> Iterator[str]:
    """`int name(const double *in…, double *out…)`; scalars that go in are doubles themselves."""
    calls = sorted({line.op for line in program.code if line.op in LIBRARY or line.op == "fma"})
    if calls:
        raise BadInput(f"program {program.name!r} calls {', '.join(calls)}; an object for a target calls nothing")
    program = unfloored(lower(program))
    given = [(i, o) for i, o in enumerate(program.inputs) if o.size]
    made = [(i, o) for i, o in enumerate(program.outputs) if o.size]
    by_value = {i for i, o in given if not o.shape}

    def load(operand: int, element: int) -> list[str]:
        if operand in by_value:
            return [f"insertelement <1 x double> poison, double %in{operand}, i32 0"]
        at = f"%l{operand}.{element}"
        return [f"  {at} = getelementptr double, ptr %in{operand}, i32 {element}", f"load <1 x double>, ptr {at}"]

    code = Code(program, 1, load)
    values = [code.value(r) for r in program.results]
    arguments = [f"{'double' if i in by_value else 'ptr'} %in{i}" for i, _ in given]
    arguments += [f"ptr %out{i}" for i, _ in made]
    tells = any(o.name == guard and not o.shape for _, o in made)
    yield f"define {'i32' if tells else 'void'} @{name}({', '.join(arguments)}) #0 {{"
    yield from code.lines
    start = {i: sum(o.size for o in program.outputs[:i]) for i, _ in made}
    if tells:
        first = next(i for i, o in made if o.name == guard)
        yield from _store(first, 1, values[start[first] :])
        yield f"  %good = extractelement <1 x double> {values[start[first]]}, i32 0"
        yield "  %counts = fcmp ogt double %good, 0.0"
        yield "  br i1 %counts, label %told, label %refused\nrefused:\n  ret i32 0\ntold:"
        made = [(i, o) for i, o in made if i != first]
    for i, o in made:
        yield from _store(i, o.size, values[start[i] :])
    yield "  ret i32 1\n}" if tells else "  ret void\n}"


def _store(output: int, size: int, values: Sequence[str]) -> Iterator[str]:
    """Into an array that is not null."""
    yield f"  %null{output} = icmp eq ptr %out{output}, null"
    yield f"  br i1 %null{output}, label %after{output}, label %store{output}\nstore{output}:"
    for k in range(size):
        yield f"  %o{output}.{k} = getelementptr double, ptr %out{output}, i32 {k}"
        yield f"  store <1 x double> {values[k]}, ptr %o{output}.{k}"
    yield f"  br label %after{output}\nafter{output}:"


def unfloored(program: Program) -> Program:
    """The same with every floor written out: processors without the instruction would call a library for it."""
    return rewrite(program, Builder(), _unfloored) if any(line.op == "floor" for line in program.code) else program


def _unfloored(builder: Builder, _: int, line: Instruction, args: tuple[int, ...]) -> int | None:
    """⌊x⌋ = r − (x < r) with r the nearest whole number, (|x| + 2⁵²) − 2⁵² with the sign of x; x where |x| ≥ 2⁵²."""
    if line.op != "floor":
        return None
    emit, const, x = builder.emit, builder.const, args[0]
    size = emit("abs", x)
    near = emit("copysign", emit("sub", emit("add", size, const(WHOLE)), const(WHOLE)), x)
    low = emit("select", emit("lt", x, near), emit("sub", near, const(1.0)), near)
    return emit("select", emit("lt", size, const(WHOLE)), emit("copysign", low, x), x)


# Bounds ------------------------------------------------------------------------------------------------


def _bounds(assembly: str, names: Sequence[str], target: str) -> dict[str, Bounds]:
    """Instructions counted line by line; the frame as the unwinder is told of it."""
    found: dict[str, Bounds] = {}
    own, count, frame, depth = "", 0, 0, 0
    remark = {"cortex-m7": "@", "aarch64": "//"}.get(target, "#")
    for text in assembly.splitlines():
        line = text.split(remark)[0].strip()
        if line.rstrip(":") in names and line.endswith(":"):
            own, count, depth = line.rstrip(":"), 0, 0
            frame = 8 if target == "x86-64" else 0  # the address to return to
        elif own and (line.startswith((".Lfunc_end", "end_function")) or line == ".fnend"):
            found[own], own = Bounds(count, frame), ""
        elif own and line and not line.endswith(":"):
            depth = _pushed(line, depth)
            frame = max(frame, depth)
            count += not line.startswith(".")
    return found


def _pushed(line: str, depth: int) -> int:
    """How deep the stack is after a line, [bytes]: by what the unwinder is told, or as ARM pushes and subtracts."""
    if line.startswith(".cfi_def_cfa_offset"):
        return int(line.split()[1])
    word, _, rest = line.partition("\t")
    if word in ("push", "push.w", "vpush"):
        return depth + _registers(rest) * (8 if word == "vpush" else 4)
    if word in ("sub", "sub.w", "subw") and rest.startswith("sp"):
        return depth + int(rest.split("#")[-1])
    return depth


def _registers(text: str) -> int:
    """How many a list such as {r4, r5, d8-d15} names."""
    total = 0
    for word in text.split(","):
        ends = [int(n) for n in re.findall(r"\d+", word)]
        total += ends[1] - ends[0] + 1 if "-" in word and len(ends) == 2 else 1
    return total


def _size(content: bytes) -> int:
    """Code and constants of an object file."""
    file = llvm.ObjectFileRef.from_data(content)
    parts = ((s.name() or b"", s.size()) for s in file.sections())
    return sum(size for name, size in parts if name.startswith((b".text", b".rodata", b".srodata")))
