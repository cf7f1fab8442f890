"""The 3-UPU: three telescopic legs between universal joints, a platform that shifts without turning, where it can."""

from math import cos, pi, sin

from closedchain.describe import Body, Coplanar, Direction, Fixed, Mechanism, Parameter, Telescope, robot
from closedchain.describe import cos as cosine
from closedchain.describe import sin as sine

CHOSEN = "chosen: as in L.-W. Tsai, Kinematics of a three-DOF platform with three extensible limbs, 1996"
SNU = "the Seoul National University's prototype: both outer axes of a leg lie along the base's and platform's radii"


@robot(presets={"snu": {"psi": pi / 2}})
def upu3(
    r_b=Parameter(0.4, "m", CHOSEN, about="radius of the base"),
    r_p=Parameter(0.25, "m", CHOSEN, about="radius of the platform"),
    psi=Parameter(0.0, "rad", CHOSEN, about="angle of the outer axes from the circle's tangent towards the radius"),
    m=Parameter(3.0, "kg", "chosen", about="mass of the platform"),
    i_xy=Parameter(0.05, "kg m^2", "chosen: a disc", about="its inertia about x and about y"),
    i_z=Parameter(0.1, "kg m^2", "chosen: a disc", about="its inertia about z"),
    m_1=Parameter(1.0, "kg", "chosen", about="mass of a leg's lower part"),
    c_1=Parameter(0.15, "m", "chosen", about="its centre, from the base's joint"),
    i_1=Parameter(0.01, "kg m^2", "chosen", about="its inertia across the leg"),
    m_2=Parameter(0.5, "kg", "chosen", about="mass of a leg's upper part"),
    c_2=Parameter(0.15, "m", "chosen", about="its centre, from the platform's joint"),
    i_2=Parameter(0.005, "kg m^2", "chosen", about="its inertia across the leg"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """A leg does not twist: the outer axes of its joints, on the base and on the platform, stay in one plane."""
    platform = Body("platform", mass=m, inertia=(i_xy, i_xy, i_z))
    legs, twists = [], []
    for k, angle in enumerate((0.0, 2 * pi / 3, 4 * pi / 3), start=1):
        c, s = cos(angle), sin(angle)
        foot = Fixed(f"B{k}", at=(r_b * c, r_b * s, 0))
        tip = platform.point(f"P{k}", at=(r_p * c, r_p * s, 0))
        axis = (sine(psi) * c - cosine(psi) * s, sine(psi) * s + cosine(psi) * c, 0)  # psi from the tangent
        lower = {"base_mass": m_1, "base_centre": c_1, "base_inertia": i_1}
        legs.append(Telescope(f"l{k}", foot, tip, **lower, tip_mass=m_2, tip_centre=c_2, tip_inertia=i_2))
        twists.append(Coplanar(foot, tip, Direction(axis), platform.direction(axis)))
    drives = tuple(legs)
    return Mechanism("upu3", drives=drives, coplanars=tuple(twists), output=platform, gravity=(0, 0, -g))
