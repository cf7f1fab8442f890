"""What goes wrong, by the names of ROS."""

from closedchain.lab.parameters import NotDeclared as ParameterNotDeclaredException


class ROSInterruptException(Exception):
    """A wait was interrupted."""


__all__ = ["ParameterNotDeclaredException", "ROSInterruptException"]
