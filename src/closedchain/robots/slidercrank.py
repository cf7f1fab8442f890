"""The slider-crank: one crank, a connecting rod, a piston on a rail."""

from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Parameter, Rail, robot


@robot()
def slidercrank(
    a=Parameter(0.05, "m", "chosen", about="crank"),
    b=Parameter(0.15, "m", "chosen", about="connecting rod"),
    e=Parameter(0.0, "m", "chosen", about="offset of the rail from the crank's axis"),
    m_a=Parameter(0.2, "kg", "chosen: uniform bars", about="mass of the crank"),
    m_b=Parameter(0.3, "kg", "chosen: uniform bars", about="mass of the rod"),
    m_c=Parameter(0.5, "kg", "chosen", about="mass of the piston"),
):
    """A crank turns, a rod pushes a piston along x."""
    A = Crank("q1", about=(0, 0), radius=a, mass=m_a, point="A")
    C = Free("C", mass=m_c)
    O = Fixed("O", at=(0, e))
    return Mechanism(
        "slidercrank",
        drives=(A,),
        bars=(Bar(A, C, b, mass=m_b),),
        rails=(Rail(C, O, along=(1, 0), name="rail"),),
        output=C,
        readouts=(Angle("rod", A, C),),
    )
