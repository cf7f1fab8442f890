"""The 3-RPS: three telescopic legs, each in a plane of its own, under a platform with two ways to operate."""

from math import cos, pi, sin

from closedchain.describe import Body, Fixed, Mechanism, Parameter, Plane, Telescope, robot

CHOSEN = "chosen: as in K. H. Hunt, Structural kinematics of in-parallel-actuated robot arms, 1983"


@robot()
def rps3(
    r_b=Parameter(1.0, "m", CHOSEN, about="radius of the base, from its centre to a hinge"),
    r_p=Parameter(0.6, "m", CHOSEN, about="radius of the platform, from its centre to a ball"),
    m=Parameter(5.0, "kg", "chosen", about="mass of the platform"),
    i_xy=Parameter(0.45, "kg m^2", "chosen: a disc", about="its inertia about x and about y"),
    i_z=Parameter(0.9, "kg m^2", "chosen: a disc", about="its inertia about z"),
    m_1=Parameter(1.0, "kg", "chosen", about="mass of a leg's lower part"),
    c_1=Parameter(0.2, "m", "chosen", about="its centre, from the hinge"),
    i_1=Parameter(0.02, "kg m^2", "chosen", about="its inertia across the leg"),
    m_2=Parameter(0.5, "kg", "chosen", about="mass of a leg's upper part"),
    c_2=Parameter(0.2, "m", "chosen", about="its centre, from the ball"),
    i_2=Parameter(0.01, "kg m^2", "chosen", about="its inertia across the leg"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """A leg's hinge keeps it in the plane through the axis of symmetry: each platform point stays in one plane."""
    platform = Body("platform", mass=m, inertia=(i_xy, i_xy, i_z))
    legs, planes = [], []
    for k, angle in enumerate((0.0, 2 * pi / 3, 4 * pi / 3), start=1):
        c, s = cos(angle), sin(angle)
        foot = Fixed(f"B{k}", at=(r_b * c, r_b * s, 0))
        ball = platform.point(f"P{k}", at=(r_p * c, r_p * s, 0))
        lower = {"base_mass": m_1, "base_centre": c_1, "base_inertia": i_1}
        legs.append(Telescope(f"l{k}", foot, ball, **lower, tip_mass=m_2, tip_centre=c_2, tip_inertia=i_2))
        planes.append(Plane(ball, foot, normal=(-s, c, 0)))
    drives = tuple(legs)
    return Mechanism("rps3", drives=drives, planes=tuple(planes), output=platform, gravity=(0, 0, -g))
