"""The five-bar of the teaching lab behind seeds 001 and 004."""

from closedchain.describe import Angle, Bar, Crank, Free, Mechanism, Parameter, robot


@robot()
def fivebar(
    l1=Parameter(0.09, "m", "lab model file", about="length of the two driven bars"),
    l2=Parameter(0.09, "m", "lab model file", about="length of the two bars that meet at the tip"),
    d=Parameter(0.118, "m", "lab model file", about="distance of the two motors"),
    zz_1=Parameter(
        1.0 * 0.045**2, "kg m^2", "lab model file (the handout rounds to 0.002)", about="grouped inertia ZZ1R"
    ),
    zz_2=Parameter(
        1.0 * 0.045**2, "kg m^2", "lab model file (the handout rounds to 0.002)", about="grouped inertia ZZ2R"
    ),
    m_r=Parameter(0.5, "kg", "lab model file", about="grouped mass mR at the tip"),
):
    """Two cranks on the x axis; two bars meet at the tip. Horizontal plane."""
    A1 = Crank("q11", about=(-d / 2, 0), radius=l1, inertia=zz_1, point="A1")
    A2 = Crank("q21", about=(d / 2, 0), radius=l1, inertia=zz_2, point="A2")
    C = Free("C", mass=m_r)
    return Mechanism(
        "fivebar",
        drives=(A1, A2),
        bars=(Bar(A1, C, l2), Bar(A2, C, l2)),
        output=C,
        readouts=(Angle("q12", A1, C, relative_to=A1), Angle("q22", A2, C, relative_to=A2)),
    )
