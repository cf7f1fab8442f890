"""Programs to native object code, through LLVM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from closedchain.kernels.batch import batch_loop
from closedchain.kernels.copying import helpers
from closedchain.kernels.ir import declarations
from closedchain.kernels.lower import lower
from closedchain.kernels.program import Program
from closedchain.kernels.scan import Scan
from closedchain.kernels.scan_loop import scan_loop
from closedchain.kernels.signature import symbol
from closedchain.kernels.single import fastcall, single_state
from closedchain.kernels.tune import tune

ENTRY = """
define void @{symbol}(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {{
{save}  call void @{symbol}.loop(ptr %args, ptr %dims, ptr %steps)
{restore}  ret void
}}
"""


@dataclass(frozen=True)
class Host:
    """The CPU that code is made for."""

    triple: str
    cpu: str
    features: str

    @property
    def width(self) -> int:
        """Doubles in one vector register."""
        has = set(self.features.split(","))
        return 8 if "+avx512f" in has else 4 if "+avx2" in has else 2

    @property
    def text(self) -> str:
        return f"{self.triple} {self.cpu} {self.features}"


@cache
def host() -> Host:
    """This machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


LARGE = 100_000  # lines of IR: beyond, LLVM's choice of registers takes minutes, and code without it a few seconds


def target_machine(target: Host, lines: int = 0) -> llvm.TargetMachine:
    """LLVM's code generator for a CPU; position-independent code, so that an object can be loaded anywhere.

    What is large is compiled ten times faster and runs three times slower: whole legged machines, used for thousands of
    states rather than billions. The numbers are the same bits.
    """
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=0 if lines > LARGE else 2, reloc="pic", codemodel="small"
    )


def emit(routine: Program | Scan, width: int, triple: str = "") -> str:
    """IR of one gufunc inner loop, `void symbol(char **args, intptr_t *dims, intptr_t *steps, void *data)`.

    A program marked `single` has code for one state besides; a scan so marked has no vectors.
    """
    if isinstance(routine, Scan):
        loop = scan_loop(tune(routine), 1 if routine.single else width)
    else:
        program = lower(routine)
        loop = batch_loop(program, width) + (single_state(program) if routine.single else "")
    save, restore = _keep_flags(triple)
    return loop + ENTRY.format(symbol=symbol(routine.name), save=save, restore=restore)


def emit_module(routines: Sequence[Program | Scan], width: int, triple: str) -> str:
    """IR of several routines and what they share."""
    some_single = any(isinstance(routine, Program) and routine.single for routine in routines)
    widths = sorted({width, 1} if any(routine.single for routine in routines) else {width})
    parts = [f'target triple = "{triple}"', *declarations(*widths), *_flag_declarations(triple)]
    parts.append(helpers(width, any(isinstance(routine, Program) and routine.rounded for routine in routines)))
    parts += [emit(routine, width, triple) for routine in routines]
    parts += [fastcall()] if some_single else []
    bits = 64 * width
    parts.append(f'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}')
    return "\n".join(parts) + "\n"


def lanes(routines: Sequence[Program | Scan], target: Host) -> int:
    """States at a time: a vector register of doubles, or of float32 where all results are rounded to them.

    Planes that lie a power of two apart share few places of a cache; whole registers use each while it is there.
    """
    rounded = all(isinstance(routine, Program) and routine.rounded for routine in routines)
    return 2 * target.width if rounded and routines else target.width


def compile_object(routines: Sequence[Program | Scan], width: int | None = None, target: Host | None = None) -> bytes:
    """Native object code of all routines, for this CPU unless another is given."""
    target = target or host()
    text = emit_module(routines, width or lanes(routines, target), target.triple)
    machine = target_machine(target, text.count("\n"))
    module = llvm.parse_assembly(text)
    module.verify()
    _simplify(module, machine)
    code: bytes = machine.emit_object(module)
    return code


def _simplify(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Few passes suffice: programs come without repeated or dead work, so LLVM's own pipelines gain little."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()  # a scan's state into registers
    passes.add_simplify_cfg_pass()
    passes.run(module, llvm.PassBuilder(machine, llvm.PipelineTuningOptions()))


def _keep_flags(triple: str) -> tuple[str, str]:
    """Save and restore the floating-point flags: lanes that `select` throws away must not make NumPy warn."""
    if triple.startswith(("x86_64", "amd64")):
        save = "  %flags = alloca i32\n  call void @llvm.x86.sse.stmxcsr(ptr %flags)\n"
        return save, "  call void @llvm.x86.sse.ldmxcsr(ptr %flags)\n"
    if triple.startswith(("aarch64", "arm64")):
        return "  %flags = call i64 @llvm.aarch64.get.fpsr()\n", "  call void @llvm.aarch64.set.fpsr(i64 %flags)\n"
    return "", ""


def _flag_declarations(triple: str) -> list[str]:
    if triple.startswith(("x86_64", "amd64")):
        return ["declare void @llvm.x86.sse.stmxcsr(ptr)", "declare void @llvm.x86.sse.ldmxcsr(ptr)"]
    if triple.startswith(("aarch64", "arm64")):
        return ["declare i64 @llvm.aarch64.get.fpsr()", "declare void @llvm.aarch64.set.fpsr(i64)"]
    return []
