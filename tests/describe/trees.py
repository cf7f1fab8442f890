"""Arithmetic as plain nested tuples, for Hypothesis, with an interpreter that shares nothing with the package."""

from typing import Any

import mpmath
from hypothesis import strategies as st

from closedchain.describe.expressions import Expr, Symbol, apply, expr

NAMES = ("a", "b", "c")
SMOOTH = ("sin", "cos", "tanh", "atan", "exp")

leaves = st.one_of(st.sampled_from(NAMES), st.integers(-3, 4), st.sampled_from([0.5, 0.25, -1.75]))


def branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Sums, products, quotients by 1 + u², whole powers, and smooth functions of bounded arguments."""
    return st.one_of(
        st.tuples(st.sampled_from("+-*"), inner, inner),
        st.tuples(st.just("/1+"), inner, inner),
        st.tuples(st.just("neg"), inner),
        st.tuples(st.just("**"), inner, st.integers(0, 3)),
        st.tuples(st.sampled_from(SMOOTH), inner),
        st.tuples(st.just("sqrt1+"), inner),
        st.tuples(st.just("atan21+"), inner, inner),
    )


trees = st.recursive(leaves, branches, max_leaves=10)


def build(tree: Any) -> Expr:
    """The tree with the package's expressions."""
    if isinstance(tree, str):
        return Symbol(tree)
    if isinstance(tree, int | float):
        return expr(tree)
    op, *args = tree
    if op == "**":
        return build(args[0]) ** args[1]
    values = [build(a) for a in args]
    match op:
        case "+":
            return values[0] + values[1]
        case "-":
            return values[0] - values[1]
        case "*":
            return values[0] * values[1]
        case "/1+":
            return values[0] / (1 + values[1] ** 2)
        case "neg":
            return -values[0]
        case "exp":
            return apply("exp", apply("sin", values[0]))
        case "sqrt1+":
            return apply("sqrt", 1 + values[0] ** 2)
        case "atan21+":
            return apply("atan2", values[0], 1 + values[1] ** 2)
    return apply(op, *values)


def value(tree: Any, at: dict[str, mpmath.mpf]) -> mpmath.mpf:
    """The tree with mpmath's numbers."""
    if isinstance(tree, str):
        return at[tree]
    if isinstance(tree, int | float):
        return mpmath.mpf(tree)
    op, *args = tree
    if op == "**":
        return value(args[0], at) ** args[1]
    u, *v = [value(a, at) for a in args]
    table = {
        "+": lambda: u + v[0],
        "-": lambda: u - v[0],
        "*": lambda: u * v[0],
        "/1+": lambda: u / (1 + v[0] ** 2),
        "neg": lambda: -u,
        "exp": lambda: mpmath.exp(mpmath.sin(u)),
        "sqrt1+": lambda: mpmath.sqrt(1 + u**2),
        "atan21+": lambda: mpmath.atan2(u, 1 + v[0] ** 2),
    }
    return table[op]() if op in table else getattr(mpmath, op)(u)
