"""Known mistakes of any function: what goes in or comes out is exchanged, negated, scaled, in degrees."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.mistake import Mistake
from closedchain.lab.grading.signatures import SIGNATURES, Signature, angles

TWO = tuple(name for name in SIGNATURES if name != "dynamic_model")
ALL = tuple(SIGNATURES)
DEGREE = np.pi / 180
ANGLES = ("q12", "q22")


class Altered(Mistake):
    """A mistake at the door of a function: `before` changes its arguments, `after` its answers."""

    def before(self, given: dict[str, Doubles]) -> dict[str, Doubles]:
        """The arguments that the right formula would have to get to answer like this."""
        return given

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        """The wrong answer of the right one."""
        return answer


class SwappedOutputs(Altered):
    """The two results are exchanged: the second is returned first."""

    name, functions = "results-exchanged", TWO

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        return answer[:, ::-1]


class Negated(Altered):
    """The result has the wrong sign."""

    name, functions = "sign", ALL

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        return -answer


class FirstNegated(Altered):
    """The first result has the wrong sign."""

    name, functions = "sign-of-the-first", TWO

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        return answer * (-1.0, 1.0)


class SecondNegated(Altered):
    """The second result has the wrong sign."""

    name, functions = "sign-of-the-second", TWO

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        return answer * (1.0, -1.0)


class Doubled(Altered):
    """The result is twice what it is: a factor 2 too many."""

    name, functions = "doubled", ALL

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        return 2 * answer


class Halved(Altered):
    """The result is half of what it is: a factor 2 is missing."""

    name, functions = "halved", ALL

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        return answer / 2


class InDegrees(Altered):
    """The angles are in degrees; the lab uses radians."""

    name, functions = "degrees", ("igm", "dgm_passive", "dkm_passive", "dkm2_passive")

    def after(self, answer: Doubles, signature: Signature) -> Doubles:
        turning = angles(self.k.robot, signature)
        return answer / (DEGREE if any(turning) or "passive" in signature.name else 1.0)


class FromDegrees(Altered):
    """The angles that are given are taken for degrees; they are in radians."""

    name, functions = "degrees", tuple(name for name in ALL if name != "igm")

    def before(self, given: dict[str, Doubles]) -> dict[str, Doubles]:
        names = (*ANGLES, "q11", "q21") if self.k.turns else ANGLES
        return {name: value * DEGREE if name in names else value for name, value in given.items()}


class SwappedTip(Altered):
    """x and y are exchanged in what is given."""

    name, functions = "x-and-y-exchanged", ("igm", "ikm", "dkm_passive", "ikm2", "dkm2_passive")

    def before(self, given: dict[str, Doubles]) -> dict[str, Doubles]:
        other = {"x": "y", "y": "x", "xD": "yD", "yD": "xD", "xDD": "yDD", "yDD": "xDD"}
        return {name: given[other.get(name, name)] for name in given}


class SwappedDrives(Altered):
    """q11 and q21 are exchanged: the legs are swapped."""

    name, functions = "legs-swapped", tuple(name for name in ALL if name != "igm")

    def before(self, given: dict[str, Doubles]) -> dict[str, Doubles]:
        other = {"q11": "q21", "q21": "q11", "q11D": "q21D", "q21D": "q11D", "q11DD": "q21DD", "q21DD": "q11DD"}
        return {name: given[other.get(name, name)] for name in given}


MISTAKES = (
    SwappedOutputs, Negated, FirstNegated, SecondNegated, Doubled, Halved, InDegrees, FromDegrees, SwappedTip,
    SwappedDrives,
)  # fmt: skip
