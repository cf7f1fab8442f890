"""The linear Delta, as in printers: three carriages on upright rails, three parallelograms, one platform."""

from math import cos, pi, sin

from closedchain.describe import Bar, Carried, Free, Mechanism, Parameter, Slider, robot

CHOSEN = "chosen: about a printer's size"


@robot()
def linear_delta(
    r_b=Parameter(0.15, "m", CHOSEN, about="from the axis to a rail's carriage"),
    r_p=Parameter(0.026, "m", CHOSEN, about="from the platform's centre to a parallelogram"),
    l=Parameter(0.25, "m", CHOSEN, about="length of the parallelograms"),
    m_1=Parameter(0.15, "kg", "chosen", about="mass of a carriage"),
    m_2=Parameter(0.04, "kg", "chosen: uniform rods", about="mass of a parallelogram, as one rod"),
    m=Parameter(0.2, "kg", "chosen", about="mass of the platform"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """The platform never turns: a parallelogram is a bar to a point that stands off its centre."""
    C = Free("C", mass=m, dimension=3)
    carriages, bars = [], []
    for i, azimuth in enumerate((-pi / 2, pi / 6, 5 * pi / 6), start=1):
        out = (cos(azimuth), sin(azimuth), 0)
        at = tuple(r_b * component for component in out)
        carriage = Slider(f"q{i}", at=at, along=(0, 0, 1), mass=m_1, point=f"A{i}")
        P = Carried(f"P{i}", C, at=tuple(r_p * component for component in out))
        carriages.append(carriage)
        bars.append(Bar(carriage, P, l, mass=m_2))
    return Mechanism("linear_delta", drives=tuple(carriages), bars=tuple(bars), output=C, gravity=(0, 0, -g))
