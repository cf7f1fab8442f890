"""LLVM IR of the small Python of `loops`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from closedchain.kernels.llvm import host, target_machine
from closedchain.kernels.loops import LANES, CannotCompile, Function, constants_of, functions_of

I64, F64, I1 = ir.IntType(64), ir.DoubleType(), ir.IntType(1)
WIDE, MASK = ir.VectorType(F64, LANES), ir.VectorType(I1, LANES)
ORDER = {"bool": 0, "int": 1, "float": 2, "complex": 3}
TYPES = {
    "int": [I64],
    "float": [F64],
    "complex": [F64, F64],
    "mask": [MASK],
    "floats": [WIDE],
    "complexes": [WIDE, WIDE],
}
SIZES = {"int": 1, "float": 1, "complex": 2, "floats": LANES, "complexes": 2 * LANES}  # doubles of one element
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
CONTRACT = ("contract",)  # a product and a sum may be rounded once


@dataclass(frozen=True)
class Value:
    """A number or lanes (one LLVM value, two where complex), or an array with the lengths of its inner axes."""

    kind: str  # bool, int, float, complex, mask, floats, complexes, array, row
    parts: tuple[Any, ...]
    element: str = ""
    axes: tuple[Any, ...] = ()  # LLVM integers


def compile_object(source: str, prefix: str) -> bytes:
    """Native code of a module's functions, with LLVM's usual optimisations."""
    target = host()
    machine = target_machine(target)
    module = llvm.parse_assembly(emit_module(source, target.triple, prefix))
    module.verify()
    options = llvm.PipelineTuningOptions(speed_level=2)
    options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False  # lanes are wide already
    builder = llvm.PassBuilder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def emit_module(source: str, triple: str, prefix: str) -> str:
    """LLVM IR of all functions of a module's text; those without arrays are inlined where LLVM sees fit."""
    module = ir.Module(name=prefix)
    module.triple = triple
    functions, constants = functions_of(source), constants_of(source)
    made = {name: _declare(module, f, prefix) for name, f in functions.items()}
    for function in functions.values():
        _Writer(function, made, functions, constants).write()
    return str(module)


def _declare(module: ir.Module, function: Function, prefix: str) -> ir.Function:
    kinds = []
    for argument in function.arguments:
        number = I64 if argument.kind == "int" else F64
        kinds.append(number if argument.axes is None else ir.PointerType(number))
    returned = {"None": ir.VoidType(), "int": I64, "float": F64}[function.returns]
    made = ir.Function(module, ir.FunctionType(returned, kinds), name=f"{prefix}.{function.name}")
    made.attributes.add("nounwind")
    if any(argument.axes is not None for argument in function.arguments):
        made.attributes.add(
            "noinline"
        )  # one copy of each loop: arrays are known not to overlap, and compiling is short
    for value in made.args:
        if isinstance(value.type, ir.PointerType):
            value.add_attribute("noalias")
    return made


