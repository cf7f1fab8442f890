"""The planar 4-RRR: four cranks for a plate with three freedoms, so that they can strain against each other."""

from closedchain.describe import Bar, Crank, Mechanism, Parameter, Plate, robot

CHOSEN = "chosen: motors on the corners of a square"
CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 0))  # from each corner to the next


@robot()
def rrr4(
    a=Parameter(0.5, "m", CHOSEN, about="half the distance of neighbouring motors"),
    b=Parameter(0.1, "m", CHOSEN, about="half the side of the square plate"),
    l1=Parameter(0.3, "m", CHOSEN, about="length of the cranks"),
    l2=Parameter(0.45, "m", CHOSEN, about="length of the bars to the plate"),
    m_1=Parameter(0.4, "kg", "chosen: uniform bars", about="mass of a crank"),
    m_2=Parameter(0.3, "kg", "chosen: uniform bars", about="mass of a bar to the plate"),
    m=Parameter(1.0, "kg", "chosen: a uniform square", about="mass of the plate"),
):
    """One crank and bar from each corner of the base to the same corner of the plate.

    Seven coordinates and four closures leave three freedoms for four drives: one effort is internal. At zero each crank
    points to the next corner, so that all four have the same angle when the plate stands in the middle.
    """
    plate = Plate("plate", m, inertia=2 * m * b**2 / 3, near=(0, 0, 0))
    cranks = [
        Crank(f"theta{k}", about=(a * x, a * y), radius=l1, mass=m_1, plane=AHEAD[k - 1 : k + 1], point=f"A{k}")
        for k, (x, y) in enumerate(CORNERS, start=1)
    ]
    bars = tuple(
        Bar(crank, plate.point(f"P{k}", at=(b * x, b * y)), l2, mass=m_2)
        for k, (crank, (x, y)) in enumerate(zip(cranks, CORNERS, strict=True), start=1)
    )
    return Mechanism("rrr4", drives=tuple(cranks), bars=bars, output=plate, linkage=True)
