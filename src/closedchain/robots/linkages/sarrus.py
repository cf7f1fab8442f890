"""Sarrus' linkage, the first to move a plate straight by hinges: two folding legs at right angles."""

from closedchain.describe import Body, Incline, Mechanism, Parameter, Pin, Turn, robot

SOURCE = "P. F. Sarrus, 1853"
X, Y, Z = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@robot()
def sarrus(
    l=Parameter(0.2, "m", "chosen", about="length of each of the four leaves"),
    r=Parameter(0.1, "m", "chosen", about="from the middle of base and plate to their hinges"),
    m_1=Parameter(0.2, "kg", "chosen: uniform rods", about="mass of a leaf"),
    m=Parameter(1.0, "kg", "chosen", about="mass of the plate"),
    i=Parameter(0.003, "kg m^2", "chosen", about="its inertia, about any axis"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """One leg folds about hinges along y, the other about hinges along x; the plate on both only rises and falls.

    Five angles, five conditions of the sixth hinge, of which four are independent. At zero the leaves stand upright.
    """
    rod = m_1 * l**2 / 12
    leaf = {"mass": m_1, "centre": (0, 0, l / 2), "inertia": (rod, rod, 0)}
    low1 = Body("low1", **leaf, joint=Turn("a1", at=(r, 0, 0), axis=Y), near=(0.6,))
    high1 = Body("high1", **leaf, joint=Turn("a2", at=(0, 0, l), by=low1, axis=Y), near=(-1.2,))
    plate = Body("plate", m, (-r, 0, 0), (i, i, i), Turn("a3", at=(0, 0, l), by=high1, axis=Y), near=(0.6,))
    low2 = Body("low2", **leaf, joint=Turn("b1", at=(0, r, 0), axis=X), near=(-0.6,))
    high2 = Body("high2", **leaf, joint=Turn("b2", at=(0, 0, l), by=low2, axis=X), near=(1.2,))
    pins = (Pin(plate.point("P", at=(-r, r, 0)), high2.point("H", at=(0, 0, l)), name="hinge"),)
    inclines = tuple(
        Incline(high2.direction(X), plate.direction(e), name=f"hinge.tilt{k}") for k, e in ((1, Y), (2, Z))
    )
    leaves = {"A1": low1, "B1": high1, "A2": low2}
    ends = {n: (b.point(n, at=(0, 0, 0)), b.point(f"{n}_top", at=(0, 0, l))) for n, b in leaves.items()}
    corners = [plate.point(f"P{k}", at=at) for k, at in enumerate(((0, 0, 0), (-2 * r, 0, 0), (-r, -r, 0)), start=1)]
    drawn = (*ends["A1"], *ends["B1"], *corners, *ends["A2"], high2.point("B2", at=(0, 0, 0)))  # body by body
    closing = {"pins": pins, "inclines": inclines, "further": drawn, "linkage": True}
    return Mechanism("sarrus", drives=(), **closing, output=plate, gravity=(0, 0, -g))
