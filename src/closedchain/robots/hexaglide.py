"""The Hexaglide: six carriages on parallel rails, six rods of one length, one platform that moves in every way."""

from closedchain.describe import Bar, Body, Mechanism, Parameter, Slider, robot

CHOSEN = "chosen: as M. Honegger, A. Codourey and E. Burdet, Adaptive control of the Hexaglide, 1997"
RAILS = (-1.0, -0.8, 0.4, 0.6, 0.8, 1.0)
JOINTS = ((-1, -0.9), (1, -0.9), (-0.7, 0.25), (0.7, 0.25), (-0.7, 0.65), (0.7, 0.65))


@robot()
def hexaglide(
    w=Parameter(0.3, "m", CHOSEN, about="half the width over which the rails lie"),
    r=Parameter(0.12, "m", CHOSEN, about="size of the platform"),
    l=Parameter(0.6, "m", CHOSEN, about="length of the rods"),
    m=Parameter(4.0, "kg", "chosen", about="mass of the platform"),
    i_xy=Parameter(0.02, "kg m^2", "chosen", about="its inertia about x and about y"),
    i_z=Parameter(0.03, "kg m^2", "chosen", about="its inertia about z"),
    m_1=Parameter(1.0, "kg", "chosen", about="mass of a carriage"),
    m_2=Parameter(0.3, "kg", "chosen: uniform rods", about="mass of a rod"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """Rails along x in the plane z = 0; the platform hangs below, its rods to the left and to the right."""
    platform = Body("platform", mass=m, inertia=(i_xy, i_xy, i_z))
    drives, rods = [], []
    for k, (y, (px, py)) in enumerate(zip(RAILS, JOINTS, strict=True), start=1):
        carriage = Slider(f"q{k}", at=(0, w * y, 0), along=(1, 0, 0), mass=m_1, point=f"A{k}")
        joint = platform.point(f"P{k}", at=(r * px, r * py, 0.02 * r * k))
        drives.append(carriage)
        rods.append(Bar(carriage, joint, l, mass=m_2))
    return Mechanism("hexaglide", drives=tuple(drives), bars=tuple(rods), output=platform, gravity=(0, 0, -g))
