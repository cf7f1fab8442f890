"""The stiff flyball governor, the IFToMM library's A05: two heavy rods spread by a turning shaft, and a sleeve."""

from math import pi

from closedchain.describe import Body, Damper, Mechanism, Parameter, Slide, Spring, Turn, robot

SOURCE = "IFToMM A05"


@robot()
def governor(
    h=Parameter(1.0, "m", SOURCE, about="height of the rods' hinges, and length of the shaft"),
    d=Parameter(0.05, "m", SOURCE, about="from the shaft's axis to the hinges"),
    l=Parameter(1.0, "m", SOURCE, about="length of the rods"),
    w=Parameter(0.01, "m", SOURCE, about="side of the square section of shaft and rods"),
    a=Parameter(0.1, "m", SOURCE, about="side of the sleeve, a cube"),
    rho=Parameter(3000.0, "kg/m^3", SOURCE, about="density"),
    m=Parameter(5.0, "kg", SOURCE, about="mass at the end of each rod"),
    k=Parameter(8e5, "N/m", SOURCE, about="stiffness of the springs from the rods' middles to the sleeve"),
    c=Parameter(4e4, "N s/m", SOURCE, about="their damping"),
    l_0=Parameter(0.5, "m", SOURCE, about="their length at rest"),
    g=Parameter(9.81, "m/s^2", SOURCE, about="gravity, along -z"),
):
    """theta turns the shaft, beta1 and beta2 are the rods' angles below level, s is the sleeve's height.

    No loop is closed: stiff springs with stiff dampers stand where a governor has its lower rods.
    """
    column, sleeve_mass, rod_mass = rho * h * w**2, rho * a**3, rho * l * w**2
    upright = column * (h**2 + w**2) / 12
    shaft = Body("shaft", column, (0, 0, h / 2), (upright, upright, column * w**2 / 6), Turn("theta"), near=(0,))
    cube = sleeve_mass * a**2 / 6
    sleeve = Body("sleeve", sleeve_mass, inertia=(cube, cube, cube), joint=Slide("s", by=shaft), near=(h / 2,))
    whole = rod_mass + m
    centre = (rod_mass * l / 2 + m * l) / whole
    across = rod_mass * (l**2 + w**2) / 12 + rod_mass * (centre - l / 2) ** 2 + m * (l - centre) ** 2
    inertia = (rod_mass * w**2 / 6, across, across)
    springs, dampers = [], []
    drawn = [shaft.point("A", at=(0, 0, 0)), shaft.point("B", at=(0, 0, h))]
    for i, side in ((1, 1), (2, -1)):
        turn = Turn(f"beta{i}", at=(side * d, 0, h), by=shaft, axis=(0, side, 0))
        rod = Body(f"rod{i}", whole, (side * centre, 0, 0), inertia, turn, near=(pi / 6,))
        ends = rod.point(f"M{i}", at=(side * l / 2, 0, 0)), sleeve.point(f"S{i}", at=(side * d, 0, 0))
        drawn += [rod.point(f"H{i}", at=(0, 0, 0)), rod.point(f"E{i}", at=(side * l, 0, 0))]
        springs.append(Spring(ends, k, rest=l_0))
        dampers.append(Damper(ends, c))
    acting = {"springs": tuple(springs), "dampers": tuple(dampers), "further": tuple(drawn), "linkage": True}
    return Mechanism("governor", drives=(), **acting, output=sleeve, gravity=(0, 0, -g))
