"""Every solution of a system of quadratic equations: counted, found, certified.

space → family (once: monodromy, closed by a trace test) → roots of any member, each with its certificate
"""

from closedchain.solver.family import Family, NotCounted, Space, generic, space_of
from closedchain.solver.keeping import family_of
from closedchain.solver.quadrics import Pattern
from closedchain.solver.roots import Cluster, Roots, roots

__all__ = ["Cluster", "Family", "NotCounted", "Pattern", "Roots", "Space", "family_of", "generic", "roots", "space_of"]
