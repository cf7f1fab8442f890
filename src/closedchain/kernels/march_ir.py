"""LLVM IR of a march's loop: Runge–Kutta stages over arrays in memory, the programs called by name."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from closedchain.kernels.ir import end_to_end
from closedchain.kernels.march_parts import COMBINE, DEFECT, LANES, LESSER
from closedchain.kernels.program import Program

SYMBOL = "closedchain_march"
WORST = ("gap", "rank", "margin", "hold")
Tableau = tuple[Sequence[Sequence[float]], Sequence[float]]


def padded(nz: int) -> int:
    """The length of an array that holds z, or ż and the work."""
    return -(-(nz + 1) // LANES) * LANES


def stage_count(tableau: Tableau | None) -> int:
    """How many slopes a step keeps: those of its stages, or of its beginning where it is one program."""
    return len(tableau[1]) if tableau else 1


def scratch_size(nz: int, stages: int) -> int:
    """How many doubles a march needs besides its state."""
    return (2 * stages + 3) * padded(nz) + 3 * LANES + 3 * nz + 8


def plain_state(program: Program) -> str:
    """`void @march.<name>(double *in[], double out[])`: a program for one state, all outputs end to end."""
    opening = f"define internal void @march.{program.name}(ptr noalias %in, ptr noalias %out) noinline #0 {{"
    return "\n".join([opening, *end_to_end(program).lines, "  ret void", "}", ""])


def driver(programs: Mapping[str, Program], tableau: Tableau | None, nz: int) -> str:
    """`int64 march(z, w, u, p, scratch, h, steps, every, fresh, rows, notes)`: the number of steps made.

    z and w = (ż, work) are the state, before and after. With `fresh` the first slopes are computed, otherwise they are
    in `scratch` from the call before. After every `every`-th step a row z, ż, work, gap, rank, margin, hold is written,
    the last four the worst since the row before. notes = (widest gap, least margin, why it ended, the gap beyond which
    a second step back onto the closures is made).
    """
    return "\n".join(_Writer(programs, tableau, nz).lines()) + "\n"


class _Writer:
    """The text; scratch holds V (slopes of z), A (slopes of w), a stage's z, the step's z and w, settle's outputs."""

    def __init__(self, programs: Mapping[str, Program], tableau: Tableau | None, nz: int) -> None:
        self.programs, self.tableau, self.nz, self.n = programs, tableau, nz, padded(nz)
        self.s = stage_count(tableau)
        self.count = 0

    def lines(self) -> Iterator[str]:
        stages, weights = self.tableau or ([], [])
        for i, row in enumerate([*stages, weights] if self.tableau else []):
            numbers = ", ".join(f"double {_bits(w)}" for w in [*row, *[0.0] * (self.s - len(row))])
            yield f"@weights{i} = internal constant [{self.s} x double] [{numbers}]"
        yield COMBINE.format(n=self.n, lanes=LANES)
        yield "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        yield LESSER
        yield DEFECT.format(lanes=LANES)
        yield f"define i64 @{SYMBOL}(ptr %z, ptr %w, ptr %u, ptr %p, ptr %scratch, double %h, i64 %steps, i64 %every,"
        yield "  i64 %fresh, ptr %rows, ptr %notes) #0 {"
        yield "entry:"
        yield "  %table = alloca [6 x ptr]"
        yield from self._places()
        yield "  %first = icmp ne i64 %fresh, 0"
        yield "  br i1 %first, label %opening, label %ready"
        yield "opening:"
        yield from self._copy("%z1", "%z", self.nz)
        yield from self._copy("%w1", "%w", self.nz + 1)
        yield from self._settle()
        yield from self._keep()
        yield from self._reset()
        yield "  br label %ready"
        yield "ready:"
        yield "  %some = icmp sgt i64 %steps, 0"
        yield "  br i1 %some, label %step, label %whole"
        yield from self._step()
        yield from self._judge()
        yield from self._record()
        yield from self._ends()
        yield "}"

    def _places(self) -> Iterator[str]:
        """Names of the parts of scratch."""
        at = 0
        for name, size in self._parts():
            yield f"  %{name} = getelementptr double, ptr %scratch, i64 {at}"
            at += size
        for name, at in (("v", self.nz), ("a", 2 * self.nz)):
            yield f"  %out.{name} = getelementptr double, ptr %out, i64 {at}"
        for k, name in enumerate(WORST):
            yield f"  %out.{name} = getelementptr double, ptr %out, i64 {3 * self.nz + 1 + k}"
            yield f"  %worst.{name} = getelementptr double, ptr %worst, i64 {k}"
        yield f"  %work = getelementptr double, ptr %w, i64 {self.nz}"
        yield f"  %work1 = getelementptr double, ptr %w1, i64 {self.nz}"
        for k, name in enumerate(("widest", "least", "why", "wide")):
            yield f"  %{name}.at = getelementptr double, ptr %notes, i64 {k}"

    def _parts(self) -> Iterator[tuple[str, int]]:
        yield from ((f"V{i}", self.n) for i in range(self.s))
        yield from ((f"A{i}", self.n) for i in range(self.s))
        yield from (("zi", self.n), ("z1", self.n), ("w1", self.n), ("worst", LANES), ("length", LANES))
        yield ("out", 3 * self.nz + 5)

    def _step(self) -> Iterator[str]:
        yield "step:"
        yield "  %k = phi i64 [0, %ready], [%k1, %next]"
        yield from self._stages() if self.tableau else self._leap()
        yield from self._settle()
        yield "  %came = load double, ptr %out.gap"
        yield "  %wide = load double, ptr %wide.at"
        yield "  %far = fcmp ogt double %came, %wide"
        yield "  br i1 %far, label %again, label %settled"
        yield "again:"
        yield from self._copy("%z1", "%out", self.nz)
        yield from self._copy("%w1", "%out.v", self.nz)
        yield from self._settle()
        yield "  br label %settled"
        yield "settled:"
        yield from self._keep()

    def _stages(self) -> Iterator[str]:
        """Of an explicit method; the step ends in z1 and w1."""
        for i in range(1, self.s):
            yield f"  call void @combine(ptr %zi, ptr %z, ptr %V0, ptr @weights{i}, i64 {i}, double %h)"
            yield f"  call void @combine(ptr %V{i}, ptr %w, ptr %A0, ptr @weights{i}, i64 {i}, double %h)"
            yield from self._call("flow", {"z": "%zi", "z_dot": f"%V{i}", "u": "%u", "p": "%p"}, f"%A{i}")
        for arrays in ("ptr %z1, ptr %z, ptr %V0", "ptr %w1, ptr %w, ptr %A0"):
            yield f"  call void @combine({arrays}, ptr @weights{self.s}, i64 {self.s}, double %h)"

    def _leap(self) -> Iterator[str]:
        """The whole step as one program; what it gives end to end, z, ż and the work, goes to z1 and w1."""
        yield "  store double %h, ptr %length"
        given = {"z": "%z", "z_dot": "%w", "u": "%u", "p": "%p", "work": "%work", "h": "%length"}
        yield from self._call("leap", given, "%out")
        yield from self._copy("%z1", "%out", self.nz)
        yield from self._copy("%w1", "%out.v", self.nz + 1)

    def _settle(self) -> Iterator[str]:
        yield from self._call("settle", {"z": "%z1", "z_dot": "%w1", "u": "%u", "p": "%p"}, "%out")

    def _keep(self) -> Iterator[str]:
        """The settled state, and the slopes that the next step begins with."""
        self.count += 1
        yield f"  %done{self.count} = load double, ptr %work1"
        yield from self._copy("%z", "%out", self.nz)
        yield from self._copy("%w", "%out.v", self.nz)
        yield f"  store double %done{self.count}, ptr %work"
        yield from self._copy("%V0", "%w", self.nz + 1)
        yield from self._copy("%A0", "%out.a", self.nz + 1)

    def _judge(self) -> Iterator[str]:
        """Keep the worst; end where numbers are not finite, the loops are open, or something moves without mass."""
        for name in WORST:
            sense = "-1.0" if name == "gap" else "1.0"
            yield f"  call void @lesser(ptr %worst.{name}, ptr %out.{name}, double {sense})"
        yield "  %gap = load double, ptr %out.gap"
        yield "  %margin = load double, ptr %out.margin"
        yield "  %widest = load double, ptr %widest.at"
        yield "  %least = load double, ptr %least.at"
        yield f"  %defect = call double @defect(ptr %out, i64 {-(-2 * self.nz // LANES) * LANES})"
        yield "  %sum = fadd double %defect, %gap"
        yield "  %nan = fcmp uno double %sum, %margin"
        yield "  %open = fcmp ogt double %gap, %widest"
        yield "  %thin = fcmp olt double %margin, %least"
        yield "  br i1 %nan, label %broken, label %finite"
        yield "finite:"
        yield "  br i1 %open, label %opens, label %closed"
        yield "closed:"
        yield "  br i1 %thin, label %thins, label %record"

    def _record(self) -> Iterator[str]:
        size = 2 * self.nz + 5
        yield "record:"
        yield "  %k1 = add i64 %k, 1"
        yield "  %rest = urem i64 %k1, %every"
        yield "  %kept = icmp eq i64 %rest, 0"
        yield "  br i1 %kept, label %write, label %next"
        yield "write:"
        yield "  %number = udiv i64 %k, %every"
        yield f"  %distance = mul i64 %number, {size}"
        yield "  %row = getelementptr double, ptr %rows, i64 %distance"
        yield f"  %row.w = getelementptr double, ptr %row, i64 {self.nz}"
        yield f"  %row.worst = getelementptr double, ptr %row, i64 {2 * self.nz + 1}"
        yield from self._copy("%row", "%z", self.nz)
        yield from self._copy("%row.w", "%w", self.nz + 1)
        yield from self._copy("%row.worst", "%worst", len(WORST))
        yield from self._reset()
        yield "  br label %next"
        yield "next:"
        yield "  %more = icmp ult i64 %k1, %steps"
        yield "  br i1 %more, label %step, label %whole"

    def _reset(self) -> Iterator[str]:
        """Nothing is worst yet."""
        for name in WORST:
            yield f"  store double {_bits(0.0 if name == 'gap' else 1e300)}, ptr %worst.{name}"

    def _ends(self) -> Iterator[str]:
        yield from ("whole:\n  br label %exit", "broken:\n  br label %exit")
        yield from ("opens:\n  br label %exit", "thins:\n  br label %exit")
        yield "exit:"
        yield "  %made = phi i64 [%steps, %whole], [%k, %broken], [%k, %opens], [%k, %thins]"
        yield "  %why = phi double [0.0, %whole], [1.0, %broken], [2.0, %opens], [3.0, %thins]"
        yield "  store double %why, ptr %why.at"
        yield "  ret i64 %made"

    def _call(self, name: str, given: Mapping[str, str], out: str) -> Iterator[str]:
        self.count += 1
        for k, operand in enumerate(self.programs[name].inputs):
            at = f"%in{self.count}.{k}"
            yield f"  {at} = getelementptr ptr, ptr %table, i64 {k}"
            yield f"  store ptr {given[operand.name]}, ptr {at}"
        yield f"  call void @march.{name}(ptr %table, ptr {out})"

    def _copy(self, to: str, source: str, count: int) -> Iterator[str]:
        yield f"  call void @llvm.memcpy.p0.p0.i64(ptr align 8 {to}, ptr align 8 {source}, i64 {8 * count}, i1 false)"


def _bits(value: float) -> str:
    """A double as LLVM writes it, to the bit."""
    return f"0x{struct.pack('>d', value).hex().upper()}"
