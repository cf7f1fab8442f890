"""Andrews' squeezing mechanism, the IFToMM library's A03: seven bodies, one crank, a spring."""

import numpy as np
from numpy.typing import NDArray

from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Parameter, Spring, robot, sqrt

SOURCE = "IVP Test Set; Hairer and Wanner II"


@robot()
def squeezer(
    xa=Parameter(-0.06934, "m", SOURCE, about="fixed point A"),
    ya=Parameter(-0.00227, "m", SOURCE),
    xb=Parameter(-0.03635, "m", SOURCE, about="fixed point B"),
    yb=Parameter(0.03273, "m", SOURCE),
    xc=Parameter(0.014, "m", SOURCE, about="fixed point C, of the spring"),
    yc=Parameter(0.072, "m", SOURCE),
    rr=Parameter(0.007, "m", SOURCE, about="crank O-F"),
    ra=Parameter(0.00092, "m", SOURCE, about="centre of the crank, from O"),
    d=Parameter(0.028, "m", SOURCE, about="bar F-E"),
    da=Parameter(0.0115, "m", SOURCE, about="its centre, from F"),
    ss=Parameter(0.035, "m", SOURCE, about="side B-E of the plate B, E, D"),
    sa=Parameter(0.01874, "m", SOURCE, about="its centre along B-E"),
    sb=Parameter(0.01043, "m", SOURCE, about="its centre across B-E"),
    sc=Parameter(0.018, "m", SOURCE, about="point D, along B-E"),
    sd=Parameter(0.02, "m", SOURCE, about="point D, across B-E"),
    zt=Parameter(0.04, "m", SOURCE, about="bar A-G"),
    ta=Parameter(0.02308, "m", SOURCE, about="its centre, along"),
    tb=Parameter(0.00916, "m", SOURCE, about="its centre, across"),
    e=Parameter(0.02, "m", SOURCE, about="bar G-E"),
    ea=Parameter(0.01421, "m", SOURCE, about="its centre, from E"),
    u=Parameter(0.04, "m", SOURCE, about="bar A-H"),
    ua=Parameter(0.01228, "m", SOURCE, about="its centre, along"),
    ub=Parameter(0.00449, "m", SOURCE, about="its centre, across"),
    zf=Parameter(0.02, "m", SOURCE, about="bar H-E"),
    fa=Parameter(0.01421, "m", SOURCE, about="its centre, from E"),
    l_0=Parameter(0.07785, "m", SOURCE, about="rest length of the spring"),
    m_1=Parameter(0.04325, "kg", SOURCE, about="mass of the crank O-F"),
    m_2=Parameter(0.00365, "kg", SOURCE, about="mass of the bar F-E"),
    m_3=Parameter(0.02373, "kg", SOURCE, about="mass of the plate B, E, D"),
    m_4=Parameter(0.00706, "kg", SOURCE, about="mass of the bar G-E"),
    m_5=Parameter(0.0705, "kg", SOURCE, about="mass of the bar A-G"),
    m_6=Parameter(0.00706, "kg", SOURCE, about="mass of the bar H-E"),
    m_7=Parameter(0.05498, "kg", SOURCE, about="mass of the bar A-H"),
    I_1=Parameter(2.194e-06, "kg m^2", SOURCE, about="inertia of the crank O-F about its centre"),
    I_2=Parameter(4.41e-07, "kg m^2", SOURCE, about="inertia of the bar F-E about its centre"),
    I_3=Parameter(5.255e-06, "kg m^2", SOURCE, about="inertia of the plate B, E, D about its centre"),
    I_4=Parameter(5.667e-07, "kg m^2", SOURCE, about="inertia of the bar G-E about its centre"),
    I_5=Parameter(1.169e-05, "kg m^2", SOURCE, about="inertia of the bar A-G about its centre"),
    I_6=Parameter(5.667e-07, "kg m^2", SOURCE, about="inertia of the bar H-E about its centre"),
    I_7=Parameter(1.912e-05, "kg m^2", SOURCE, about="inertia of the bar A-H about its centre"),
    k_0=Parameter(4530.0, "N/m", SOURCE, about="stiffness of the spring"),
):
    """A crank squeezes three chains between A, B and itself; a spring holds against it.

    Bodies that turn about A and B are bars with the inertia that their centre beside the bar adds; the plate's third
    point D holds the spring.
    """
    F = Crank("beta", about=(0, 0), radius=rr, mass=m_1, centre=ra, inertia=I_1, point="F")
    A, B, C = Fixed("A", at=(xa, ya)), Fixed("B", at=(xb, yb)), Fixed("C", at=(xc, yc))
    E, G, H, D = (Free(name) for name in "EGHD")
    bars = (
        Bar(F, E, d, mass=m_2, centre=da, inertia=I_2),
        Bar(B, E, ss, mass=m_3, centre=sa, inertia=I_3 + m_3 * sb**2),
        Bar(A, G, zt, mass=m_5, centre=ta, inertia=I_5 + m_5 * tb**2),
        Bar(G, E, e, mass=m_4, centre=e - ea, inertia=I_4),
        Bar(A, H, u, mass=m_7, centre=ua, inertia=I_7 + m_7 * ub**2),
        Bar(H, E, zf, mass=m_6, centre=zf - fa, inertia=I_6),
        Bar(B, D, sqrt(sc**2 + sd**2)),
        Bar(E, D, sqrt((ss - sc) ** 2 + sd**2)),
    )
    ends = {"EF": (E, F), "BE": (B, E), "GE": (G, E), "AG": (A, G), "HE": (H, E), "AH": (A, H)}
    readouts = tuple(Angle(name, tail, tip) for name, (tail, tip) in ends.items())
    return Mechanism(
        "squeezer", drives=(F,), bars=bars, output=E, springs=(Spring((D, C), k_0, rest=l_0),), readouts=readouts
    )


# What is to be added to the differences of directions to have the Test Set's angles. It places points by
#   E = B + ss (sin γ, −cos γ),   H = A + u (sin ε, −cos ε)             γ = BE + π/2, ε = AH + π/2
#   G = A + zt (cos δ, sin δ),    E = G + e (sin(φ+δ), −cos(φ+δ))       δ = AG,       φ = GE − δ + π/2
#                                 E = H + zf (cos(Ω+ε), sin(Ω+ε))       Ω = HE − ε = HE − AH − π/2
PUBLISHED_ZERO = np.array([0.0, 0.0, np.pi / 2, np.pi / 2, 0.0, -np.pi / 2, np.pi / 2])


def published_angles(beta: NDArray[np.float64], passive: NDArray[np.float64]) -> NDArray[np.float64]:
    """β, Θ, γ, φ, δ, Ω, ε of the IVP Test Set, but for their zeros, from β and the readouts (..., 6); rates from rates.

    The readouts are directions of bars. The Test Set counts γ and ε from −y, and φ and Ω between one bar so counted and
    one that is not: π/2 is to be added to γ, φ and ε and taken from Ω. `PUBLISHED_ZERO` is that; rates need nothing.
    """
    EF, BE, GE, AG, HE, AH = np.moveaxis(passive, -1, 0)
    return np.stack([beta, EF - beta, BE, GE - AG, AG, HE - AH, AH], axis=-1)
