"""Watt's six-bar: a four-bar whose coupler and rocker carry a second loop."""

from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Parameter, Pin, Plate, robot

CHOSEN = "chosen: a crank that turns all the way round"


@robot()
def watt(
    a=Parameter(0.1, "m", CHOSEN, about="crank"),
    b=Parameter(0.3, "m", CHOSEN, about="coupler, from the crank to the rocker"),
    c=Parameter(0.25, "m", CHOSEN, about="rocker, from its pivot to the coupler"),
    d=Parameter(0.3, "m", CHOSEN, about="distance of the two fixed pivots"),
    e=Parameter(0.2, "m", CHOSEN, about="the coupler's third joint: from the rocker, on along it"),
    f=Parameter(0.2, "m", CHOSEN, about="the rocker's third joint: from the coupler, on along it"),
    n=Parameter(0.05, "m", CHOSEN, about="both of these: to the left"),
    k=Parameter(0.3, "m", CHOSEN, about="links of the second loop"),
    m_a=Parameter(0.1, "kg", CHOSEN, about="mass of the crank, uniform"),
    m_b=Parameter(0.5, "kg", CHOSEN, about="mass of the coupler and of the rocker, uniform"),
    m_k=Parameter(0.3, "kg", CHOSEN, about="mass of a link of the second loop, uniform"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -y"),
):
    """Coupler and rocker are joined in a point and have a third one each, from which two links meet in E."""
    A = Crank("q1", about=(0, 0), radius=a, mass=m_a, point="A")
    D, E = Fixed("D", at=(d, 0)), Free("E")
    coupler = Plate("coupler", m_b, (b / 2, 0), m_b * b**2 / 12)
    rocker = Plate("rocker", m_b, (c / 2, 0), m_b * c**2 / 12)
    pins = (
        Pin(A, coupler.point("A2", at=(0, 0))),
        Pin(D, rocker.point("D2", at=(0, 0))),
        Pin(coupler.point("C", at=(b, 0)), rocker.point("C2", at=(c, 0))),
    )
    bars = (
        Bar(coupler.point("F", at=(b + e, n)), E, k, mass=m_k),
        Bar(rocker.point("G", at=(c + f, n)), E, k, mass=m_k),
    )
    return Mechanism("watt", drives=(A,), bars=bars, pins=pins, output=E, gravity=(0, -g))
