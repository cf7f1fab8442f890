"""Stephenson's six-bar, driven in its loop of five: a plate on two rockers, moved by a crank and a rod."""

from closedchain.describe import Bar, Crank, Fixed, Mechanism, Parameter, Plate, robot

CHOSEN = "chosen: a crank that turns all the way round"


@robot()
def stephenson(
    a=Parameter(0.08, "m", CHOSEN, about="crank"),
    l=Parameter(0.35, "m", CHOSEN, about="rod from the crank to the plate"),
    b=Parameter(0.3, "m", CHOSEN, about="first rocker"),
    c=Parameter(0.28, "m", CHOSEN, about="second rocker"),
    d_1=Parameter(0.3, "m", CHOSEN, about="x of the first rocker's pivot; the crank's is the origin"),
    d_2=Parameter(0.6, "m", CHOSEN, about="x of the second rocker's pivot"),
    s=Parameter(0.2, "m", CHOSEN, about="the plate between its rockers"),
    u=Parameter(0.05, "m", CHOSEN, about="its third joint: along that side"),
    v=Parameter(0.12, "m", CHOSEN, about="its third joint: to the left of it"),
    m_a=Parameter(0.1, "kg", CHOSEN, about="mass of the crank, uniform"),
    m_b=Parameter(0.3, "kg", CHOSEN, about="mass of the rod and of a rocker, uniform"),
    m=Parameter(0.4, "kg", CHOSEN, about="mass of the plate, in the middle of that side"),
    i=Parameter(0.003, "kg m^2", CHOSEN, about="its inertia about there"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -y"),
):
    """Three links hold the plate, as in a 3-RRR: six assembly modes at most, where the dyads of Watt's give four."""
    A = Crank("q1", about=(0, 0), radius=a, mass=m_a, point="A")
    plate = Plate("plate", m, (s / 2, 0), i)
    bars = (
        Bar(A, plate.point("P3", at=(u, v)), l, mass=m_b),
        Bar(Fixed("D1", at=(d_1, 0)), plate.point("P1", at=(0, 0)), b, mass=m_b),
        Bar(Fixed("D2", at=(d_2, 0)), plate.point("P2", at=(s, 0)), c, mass=m_b),
    )
    return Mechanism("stephenson", drives=(A,), bars=bars, output=plate, gravity=(0, -g))
