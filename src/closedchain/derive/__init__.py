"""From a description to expressions: equations, closed-form geometry, and the programs the kernels are made of."""

from closedchain.derive.legs import Legs, legs_of, terms

__all__ = ["Legs", "legs_of", "terms"]
