"""The biglide of seeds 000, 001 and 004."""

from closedchain.describe import Angle, Bar, Free, Mechanism, Parameter, Slider, robot


@robot(presets={"lab": {"l": 0.2828427}})
def biglide(
    l=Parameter(0.3606, "m", "seed 000 (the lab's Gazebo model has 0.2828427)", about="length of each bar"),
    d=Parameter(0.4, "m", "seed 000", about="distance of the two rails"),
    m_p=Parameter(3.0, "kg", "seed 000", about="mass of the tip"),
    m_f=Parameter(1.0, "kg", "seed 000", about="mass of each foot"),
):
    """Two feet slide along y; two massless bars meet at the tip."""
    A1 = Slider("q1", at=(-d / 2, 0), along=(0, 1), mass=m_f, point="A1")
    A2 = Slider("q2", at=(d / 2, 0), along=(0, 1), mass=m_f, point="A2")
    C = Free("C", mass=m_p)
    return Mechanism(
        "biglide",
        drives=(A1, A2),
        bars=(Bar(A1, C, l), Bar(A2, C, l)),
        output=C,
        readouts=(Angle("phi1", A1, C), Angle("phi2", A2, C)),
    )
