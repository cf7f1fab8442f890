"""LLVM IR that copies a block of states between NumPy's layout and a buffer where an element's states lie side by side.

Fastest way first: states lie side by side outside, too: copy vectors; a state's elements lie side by side: shuffle or
transpose (bulk.py); anything else: one by one, which also takes the states that do not fill a vector.
"""

from __future__ import annotations

from collections.abc import Iterator

from closedchain.kernels.bulk import bulk_copy

ADJACENT = """
define internal i1 @adjacent(i64 %r, i64 %c, i64 %rows, i64 %columns) alwaysinline {
  %width = mul i64 %columns, 8
  %tight = icmp eq i64 %c, 8
  %single = icmp eq i64 %columns, 1
  %row = or i1 %tight, %single
  %stacked = icmp eq i64 %r, %width
  %alone = icmp eq i64 %rows, 1
  %column = or i1 %stacked, %alone
  %all = and i1 %row, %column
  ret i1 %all
}
"""

AIM = """
define internal void @aim(ptr %table, ptr %array, i64 %r, i64 %c, i64 %rows, i64 %columns) noinline #0 {
entry:
  br label %rowloop
rowloop:
  %i = phi i64 [0, %entry], [%i1, %rowend]
  %ir = mul i64 %i, %r
  %line = getelementptr i8, ptr %array, i64 %ir
  %before = mul i64 %i, %columns
  br label %columnloop
columnloop:
  %j = phi i64 [0, %rowloop], [%j1, %columnloop]
  %jc = mul i64 %j, %c
  %address = getelementptr i8, ptr %line, i64 %jc
  %element = add i64 %before, %j
  %place = getelementptr ptr, ptr %table, i64 %element
  store ptr %address, ptr %place, align 8
  %j1 = add i64 %j, 1
  %jmore = icmp ult i64 %j1, %columns
  br i1 %jmore, label %columnloop, label %rowend
rowend:
  %i1 = add i64 %i, 1
  %imore = icmp ult i64 %i1, %rows
  br i1 %imore, label %rowloop, label %done
done:
  ret void
}

; The loops' own memory, which no output overlaps: input buffers and tables of addresses.
!0 = !{!"closedchain"}
!1 = !{!"own memory", !0}
!2 = !{!1}
"""

COPY = """
define internal void @copy_{way}(ptr %array, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns,
                                 i64 %start, i64 %count, ptr %buffer, i64 %pitch) noinline #0 {
entry:
  %skip = mul i64 %start, %outer
  %here = getelementptr i8, ptr %array, i64 %skip
  %fixed = icmp eq i64 %outer, 0
  %later = icmp ne i64 %start, 0
  %ready = and i1 %fixed, %later
  br i1 %ready, label %done, label %move
move:
  %full = and i64 %count, {whole}
  %side = icmp eq i64 %outer, 8
  br i1 %side, label %vectors, label %look
vectors:
  call void @vectors_{way}(ptr %here, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns, i64 0, i64 %full,
                           ptr %buffer, i64 %pitch)
  br label %rest
look:
  %adjacent = call i1 @adjacent(i64 %r, i64 %c, i64 %rows, i64 %columns)
  br i1 %adjacent, label %bulk, label %rest
bulk:
  %size = mul i64 %rows, %columns
  %moved = call i64 @bulk_{way}(ptr %here, i64 %outer, i64 %size, i64 %count, ptr %buffer, i64 %pitch)
  br label %rest
rest:
  %from = phi i64 [%full, %vectors], [0, %look], [%moved, %bulk]
  call void @single_{way}(ptr %here, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns, i64 %from, i64 %count,
                          ptr %buffer, i64 %pitch)
  br label %done
done:
  ret void
}
"""

