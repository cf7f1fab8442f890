"""The Delta robot in space, by default ABB's FlexPicker as in Williams (2016)."""

from math import cos, pi, sin, sqrt

from closedchain.describe import Bar, Carried, Crank, Free, Mechanism, Parameter, robot

SOURCE = "R. L. Williams II, The Delta Parallel Robot: Kinematics Solutions, 2016"


@robot()
def delta(
    s_B=Parameter(0.567, "m", SOURCE, about="side of the base triangle"),
    s_P=Parameter(0.076, "m", SOURCE, about="side of the platform triangle"),
    L=Parameter(0.524, "m", SOURCE, about="length of the driven arms"),
    l=Parameter(1.244, "m", SOURCE, about="length of the parallelograms"),
    m_1=Parameter(0.5, "kg", "chosen: uniform arms", about="mass of an arm"),
    m_2=Parameter(0.2, "kg", "chosen: uniform rods", about="mass of a parallelogram, as one rod"),
    m=Parameter(0.3, "kg", "chosen", about="mass of the platform"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """Three cranks, three parallelograms, a platform that never turns: a parallelogram is a bar to an offset point."""
    w_B = s_B * (sqrt(3) / 6)  # from the base's centre to a side, where the motor is
    u_P = s_P * (sqrt(3) / 3)  # from the platform's centre to a vertex
    C = Free("C", mass=m, dimension=3)
    arms, bars = [], []
    for i, azimuth in enumerate((-pi / 2, pi / 6, 5 * pi / 6), start=1):
        out = (cos(azimuth), sin(azimuth), 0)
        about = tuple(w_B * component for component in out)
        arm = Crank(f"theta{i}", about=about, radius=L, mass=m_1, plane=(out, (0, 0, -1)), point=f"A{i}")
        P = Carried(f"P{i}", C, at=tuple(u_P * component for component in out))
        arms.append(arm)
        bars.append(Bar(arm, P, l, mass=m_2))
    return Mechanism("delta", drives=tuple(arms), bars=tuple(bars), output=C, gravity=(0, 0, -g))
