"""The pentapod (5-UPS): a straight tool held by five telescopic legs along it, which leave its spin alone."""

from closedchain.describe import Body, Fixed, Mechanism, Parameter, Slide, Telescope, Turn, robot

CHOSEN = "chosen: about a five-axis machine's size"
FEET = ((1.0, 0.1, 0.0), (-0.2, 0.9, 0.1), (-0.8, 0.3, -0.1), (-0.5, -0.8, 0.05), (0.4, -0.9, 0.15))
ALONG = (-0.5, -0.2, 0.15, 0.3, 0.5)  # of the tool's length


@robot()
def pentapod(
    r=Parameter(1.0, "m", CHOSEN, about="size of the base"),
    l=Parameter(0.6, "m", CHOSEN, about="length of the tool"),
    m=Parameter(5.0, "kg", "chosen: a uniform rod", about="mass of the tool"),
    m_1=Parameter(1.0, "kg", "chosen", about="mass of a leg's lower part"),
    c_1=Parameter(0.2, "m", "chosen", about="its centre, from the foot"),
    i_1=Parameter(0.02, "kg m^2", "chosen", about="its inertia across the leg"),
    m_2=Parameter(0.5, "kg", "chosen", about="mass of a leg's upper part"),
    c_2=Parameter(0.2, "m", "chosen", about="its centre, from the tool's joint"),
    i_2=Parameter(0.01, "kg m^2", "chosen", about="its inertia across the leg"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """The tool lies along x of its frame, turned by yaw and then by pitch; its spin about itself is no coordinate.

    Every place of the tool has two names, (yaw, pitch) and (yaw + 180°, 180° − pitch); solutions are told by the one
    with the smaller angles.
    """
    along_x = Body("along_x", joint=Slide("x", axis=(1, 0, 0)))
    along_y = Body("along_y", joint=Slide("y", by=along_x, axis=(0, 1, 0)))
    along_z = Body("along_z", joint=Slide("z", by=along_y, axis=(0, 0, 1)))
    about_z = Body("about_z", joint=Turn("yaw", by=along_z, axis=(0, 0, 1)))
    rod = m * l**2 / 12
    tool = Body("tool", mass=m, inertia=(0, rod, rod), joint=Turn("pitch", by=about_z, axis=(0, 1, 0)))
    legs = []
    for k, (at, share) in enumerate(zip(FEET, ALONG, strict=True), start=1):
        foot = Fixed(f"B{k}", at=tuple(r * component for component in at))
        lower = {"base_mass": m_1, "base_centre": c_1, "base_inertia": i_1}
        joint = tool.point(f"P{k}", at=(l * share, 0, 0))
        legs.append(Telescope(f"l{k}", foot, joint, **lower, tip_mass=m_2, tip_centre=c_2, tip_inertia=i_2))
    return Mechanism("pentapod", drives=tuple(legs), output=tool, gravity=(0, 0, -g))
