"""Dynamic identification: base parameters, exciting motions, and masses, inertias and friction from efforts."""

from closedchain.identification.base import Base, base_parameters
from closedchain.identification.exciting import Excitation, excite
from closedchain.identification.identifying import identify, read_motion
from closedchain.identification.regressor import Regressor
from closedchain.identification.result import Identification

__all__ = [
    "Base", "base_parameters", "Excitation", "excite", "Identification", "identify", "read_motion", "Regressor",
]  # fmt: skip
