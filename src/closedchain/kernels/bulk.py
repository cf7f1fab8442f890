"""LLVM IR that copies whole vectors of states whose elements lie side by side, by shuffles instead of one by one."""

from __future__ import annotations

from collections.abc import Iterator


def bulk_copy(width: int, way: str) -> Iterator[str]:
    """`@bulk_in`, `@bulk_out`: copy whole vectors of states, return how many states that was."""
    cases = " ".join(f"i64 {n}, label %few{n}" for n in range(2, width))
    given = "ptr %here, i64 %outer, i64 %size, i64 %count, ptr %buffer, i64 %pitch"
    yield f"define internal i64 @bulk_{way}({given}) noinline #0 {{"
    yield "entry:"
    yield f"  %full = and i64 %count, {-width}"
    yield "  %none = icmp eq i64 %full, 0"
    yield "  br i1 %none, label %nothing, label %choose"
    yield "choose:"
    yield f"  %few = icmp ult i64 %size, {width}"
    yield "  br i1 %few, label %flat, label %wide"
    yield "flat:"
    yield "  %bytes = mul i64 %size, 8"
    yield "  %packed = icmp eq i64 %outer, %bytes"
    yield "  br i1 %packed, label %pick, label %nothing"
    yield "pick:"
    yield f"  switch i64 %size, label %nothing [{cases}]"
    for n in range(2, width):
        yield from _few(width, n, way)
    yield from _wide(width, way)
    yield "all:"
    yield "  ret i64 %full"
    yield "nothing:"
    yield "  ret i64 0"
    yield "}"


def _few(width: int, n: int, way: str) -> Iterator[str]:
    """States of n < width elements, all side by side: n·width doubles are shuffled at a time."""
    v, flat, tag = f"<{width} x double>", f"<{n * width} x double>", f"f{n}"
    yield f"few{n}:"
    yield f"  %{tag}.k = phi i64 [0, %pick], [%{tag}.k1, %few{n}]"
    yield f"  %{tag}.skip = mul i64 %{tag}.k, {n}"
    yield f"  %{tag}.outside = getelementptr double, ptr %here, i64 %{tag}.skip"
    for e in range(n):
        yield f"  %{tag}.row{e} = mul i64 %pitch, {e}"
        yield f"  %{tag}.base{e} = getelementptr i8, ptr %buffer, i64 %{tag}.row{e}"
        yield f"  %{tag}.inside{e} = getelementptr double, ptr %{tag}.base{e}, i64 %{tag}.k"
    if way == "in":
        yield f"  %{tag}.x = load {flat}, ptr %{tag}.outside, align 8"
        for e in range(n):
            mask = _mask([lane * n + e for lane in range(width)])
            yield f"  %{tag}.e{e} = shufflevector {flat} %{tag}.x, {flat} poison, {mask}"
            yield f"  store {v} %{tag}.e{e}, ptr %{tag}.inside{e}, align 8"
    else:
        yield from (f"  %{tag}.e{e} = load {v}, ptr %{tag}.inside{e}, align 8" for e in range(n))
        yield from _joined(width, n, tag)
        mask = _mask([(i % n) * width + i // n for i in range(n * width)])
        yield f"  %{tag}.y = shufflevector {flat} %{tag}.j{n - 1}, {flat} poison, {mask}"
        yield f"  store {flat} %{tag}.y, ptr %{tag}.outside, align 8"
    yield f"  %{tag}.k1 = add i64 %{tag}.k, {width}"
    yield f"  %{tag}.more = icmp ult i64 %{tag}.k1, %full"
    yield f"  br i1 %{tag}.more, label %few{n}, label %all"


def _joined(width: int, n: int, tag: str) -> Iterator[str]:
    """%<tag>.j<n−1>: the n vectors %<tag>.e end to end."""
    before = f"%{tag}.e0"
    for e in range(1, n):
        have = f"<{e * width} x double>"
        mask = _mask([min(i, width - 1) for i in range(e * width)])
        yield f"  %{tag}.w{e} = shufflevector <{width} x double> %{tag}.e{e}, <{width} x double> poison, {mask}"
        end_to_end = _mask(list(range((e + 1) * width)))
        yield f"  %{tag}.j{e} = shufflevector {have} {before}, {have} %{tag}.w{e}, {end_to_end}"
        before = f"%{tag}.j{e}"


def _wide(width: int, way: str) -> Iterator[str]:
    """States of at least `width` adjacent elements: squares are transposed; the last column of squares may overlap."""
    v = f"<{width} x double>"
    yield "wide:"
    yield f"  %last = sub i64 %size, {width}"
    yield "  br label %columns"
    yield "columns:"
    yield "  %c = phi i64 [0, %wide], [%c2, %next]"
    yield "  %cw = mul i64 %c, %pitch"
    yield "  %inside = getelementptr i8, ptr %buffer, i64 %cw"
    yield "  %outside = getelementptr double, ptr %here, i64 %c"
    yield "  br label %states"
    yield "states:"
    yield "  %k = phi i64 [0, %columns], [%k1, %states]"
    for m in range(width):
        yield f"  %k.{m} = add i64 %k, {m}"
        yield f"  %far.{m} = mul i64 %k.{m}, %outer"
        yield f"  %o.{m} = getelementptr i8, ptr %outside, i64 %far.{m}"
        yield f"  %row.{m} = mul i64 %pitch, {m}"
        yield f"  %base.{m} = getelementptr i8, ptr %inside, i64 %row.{m}"
        yield f"  %i.{m} = getelementptr double, ptr %base.{m}, i64 %k"
    source, sink = ("o", "i") if way == "in" else ("i", "o")
    yield from (f"  %x0.{m} = load {v}, ptr %{source}.{m}, align 8" for m in range(width))
    yield from _transposed(width)
    yield from (f"  store {v} %x{width}.{m}, ptr %{sink}.{m}, align 8" for m in range(width))
    yield f"  %k1 = add i64 %k, {width}"
    yield "  %more = icmp ult i64 %k1, %full"
    yield "  br i1 %more, label %states, label %next"
    yield "next:"
    yield f"  %c1 = add i64 %c, {width}"
    yield "  %over = icmp ugt i64 %c1, %last"
    yield "  %c2 = select i1 %over, i64 %last, i64 %c1"
    yield "  %end = icmp eq i64 %c, %last"
    yield "  br i1 %end, label %all, label %columns"


def _transposed(width: int) -> Iterator[str]:
    """%x<width>.m: columns of the square whose rows are %x0.m, by exchanging ever larger blocks (Eklundh)."""
    v, before, s = f"<{width} x double>", 0, 1
    while s < width:
        after = width if 2 * s == width else s
        for m in (m for m in range(width) if not m & s):
            pair = f"{v} %x{before}.{m}, {v} %x{before}.{m + s}"
            upper = [j if not j & s else width + j - s for j in range(width)]
            lower = [j + s if not j & s else width + j for j in range(width)]
            yield f"  %x{after}.{m} = shufflevector {pair}, {_mask(upper)}"
            yield f"  %x{after}.{m + s} = shufflevector {pair}, {_mask(lower)}"
        before, s = after, 2 * s
    if width == 1:
        yield f"  %x1.0 = bitcast {v} %x0.0 to {v}"


def _mask(lanes: list[int]) -> str:
    return f"<{len(lanes)} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>"
