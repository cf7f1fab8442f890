"""Parameters of nodes."""

from closedchain.lab.parameters import Parameter, Type

ParameterType = Type

__all__ = ["Parameter", "ParameterType"]
