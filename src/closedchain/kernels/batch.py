"""LLVM IR of a gufunc's inner loop over a batch: blocks of states, `width` at a time.

NumPy gives each operand a base, a stride from state to state and strides between elements. Where the states of an
element lie side by side, it is read and written in place. Otherwise a block of states is copied to or from a buffer in
which they do; what is the same for all states is copied once. A table of addresses, one per element, tells which. So
the arithmetic is compiled once, and loads and stores whole vectors, whatever the layout. A last vector that is not full
repeats the last state, and is buffered; so is an input that is the array of an output, to be read before it is written.

Outputs of a program that is `rounded` are float32: vectors are rounded where they are stored. Whatever counts bytes by
states, 8 for each, is halved for them.
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
    item: int = 8  # [bytes] of an element: 4 for a float32

    @property
    def name(self) -> str:
        return f"{self.index}.{self.first}"

    @property
    def size(self) -> int:
        return self.rows * self.columns


def parts_of(index: int, shape: Sequence[int], largest: int, item: int = 8) -> list[Part]:
    """The parts of an operand, whole rows of at most `largest` elements if possible."""
    rows, columns = rows_columns(shape)
    step = max(largest // columns, 1)
    return [Part(index, first, min(step, rows - first), columns, item) for first in range(0, rows, step)]


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
    inputs = [parts_of(i, o.shape, o.size)[0] for i, o in enumerate(takes)]
    item = 4 if program.rounded else 8
    outputs = [part for i, o in enumerate(gives) for part in parts_of(first_output + i, o.shape, LARGEST_PART, item)]
    parts = inputs + outputs
    pitch = block_length(sum(part.size for part in parts), width)
    lines = [f"define internal void @{symbol(program.name)}.loop(ptr %args, ptr %dims, ptr %steps) noinline #0 {{"]
    lines += ["entry:"]
    lines += [
        f"  %buffer{part.name} = alloca [{part.size * pitch * part.item} x i8], align {8 * width}" for part in parts
    ]
    lines += [f"  %table{part.name} = alloca [{part.size} x ptr], align 8" for part in parts]
    lines += _open_arrays(operands, first_output + len(gives))
    lines += _aim_at_arrays(inputs, outputs)
    lines += _open_block(pitch, width)
    for part in inputs:
        lines += _unless_in_place(part, "fill", [*_copy("in", part, pitch), *_aim_at_buffer(part, pitch)])
    for part in outputs:
        lines += _unless_in_place(part, "aim", _aim_at_buffer(part, pitch))
    lines += _vector_loop(program, {takes[part.index].name: part for part in inputs}, outputs, width)
    for part in outputs:
        lines += _unless_in_place(
            part, "empty", _copy_floats(part, pitch) if program.rounded else _copy("out", part, pitch)
        )
    lines += ["  br label %finished", "finished:"]
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


def _aim_at_arrays(inputs: list[Part], outputs: list[Part]) -> Iterator[str]:
    """%side, whether a part can be used in place; the addresses of its elements there."""
    for part in inputs + outputs:
        i, name = part.index, part.name
        yield f"  %side0.{name} = icmp eq i64 %s{i}, {part.item}"
        others = {o.index for o in outputs} if part in inputs else set()
        for k, other in enumerate(sorted(others)):
            yield f"  %apart{name}.{other} = icmp ne ptr %a{i}, %a{other}"
            yield f"  %side{k + 1}.{name} = and i1 %side{k}.{name}, %apart{name}.{other}"
        yield f"  %side{name} = and i1 %side{len(others)}.{name}, true"
        yield f"  %skip{name} = mul i64 %r{i}, {part.first}"
        yield f"  %array{name} = getelementptr i8, ptr %a{i}, i64 %skip{name}"
        shape = f"i64 {part.rows}, i64 {part.columns}"
        yield f"  call void @aim(ptr %table{name}, ptr %array{name}, i64 %r{i}, i64 %c{i}, {shape})"
    yield "  %some = icmp ne i64 %n, 0"
    yield "  br i1 %some, label %block, label %exit"


def _open_block(pitch: int, width: int) -> Iterator[str]:
    """%count states from %start, whole vectors if there are any left; %first and %end are bytes."""
    yield "block:"
    yield "  %start = phi i64 [0, %entry], [%next, %finished]"
    yield "  %left = sub i64 %n, %start"
    yield f"  %long = icmp uge i64 %left, {pitch}"
    yield f"  %whole = icmp uge i64 %left, {width}"
    yield f"  %vectors.left = and i64 %left, {-width}"
    yield "  %rest = select i1 %whole, i64 %vectors.left, i64 %left"
    yield f"  %count = select i1 %long, i64 {pitch}, i64 %rest"
    yield "  %first = mul i64 %start, 8"
    yield "  %bytes = mul i64 %count, 8"
    yield "  %end = add i64 %first, %bytes"
    yield "  %back = sub i64 0, %first"


def _unless_in_place(part: Part, what: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines for a part which this block does not use in place."""
    name = f"{what}{part.name}"
    yield f"  %direct.{name} = and i1 %side{part.name}, %whole"
    yield f"  br i1 %direct.{name}, label %done.{name}, label %{name}"
    yield f"{name}:"
    yield from lines
    yield f"  br label %done.{name}"
    yield f"done.{name}:"


