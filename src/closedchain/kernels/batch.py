"""LLVM IR of a gufunc's inner loop over a batch: blocks of states, `width` at a time.

NumPy gives each operand a base, a stride from state to state and strides between elements. Per block of states each
input is copied to a buffer in which an element's states lie side by side; what is the same for all states is copied
once. Outputs go where a table of addresses says, one per element: in place where an element's states lie side by side
there, too, else to a buffer which is copied out after the block. So the arithmetic is compiled once, and loads and
stores whole vectors, whatever the layout. A last vector that is not full repeats the last state, and is buffered.

A block's inputs are read before its outputs are written, so an output may be the very array of an input.
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
    lines += [f"  %table = alloca [{len(program.results)} x ptr], align 8"]
    lines += _open_arrays(operands, first_output + len(gives))
    lines += _open_outputs(outputs)
    lines += _open_block(pitch, width)
    lines += [_copy("in", part, pitch) for part in inputs.values()]
    lines += _aim_at_buffers(outputs, pitch)
    lines += _vector_loop(program, inputs, width, pitch)
    lines += _copy_out(outputs, pitch)
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


def _open_outputs(outputs: list[Part]) -> Iterator[str]:
    """%side, whether an output's states lie side by side; its elements' addresses into the table."""
    every, first = "true", 0
    for part in outputs:
        i, name = part.index, part.name
        yield f"  %side{name} = icmp eq i64 %s{i}, 8"
        yield f"  %every{name} = and i1 {every}, %side{name}"
        yield f"  %skip{name} = mul i64 %r{i}, {part.first}"
        yield f"  %array{name} = getelementptr i8, ptr %a{i}, i64 %skip{name}"
        yield f"  %row{name} = getelementptr ptr, ptr %table, i64 {first}"
        shape = f"i64 {part.rows}, i64 {part.columns}"
        yield f"  call void @aim(ptr %row{name}, ptr %array{name}, i64 %r{i}, i64 %c{i}, {shape})"
        every, first = f"%every{name}", first + part.size
    yield "  %some = icmp ne i64 %n, 0"
    yield "  br i1 %some, label %block, label %exit"


def _open_block(pitch: int, width: int) -> Iterator[str]:
    """%count states from %start, whole vectors if there are any left."""
    yield "block:"
    yield "  %start = phi i64 [0, %entry], [%next, %finished]"
    yield "  %left = sub i64 %n, %start"
    yield f"  %long = icmp uge i64 %left, {pitch}"
    yield f"  %whole = icmp uge i64 %left, {width}"
    yield f"  %vectors.left = and i64 %left, {-width}"
    yield f"  %rest = select i1 %whole, i64 %vectors.left, i64 %left"
    yield f"  %count = select i1 %long, i64 {pitch}, i64 %rest"
    yield "  %first = mul i64 %start, 8"
    yield "  %bytes = mul i64 %count, 8"
    yield "  %end = add i64 %first, %bytes"


def _copy(way: str, part: Part, pitch: int) -> str:
    """Copy the block of a part into or out of its buffer."""
    i, name = part.index, part.name
    shape = f"i64 {part.rows}, i64 {part.columns}"
    array = f"%a{i}" if way == "in" else f"%array{name}"
    return (
        f"  call void @copy_{way}(ptr {array}, i64 %s{i}, i64 %r{i}, i64 %c{i}, {shape},"
        f" i64 %start, i64 %count, ptr %buffer{name}, i64 {8 * pitch})"
    )


def _aim_at_buffers(outputs: list[Part], pitch: int) -> Iterator[str]:
    """Addresses of buffers, less what an index by states adds to them, for outputs that are not written in place."""
    every = f"%every{outputs[-1].name}"
    yield f"  %direct = and i1 {every}, %whole"
    yield "  %back = sub i64 0, %first"
    yield "  br i1 %direct, label %aimed, label %aim"
    yield "aim:"
    for part in outputs:
        name = part.name
        yield f"  %direct{name} = and i1 %side{name}, %whole"
        yield f"  br i1 %direct{name}, label %kept{name}, label %change{name}"
        yield f"change{name}:"
        yield f"  %here{name} = getelementptr i8, ptr %buffer{name}, i64 %back"
        strides = f"i64 {8 * pitch * part.columns}, i64 {8 * pitch}, i64 {part.rows}, i64 {part.columns}"
        yield f"  call void @aim(ptr %row{name}, ptr %here{name}, {strides})"
        yield f"  br label %kept{name}"
        yield f"kept{name}:"
    yield "  br label %aimed"
    yield "aimed:"


def _copy_out(outputs: list[Part], pitch: int) -> Iterator[str]:
    """What was not written in place."""
    yield "  br i1 %direct, label %finished, label %deliver"
    yield "deliver:"
    for part in outputs:
        name = part.name
        yield f"  %placed{name} = and i1 %side{name}, %whole"
        yield f"  br i1 %placed{name}, label %done{name}, label %copy{name}"
        yield f"copy{name}:"
        yield _copy("out", part, pitch)
        yield f"  br label %done{name}"
        yield f"done{name}:"
    yield "  br label %finished"
    yield "finished:"


def _vector_loop(program: Program, inputs: dict[str, Part], width: int, pitch: int) -> Iterator[str]:
    """The program for each vector of a block; the index %k, in bytes, counts from the batch's first state."""
    v = f"<{width} x double>"

    def load(operand: int, element: int) -> list[str]:
        at, part = f"%l{operand}.{element}", inputs[program.inputs[operand].name]
        return [
            f"  {at} = getelementptr i8, ptr %from{part.name}, i64 {8 * pitch * element}",
            f"load {v}, ptr {at}, align 8, !alias.scope !2",
        ]

    def store(result: int, value: str) -> list[str]:
        return [
            f"  %e{result} = getelementptr ptr, ptr %table, i64 {result}",
            f"  %b{result} = load ptr, ptr %e{result}, align 8, !alias.scope !2",
            f"  %o{result} = getelementptr i8, ptr %b{result}, i64 %k",
            f"  store {v} {value}, ptr %o{result}, align 8, !noalias !2",
        ]

    yield "  br label %vectors"
    yield "vectors:"
    yield "  %k = phi i64 [%first, %aimed], [%k1, %vectors]"
    yield "  %within = sub i64 %k, %first"
    for part in inputs.values():
        yield f"  %from{part.name} = getelementptr i8, ptr %buffer{part.name}, i64 %within"
    yield from Code(program, width, load, store).lines
    yield f"  %k1 = add i64 %k, {8 * width}"
    yield "  %on = icmp ult i64 %k1, %end"
    yield "  br i1 %on, label %vectors, label %computed"
    yield "computed:"
