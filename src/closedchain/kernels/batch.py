"""LLVM IR of a gufunc's inner loop over a batch: blocks of states, `width` at a time.

NumPy gives each operand a base, a stride from state to state and strides between elements. Per block of states each
operand is copied to or from a buffer in which an element's states lie side by side; what is the same for all states
is copied once. So the arithmetic is compiled once, and loads and stores whole vectors at constant places, whatever the
layout. A last vector that is not full repeats the last state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from closedchain.kernels.ir import Code
from closedchain.kernels.program import Operand, Program
from closedchain.kernels.signature import symbol

BUFFER = 24 * 1024  # [bytes] for all operands of a block, to stay in the first-level cache
LONGEST_BLOCK = 64  # [states]
LARGEST_PART = 64  # [elements] of an output in one buffer


@dataclass(frozen=True)
class Part:
    """Some rows of an operand, with a buffer of their own.

    LLVM compares every access to a buffer with every store to it: small buffers keep compile time proportional to size.
    """

    index: int  # of the operand among the loop's arguments
    first: int  # row
    rows: int
    columns: int

    @property
    def name(self) -> str:
        return f"{self.index}.{self.first}"

    @property
    def size(self) -> int:
        return self.rows * self.columns


def parts_of(index: int, shape: Sequence[int], largest: int) -> list[Part]:
    """The parts of an operand, whole rows of at most `largest` elements if possible."""
    rows, columns = rows_columns(shape)
    step = max(largest // columns, 1)
    return [Part(index, first, min(step, rows - first), columns) for first in range(0, rows, step)]


def rows_columns(shape: Sequence[int]) -> tuple[int, int]:
    """() is 1 x 1 and (n,) is n x 1."""
    return (shape[0] if shape else 1, shape[1] if len(shape) == 2 else 1)


def block_length(elements: int, width: int) -> int:
    """States per block: a multiple of the width, few enough for the buffers to stay near."""
    fitting = BUFFER // (8 * max(elements, 1))
    return max(width, min(LONGEST_BLOCK, fitting) // width * width)


def batch_loop(program: Program, width: int) -> str:
    """`void @<symbol>.loop(args, dims, steps)`: the program for dims[0] states."""
    takes = [o for o in program.inputs if o.size]
    gives = [o for o in program.outputs if o.size]
    first_output = max(len(takes), 1)  # without inputs NumPy passes one that nobody reads
    operands = dict(enumerate(takes)) | {first_output + i: o for i, o in enumerate(gives)}
    inputs = {o.name: parts_of(i, o.shape, o.size)[0] for i, o in enumerate(takes)}
    outputs = [part for i, o in enumerate(gives) for part in parts_of(first_output + i, o.shape, LARGEST_PART)]
    buffers = [*inputs.values(), *outputs]
    pitch = block_length(sum(part.size for part in buffers), width)
    lines = [f"define internal void @{symbol(program.name)}.loop(ptr %args, ptr %dims, ptr %steps) noinline #0 {{"]
    lines += ["entry:"]
    lines += [f"  %buffer{part.name} = alloca [{part.size * pitch} x double], align {8 * width}" for part in buffers]
    lines += _open_arrays(operands, first_output + len(gives))
    lines += _open_block(pitch)
    lines += [_copy("in", part, pitch) for part in inputs.values()]
    lines += _vector_loop(program, inputs, outputs, width, pitch)
    lines += [_copy("out", part, pitch) for part in outputs]
    lines += ["  %next = add i64 %start, %count", "  %again = icmp ult i64 %next, %n"]
    lines += ["  br i1 %again, label %block, label %exit", "exit:", "  ret void", "}", ""]
    return "\n".join(lines)


def _open_arrays(operands: dict[int, Operand], count: int) -> Iterator[str]:
    """Bases %a, outer strides %s, row and column strides %r, %c of all operands."""
    yield "  %n = load i64, ptr %dims"
    core = count
    for i, o in operands.items():
        yield f"  %pa{i} = getelementptr ptr, ptr %args, i64 {i}"
        yield f"  %a{i} = load ptr, ptr %pa{i}"
        yield f"  %ps{i} = getelementptr i64, ptr %steps, i64 {i}"
        yield f"  %s{i} = load i64, ptr %ps{i}"
        for letter, wanted in (("r", 1), ("c", 2)):
            if len(o.shape) >= wanted:
                yield f"  %p{letter}{i} = getelementptr i64, ptr %steps, i64 {core}"
                yield f"  %{letter}{i} = load i64, ptr %p{letter}{i}"
                core += 1
            else:
                yield f"  %{letter}{i} = add i64 0, 0"
    yield "  %some = icmp ne i64 %n, 0"
    yield "  br i1 %some, label %block, label %exit"


def _open_block(pitch: int) -> Iterator[str]:
    yield "block:"
    yield "  %start = phi i64 [0, %entry], [%next, %computed]"
    yield "  %left = sub i64 %n, %start"
    yield f"  %short = icmp ult i64 %left, {pitch}"
    yield f"  %count = select i1 %short, i64 %left, i64 {pitch}"
    yield "  %bytes = mul i64 %count, 8"


def _copy(way: str, part: Part, pitch: int) -> str:
    """Copy the block of a part into or out of its buffer."""
    i, name = part.index, part.name
    shape = f"i64 {part.rows}, i64 {part.columns}"
    return (
        f"  %skip{name} = mul i64 %r{i}, {part.first}\n"
        f"  %from{name} = getelementptr i8, ptr %a{i}, i64 %skip{name}\n"
        f"  call void @copy_{way}(ptr %from{name}, i64 %s{i}, i64 %r{i}, i64 %c{i}, {shape},"
        f" i64 %start, i64 %count, ptr %buffer{name}, i64 {8 * pitch})"
    )


def _vector_loop(
    program: Program, inputs: dict[str, Part], outputs: list[Part], width: int, pitch: int
) -> Iterator[str]:
    v = f"<{width} x double>"

    def place(part: Part, element: int) -> str:
        return f"getelementptr i8, ptr %here{part.name}, i64 {8 * pitch * element}"

    def load(operand: int, element: int) -> list[str]:
        at = f"%l{operand}.{element}"
        return [f"  {at} = {place(inputs[program.inputs[operand].name], element)}", f"load {v}, ptr {at}, align 8"]

    code = Code(program, width, load)
    results = [code.value(r) for r in program.results]
    yield "  br label %vectors"
    yield "vectors:"
    yield "  %k = phi i64 [0, %block], [%k1, %vectors]"
    for part in (*inputs.values(), *outputs):
        yield f"  %here{part.name} = getelementptr i8, ptr %buffer{part.name}, i64 %k"
    yield from code.lines
    targets = [place(part, element) for part in outputs for element in range(part.size)]
    for number, (target, result) in enumerate(zip(targets, results, strict=True)):
        yield f"  %o{number} = {target}"
        yield f"  store {v} {result}, ptr %o{number}, align 8"
    yield f"  %k1 = add i64 %k, {8 * width}"
    yield "  %on = icmp ult i64 %k1, %bytes"
    yield "  br i1 %on, label %vectors, label %computed"
    yield "computed:"
