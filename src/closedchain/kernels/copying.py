"""LLVM IR that copies a block of states between NumPy's layout and a buffer where an element's states lie side by side.

Three ways, fastest first: a state's elements lie side by side and so do the states, with fewer elements than a vector
has lanes: shuffle flat vectors; the elements lie side by side: transpose squares of width x width; anything else: one
by one. The first two take whole vectors of states and leave the rest to the third.
"""

from __future__ import annotations

from collections.abc import Iterator

from closedchain.kernels.bulk import bulk_copy

SHARED = """
define internal void @show(ptr %view, ptr %base, i64 %r, i64 %c) alwaysinline {
  store ptr %base, ptr %view
  %v1 = getelementptr i64, ptr %view, i64 1
  store i64 %r, ptr %v1
  %v2 = getelementptr i64, ptr %view, i64 2
  store i64 %c, ptr %v2
  ret void
}

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

define internal i1 @inplace(i64 %outer, i64 %count) alwaysinline {
  %side = icmp eq i64 %outer, 8
  %part = and i64 %count, {last}
  %whole = icmp eq i64 %part, 0
  %both = and i1 %side, %whole
  ret i1 %both
}
"""

FETCH = """
define internal void @fetch(ptr %view, ptr %array, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns,
                            i64 %start, i64 %count, ptr %buffer, i64 %pitch) noinline #0 {
entry:
  %skip = mul i64 %start, %outer
  %here = getelementptr i8, ptr %array, i64 %skip
  %direct = call i1 @inplace(i64 %outer, i64 %count)
  br i1 %direct, label %use, label %copy
use:
  call void @show(ptr %view, ptr %here, i64 %r, i64 %c)
  ret void
copy:
  %row = mul i64 %pitch, %columns
  call void @show(ptr %view, ptr %buffer, i64 %row, i64 %pitch)
  %fixed = icmp eq i64 %outer, 0
  %later = icmp ne i64 %start, 0
  %ready = and i1 %fixed, %later
  br i1 %ready, label %done, label %move
move:
  %adjacent = call i1 @adjacent(i64 %r, i64 %c, i64 %rows, i64 %columns)
  br i1 %adjacent, label %bulk, label %rest
bulk:
  %size = mul i64 %rows, %columns
  %moved = call i64 @bulk_in(ptr %here, i64 %outer, i64 %size, i64 %count, ptr %buffer, i64 %pitch)
  br label %rest
rest:
  %from = phi i64 [0, %move], [%moved, %bulk]
  call void @single_in(ptr %here, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns, i64 %from, i64 %count,
                       ptr %buffer, i64 %pitch)
  br label %done
done:
  ret void
}
"""

PLACE_AND_FLUSH = """
define internal void @place(ptr %view, ptr %array, i64 %outer, i64 %r, i64 %c, i64 %columns,
                            i64 %start, i64 %count, ptr %buffer, i64 %pitch) noinline {
  %direct = call i1 @inplace(i64 %outer, i64 %count)
  %skip = mul i64 %start, %outer
  %here = getelementptr i8, ptr %array, i64 %skip
  %row = mul i64 %pitch, %columns
  %base = select i1 %direct, ptr %here, ptr %buffer
  %vr = select i1 %direct, i64 %r, i64 %row
  %vc = select i1 %direct, i64 %c, i64 %pitch
  call void @show(ptr %view, ptr %base, i64 %vr, i64 %vc)
  ret void
}

define internal void @flush(ptr %array, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns,
                            i64 %start, i64 %count, ptr %buffer, i64 %pitch) noinline #0 {
entry:
  %skip = mul i64 %start, %outer
  %here = getelementptr i8, ptr %array, i64 %skip
  %direct = call i1 @inplace(i64 %outer, i64 %count)
  br i1 %direct, label %done, label %move
move:
  %adjacent = call i1 @adjacent(i64 %r, i64 %c, i64 %rows, i64 %columns)
  br i1 %adjacent, label %bulk, label %rest
bulk:
  %size = mul i64 %rows, %columns
  %moved = call i64 @bulk_out(ptr %here, i64 %outer, i64 %size, i64 %count, ptr %buffer, i64 %pitch)
  br label %rest
rest:
  %from = phi i64 [0, %move], [%moved, %bulk]
  call void @single_out(ptr %here, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns, i64 %from, i64 %count,
                        ptr %buffer, i64 %pitch)
  br label %done
done:
  ret void
}
"""

SINGLE = """
define internal void @single_{way}(ptr %here, i64 %outer, i64 %r, i64 %c, i64 %rows, i64 %columns,
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


def helpers(width: int) -> str:
    """The copying functions which every batch loop of a module shares."""
    single_in = SINGLE.replace("{way}", "in").replace("{copy}", "\n".join(_gather(width)))
    single_out = SINGLE.replace("{way}", "out").replace("{copy}", "\n".join(_store_one()))
    bulk = [*bulk_copy(width, "in"), *bulk_copy(width, "out")]
    return "\n".join([SHARED.replace("{last}", str(width - 1)), FETCH, PLACE_AND_FLUSH, single_in, single_out, *bulk])


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


def _store_one() -> Iterator[str]:
    yield "  %at = getelementptr double, ptr %inside, i64 %k"
    yield "  %x = load double, ptr %at, align 8"
    yield "  %far = mul i64 %k, %outer"
    yield "  %sink = getelementptr i8, ptr %outside, i64 %far"
    yield "  store double %x, ptr %sink, align 8"
    yield "  %k1 = add i64 %k, 1"
