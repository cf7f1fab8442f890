"""`solve direct --polynomial`: the polynomial of a plate on three legs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import coordinates, vector
from closedchain.model.model import Model
from closedchain.model.plate_polynomial import angle_polynomials


def polynomials(model: Model, args: Arguments) -> dict[str, Any]:
    """That of each plate, with its roots as pairs (real, imaginary), where it was asked for."""
    if args.kind != "direct" or not args.polynomial:
        return {}
    found = angle_polynomials(model, vector(args.q, "--q", coordinates(model.equations.q)) or ())
    if not found:
        why = "no plate on three legs, whose angle would be a root of a polynomial"
        raise Usage(f"{model.name} has {why}; leave --polynomial out")
    rows = [
        {
            "plate": one.plate,
            "variable": f"tan({one.angle} / 2)",
            "degree": one.degree,
            "coefficients": one.coefficients,
            "roots": np.stack([one.roots.real, one.roots.imag], axis=-1),
        }
        for one in found
    ]
    return {"polynomials": rows}


def polynomials_text(model: Model, args: Arguments) -> str:
    """Coefficients and roots for people, on lines of their own."""
    return "".join(f"\n{_text(one)}" for one in polynomials(model, args).get("polynomials", ()))


def _text(one: dict[str, Any]) -> str:
    top = len(one["coefficients"]) - 1
    lines = [f"{one['plate']}: the roots t = {one['variable']} of a polynomial of degree {one['degree']}"]
    lines += [f"  t^{top - k}  {c:+.15g}" for k, c in enumerate(one["coefficients"])]
    angles = (f"   {2 * math.atan(re):+.12f} rad" if im == 0 else "" for re, im in one["roots"])
    roots = (f"{re:+.12f}" + (f" {im:+.12f} i" if im else "") for re, im in one["roots"])
    return "\n".join([*lines, *(f"  root {root}{angle}" for root, angle in zip(roots, angles, strict=True))])
