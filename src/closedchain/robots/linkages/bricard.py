"""Bricard's linkage of right angles, the IFToMM library's A04: six hinges that by counting are rigid, and move."""

from closedchain.describe import Body, Direction, Fixed, Free, Incline, Mechanism, Parameter, Pin, Turn, robot

SOURCE = "IFToMM A04"
X, Y, Z = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@robot()
def bricard(
    l=Parameter(1.0, "m", SOURCE, about="length of every bar"),
    m=Parameter(1.0, "kg", SOURCE, about="mass of every bar, uniform"),
    w=Parameter(0.1, "m", SOURCE, about="side of their square section"),
    g=Parameter(9.81, "m/s^2", SOURCE, about="gravity, along -y"),
):
    """Five bars from hinge P1 on the ground to hinge P6 on the ground; at the start they are edges of a cube.

    Angles are 0 there. Of the last hinge's five conditions four are independent, so that the five angles have one
    freedom. The output is where the second bar ends, P3.
    """
    across, along = m * (l**2 + w**2) / 12, m * w**2 / 6

    def bar(k, turn, end):
        inertia = [across if component == 0 else along for component in end]
        return Body(f"bar{k}", m, [l / 2 * e for e in end], inertia, turn, near=(0,))

    def to(end):
        return [l * e for e in end]

    bar1 = bar(1, Turn("theta1", axis=Y), (1, 0, 0))
    bar2 = bar(2, Turn("theta2", at=to((1, 0, 0)), by=bar1, axis=Z), (0, -1, 0))
    bar3 = bar(3, Turn("theta3", at=to((0, -1, 0)), by=bar2, axis=X), (0, 0, 1))
    bar4 = bar(4, Turn("theta4", at=to((0, 0, 1)), by=bar3, axis=Y), (-1, 0, 0))
    bar5 = bar(5, Turn("theta5", at=to((-1, 0, 0)), by=bar4, axis=Z), (0, 1, 0))
    P3 = Free("P3", dimension=3, near=(l, -l, 0))
    pins = (
        Pin(Fixed("P6", at=(0, 0, l)), bar5.point("E6", at=to((0, 1, 0))), name="hinge"),
        Pin(bar2.point("E3", at=to((0, -1, 0))), P3),
    )
    inclines = tuple(Incline(bar5.direction(X), Direction(e), name=f"hinge.tilt{k}") for k, e in ((1, Y), (2, Z)))
    bars = ((bar1, (1, 0, 0)), (bar2, None), (bar3, (0, 0, 1)), (bar4, (-1, 0, 0)), (bar5, None))
    drawn = []
    for k, (body, end) in enumerate(bars):
        drawn.append(body.point(f"B{k + 1}", at=(0, 0, 0)))
        drawn += [body.point(f"E{(2, 0, 4, 5, 0)[k]}", at=to(end))] if end else []
    closing = {"pins": pins, "inclines": inclines, "further": tuple(drawn), "linkage": True}
    return Mechanism("bricard", drives=(), **closing, output=P3, gravity=(0, -g, 0))
