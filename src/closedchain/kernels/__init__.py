"""Straight-line programs, compiled by LLVM, cached on disk, called as NumPy gufuncs.

`closedchain.kernels.trace` makes programs from CasADi expressions; it is not imported here: a warm start needs no
CasADi.
"""

from closedchain.kernels.cache import CacheWarning, Library, load
from closedchain.kernels.program import Instruction, Operand, Program
from closedchain.kernels.scan import Scan

__all__ = ["CacheWarning", "Instruction", "Library", "Operand", "Program", "Scan", "load"]
