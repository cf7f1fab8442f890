"""The four-bar: one crank, a coupler, a rocker."""

from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Parameter, robot


@robot()
def fourbar(
    a=Parameter(0.1, "m", "chosen: a crank-rocker by Grashof's rule", about="crank"),
    b=Parameter(0.3, "m", "chosen", about="coupler"),
    c=Parameter(0.25, "m", "chosen", about="rocker"),
    d=Parameter(0.3, "m", "chosen", about="distance of the two fixed pivots"),
    m_a=Parameter(0.1, "kg", "chosen: uniform bars, 1 kg/m", about="mass of the crank"),
    m_b=Parameter(0.3, "kg", "chosen: uniform bars, 1 kg/m", about="mass of the coupler"),
    m_c=Parameter(0.25, "kg", "chosen: uniform bars, 1 kg/m", about="mass of the rocker"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -y"),
):
    """A crank turns, a coupler follows, a rocker swings. The output is the joint of coupler and rocker."""
    A = Crank("q1", about=(0, 0), radius=a, mass=m_a, point="A")
    D = Fixed("D", at=(d, 0))
    C = Free("C")
    return Mechanism(
        "fourbar",
        drives=(A,),
        bars=(Bar(A, C, b, mass=m_b), Bar(D, C, c, mass=m_c)),
        output=C,
        readouts=(Angle("coupler", A, C), Angle("rocker", D, C)),
        gravity=(0, -g),
    )
