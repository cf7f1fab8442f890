"""LLVM IR of a scan's inner loop: `width` rollouts side by side, their state in registers.

What does not change from step to step is computed before the first.
A last group that is not full repeats its last rollout: the surplus lanes read and write what that one reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from closedchain.kernels.batch import rows_columns
from closedchain.kernels.ir import Code, literal
from closedchain.kernels.scan import STOP, Scan
from closedchain.kernels.signature import TIME, Array, signature_of, symbol
from closedchain.kernels.tune import unchanging


@dataclass(frozen=True)
class Slot:
    """An argument of the compiled loop: its place there and its elements."""

    index: int
    array: Array

    @property
    def stepped(self) -> bool:
        return TIME in self.array.dims

    @property
    def elements(self) -> list[tuple[int, int]]:
        """(row, column) of each element, row-major."""
        rows, columns = rows_columns([int(d) for d in self.array.dims if d != TIME])
        return [(row, column) for row in range(rows) for column in range(columns)]


def scan_loop(scan: Scan, width: int) -> str:
    """`void @<symbol>.loop(args, dims, steps)`: the scan for dims[0] rollouts."""
    return "\n".join(_Writer(scan, width).lines()) + "\n"


class _Writer:
    """One scan's inner loop; names: %a base, %s rollout stride, %t time stride, %r %c element strides of argument i."""

    def __init__(self, scan: Scan, width: int) -> None:
        signature = signature_of(scan)
        arrays = signature.compiled_inputs + signature.compiled_outputs
        slots = [Slot(i, a) for i, a in enumerate(arrays)]
        takes = len(signature.compiled_inputs)
        self.scan, self.width, self.slots = scan, width, slots
        self.inputs = {s.array.name: s for s in slots[:takes]}
        self.outputs = {s.array.name: s for s in slots[takes:]}
        self.steps_at = 1 + signature.dimensions.index(TIME)
        self.v, self.b = f"<{width} x double>", f"<{width} x i1>"
        self.carried = {a: b for a, b in scan.carry if a in self.inputs}  # those with elements
        self.recorded = [o for o in scan.program.outputs if o.name in scan.stepped_outputs and o.size]

    def lines(self) -> Iterator[str]:
        yield f"define internal void @{symbol(self.scan.name)}.loop(ptr %args, ptr %dims, ptr %steps) noinline #0 {{"
        code = Code(self.scan.program, self.width, self._load, early=unchanging(self.scan))
        yield "entry:"
        yield from self._open_arrays()
        yield from self._open_group(code)
        yield from self._step(code)
        yield from self._close_group()
        yield "exit:"
        yield "  ret void"
        yield "}"

    def _open_arrays(self) -> Iterator[str]:
        core = len(self.slots)
        for slot in self.slots:
            i = slot.index
            yield f"  %pa{i} = getelementptr ptr, ptr %args, i64 {i}"
            yield f"  %a{i} = load ptr, ptr %pa{i}"
            letters = ("t" if slot.stepped else "") + "rc"[: len(slot.array.dims) - slot.stepped]
            for letter, place in (("s", i), *((x, core + k) for k, x in enumerate(letters))):
                yield f"  %p{letter}{i} = getelementptr i64, ptr %steps, i64 {place}"
                yield f"  %{letter}{i} = load i64, ptr %p{letter}{i}"
            yield from (f"  %{letter}{i} = add i64 0, 0" for letter in "rc" if letter not in letters)
            core += len(letters)
        yield from (f"  %{name} = alloca {self.v}" for name in self._registers())
        if self.scan.stops:
            yield f"  %alive = alloca {self.b}"
        yield f"  %pT = getelementptr i64, ptr %dims, i64 {self.steps_at}"
        yield "  %T = load i64, ptr %pT"
        yield "  %n = load i64, ptr %dims"
        yield "  %final = sub i64 %n, 1"
        yield "  %some = icmp ne i64 %n, 0"
        yield "  br i1 %some, label %group, label %exit"

    def _registers(self) -> Iterator[str]:
        """Names of what lasts from step to step: the state, and for a scan that stops its last outputs and count."""
        for name in self.carried:
            yield from (f"state.{name}.{e}" for e in range(len(self.inputs[name].elements)))
        if self.scan.stops:
            yield from (f"last.{o.name}.{e}" for o in self.recorded for e in range(o.size))
            yield "done"

    def _open_group(self, code: Code) -> Iterator[str]:
        """Addresses of the group's rollouts, constants, what depends on these alone, and the first state."""
        yield "group:"
        yield "  %start = phi i64 [0, %entry], [%next, %finish]"
        for lane in range(self.width):
            yield f"  %lane{lane} = add i64 %start, {lane}"
            yield f"  %in{lane} = icmp ult i64 %lane{lane}, %final"
            yield f"  %at{lane} = select i1 %in{lane}, i64 %lane{lane}, i64 %final"
            for slot in self.slots:
                i = slot.index
                yield f"  %far{i}.{lane} = mul i64 %at{lane}, %s{i}"
                yield f"  %p{i}.{lane} = getelementptr i8, ptr %a{i}, i64 %far{i}.{lane}"
        for name, slot in self.inputs.items():
            if not slot.stepped:
                for e in range(len(slot.elements)):
                    yield from self._gather(slot, e, f"%first.{name}.{e}")
                    if name in self.carried:
                        yield f"  store {self.v} %first.{name}.{e}, ptr %state.{name}.{e}"
        if self.scan.stops:
            yield from (
                f"  store {self.v} {literal(0.0, self.width)}, ptr %{r}" for r in self._registers() if r[:5] != "state"
            )
            yield f"  store {self.b} <{', '.join(['i1 true'] * self.width)}>, ptr %alive"
        yield from code.early
        yield "  %any = icmp ne i64 %T, 0"
        yield "  br i1 %any, label %step, label %finish"

    def _step(self, code: Code) -> Iterator[str]:
        program = self.scan.program
        values: dict[str, list[str]] = {}
        results = iter(program.results)
        for o in program.outputs:
            values[o.name] = [code.value(next(results)) for _ in range(o.size)]
        stop = code.truth(program.results[self._first_result(STOP)]) if self.scan.stops else ""
        yield "step:"
        yield "  %k = phi i64 [0, %group], [%k1, %written]"
        yield from (f"  %time{s.index} = mul i64 %k, %t{s.index}" for s in self.slots if s.stepped)
        if self.scan.stops:
            yield f"  %before = load {self.b}, ptr %alive"
            yield f"  %running = call i1 @llvm.vector.reduce.or.v{self.width}i1({self.b} %before)"
            yield "  br i1 %running, label %compute, label %write"
        else:
            yield "  br label %compute"
        yield "compute:"
        yield from code.lines
        yield from self._freeze(values, stop) if self.scan.stops else self._advance(values)
        yield "  br label %write"
        yield "write:"
        for o in self.recorded:
            for e in range(o.size):
                value = values[o.name][e]
                if self.scan.stops:
                    value = f"%row.{o.name}.{e}"
                    yield f"  {value} = load {self.v}, ptr %last.{o.name}.{e}"
                yield from self._scatter(self.outputs[o.name], e, value, f"{o.name}.{e}")
        yield "  br label %written"
        yield "written:"
        yield "  %k1 = add i64 %k, 1"
        yield "  %more = icmp ult i64 %k1, %T"
        yield "  br i1 %more, label %step, label %finish"

    def _first_result(self, output: str) -> int:
        start = 0
        for o in self.scan.program.outputs:
            if o.name == output:
                break
            start += o.size
        return start

    def _load(self, operand: int, element: int) -> list[str]:
        """The value of an input inside a step."""
        name = self.scan.program.inputs[operand].name
        if name in self.carried:
            return [f"load {self.v}, ptr %state.{name}.{element}"]
        if self.inputs[name].stepped:
            *before, last = self._gather(self.inputs[name], element, "")
            return [*before, last.removeprefix("   = ")]
        zero = literal(-0.0, self.width)  # x + (−0) is x, to the bit
        return [f"fadd {self.v} %first.{name}.{element}, {zero}"]

    def _advance(self, values: dict[str, list[str]]) -> Iterator[str]:
        for name, output in self.carried.items():
            for e, value in enumerate(values[output]):
                yield f"  store {self.v} {value}, ptr %state.{name}.{e}"

    def _freeze(self, values: dict[str, list[str]], stop: str) -> Iterator[str]:
        """New state, outputs and count for rollouts that run; the old ones for those that have stopped.

        One rollout alone runs, or it would not be here.
        """
        wanted = {f"state.{a}.{e}": value for a, b in self.carried.items() for e, value in enumerate(values[b])}
        wanted |= {f"last.{o.name}.{e}": value for o in self.recorded for e, value in enumerate(values[o.name])}
        yield f"  %count = load {self.v}, ptr %done"
        yield f"  %counted = fadd {self.v} %count, {literal(1.0, self.width)}"
        wanted["done"] = "%counted"
        for name, value in wanted.items():
            if self.width == 1:
                yield f"  store {self.v} {value}, ptr %{name}"
                continue
            yield f"  %old.{name} = load {self.v}, ptr %{name}"
            yield f"  %new.{name} = select {self.b} %before, {self.v} {value}, {self.v} %old.{name}"
            yield f"  store {self.v} %new.{name}, ptr %{name}"
        yield f"  %after = select {self.b} {stop}, {self.b} zeroinitializer, {self.b} %before"
        yield f"  store {self.b} %after, ptr %alive"

    def _close_group(self) -> Iterator[str]:
        """Write the final states and the counts, and go on with the next rollouts."""
        yield "finish:"
        ends = [
            (self.outputs[a], f"state.{a}.{e}", e) for a in self.carried for e in range(len(self.inputs[a].elements))
        ]
        if self.scan.stops:
            ends.append((self.slots[-1], "done", 0))
        for slot, name, e in ends:
            yield f"  %end.{name} = load {self.v}, ptr %{name}"
            yield from self._scatter(slot, e, f"%end.{name}", f"end.{name}")
        yield f"  %next = add i64 %start, {self.width}"
        yield "  %again = icmp ult i64 %next, %n"
        yield "  br i1 %again, label %group, label %exit"

    def _offset(self, slot: Slot, element: int, tag: str) -> Iterator[str]:
        """%<tag>.o: bytes from a rollout's address to an element, at the present step if the argument is stepped."""
        row, column = slot.elements[element]
        yield f"  %{tag}.r = mul i64 %r{slot.index}, {row}"
        yield f"  %{tag}.c = mul i64 %c{slot.index}, {column}"
        yield f"  %{tag}.e = add i64 %{tag}.r, %{tag}.c"
        yield f"  %{tag}.o = add i64 %{tag}.e, {f'%time{slot.index}' if slot.stepped else 0}"

    def _gather(self, slot: Slot, element: int, name: str) -> Iterator[str]:
        """One element of every rollout in the group."""
        tag = f"in.{slot.index}.{element}"
        yield from self._offset(slot, element, tag)
        vector = "poison"
        for lane in range(self.width):
            yield f"  %{tag}.p{lane} = getelementptr i8, ptr %p{slot.index}.{lane}, i64 %{tag}.o"
            yield f"  %{tag}.x{lane} = load double, ptr %{tag}.p{lane}, align 8"
            to = name if lane == self.width - 1 else f"%{tag}.v{lane}"
            yield f"  {to} = insertelement {self.v} {vector}, double %{tag}.x{lane}, i32 {lane}"
            vector = to

    def _scatter(self, slot: Slot, element: int, value: str, name: str) -> Iterator[str]:
        """Store one element of every rollout in the group."""
        tag = f"out.{name}"
        yield from self._offset(slot, element, tag)
        for lane in range(self.width):
            yield f"  %{tag}.x{lane} = extractelement {self.v} {value}, i32 {lane}"
            yield f"  %{tag}.p{lane} = getelementptr i8, ptr %p{slot.index}.{lane}, i64 %{tag}.o"
            yield f"  store double %{tag}.x{lane}, ptr %{tag}.p{lane}, align 8"
