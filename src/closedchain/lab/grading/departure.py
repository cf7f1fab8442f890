"""Where answers depart from the right ones, when no known mistake explains them."""

from __future__ import annotations

import numpy as np

from closedchain.lab.grading.comparing import TOLERANCE, Comparison
from closedchain.lab.grading.signatures import Signature

FIRST = ("dkm", "ikm", "dkm_passive")
CONSTANT = 1e-6  # how constant a ratio is that is reported as one


def describe(signature: Signature, found: Comparison) -> tuple[str, ...]:
    """What can be said of the wrong answers: which outputs, which modes, which ratio, when moving."""
    rows = found.cases.reachable & found.answers.finite
    if not rows.any():
        return ()
    return tuple(
        filter(None, (_outputs(signature, found), _modes(found), _ratio(signature, found), _rest(signature, found)))
    )


def _outputs(signature: Signature, found: Comparison) -> str:
    rows = found.cases.reachable & found.answers.finite
    bad = np.abs(found.errors[rows]) > TOLERANCE * (np.abs(found.expected[rows]) + found.scale)
    names = [name for name, wrong in zip(signature.outputs, bad.any(axis=0), strict=True) if wrong]
    if not names or len(names) == len(signature.outputs):
        return ""
    good = [name for name in signature.outputs if name not in names]
    return f"{_list(names)} {_is(names)} wrong; {_list(good)} {_is(good)} right everywhere."


def _modes(found: Comparison) -> str:
    """Assembly or working modes in which everything is right: whichever parts right from wrong more sharply."""
    words = {0.0: ""}  # by the share of wrong answers in the modes that are not all right
    for which, what in ((1, "with (gamma1, gamma2) ="), (0, "in assembly mode")):
        by: dict[str, list[bool]] = {}
        for mode, right, reachable in zip(found.cases.modes, found.right, found.cases.reachable, strict=True):
            if reachable:
                by.setdefault(mode[which], []).append(bool(right))
        good = sorted(mode for mode, flags in by.items() if all(flags))
        bad = {mode: flags for mode, flags in by.items() if mode not in good}
        if good and bad:
            share = 1.0 - float(np.mean([right for flags in bad.values() for right in flags]))
            words[share] = f"Right {what} {_list(good)}, wrong {what.split()[0]} {_list(sorted(bad))}."
    return words[max(words)]


def _ratio(signature: Signature, found: Comparison) -> str:
    """Outputs that are a constant times what they should be, or more by a constant."""
    rows = found.cases.reachable & found.answers.finite & ~found.cases.near
    words = []
    for i, name in enumerate(signature.outputs):
        got, right = found.answers.values[rows, i], found.expected[rows, i]
        sure = np.abs(right) > 1e-3 * found.scale[i]
        if sure.sum() < 5 or np.abs(found.errors[rows, i]).max() <= TOLERANCE * found.scale[i]:
            continue
        ratio, more = got[sure] / right[sure], found.errors[rows, i]
        if np.ptp(ratio) <= CONSTANT * abs(ratio.mean()):
            words.append(f"{name} is always {ratio.mean():.6g} times what it should be.")
        elif np.ptp(more) <= CONSTANT * found.scale[i]:
            words.append(f"{name} is always {more.mean():+.6g} off.")
    return " ".join(words)


def _rest(signature: Signature, found: Comparison) -> str:
    """Whether standing still is right: then it is the velocity terms."""
    speeds = [i for i, name in enumerate(signature.arguments) if name.endswith("D") and not name.endswith("DD")]
    if len(speeds) < 4 or signature.name in FIRST:  # at rest those are zero, right or wrong
        return ""
    still = (found.cases.inputs[:, speeds] == 0.0).all(axis=1)
    if found.right[still].all() and not found.right[~still].any():
        return "Right when nothing moves and wrong otherwise: look at the terms with velocities."
    return ""


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
