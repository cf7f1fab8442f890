"""Of parameters."""

from closedchain.lab.messages import message
from closedchain.lab.parameters import Result as SetParametersResult

ParameterDescriptor = message("ParameterDescriptor", name="", type=0, description="", read_only=False)

__all__ = ["ParameterDescriptor", "SetParametersResult"]
