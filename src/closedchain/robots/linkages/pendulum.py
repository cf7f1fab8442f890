"""The simple pendulum of the IFToMM library, in Cartesian coordinates."""

from closedchain.describe import Bar, Fixed, Free, Mechanism, Parameter, robot

SOURCE = "IFToMM A01"


@robot()
def pendulum(
    l=Parameter(1.0, "m", SOURCE, about="length of the massless bar"),
    m=Parameter(1.0, "kg", SOURCE, about="mass of the point"),
    g=Parameter(9.81, "m/s^2", SOURCE, about="gravity, along -y"),
):
    """A point mass on a massless bar. Its two coordinates are held by one closure; it starts level, to the left."""
    P = Free("P", mass=m, near=(-l, 0))
    return Mechanism(
        "pendulum", drives=(), bars=(Bar(Fixed("O", at=(0, 0)), P, l),), output=P, gravity=(0, -g), linkage=True
    )
