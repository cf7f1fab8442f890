"""LLVM IR of a program for one state, called from C, and of the Python function that calls it.

The Python function serves every program: what differs from one to the next stands in the block of words that its
`self` holds (fastcall.py). So object code stays free of addresses and can be kept on disk.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

from closedchain.kernels.block import INSIDE, Argument, Array, Block, Result
from closedchain.kernels.ir import end_to_end, literal
from closedchain.kernels.program import Program
from closedchain.kernels.signature import symbol

FASTCALL = "closedchain_fastcall"
WHOLE, DOUBLE = 0x101, 12  # NumPy's flags C-contiguous and aligned; its number for double


def single_symbol(name: str) -> str:
    """The name of a program's machine code for one state."""
    return f"{symbol(name)}.one"


def single_state(program: Program) -> str:
    """`bool @<symbol>.one(double *in[], double out[])`: all outputs end to end; whether everything is finite."""
    code = end_to_end(program)
    opening = f"define i1 @{single_symbol(program.name)}(ptr %in, ptr %out) #0 {{"
    finite = _all_finite(program, [code.value(r) for r in dict.fromkeys(program.results)])
    return "\n".join([opening, *code.lines, *finite, "}", ""])


def _all_finite(program: Program, results: Sequence[str]) -> Iterator[str]:
    """Σ (x − x) over inputs and results, in pairs, is 0 or NaN."""
    terms = []
    for operand, o in enumerate(program.inputs):
        for element in range(o.size):
            tag = f"{operand}.{element}"
            yield f"  %c{tag} = getelementptr double, ptr %in{operand}, i64 {element}"
            yield f"  %g{tag} = load <1 x double>, ptr %c{tag}"
            terms.append(f"%g{tag}")
    terms += results
    for k, term in enumerate(terms):
        yield f"  %z0.{k} = fsub <1 x double> {term}, {term}"
    level, count = 0, len(terms)
    while count > 1:
        for k in range(count // 2):
            yield f"  %z{level + 1}.{k} = fadd <1 x double> %z{level}.{2 * k}, %z{level}.{2 * k + 1}"
        if count % 2:
            last = f"%z{level + 1}.{count // 2}"
            yield f"  {last} = fadd <1 x double> %z{level}.{count - 1}, {literal(0.0, 1)}"
        level, count = level + 1, (count + 1) // 2
    yield f"  %total = extractelement <1 x double> %z{level}.0, i32 0"
    yield "  %finite = fcmp oeq double %total, 0.0"
    yield "  ret i1 %finite"


def _word(name: str, kind: str = "ptr") -> str:
    """Lines that read a field of the block into %<name>."""
    place = f"  %at.{name} = getelementptr i8, ptr %block, i64 {getattr(Block, name).offset}\n"
    return f"{place}  %{name} = load {kind}, ptr %at.{name}\n"


def _field(of: str, structure: type, name: str, kind: str = "i64") -> str:
    """Lines that read a field of a structure at %<of> into %<of>.<name>."""
    place = f"  %at.{of}.{name} = getelementptr i8, ptr %{of}, i64 {getattr(structure, name).offset}\n"
    return f"{place}  %{of}.{name} = load {kind}, ptr %at.{of}.{name}\n"


def fastcall() -> str:
    """`PyObject *@closedchain_fastcall(PyObject *self, PyObject *const *args, Py_ssize_t n)`, and what makes results.

    Arrays exactly as expected are read where they lie; anything else, a result that is not finite, or a guard at or
    below its tolerance goes to the fallback with the same arguments.
    """
    return _MAKE + _CALL


_MAKE = f"""
define internal ptr @closedchain.make(ptr %block, ptr %result, ptr %out) #0 {{
entry:
{_field("result", Result, "first")}{_field("result", Result, "size")}{_field("result", Result, "ndim")}
  %source = getelementptr double, ptr %out, i64 %result.first
  %number = icmp slt i64 %result.ndim, 0
  br i1 %number, label %float, label %array
float:
{_word("new_float")}
  %x = load double, ptr %source
  %made = call ptr %new_float(double %x)
  ret ptr %made
array:
{_word("new_array")}{_word("array_type")}
  %ndim = trunc i64 %result.ndim to i32
  %dims = getelementptr i8, ptr %result, i64 {Result.dims.offset}
  %new = call ptr %new_array(ptr %array_type, i32 %ndim, ptr %dims, i32 {DOUBLE}, ptr null, ptr null, i32 0, i32 0,
                             ptr null)
  %failed = icmp eq ptr %new, null
  %none = icmp eq i64 %result.size, 0
  %over = or i1 %failed, %none
  br i1 %over, label %end, label %fill
fill:
{_field("new", Array, "data", "ptr")}
  br label %copy
copy:
  %k = phi i64 [0, %fill], [%k1, %copy]
  %from = getelementptr double, ptr %source, i64 %k
  %y = load double, ptr %from
  %to = getelementptr double, ptr %new.data, i64 %k
  store double %y, ptr %to
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %result.size
  br i1 %more, label %copy, label %end
end:
  ret ptr %new
}}
"""

_CALL = f"""
define ptr @{FASTCALL}(ptr %self, ptr %args, i64 %n) #0 {{
entry:
  %block = getelementptr i8, ptr %self, i64 {INSIDE}
{_word("arguments", "i64")}{_word("inputs", "i64")}{_word("outputs", "i64")}{_word("inputs_at", "i64")}
{_word("arguments_at", "i64")}{_word("array_type")}{_word("double")}
  %places = add i64 %inputs, 1
  %in = alloca ptr, i64 %places
  %values = add i64 %outputs, 1
  %out = alloca double, i64 %values
  %bound = getelementptr i8, ptr %block, i64 %inputs_at
  %expected = getelementptr i8, ptr %block, i64 %arguments_at
  %last = getelementptr double, ptr %out, i64 %outputs
  store double 1.0, ptr %last
  br label %bind
bind:
  %b = phi i64 [0, %entry], [%b1, %bind]
  %b.from = getelementptr ptr, ptr %bound, i64 %b
  %b.value = load ptr, ptr %b.from
  %b.to = getelementptr ptr, ptr %in, i64 %b
  store ptr %b.value, ptr %b.to
  %b1 = add i64 %b, 1
  %b.more = icmp ult i64 %b1, %places
  br i1 %b.more, label %bind, label %count
count:
  %all = icmp eq i64 %n, %arguments
  br i1 %all, label %begin, label %otherwise
begin:
  %any = icmp ne i64 %n, 0
  br i1 %any, label %check, label %run
check:
  %a = phi i64 [0, %begin], [%a1, %accept]
  %a.at = getelementptr ptr, ptr %args, i64 %a
  %given = load ptr, ptr %a.at
  %far = mul i64 %a, {ctypes.sizeof(Argument)}
  %want = getelementptr i8, ptr %expected, i64 %far
{_field("given", Array, "type", "ptr")}
  %right = icmp eq ptr %given.type, %array_type
  br i1 %right, label %inside, label %otherwise
inside:
{_field("given", Array, "descr", "ptr")}{_field("given", Array, "flags", "i32")}{_field("given", Array, "nd", "i32")}
{_field("given", Array, "dims", "ptr")}{_field("given", Array, "data", "ptr")}{_field("want", Argument, "ndim")}
{_field("want", Argument, "rows")}{_field("want", Argument, "columns")}{_field("want", Argument, "slot")}
  %double.given = icmp eq ptr %given.descr, %double
  %both = and i32 %given.flags, {WHOLE}
  %whole = icmp eq i32 %both, {WHOLE}
  %axes = sext i32 %given.nd to i64
  %shaped = icmp eq i64 %axes, %want.ndim
  %ok1 = and i1 %double.given, %whole
  %ok2 = and i1 %ok1, %shaped
  br i1 %ok2, label %first, label %otherwise
first:
  %point = icmp eq i64 %axes, 0
  br i1 %point, label %accept, label %rows
rows:
  %d0 = load i64, ptr %given.dims
  %same0 = icmp eq i64 %d0, %want.rows
  br i1 %same0, label %second, label %otherwise
second:
  %line = icmp eq i64 %axes, 1
  br i1 %line, label %accept, label %columns
columns:
  %p1 = getelementptr i64, ptr %given.dims, i64 1
  %d1 = load i64, ptr %p1
  %same1 = icmp eq i64 %d1, %want.columns
  br i1 %same1, label %accept, label %otherwise
accept:
  %slot = getelementptr ptr, ptr %in, i64 %want.slot
  store ptr %given.data, ptr %slot
  %a1 = add i64 %a, 1
  %a.more = icmp ult i64 %a1, %n
  br i1 %a.more, label %check, label %run
run:
{_word("kernel")}{_word("guard", "i64")}{_word("tolerance", "double")}
  %finite = call i1 %kernel(ptr %in, ptr %out)
  %at.margin = getelementptr double, ptr %out, i64 %guard
  %margin = load double, ptr %at.margin
  %safe = fcmp ogt double %margin, %tolerance
  %good = and i1 %finite, %safe
  br i1 %good, label %make, label %otherwise
make:
{_word("results", "i64")}{_word("results_at", "i64")}{_word("tuples", "i64")}{_word("tuple_type")}
  %described = getelementptr i8, ptr %block, i64 %results_at
  %alone = icmp eq i64 %tuples, 0
  br i1 %alone, label %one, label %several
one:
  %only = call ptr @closedchain.make(ptr %block, ptr %described, ptr %out)
  ret ptr %only
several:
{_word("set_item")}
  %plain = icmp eq ptr %tuple_type, null
  br i1 %plain, label %plainly, label %typed
plainly:
{_word("new_tuple")}
  %tuple.plain = call ptr %new_tuple(i64 %results)
  br label %open
typed:
{_word("allocate")}
  %tuple.typed = call ptr %allocate(ptr %tuple_type, i64 %results)
  br label %open
open:
  %tuple = phi ptr [%tuple.plain, %plainly], [%tuple.typed, %typed]
  %full = icmp eq ptr %tuple, null
  br i1 %full, label %give, label %item
item:
  %j = phi i64 [0, %open], [%j1, %put]
  %j.far = mul i64 %j, {ctypes.sizeof(Result)}
  %result = getelementptr i8, ptr %described, i64 %j.far
  %made = call ptr @closedchain.make(ptr %block, ptr %result, ptr %out)
  %lost = icmp eq ptr %made, null
  br i1 %lost, label %undo, label %put
put:
  %ignored = call i32 %set_item(ptr %tuple, i64 %j, ptr %made)
  %j1 = add i64 %j, 1
  %j.more = icmp ult i64 %j1, %results
  br i1 %j.more, label %item, label %give
give:
  ret ptr %tuple
undo:
{_word("release")}
  call void %release(ptr %tuple)
  ret ptr null
otherwise:
{_word("vectorcall")}{_word("fallback")}
  %general = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %n, ptr null)
  ret ptr %general
}}
"""
