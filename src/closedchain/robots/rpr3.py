"""The planar 3-RPR, by default the general one of case P02."""

from closedchain.describe import Angle, Fixed, Mechanism, Parameter, Plate, Telescope, robot

SOURCE = "General_3RPR_Parallel_Mechanism, Assembly-Modes-of-a-3-RPR"
# Plate sides a = P1P2, b = P1P3 and the angle's cosine by the law of cosines: 17.04, 20.84 and P2P3 = 16.54.
CUSPS = {"x2": 15.91, "y2": 0.0, "x3": 0.0, "y3": 10.0, "p2": 17.04}
CUSPS |= {"p3x": (17.04**2 + 20.84**2 - 16.54**2) / (2 * 17.04)}
CUSPS |= {"p3y": (20.84**2 - CUSPS["p3x"] ** 2) ** 0.5}


@robot(presets={"cusps": CUSPS})
def rpr3(
    x2=Parameter(40.0, "m", SOURCE, about="second base point"),
    y2=Parameter(10.0, "m", SOURCE),
    x3=Parameter(90.0, "m", SOURCE, about="third base point"),
    y3=Parameter(-20.0, "m", SOURCE),
    p2=Parameter(25.0, "m", SOURCE, about="second plate point, on the plate's x axis"),
    p3x=Parameter(60.0, "m", SOURCE, about="third plate point"),
    p3y=Parameter(0.0, "m", SOURCE),
    m=Parameter(10.0, "kg", "chosen", about="mass of the plate, a uniform rod over its x extent"),
    m_c=Parameter(2.0, "kg", "chosen", about="mass of a cylinder, centred 10 m from its base joint"),
    m_r=Parameter(1.0, "kg", "chosen", about="mass of a rod, centred 10 m from its plate joint"),
):
    """Three telescopic legs under one plate."""
    base = (Fixed("B1", at=(0, 0)), Fixed("B2", at=(x2, y2)), Fixed("B3", at=(x3, y3)))
    plate = Plate("plate", mass=m, centre=(p3x / 2, p3y / 2), inertia=m * (p3x**2 + p3y**2) / 12)
    tips = (plate.point("P1", at=(0, 0)), plate.point("P2", at=(p2, 0)), plate.point("P3", at=(p3x, p3y)))
    bodies = {"base_mass": m_c, "base_centre": 10, "base_inertia": m_c * 100 / 12}
    bodies |= {"tip_mass": m_r, "tip_centre": 10, "tip_inertia": m_r * 100 / 12}
    legs = tuple(Telescope(f"rho{i}", b, t, **bodies) for i, (b, t) in enumerate(zip(base, tips, strict=True), start=1))
    return Mechanism(
        "rpr3",
        drives=legs,
        output=plate,
        readouts=tuple(Angle(f"psi{i}", b, t) for i, (b, t) in enumerate(zip(base, tips, strict=True), start=1)),
    )
