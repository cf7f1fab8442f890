"""The triangular plate of seed 002."""

from math import cos, pi, sin

from closedchain.describe import Angle, Bar, Crank, Fixed, Mechanism, Parameter, Plate, Telescope, robot


@robot()
def triplate(
    R=Parameter(4.0, "m", "seed 002", about="radius of the circle on which the arms' feet move"),
    L=Parameter(3.5, "m", "seed 002", about="length of the two arms"),
    r=Parameter(2.0, "m", "not printed; d3*² = 18 + r² in seed 002 gives it", about="side of the plate"),
    m=Parameter(1.0, "kg", "chosen: seed 002 gives no mass", about="mass of the plate"),
    m_a=Parameter(0.5, "kg", "chosen: seed 002 gives no mass", about="mass of each foot and arm's uniform rod"),
):
    """A triangular plate on two arms whose feet turn about one centre, and on one telescopic leg."""
    B1 = Crank("theta1", about=(0, 0), radius=R, mass=m_a, centre=R, inertia=0, point="B1")
    B2 = Crank("theta2", about=(0, 0), radius=R, mass=m_a, centre=R, inertia=0, point="B2")
    plate = Plate("plate", mass=m, centre=(r / 2, r * sin(pi / 3) / 3), inertia=m * r**2 / 12)
    a1 = plate.point("a1", at=(r * cos(pi / 3), r * sin(pi / 3)))
    a2 = plate.point("a2", at=(0, 0))
    a3 = plate.point("a3", at=(r, 0))
    B3 = Fixed("B3", at=(0, -R))
    leg = Telescope("d3", B3, a3)
    return Mechanism(
        "triplate",
        drives=(B1, B2, leg),
        bars=(Bar(B1, a1, L, mass=m_a), Bar(B2, a2, L, mass=m_a)),
        output=plate,
        readouts=(Angle("psi1", B1, a1), Angle("psi2", B2, a2), Angle("psi3", B3, a3)),
    )
