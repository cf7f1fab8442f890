"""Parameters of nodes."""

from closedchain.lab.parameters import Kind, Parameter

ParameterType = Kind

__all__ = ["Parameter", "ParameterType"]