class _Writer:
    """One function's body, statement by statement."""

    def __init__(
        self,
        function: Function,
        made: dict[str, ir.Function],
        functions: dict[str, Function],
        constants: dict[str, float | int],
    ) -> None:
        self.function, self.made, self.functions, self.constants = function, made, functions, constants
        self.target = made[function.name]
        self.b = ir.IRBuilder(self.target.append_basic_block("entry"))
        self.entry = self.b.block
        self.places: dict[str, tuple[str, list[Any]]] = {}  # local name → kind, stack slots
        self.arrays: dict[str, Value] = {}
        self.loops: list[tuple[ir.Block, ir.Block]] = []  # where `continue` and `break` go

    def refuse(self, node: ast.AST, what: str) -> CannotCompile:
        return CannotCompile(f"{self.function.name}, line {getattr(node, 'lineno', '?')}: {what}")

    def write(self) -> None:
        given = list(zip(self.function.arguments, self.target.args, strict=True))
        for argument, value in given:
            if argument.axes is None:
                self.store(argument.name, Value(argument.kind, (value,)))
        for argument, value in given:
            if argument.axes is not None:
                inner = tuple(self.whole(self.evaluate(ast.parse(a, mode="eval").body)) for a in argument.axes)
                self.arrays[argument.name] = Value("array", (value,), argument.kind, inner)
        self.body(self.function.tree.body)
        if not self.b.block.is_terminated:
            self.b.ret_void() if self.function.returns == "None" else self.b.unreachable()

    # Statements ---------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.b.block.is_terminated:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, [self.evaluate(v) for v in values], strict=True):
                    self.assign(target, value)
            case ast.Assign(targets=[target]):
                self.assign(target, self.evaluate(node.value))
            case ast.AugAssign():
                old = self.evaluate(_loaded(node.target))
                self.assign(node.target, self.arithmetic(node.op, old, self.evaluate(node.value), node))
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args)):
                self.count(name, [self.whole(self.evaluate(a)) for a in args], node.body)
            case ast.While():
                self.repeat(node)
            case ast.If():
                self.branch(node)
            case ast.Break():
                self.b.branch(self.loops[-1][1])
            case ast.Continue():
                self.b.branch(self.loops[-1][0])
            case ast.Return(value=None):
                self.b.ret_void()
            case ast.Return(value=ast.expr() as value):
                self.b.ret(self.cast(self.evaluate(value), self.function.returns).parts[0])
            case _:
                raise self.refuse(node, f"{type(node).__name__} is not in the small Python")

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, value)
        elif isinstance(target, ast.Subscript):
            array, address = self.address(target)
            for part, place in zip(self.cast(value, array.element).parts, address, strict=True):
                self.b.store(part, place, align=8)
        else:
            raise self.refuse(target, "only names and elements can be assigned")

    def store(self, name: str, value: Value) -> None:
        kind = "int" if value.kind == "bool" else value.kind
        if name not in self.places:
            with self.b.goto_entry_block():
                self.places[name] = kind, [self.b.alloca(t, name=name) for t in TYPES[kind]]
        held, slots = self.places[name]
        for part, slot in zip(self.cast(value, held).parts, slots, strict=True):
            self.b.store(part, slot)

    def count(self, name: str, bounds: list[Any], statements: Sequence[ast.stmt]) -> None:
        first, last, step = (
            [ir.Constant(I64, 0), *bounds, ir.Constant(I64, 1)] if len(bounds) == 1 else [*bounds, 1][:3]
        )
        step = ir.Constant(I64, 1) if step == 1 else step
        test, inside, onward, after = (self.target.append_basic_block(n) for n in ("for", "in", "next", "after"))
        self.store(name, Value("int", (first,)))
        slot = self.places[name][1][0]
        descending = isinstance(step, ir.Constant) and step.constant < 0
        self.b.branch(test)
        self.b.position_at_end(test)
        self.b.cbranch(self.b.icmp_signed(">" if descending else "<", self.b.load(slot), last), inside, after)
        self.within(inside, onward, after, statements)
        self.b.position_at_end(onward)
        self.b.store(self.b.add(self.b.load(slot), step, flags=("nsw",)), slot)
        self.b.branch(test)
        self.b.position_at_end(after)

    def repeat(self, node: ast.While) -> None:
        test, inside, after = (self.target.append_basic_block(n) for n in ("while", "in", "after"))
        self.b.branch(test)
        self.b.position_at_end(test)
        self.b.cbranch(self.truth(self.evaluate(node.test)), inside, after)
        self.within(inside, test, after, node.body)
        self.b.position_at_end(after)

    def within(self, inside: ir.Block, onward: ir.Block, after: ir.Block, statements: Sequence[ast.stmt]) -> None:
        self.b.position_at_end(inside)
        self.loops.append((onward, after))
        self.body(statements)
        self.loops.pop()
        if not self.b.block.is_terminated:
            self.b.branch(onward)

    def branch(self, node: ast.If) -> None:
        yes, no, after = (self.target.append_basic_block(n) for n in ("then", "else", "after"))
        self.b.cbranch(self.truth(self.evaluate(node.test)), yes, no)
        for block, statements in ((yes, node.body), (no, node.orelse)):
            self.b.position_at_end(block)
            self.body(statements)
            if not self.b.block.is_terminated:
                self.b.branch(after)
        self.b.position_at_end(after)

    # Expressions --------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as value):
                return Value("bool", (ir.Constant(I1, int(value)),))
            case ast.Constant(value=int() as value):
                return Value("int", (ir.Constant(I64, value),))
            case ast.Constant(value=float() as value):
                return Value("float", (ir.Constant(F64, value),))
            case ast.Constant(value=complex() as value):
                return Value("complex", (ir.Constant(F64, value.real), ir.Constant(F64, value.imag)))
            case ast.Name(id=name):
                return self.name(node, name)
            case ast.Subscript():
                array, address = self.address(node)
                if array.kind == "array":
                    return Value(array.element, tuple(self.b.load(a, align=8) for a in address))
                raise self.refuse(node, "a row is only an argument")
            case ast.Attribute(attr="real" | "imag" as part):
                pair = self.cast(self.evaluate(node.value), "complex")
                return Value("float", (pair.parts[part == "imag"],))
            case ast.BinOp():
                return self.arithmetic(node.op, self.evaluate(node.left), self.evaluate(node.right), node)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return self.evaluate(ast.Constant(-number))
            case ast.UnaryOp(op=ast.USub()):
                opposite = self.evaluate(node.operand)
                if opposite.kind == "int":
                    return Value("int", (self.b.neg(opposite.parts[0]),))
                return Value(opposite.kind, tuple(self.b.fneg(p) for p in opposite.parts))
            case ast.UnaryOp(op=ast.Not()):
                return Value("bool", (self.b.not_(self.truth(self.evaluate(node.operand))),))
            case ast.Compare(ops=[op], comparators=[right]):
                return self.compare(COMPARE[type(op)], self.evaluate(node.left), self.evaluate(right))
            case ast.BoolOp():
                return self.both(node)
            case ast.IfExp():
                return self.choice(node)
            case ast.Call():
                return self.call(node)
        raise self.refuse(node, f"{type(node).__name__} is not in the small Python")

    def name(self, node: ast.expr, name: str) -> Value:
        if name in self.places:
            kind, slots = self.places[name]
            return Value(kind, tuple(self.b.load(s) for s in slots))
        if name in self.arrays:
            return self.arrays[name]
        if name in self.constants:
            return self.evaluate(ast.Constant(self.constants[name]))
        raise self.refuse(node, f"{name} has no value here")

    def address(self, node: ast.Subscript) -> tuple[Value, list[Any]]:
        """The array and where its element's parts are; for fewer indices than axes, where the row begins."""
        array = self.evaluate(node.value)
        if array.kind != "array":
            raise self.refuse(node, "only arrays have elements")
        tail = False
        match node.slice:
            case ast.Slice(lower=ast.expr() as first, upper=None, step=None):
                indices, tail = [first], True
            case ast.Tuple(elts=elements):
                indices = elements
            case single:
                indices = [single]
        place = self.whole(self.evaluate(indices[0]))
        for k, length in enumerate(array.axes):
            place = self.b.mul(place, length, flags=("nsw",))
            if k + 1 < len(indices):
                place = self.b.add(place, self.whole(self.evaluate(indices[k + 1])), flags=("nsw",))
        size = SIZES[array.element]
        place = self.b.mul(place, ir.Constant(I64, size), flags=("nsw",)) if size > 1 else place
        start = self.b.gep(array.parts[0], [place])
        if tail or len(indices) <= len(array.axes):
            return Value("row", (start,), array.element, array.axes[len(indices) :]), [start]
        if array.element in ("floats", "complexes"):
            return self.lane_address(array, indices, start)
        second = [self.b.gep(start, [ir.Constant(I64, 1)])] if array.element == "complex" else []
        return array, [start, *second]

    def lane_address(self, array: Value, indices: Sequence[ast.expr], start: Any) -> tuple[Value, list[Any]]:
        """Of an element's lanes, or of one of them where an index more is given."""
        parts = [start]
        if array.element == "complexes":
            parts.append(self.b.gep(start, [ir.Constant(I64, LANES)]))
        if len(indices) == len(array.axes) + 1:
            return array, [self.b.bitcast(p, ir.PointerType(WIDE)) for p in parts]
        lane = self.whole(self.evaluate(indices[-1]))
        single = Value("array", array.parts, array.element[:-1] if len(parts) == 1 else "complex", array.axes)
        return single, [self.b.gep(p, [lane]) for p in parts]

    def arithmetic(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        if a.kind == b.kind == "mask" and isinstance(op, ast.BitAnd | ast.BitOr):
            join = self.b.and_ if isinstance(op, ast.BitAnd) else self.b.or_
            return Value("mask", (join(a.parts[0], b.parts[0]),))
        if "floats" in (a.kind, b.kind) or "complexes" in (a.kind, b.kind):
            return self.lane_arithmetic(op, a, b, node)
        kind = max((a.kind, b.kind, "int"), key=lambda k: ORDER.get(k, 9))
        if kind not in ORDER:
            raise self.refuse(node, "arithmetic is for numbers")
        if isinstance(op, ast.Div) and kind == "int":
            kind = "float"
        if kind == "complex":
            return self.complex_arithmetic(op, a, b, node)
        (x,), (y,) = self.cast(a, kind).parts, self.cast(b, kind).parts
        if isinstance(op, ast.Pow) and b.kind == "int":
            return Value(kind, (self.b.mul(x, x) if kind == "int" else self.b.fmul(x, x, flags=CONTRACT),))
        names = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "//", ast.Mod: "%"}
        name = names.get(type(op), "")
        whole = {"add": self.b.add, "sub": self.b.sub, "mul": self.b.mul, "//": self.b.sdiv, "%": self.b.srem}
        real = {"add": self.b.fadd, "sub": self.b.fsub, "mul": self.b.fmul, "div": self.b.fdiv}
        if kind == "int" and name in whole:
            return Value("int", (whole[name](x, y),))
        if kind == "float" and name in real:
            return Value("float", (real[name](x, y, flags=CONTRACT),))
        raise self.refuse(node, f"{type(op).__name__} of {kind} is not in the small Python")

    def lane_arithmetic(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        """Numbers are repeated in every lane; complex rules are those of numbers."""
        a, b = (self.cast(v, "complexes" if v.kind in ("complex", "complexes") else "floats") for v in (a, b))
        if a.kind == "floats" and b.kind == "complexes" and isinstance(op, ast.Div):
            a = self.cast(a, "complexes")
        if "complexes" in (a.kind, b.kind):
            short = {"floats": "float", "complexes": "complex"}
            made = self.complex_arithmetic(op, Value(short[a.kind], a.parts), Value(short[b.kind], b.parts), node)
            return Value("complexes", made.parts)
        real = {ast.Add: self.b.fadd, ast.Sub: self.b.fsub, ast.Mult: self.b.fmul, ast.Div: self.b.fdiv}
        if type(op) not in real:
            raise self.refuse(node, f"{type(op).__name__} of lanes is not in the small Python")
        return Value("floats", (real[type(op)](a.parts[0], b.parts[0], flags=CONTRACT),))

    def complex_arithmetic(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        if isinstance(op, ast.Add | ast.Sub) and (a.kind == "float") != (b.kind == "float"):
            zero = ir.Constant((a if a.kind == "float" else b).parts[0].type, None)
            a, b = (Value("complex", (*v.parts, zero)) if v.kind == "float" else v for v in (a, b))
        if isinstance(op, ast.Mult | ast.Div) and b.kind != "complex":  # by a real number
            factor = self.cast(b, "float").parts[0]
            scale = self.b.fmul if isinstance(op, ast.Mult) else self.b.fdiv
            return Value("complex", tuple(scale(p, factor, flags=CONTRACT) for p in a.parts))
        if isinstance(op, ast.Mult) and a.kind != "complex":
            return self.complex_arithmetic(op, b, a, node)
        (ar, ai), (br, bi) = self.cast(a, "complex").parts, self.cast(b, "complex").parts
        add, sub, mul = self.add, self.sub, self.mul
        if isinstance(op, ast.Add):
            return Value("complex", (add(ar, br), add(ai, bi)))
        if isinstance(op, ast.Sub):
            return Value("complex", (sub(ar, br), sub(ai, bi)))
        if isinstance(op, ast.Mult):
            return Value("complex", (sub(mul(ar, br), mul(ai, bi)), add(mul(ar, bi), mul(ai, br))))
        if isinstance(op, ast.Div):  # a b̄ / |b|²
            size = add(mul(br, br), mul(bi, bi))
            top = add(mul(ar, br), mul(ai, bi)), sub(mul(ai, br), mul(ar, bi))
            return Value("complex", tuple(self.b.fdiv(t, size, flags=CONTRACT) for t in top))
        raise self.refuse(node, f"{type(op).__name__} of complex numbers is not in the small Python")

    def add(self, x: Any, y: Any) -> Any:
        return self.b.fadd(x, y, flags=CONTRACT)

    def sub(self, x: Any, y: Any) -> Any:
        return self.b.fsub(x, y, flags=CONTRACT)

    def mul(self, x: Any, y: Any) -> Any:
        return self.b.fmul(x, y, flags=CONTRACT)

    def compare(self, sign: str, a: Value, b: Value) -> Value:
        if "floats" in (a.kind, b.kind):
            (x,), (y,) = self.cast(a, "floats").parts, self.cast(b, "floats").parts
            return Value("mask", (self.b.fcmp_ordered(sign, x, y),))
        kind = max((a.kind, b.kind, "int"), key=lambda k: ORDER[k])
        (x,), (y,) = self.cast(a, kind).parts, self.cast(b, kind).parts
        if kind == "int":
            return Value("bool", (self.b.icmp_signed(sign, x, y),))
        made = self.b.fcmp_unordered(sign, x, y) if sign == "!=" else self.b.fcmp_ordered(sign, x, y)
        return Value("bool", (made,))

    def both(self, node: ast.BoolOp) -> Value:
        """`and`, `or`: what follows is looked at only if it matters."""
        all_of = isinstance(node.op, ast.And)
        after = self.target.append_basic_block("after")
        incoming = []
        for item in node.values[:-1]:
            value = self.truth(self.evaluate(item))
            onward = self.target.append_basic_block("and" if all_of else "or")
            incoming.append(self.b.block)
            self.b.cbranch(value, *((onward, after) if all_of else (after, onward)))
            self.b.position_at_end(onward)
        last = self.truth(self.evaluate(node.values[-1]))
        last_block = self.b.block
        self.b.branch(after)
        self.b.position_at_end(after)
        made = self.b.phi(I1)
        for block in incoming:
            made.add_incoming(ir.Constant(I1, 0 if all_of else 1), block)
        made.add_incoming(last, last_block)
        return Value("bool", (made,))

    def choice(self, node: ast.IfExp) -> Value:
        test, a, b = self.truth(self.evaluate(node.test)), self.evaluate(node.body), self.evaluate(node.orelse)
        kind = max((a.kind, b.kind), key=lambda k: ORDER[k])
        pairs = zip(self.cast(a, kind).parts, self.cast(b, kind).parts, strict=True)
        return Value(kind, tuple(self.b.select(test, x, y) for x, y in pairs))

    def call(self, node: ast.Call) -> Value:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self.functions:
            return self.own(node, name)
        values = [self.evaluate(a) for a in node.args]
        if name in ("float", "int", "complex"):
            return self.cast(values[0], name)
        if name == "lanes":
            return self.cast(values[0], "complexes" if values[0].kind == "complex" else "floats")
        if name == "where":
            return self.chosen(*values)
        if name == "some":
            whole = self.b.bitcast(values[0].parts[0], ir.IntType(LANES))
            return Value("bool", (self.b.icmp_unsigned("!=", whole, ir.Constant(whole.type, 0)),))
        if name == "abs2":
            squares = [self.b.fmul(p, p, flags=CONTRACT) for p in values[0].parts]
            kind = "floats" if values[0].kind in ("floats", "complexes") else "float"
            return Value(kind, (squares[0] if len(squares) == 1 else self.b.fadd(*squares, flags=CONTRACT),))
        if name in ("abs", "sqrt") and values[0].kind not in ("complex", "complexes", "mask"):
            kind = "floats" if values[0].kind == "floats" else "float"
            (x,) = self.cast(values[0], kind).parts
            return Value(kind, (self.intrinsic("fabs" if name == "abs" else "sqrt", x),))
        if name in ("min", "max") and len(values) == 2:
            test = self.compare("<" if name == "min" else ">", *values).parts[0]
            kind = max((v.kind for v in values), key=lambda k: ORDER[k])
            (x,), (y,) = (self.cast(v, kind).parts for v in values)
            return Value(kind, (self.b.select(test, x, y),))
        if name == "conj":
            return Value("complex", (values[0].parts[0], self.b.fneg(values[0].parts[1])))
        raise self.refuse(node, f"{ast.unparse(node.func)} cannot be called here")

    def chosen(self, mask: Value, a: Value, b: Value) -> Value:
        """`where`: lane by lane."""
        kind = "complexes" if {"complex", "complexes"} & {a.kind, b.kind} else "floats"
        pairs = zip(self.cast(a, kind).parts, self.cast(b, kind).parts, strict=True)
        return Value(kind, tuple(self.b.select(mask.parts[0], x, y) for x, y in pairs))

    def own(self, node: ast.Call, name: str) -> Value:
        """A function of the same module."""
        callee = self.functions[name]
        parts: list[Any] = []
        for argument, wanted in zip(node.args, callee.arguments, strict=True):
            if wanted.axes is None:
                parts += self.cast(self.evaluate(argument), wanted.kind).parts
            elif isinstance(argument, ast.Subscript):
                parts.append(self.address(argument)[1][0])
            else:
                parts.append(self.evaluate(argument).parts[0])
        made = self.b.call(self.made[name], parts)
        return Value(callee.returns, (made,))

    def intrinsic(self, name: str, x: Any) -> Any:
        module = self.target.module
        called = f"llvm.{name}.{'f64' if x.type == F64 else f'v{LANES}f64'}"
        function = module.globals.get(called) or ir.Function(module, ir.FunctionType(x.type, [x.type]), called)
        return self.b.call(function, [x])

    def cast(self, value: Value, kind: str) -> Value:
        if value.kind == kind or (value.kind, kind) == ("int", "bool"):
            return value
        if value.kind == "bool":
            return self.cast(Value("int", (self.b.zext(value.parts[0], I64),)), kind)
        if (value.kind, kind) == ("int", "float"):
            return Value("float", (self.b.sitofp(value.parts[0], F64),))
        if (value.kind, kind) == ("float", "int"):
            return Value("int", (self.b.fptosi(value.parts[0], I64),))
        if kind == "complex":
            return Value("complex", (*self.cast(value, "float").parts, ir.Constant(F64, 0.0)))
        if kind == "complexes" and value.kind in ("complex", "floats", "float", "int"):
            parts = value.parts if value.kind == "complex" else self.cast(value, "floats").parts
            wide = [p if p.type == WIDE else self.repeated(p) for p in parts]
            return Value("complexes", (*wide, ir.Constant(WIDE, None))[:2])
        if kind == "floats" and value.kind in ("float", "int"):
            return Value("floats", (self.repeated(self.cast(value, "float").parts[0]),))
        raise CannotCompile(f"{self.function.name}: a {value.kind} stands where a {kind} is needed")

    def repeated(self, x: Any) -> Any:
        """A double in every lane."""
        one = self.b.insert_element(ir.Constant(WIDE, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
        order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.b.shuffle_vector(one, ir.Constant(WIDE, ir.Undefined), order)

    def whole(self, value: Value) -> Any:
        return self.cast(value, "int").parts[0]

    def truth(self, value: Value) -> Any:
        return (
            value.parts[0] if value.kind == "bool" else self.b.icmp_signed("!=", self.whole(value), ir.Constant(I64, 0))
        )


def _loaded(node: ast.expr) -> ast.expr:
    """A target of an assignment, as an expression."""
    if isinstance(node, ast.Subscript):
        return ast.copy_location(ast.Subscript(node.value, node.slice, ast.Load()), node)
    return node
