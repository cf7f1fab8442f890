"""The planar 3-RRR, by default with the dimensions of case P03 (ARTE's example robot)."""

from math import cos, pi, sin

from closedchain.describe import Angle, Bar, Crank, Mechanism, Parameter, Plate, robot

SOURCE = "ARTE, robots/example/3RRR"


@robot()
def rrr3(
    x2=Parameter(3.0, "m", SOURCE, about="x of the second motor"),
    x3=Parameter(1.5, "m", SOURCE, about="x of the third motor"),
    y3=Parameter(3.0, "m", SOURCE, about="y of the third motor"),
    l1=Parameter(1.0, "m", SOURCE, about="length of the driven bars"),
    l2=Parameter(1.0, "m", SOURCE, about="length of the bars to the plate"),
    h=Parameter(0.5, "m", SOURCE, about="side of the triangular plate"),
    m_1=Parameter(1.0, "kg", "chosen: uniform bars", about="mass of a driven bar"),
    m_2=Parameter(0.8, "kg", "chosen: uniform bars", about="mass of a bar to the plate"),
    m=Parameter(0.6, "kg", "chosen: uniform triangle", about="mass of the plate"),
):
    """Three cranks, three bars, one triangular plate."""
    A1 = Crank("theta1", about=(0, 0), radius=l1, mass=m_1, point="A1")
    A2 = Crank("theta2", about=(x2, 0), radius=l1, mass=m_1, point="A2")
    A3 = Crank("theta3", about=(x3, y3), radius=l1, mass=m_1, point="A3")
    plate = Plate("plate", mass=m, centre=(h / 2, h * sin(pi / 3) / 3), inertia=m * h**2 / 12)
    P1 = plate.point("P1", at=(0, 0))
    P2 = plate.point("P2", at=(h, 0))
    P3 = plate.point("P3", at=(h * cos(pi / 3), h * sin(pi / 3)))
    return Mechanism(
        "rrr3",
        drives=(A1, A2, A3),
        bars=(Bar(A1, P1, l2, mass=m_2), Bar(A2, P2, l2, mass=m_2), Bar(A3, P3, l2, mass=m_2)),
        output=plate,
        readouts=tuple(
            Angle(f"psi{i}", A, P, relative_to=A) for i, (A, P) in enumerate(((A1, P1), (A2, P2), (A3, P3)), start=1)
        ),
    )
