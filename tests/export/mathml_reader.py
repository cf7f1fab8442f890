"""A reader of MathML that knows nothing of how it was made: names, and what an element is worth."""

import math
import unicodedata

M = "{http://www.w3.org/1998/Math/MathML}"
FUNCTIONS = {
    name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "exp")
}
FUNCTIONS |= {"ln": math.log}
CONSTANTS = {"π": math.pi}
SIGNS = {"−": "-", "\u2062": "*", "×": "*"}


def kind(node):
    """mi, mo, …"""
    return node.tag.removeprefix(M)


def name(node):
    """A symbol as it is typed, without underscores: theta1, mp, q1 and q1. for its rate; None for anything else."""
    if kind(node) == "mi" and node.text not in FUNCTIONS and node.text not in CONSTANTS:
        return "".join(c if c.isascii() else unicodedata.name(c).split()[-1].lower() for c in node.text)
    if kind(node) == "mover":
        return f"{name(node[0])}."
    if kind(node) in ("msub", "msubsup") and name(node[0]):
        base, index = name(node[0]), "".join(node[1].itertext())
        return base.removesuffix(".") + index.replace("_", "") + "." * base.endswith(".")
    return None


def names(node):
    """Every symbol below a node."""
    if name(node):
        powers = [node[2]] if kind(node) == "msubsup" else []
        return {name(node)}.union(*map(names, powers))
    return set().union(*map(names, node))


def value(node, values):
    """What a node is worth."""
    tokens = list(_tokens(node, values))
    result = _sum(tokens, values)
    assert tokens == [], tokens
    return result


def _tokens(node, values):
    """Numbers, functions, signs, and ("^", power) for what comes before it."""
    if kind(node) == "msubsup" and name(node):
        yield from (values[name(node)], ("^", value(node[2], values)))
    elif name(node):
        yield values[name(node)]
    elif kind(node) == "mi":
        yield FUNCTIONS[node.text] if node.text in FUNCTIONS else CONSTANTS[node.text]
    elif kind(node) == "mn":
        yield float(node.text)
    elif kind(node) == "mo":
        if node.text != "\u2061":
            yield SIGNS.get(node.text, node.text)
    elif kind(node) == "mfrac":
        yield value(node[0], values) / value(node[1], values)
    elif kind(node) == "msqrt":
        yield math.sqrt(_sum([t for child in node for t in _tokens(child, values)], values))
    elif kind(node) == "msup":
        yield from (*_tokens(node[0], values), ("^", value(node[1], values)))
    elif kind(node) != "mspace":
        assert kind(node) in ("math", "mrow", "mtable", "mtr", "mtd"), kind(node)
        for child in node:
            yield from _tokens(child, values)


def _sum(tokens, values):
    total = -_product(_rest(tokens), values) if tokens[0] == "-" else _product(tokens, values)
    while tokens and tokens[0] in ("+", "-"):
        sign = 1 if tokens.pop(0) == "+" else -1
        total += sign * _product(tokens, values)
    return total


def _rest(tokens):
    tokens.pop(0)
    return tokens


def _product(tokens, values):
    product = _power(tokens, values)
    while tokens and tokens[0] == "*":
        product *= _power(_rest(tokens), values)
    return product


def _power(tokens, values):
    base = tokens.pop(0)
    if callable(base):
        power = tokens.pop(0)[1] if isinstance(tokens[0], tuple) else 1.0
        return base(*_bracketed(_rest(tokens), values, ")")) ** power
    if base in ("(", "|"):
        (inner,) = _bracketed(tokens, values, {"(": ")", "|": "|"}[base])
        base = abs(inner) if base == "|" else inner
    return base ** tokens.pop(0)[1] if tokens and isinstance(tokens[0], tuple) else base


def _bracketed(tokens, values, closing):
    found = [_sum(tokens, values)]
    while tokens[0] == ",":
        found.append(_sum(_rest(tokens), values))
    assert tokens.pop(0) == closing
    return found
