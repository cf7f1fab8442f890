"""The Orthoglide: three rails at right angles, three parallelograms of one length, a tool that never turns."""

from closedchain.describe import Bar, Free, Mechanism, Parameter, Slider, robot

SOURCE = "P. Wenger and D. Chablat, Kinematic analysis of a new parallel machine tool: the Orthoglide, 2000: ideal legs"


@robot()
def orthoglide(
    l=Parameter(0.31, "m", SOURCE, about="length of the parallelograms"),
    m_1=Parameter(1.0, "kg", "chosen", about="mass of a carriage"),
    m_2=Parameter(0.4, "kg", "chosen: uniform rods", about="mass of a parallelogram, as one rod"),
    m=Parameter(0.5, "kg", "chosen", about="mass of the tool"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """Carriages on the axes x, y and z. With the tool at the origin each drive moves it along its own axis alone."""
    C = Free("C", mass=m, dimension=3)
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    carriages = [
        Slider(f"q{i}", at=(0, 0, 0), along=axis, mass=m_1, point=f"A{i}") for i, axis in enumerate(axes, start=1)
    ]
    bars = tuple(Bar(carriage, C, l, mass=m_2) for carriage in carriages)
    return Mechanism("orthoglide", drives=tuple(carriages), bars=bars, output=C, gravity=(0, 0, -g))
