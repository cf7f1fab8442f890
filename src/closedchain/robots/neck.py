"""The neck (3-UPS + S): a head on a ball, turned in every way by three telescopic legs."""

from math import cos, pi, sin

from closedchain.describe import Ball, Body, Fixed, Mechanism, Parameter, Telescope, robot

CHOSEN = "chosen: about a head's size"
FEET, JOINTS = (0.0, 110.0, 250.0), (20.0, 150.0, 240.0)  # [deg] azimuths
HEIGHTS = (0.0, 0.1, -0.05)  # of the joints, in the head's radius: the three do not lie in a plane with the ball


@robot()
def neck(
    h=Parameter(0.15, "m", CHOSEN, about="height of the ball above the feet"),
    r_b=Parameter(0.1, "m", CHOSEN, about="radius of the circle of feet"),
    r_p=Parameter(0.07, "m", CHOSEN, about="radius of the circle of joints on the head"),
    m=Parameter(3.0, "kg", CHOSEN, about="mass of the head"),
    c=Parameter(0.08, "m", CHOSEN, about="its centre, above the ball"),
    i_xy=Parameter(0.02, "kg m^2", CHOSEN, about="its inertia about x and about y"),
    i_z=Parameter(0.015, "kg m^2", CHOSEN, about="its inertia about z"),
    m_1=Parameter(0.1, "kg", CHOSEN, about="mass of a leg's lower part"),
    c_1=Parameter(0.04, "m", CHOSEN, about="its centre, from the foot"),
    i_1=Parameter(1e-4, "kg m^2", CHOSEN, about="its inertia across the leg"),
    m_2=Parameter(0.05, "kg", CHOSEN, about="mass of a leg's upper part"),
    c_2=Parameter(0.04, "m", CHOSEN, about="its centre, from the head's joint"),
    i_2=Parameter(5e-5, "kg m^2", CHOSEN, about="its inertia across the leg"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """The ball stands at the origin; feet and joints lie on circles, unevenly, so that no two poses coincide."""
    head = Body("head", m, (0, 0, c), (i_xy, i_xy, i_z), Ball("neck"))
    legs = []
    for k, (a, b, up) in enumerate(zip(FEET, JOINTS, HEIGHTS, strict=True), start=1):
        foot = Fixed(f"B{k}", at=(r_b * cos(a * pi / 180), r_b * sin(a * pi / 180), -h))
        joint = head.point(f"P{k}", at=(r_p * cos(b * pi / 180), r_p * sin(b * pi / 180), r_p * up))
        lower = {"base_mass": m_1, "base_centre": c_1, "base_inertia": i_1}
        legs.append(Telescope(f"l{k}", foot, joint, **lower, tip_mass=m_2, tip_centre=c_2, tip_inertia=i_2))
    return Mechanism("neck", drives=tuple(legs), output=head, gravity=(0, 0, -g))
