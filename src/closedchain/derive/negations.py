"""One value for an expression and its negative: working modes often differ by signs alone.

Every value is held as ± a stored one. a·(−b) = −(a·b), |−a| = |a|, (−a) + (−b) = −(a + b) and b − a = −(a − b) hold to
the bit in IEEE arithmetic, but for the sign of a zero; so programs that ask for that sign are left as they are.
(Dividing by an exact zero asks for it, too: there an infinity may change its sign.)
"""

from __future__ import annotations

from closedchain.kernels.build import Builder
from closedchain.kernels.program import Program

ASKS_SIGN_OF_ZERO = frozenset({"copysign", "atan2"})
Signed = tuple[bool, int]  # whether negative, and the number of the stored value


def share_negations(program: Program) -> Program:
    """The same program with each expression computed for one of its two signs."""
    if any(line.op in ASKS_SIGN_OF_ZERO for line in program.code):
        return program
    builder, held = Builder(), list[Signed]()
    pairs: dict[tuple[int, int], int] = {}  # (a, b) → the stored a − b
    for line in program.code:
        if line.op == "const":
            held.append((line.value < 0.0, builder.const(abs(line.value))))
        elif line.op == "input":
            held.append((False, builder.input(*line.args)))
        elif line.op == "neg":
            negative, number = held[line.args[0]]
            held.append((not negative, number))
        elif line.op in ("add", "sub"):
            (n1, a), (n2, b) = (held[k] for k in line.args)
            held.append(_sum(builder, pairs, n1, a, n2 ^ (line.op == "sub"), b))
        elif line.op in ("mul", "div"):
            (n1, a), (n2, b) = (held[k] for k in line.args)
            held.append((n1 ^ n2, builder.emit(line.op, a, b)))
        elif line.op == "abs":
            held.append((False, builder.emit("abs", held[line.args[0]][1])))
        elif line.op == "select":
            held.append(_select(builder, *(held[k] for k in line.args)))
        else:
            held.append((False, builder.emit(line.op, *(_plain(builder, held[k]) for k in line.args))))
    results = [_plain(builder, held[r]) for r in program.results]
    return builder.finish(program.name, program.inputs, program.outputs, results)


def _sum(builder: Builder, pairs: dict[tuple[int, int], int], n1: bool, a: int, n2: bool, b: int) -> Signed:
    """± a ± b as ± (a + b) or ± (a − b), the difference in the order in which it was first asked for."""
    if n1 == n2:
        return n1, builder.emit("add", a, b)
    if (b, a) in pairs:
        return n2, pairs[b, a]
    pairs[a, b] = builder.emit("sub", a, b)
    return n1, pairs[a, b]


def _select(builder: Builder, condition: Signed, a: Signed, b: Signed) -> Signed:
    """Both choices with one sign in front where they have it, or where one of them is zero."""
    zero = builder.const(0.0)
    if a[0] == b[0] or b[1] == zero:
        return a[0], builder.emit("select", condition[1], a[1], b[1])
    if a[1] == zero:
        return b[0], builder.emit("select", condition[1], a[1], b[1])
    return False, builder.emit("select", condition[1], _plain(builder, a), _plain(builder, b))


def _plain(builder: Builder, value: Signed) -> int:
    return builder.emit("neg", value[1]) if value[0] else value[1]
