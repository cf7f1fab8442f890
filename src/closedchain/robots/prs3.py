"""The 3-PRS: three carriages on rails, three rods in planes of their own, one platform, as in machine tools' heads."""

from math import cos, pi, sin

from closedchain.describe import Bar, Body, Mechanism, Parameter, Plane, Slider, robot

CHOSEN = "chosen: as the Sprint Z3 head, upright rails"


@robot()
def prs3(
    r_b=Parameter(0.35, "m", CHOSEN, about="radius of the circle of rails"),
    r_p=Parameter(0.25, "m", CHOSEN, about="radius of the platform, from its centre to a ball"),
    l=Parameter(0.4, "m", CHOSEN, about="length of the rods"),
    m=Parameter(8.0, "kg", "chosen", about="mass of the platform"),
    i_xy=Parameter(0.12, "kg m^2", "chosen: a disc", about="its inertia about x and about y"),
    i_z=Parameter(0.24, "kg m^2", "chosen: a disc", about="its inertia about z"),
    m_1=Parameter(2.0, "kg", "chosen", about="mass of a carriage"),
    m_2=Parameter(1.0, "kg", "chosen: uniform rods", about="mass of a rod"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """A rod's hinge on its carriage keeps it in the plane through the axis of symmetry."""
    platform = Body("platform", mass=m, inertia=(i_xy, i_xy, i_z))
    drives, rods, planes = [], [], []
    for k, angle in enumerate((0.0, 2 * pi / 3, 4 * pi / 3), start=1):
        c, s = cos(angle), sin(angle)
        carriage = Slider(f"q{k}", at=(r_b * c, r_b * s, 0), along=(0, 0, 1), mass=m_1, point=f"A{k}")
        ball = platform.point(f"P{k}", at=(r_p * c, r_p * s, 0))
        drives.append(carriage)
        rods.append(Bar(carriage, ball, l, mass=m_2))
        planes.append(Plane(ball, carriage, normal=(-s, c, 0)))
    held = {"bars": tuple(rods), "planes": tuple(planes)}
    return Mechanism("prs3", drives=tuple(drives), **held, output=platform, gravity=(0, 0, -g))