EACH = """
define internal void @{how}_{way}(ptr %here, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns,
                                   i64 %first, i64 %count, ptr %buffer, i64 %pitch) noinline #0 {
entry:
  %final = sub i64 %count, 1
  %some = icmp ult i64 %first, %count
  br i1 %some, label %rowloop, label %done
rowloop:
  %i = phi i64 [0, %entry], [%i1, %rowend]
  br label %columnloop
columnloop:
  %j = phi i64 [0, %rowloop], [%j1, %columnend]
  %ir = mul i64 %i, %r
  %jc = mul i64 %j, %c
  %ij = add i64 %ir, %jc
  %outside = getelementptr i8, ptr %here, i64 %ij
  %in = mul i64 %i, %columns
  %inj = add i64 %in, %j
  %w = mul i64 %inj, %pitch
  %inside = getelementptr i8, ptr %buffer, i64 %w
  br label %stateloop
stateloop:
  %k = phi i64 [%first, %columnloop], [%k1, %stateloop]
{copy}
  %more = icmp ult i64 %k1, %count
  br i1 %more, label %stateloop, label %columnend
columnend:
  %j1 = add i64 %j, 1
  %jmore = icmp ult i64 %j1, %columns
  br i1 %jmore, label %columnloop, label %rowend
rowend:
  %i1 = add i64 %i, 1
  %imore = icmp ult i64 %i1, %rows
  br i1 %imore, label %rowloop, label %done
done:
  ret void
}
"""


def helpers(width: int, rounded: bool = False) -> str:
    """`@copy_in`, `@copy_out` and `@aim`, which every batch loop of a module shares, and what they need.

    With `rounded`, also `@single_out_float`, for the outputs of programs that give float32.
    """
    parts = [ADJACENT, AIM]
    for way, single in (("in", _gather(width)), ("out", _store_one("double"))):
        parts.append(COPY.replace("{way}", way).replace("{whole}", str(-width)))
        for how, copy in (("single", single), ("vectors", _copy_vector(width, way))):
            parts.append(EACH.replace("{how}", how).replace("{way}", way).replace("{copy}", "\n".join(copy)))
        parts += bulk_copy(width, way)
    if rounded:
        text = EACH.replace("{how}", "single").replace("{way}", "out_float")
        parts.append(text.replace("{copy}", "\n".join(_store_one("float"))))
    return "\n".join(parts)


def _copy_vector(width: int, way: str) -> Iterator[str]:
    source, sink = ("outside", "inside") if way == "in" else ("inside", "outside")
    yield f"  %from = getelementptr double, ptr %{source}, i64 %k"
    yield f"  %x = load <{width} x double>, ptr %from, align 8"
    yield f"  %to = getelementptr double, ptr %{sink}, i64 %k"
    yield f"  store <{width} x double> %x, ptr %to, align 8"
    yield f"  %k1 = add i64 %k, {width}"


def _gather(width: int) -> Iterator[str]:
    """One vector of states, element by element; past the end the last state is repeated."""
    v = f"<{width} x double>"
    for lane in range(width):
        yield f"  %k.{lane} = add i64 %k, {lane}"
        yield f"  %within.{lane} = icmp ult i64 %k.{lane}, %final"
        yield f"  %state.{lane} = select i1 %within.{lane}, i64 %k.{lane}, i64 %final"
        yield f"  %far.{lane} = mul i64 %state.{lane}, %outer"
        yield f"  %p.{lane} = getelementptr i8, ptr %outside, i64 %far.{lane}"
        yield f"  %x.{lane} = load double, ptr %p.{lane}, align 8"
        before = "poison" if lane == 0 else f"%g{lane - 1}"
        yield f"  %g{lane} = insertelement {v} {before}, double %x.{lane}, i32 {lane}"
    yield "  %at = getelementptr double, ptr %inside, i64 %k"
    yield f"  store {v} %g{width - 1}, ptr %at, align 8"
    yield f"  %k1 = add i64 %k, {width}"


def _store_one(kind: str) -> Iterator[str]:
    yield f"  %at = getelementptr {kind}, ptr %inside, i64 %k"
    yield f"  %x = load {kind}, ptr %at"
    yield "  %far = mul i64 %k, %outer"
    yield "  %sink = getelementptr i8, ptr %outside, i64 %far"
    yield f"  store {kind} %x, ptr %sink"
    yield "  %k1 = add i64 %k, 1"
