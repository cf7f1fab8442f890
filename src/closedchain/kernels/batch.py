"""LLVM IR of a gufunc's inner loop over a batch: blocks of states, `width` at a time.

NumPy gives each operand a base, a stride from state to state and strides between elements. Per block of states each
operand is copied to or from a buffer in which an element's states lie side by side; one which is the same for all states
is copied once. So the arithmetic is compiled once, and loads and stores whole vectors at constant places, whatever the
layout. A last vector that is not full repeats the last state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from closedchain.kernels.ir import Code
from closedchain.kernels.program import Operand, Program
from closedchain.kernels.signature import symbol

BUFFER = 24 * 1024  # [bytes] for all operands of a block, to stay in the first-level cache
LONGEST_BLOCK = 64  # [states]


def rows_columns(shape: Sequence[int]) -> tuple[int, int]:
    """() is 1 x 1 and (n,) is n x 1."""
    return (shape[0] if shape else 1, shape[1] if len(shape) == 2 else 1)


def block_length(elements: int, width: int) -> int:
    """States per block: a multiple of the width, few enough for the buffers to stay near."""
    fitting = BUFFER // (8 * max(elements, 1))
    return max(width, min(LONGEST_BLOCK, fitting) // width * width)


def batch_loop(program: Program, width: int) -> str:
    """`void @<symbol>.loop(args, dims, steps)`: the program for dims[0] states."""
    inputs = [o for o in program.inputs if o.size]
    outputs = [o for o in program.outputs if o.size]
    first_output = max(len(inputs), 1)  # without inputs NumPy passes one that nobody reads
    operands = dict(enumerate(inputs)) | {first_output + i: o for i, o in enumerate(outputs)}
    elements = sum(o.size for o in operands.values())
    pitch = block_length(elements, width)
    lines = [f"define internal void @{symbol(program.name)}.loop(ptr %args, ptr %dims, ptr %steps) noinline #0 {{"]
    lines += ["entry:", f"  %buffer = alloca [{elements * pitch} x double], align {8 * width}"]
    lines += _open_arrays(operands, first_output + len(outputs))
    lines += _open_block(pitch)
    place = _places(operands, pitch)
    lines += [_copy("in", i, o, place[i], pitch) for i, o in operands.items() if i < first_output]
    lines += _vector_loop(program, [place[i] for i in operands], width, pitch)
    lines += [_copy("out", i, o, place[i], pitch) for i, o in operands.items() if i >= first_output]
    lines += ["  %next = add i64 %start, %count", "  %again = icmp ult i64 %next, %n"]
    lines += ["  br i1 %again, label %block, label %exit", "exit:", "  ret void", "}", ""]
    return "\n".join(lines)


def _places(operands: dict[int, Operand], pitch: int) -> dict[int, int]:
    """Where in the buffer each operand starts [bytes]."""
    starts = accumulate((8 * pitch * o.size for o in operands.values()), initial=0)
    return dict(zip(operands, starts, strict=False))


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


def _copy(way: str, i: int, o: Operand, place: int, pitch: int) -> str:
    """Copy the block of an operand into or out of its part of the buffer."""
    rows, columns = rows_columns(o.shape)
    return (
        f"  %part{i} = getelementptr i8, ptr %buffer, i64 {place}\n"
        f"  call void @copy_{way}(ptr %a{i}, i64 %s{i}, i64 %r{i}, i64 %c{i}, i64 {rows}, i64 {columns},"
        f" i64 %start, i64 %count, ptr %part{i}, i64 {8 * pitch})"
    )


def _vector_loop(program: Program, places: list[int], width: int, pitch: int) -> Iterator[str]:
    v = f"<{width} x double>"
    starts = iter(places)
    start_of = {k: next(starts) for k, o in enumerate(program.inputs) if o.size}

    def load(operand: int, element: int) -> list[str]:
        at = f"%l{operand}.{element}"
        where = start_of[operand] + 8 * pitch * element
        return [f"  {at} = getelementptr i8, ptr %here, i64 {where}", f"load {v}, ptr {at}, align 8"]

    code = Code(program, width, load)
    results = [code.value(r) for r in program.results]
    yield "  br label %vectors"
    yield "vectors:"
    yield "  %k = phi i64 [0, %block], [%k1, %vectors]"
    yield "  %here = getelementptr i8, ptr %buffer, i64 %k"
    yield from code.lines
    first = next(starts)  # outputs follow each other
    for number, result in enumerate(results):
        yield f"  %o{number} = getelementptr i8, ptr %here, i64 {first + 8 * pitch * number}"
        yield f"  store {v} {result}, ptr %o{number}, align 8"
    yield f"  %k1 = add i64 %k, {8 * width}"
    yield "  %on = icmp ult i64 %k1, %bytes"
    yield "  br i1 %on, label %vectors, label %computed"
    yield "computed:"
