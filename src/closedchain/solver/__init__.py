"""Every solution of a system of quadratic equations: counted, found, certified.

space → family (once: monodromy, closed by a trace test) → roots of any member, each with its certificate
"""

from closedchain.solver.family import Family, NotCounted, Space, generic, space_of
from closedchain.solver.keeping import family_of, name_of, stored
from closedchain.solver.parts import Part, circle, frame, pose, product, quaternion
from closedchain.solver.quadrics import Pattern
from closedchain.solver.roots import Cluster, Roots, narrowed, roots

__all__ = [
    "Cluster",
    "Family",
    "NotCounted",
    "Part",
    "Pattern",
    "Roots",
    "Space",
    "circle",
    "family_of",
    "frame",
    "generic",
    "name_of",
    "narrowed",
    "pose",
    "product",
    "quaternion",
    "roots",
    "space_of",
    "stored",
]
