"""Jansen's leg, of the walking Strandbeest: one crank, and a foot that goes flat along the ground."""

from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Parameter, Pin, Plate, robot, sqrt

SOURCE = "T. Jansen's numbers for the Strandbeest, in centimetres"


def triangle(name, mass, first, second, across, *points):
    """A uniform plate: from its origin to two joints, the second to the left, and between these."""
    x = (first**2 + second**2 - across**2) / (2 * first)
    y = sqrt(second**2 - x**2)
    plate = Plate(name, mass, ((first + x) / 3, y / 3), mass * (first**2 + second**2 + across**2) / 36)
    return plate, [plate.point(p, at=at) for p, at in zip(points, ((0, 0), (first, 0), (x, y)), strict=True)]


@robot()
def jansen(
    a=Parameter(0.38, "m", SOURCE, about="from the fixed joint to the crank's shaft, along"),
    b=Parameter(0.415, "m", SOURCE, about="upper triangle: fixed joint to the crank's rod"),
    c=Parameter(0.393, "m", SOURCE, about="from the fixed joint to the shank"),
    d=Parameter(0.401, "m", SOURCE, about="upper triangle: fixed joint to the tie"),
    e=Parameter(0.558, "m", SOURCE, about="upper triangle: the crank's rod to the tie"),
    f=Parameter(0.394, "m", SOURCE, about="tie from the upper triangle to the shank"),
    g=Parameter(0.367, "m", SOURCE, about="shank: lower rod to the tie"),
    h=Parameter(0.657, "m", SOURCE, about="shank: tie to the foot"),
    i=Parameter(0.49, "m", SOURCE, about="shank: lower rod to the foot"),
    j=Parameter(0.5, "m", SOURCE, about="rod from the crank to the upper triangle"),
    k=Parameter(0.619, "m", SOURCE, about="rod from the crank to the shank"),
    l=Parameter(0.078, "m", SOURCE, about="from the fixed joint to the crank's shaft, up"),
    m=Parameter(0.15, "m", SOURCE, about="crank"),
    rho=Parameter(1.0, "kg/m", "chosen", about="mass of crank and rods by their length"),
    m_t=Parameter(0.8, "kg", "chosen: uniform plates", about="mass of a triangle"),
    gravity=Parameter(9.81, "m/s^2", "standard", about="gravity, along -y"),
):
    """The output is the shank, whose frame has its origin in the foot and its x axis towards the lower rod."""
    B = Fixed("B", at=(0, 0))
    M = Crank("q1", about=(a, l), radius=m, mass=rho * m, point="M")
    _, (Bu, J1, J2) = triangle("upper", m_t, b, d, e, "B2", "J1", "J2")
    shank, (foot, K3, J4) = triangle("shank", m_t, i, h, g, "foot", "K3", "J4")
    J3 = Free("J3")
    bars = (
        Bar(M, J1, j, mass=rho * j),
        Bar(B, J3, c, mass=rho * c),
        Bar(M, J3, k, mass=rho * k),
        Bar(J2, J4, f, mass=rho * f),
    )
    pins = (Pin(B, Bu), Pin(J3, K3))
    shown = {"readouts": (Angle("shin", foot, K3),), "gravity": (0, -gravity)}
    return Mechanism("jansen", drives=(M,), bars=bars, pins=pins, output=shank, **shown)
