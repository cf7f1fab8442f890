"""The 3-RRS: three cranks and three rods in planes of their own under a platform with two ways to operate."""

from math import cos, pi, sin

from closedchain.describe import Bar, Body, Crank, Mechanism, Parameter, Plane, robot

CHOSEN = "chosen: as in platforms that balance a ball"


@robot()
def rrs3(
    r_b=Parameter(0.2, "m", CHOSEN, about="radius of the base, from its centre to a motor"),
    r_p=Parameter(0.15, "m", CHOSEN, about="radius of the platform, from its centre to a ball"),
    a=Parameter(0.12, "m", CHOSEN, about="length of the cranks"),
    l=Parameter(0.2, "m", CHOSEN, about="length of the rods"),
    m=Parameter(0.5, "kg", "chosen", about="mass of the platform"),
    i_xy=Parameter(3e-3, "kg m^2", "chosen: a disc", about="its inertia about x and about y"),
    i_z=Parameter(6e-3, "kg m^2", "chosen: a disc", about="its inertia about z"),
    m_1=Parameter(0.05, "kg", "chosen: uniform cranks", about="mass of a crank"),
    m_2=Parameter(0.05, "kg", "chosen: uniform rods", about="mass of a rod"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """A crank at zero points outward, a quarter turn on upward; hinges keep each leg in the plane through the axis."""
    platform = Body("platform", mass=m, inertia=(i_xy, i_xy, i_z))
    cranks, rods, planes = [], [], []
    for k, angle in enumerate((0.0, 2 * pi / 3, 4 * pi / 3), start=1):
        c, s = cos(angle), sin(angle)
        body = {"radius": a, "mass": m_1, "plane": ((c, s, 0), (0, 0, 1))}
        crank = Crank(f"theta{k}", about=(r_b * c, r_b * s, 0), **body, point=f"A{k}")
        ball = platform.point(f"P{k}", at=(r_p * c, r_p * s, 0))
        cranks.append(crank)
        rods.append(Bar(crank, ball, l, mass=m_2))
        planes.append(Plane(ball, crank, normal=(-s, c, 0)))
    held = {"bars": tuple(rods), "planes": tuple(planes)}
    return Mechanism("rrs3", drives=tuple(cranks), **held, output=platform, gravity=(0, 0, -g))