def _copy(way: str, part: Part, pitch: int) -> list[str]:
    """Copy the block of a part into or out of its buffer."""
    i, name = part.index, part.name
    shape = f"i64 {part.rows}, i64 {part.columns}"
    return [
        f"  call void @copy_{way}(ptr %array{name}, i64 %s{i}, i64 %r{i}, i64 %c{i}, {shape},"
        f" i64 %start, i64 %count, ptr %buffer{name}, i64 {8 * pitch})"
    ]


def _copy_floats(part: Part, pitch: int) -> list[str]:
    """Copy the block of a part of float32 out of its buffer, one by one."""
    i, name = part.index, part.name
    shape = f"i64 {part.rows}, i64 {part.columns}"
    return [
        f"  %far{name} = mul i64 %start, %s{i}",
        f"  %there{name} = getelementptr i8, ptr %array{name}, i64 %far{name}",
        f"  call void @single_out_float(ptr %there{name}, i64 %s{i}, i64 %r{i}, i64 %c{i}, {shape},"
        f" i64 0, i64 %count, ptr %buffer{name}, i64 {part.item * pitch})",
    ]


def _aim_at_buffer(part: Part, pitch: int) -> list[str]:
    """The addresses of a part's elements in its buffer, less what an index by states adds to them."""
    name = part.name
    row = part.item * pitch
    strides = f"i64 {row * part.columns}, i64 {row}, i64 {part.rows}, i64 {part.columns}"
    return [
        f"  %less{name} = ashr i64 %back, {int(part.item == 4)}",
        f"  %here{name} = getelementptr i8, ptr %buffer{name}, i64 %less{name}",
        f"  call void @aim(ptr %table{name}, ptr %here{name}, {strides})",
    ]


def _vector_loop(program: Program, inputs: dict[str, Part], outputs: list[Part], width: int) -> Iterator[str]:
    """The program for each vector of a block; the index %k, in bytes, counts from the batch's first state."""
    v = f"<{width} x double>"
    targets = [(part, element) for part in outputs for element in range(part.size)]

    def place(name: str, part: Part, element: int, k: str = "%k") -> list[str]:
        return [
            f"  %e{name} = getelementptr ptr, ptr %table{part.name}, i64 {element}",
            f"  %b{name} = load ptr, ptr %e{name}, align 8, !alias.scope !2",
            f"  %at{name} = getelementptr i8, ptr %b{name}, i64 {k}",
        ]

    def load(operand: int, element: int) -> list[str]:
        name = f".in{operand}.{element}"
        found = place(name, inputs[program.inputs[operand].name], element)
        return [*found, f"load {v}, ptr %at{name}, align 8, !alias.scope !2"]

    def store(result: int, value: str) -> list[str]:
        name = f".out{result}"
        if not program.rounded:
            return [*place(name, *targets[result]), f"  store {v} {value}, ptr %at{name}, align 8, !noalias !2"]
        return [
            *place(name, *targets[result], k="%half"),
            f"  %f{name} = fptrunc {v} {value} to <{width} x float>",
            f"  store <{width} x float> %f{name}, ptr %at{name}, align 4, !noalias !2",
        ]

    yield "  br label %vectors"
    yield "vectors:"
    before = f"done.aim{outputs[-1].name}"
    yield f"  %k = phi i64 [%first, %{before}], [%k1, %vectors]"
    yield "  %half = lshr i64 %k, 1"
    yield from Code(program, width, load, store).lines
    yield f"  %k1 = add i64 %k, {8 * width}"
    yield "  %on = icmp ult i64 %k1, %end"
    yield "  br i1 %on, label %vectors, label %computed"
    yield "computed:"
