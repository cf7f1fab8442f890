"""LLVM IR of a gufunc's inner loop over a batch: blocks of states, `width` at a time.

NumPy gives each operand a base, a stride from state to state and strides between elements. Per block of states,
an operand whose states lie side by side is used in place, any other is copied into a buffer where they do; one which is
the same for all states is copied once. So the arithmetic is compiled once and only ever loads whole vectors.
A last vector that is not full repeats the last state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    operands: dict[int, Operand] = dict(enumerate(inputs)) | {first_output + i: o for i, o in enumerate(outputs)}
    pitch = block_length(sum(o.size for o in operands.values()), width)
    lines = [
        f"define internal void @{symbol(program.name)}.loop(ptr %args, ptr %dims, ptr %steps) noinline #0 {{",
        "entry:",
    ]
    lines += _open_arrays(operands, first_output + len(outputs), width, pitch)
    lines += _open_block(width, pitch)
    for i, o in operands.items():
        lines += _make_view(i, o, pitch, output=i >= first_output)
    lines += _vector_loop(program, operands, first_output, width)
    for i, o in operands.items():
        if i >= first_output:
            rows, columns = rows_columns(o.shape)
            lines.append(
                f"  call void @flush(ptr %a{i}, i64 %s{i}, i64 %r{i}, i64 %c{i}, i64 {rows}, i64 {columns},"
                f" i64 %start, i64 %count, ptr %buffer{i}, i64 {8 * pitch})"
            )
    lines += ["  %next = add i64 %start, %count", "  %again = icmp ult i64 %next, %n"]
    lines += ["  br i1 %again, label %block, label %exit", "exit:", "  ret void", "}", ""]
    return "\n".join(lines)


def _open_arrays(operands: dict[int, Operand], count: int, width: int, pitch: int) -> Iterator[str]:
    """Bases %a, outer strides %s, row and column strides %r, %c, buffers and views of all operands."""
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
        yield f"  %buffer{i} = alloca [{o.size * pitch} x double], align {8 * width}"
        yield f"  %view{i} = alloca [3 x i64], align 8"
    yield "  %some = icmp ne i64 %n, 0"
    yield "  br i1 %some, label %block, label %exit"


def _open_block(width: int, pitch: int) -> Iterator[str]:
    yield "block:"
    yield "  %start = phi i64 [0, %entry], [%next, %stored]"
    yield "  %left = sub i64 %n, %start"
    yield f"  %short = icmp ult i64 %left, {pitch}"
    yield f"  %count = select i1 %short, i64 %left, i64 {pitch}"
    yield "  %bytes = mul i64 %count, 8"


def _make_view(i: int, o: Operand, pitch: int, *, output: bool) -> Iterator[str]:
    """%b, %vr, %vc: where the block's vectors of an operand lie, and the address of each element."""
    rows, columns = rows_columns(o.shape)
    size = f"i64 {columns}" if output else f"i64 {rows}, i64 {columns}"
    helper = "place" if output else "fetch"
    yield (
        f"  call void @{helper}(ptr %view{i}, ptr %a{i}, i64 %s{i}, i64 %r{i}, i64 %c{i}, {size},"
        f" i64 %start, i64 %count, ptr %buffer{i}, i64 {8 * pitch})"
    )
    yield f"  %b{i} = load ptr, ptr %view{i}"
    for k, letter in ((1, "r"), (2, "c")):
        yield f"  %pv{letter}{i} = getelementptr i64, ptr %view{i}, i64 {k}"
        yield f"  %v{letter}{i} = load i64, ptr %pv{letter}{i}"
    for row in range(rows):
        for column in range(columns):
            e = f"{i}.{row * columns + column}"
            yield f"  %er{e} = mul i64 %vr{i}, {row}"
            yield f"  %ec{e} = mul i64 %vc{i}, {column}"
            yield f"  %eo{e} = add i64 %er{e}, %ec{e}"
            yield f"  %e{e} = getelementptr i8, ptr %b{i}, i64 %eo{e}"


def _vector_loop(program: Program, operands: dict[int, Operand], first_output: int, width: int) -> Iterator[str]:
    v = f"<{width} x double>"
    live = {o.name: i for i, o in operands.items() if i < first_output}

    def load(operand: int, element: int) -> list[str]:
        at = f"{live[program.inputs[operand].name]}.{element}"
        return [f"  %l{at} = getelementptr i8, ptr %e{at}, i64 %k", f"load {v}, ptr %l{at}, align 8"]

    code = Code(program, width, load)
    results = [code.value(r) for r in program.results]
    yield "  br label %vectors"
    yield "vectors:"
    yield "  %k = phi i64 [0, %block], [%k1, %vectors]"
    yield from code.lines
    targets = [f"{i}.{e}" for i, o in operands.items() if i >= first_output for e in range(o.size)]
    for target, result in zip(targets, results, strict=True):
        yield f"  %o{target} = getelementptr i8, ptr %e{target}, i64 %k"
        yield f"  store {v} {result}, ptr %o{target}, align 8"
    yield f"  %k1 = add i64 %k, {8 * width}"
    yield "  %on = icmp ult i64 %k1, %bytes"
    yield "  br i1 %on, label %vectors, label %stored"
    yield "stored:"
