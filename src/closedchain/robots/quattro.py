"""The Quattro: four arms and a jointed nacelle, whose shearing turns the tool about the vertical."""

from math import cos, pi, sin

from closedchain.describe import Bar, Body, Carried, Crank, Free, Mechanism, Parameter, Pin, Slide, Turn, robot

CHOSEN = "chosen: as V. Nabat et al., Par4: very high speed parallel robot for pick-and-place, 2005"
ARMS = ((45.0, 1), (135.0, 2), (225.0, 2), (315.0, 1))  # [deg] azimuth of an arm, and the half of the nacelle it holds


@robot()
def quattro(
    r_b=Parameter(0.275, "m", CHOSEN, about="from the base's centre to a motor"),
    r_p=Parameter(0.08, "m", CHOSEN, about="from the middle of a half of the nacelle to a parallelogram"),
    d=Parameter(0.12, "m", CHOSEN, about="length of the link between the two halves"),
    L=Parameter(0.375, "m", CHOSEN, about="length of the arms"),
    l=Parameter(0.825, "m", CHOSEN, about="length of the parallelograms"),
    m_1=Parameter(0.6, "kg", "chosen: uniform arms", about="mass of an arm"),
    m_2=Parameter(0.2, "kg", "chosen: uniform rods", about="mass of a parallelogram, as one rod"),
    m_3=Parameter(0.3, "kg", "chosen", about="mass of a half of the nacelle"),
    m=Parameter(0.4, "kg", "chosen: a uniform rod", about="mass of the link with the tool"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """The nacelle's halves never turn; the link between them does, and carries the tool in its middle."""
    along_x = Body("along_x", joint=Slide("x", axis=(1, 0, 0)))
    along_y = Body("along_y", joint=Slide("y", by=along_x, axis=(0, 1, 0)))
    along_z = Body("along_z", joint=Slide("z", by=along_y, axis=(0, 0, 1)))
    rod = m * d**2 / 12
    link = Body("link", mass=m, inertia=(0, rod, rod), joint=Turn("yaw", by=along_z, axis=(0, 0, 1)))
    halves = {k: Free(f"C{k}", mass=m_3, dimension=3) for k in (1, 2)}
    pins = tuple(Pin(half, link.point(f"D{k}", at=((3 - 2 * k) * d / 2, 0, 0))) for k, half in halves.items())
    arms, bars = [], []
    for i, (azimuth, k) in enumerate(ARMS, start=1):
        c, s = cos(azimuth * pi / 180), sin(azimuth * pi / 180)
        body = {"radius": L, "mass": m_1, "plane": ((c, s, 0), (0, 0, -1))}
        arm = Crank(f"theta{i}", about=(r_b * c, r_b * s, 0), **body, point=f"A{i}")
        joint = Carried(f"P{i}", halves[k], at=(0, r_p * (1 if s > 0 else -1), 0))
        arms.append(arm)
        bars.append(Bar(arm, joint, l, mass=m_2))
    closing = {"bars": tuple(bars), "pins": pins}
    return Mechanism("quattro", drives=tuple(arms), **closing, output=link, gravity=(0, 0, -g))
