"""The Gough–Stewart platform: six telescopic legs under one body, by default with heavy legs."""

from math import cos, pi, sin

from closedchain.describe import Body, Fixed, Mechanism, Parameter, Telescope, robot

CHOSEN = "chosen: feet in pairs on a circle of 1 m, joints of the platform in pairs on a circle of 0.6 m"
DIETMAIER = "P. Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures, 1998"
RUBIN = "Vera C. Rubin Observatory, constants of the camera's hexapod"
Places = list[tuple[float, float, float]]


def circle(radius: float, angles: list[float], height: float = 0.0) -> Places:
    """Points on a level circle."""
    return [(radius * cos(a * pi / 180), radius * sin(a * pi / 180), height) for a in angles]


def numbers(base: Places, platform: Places) -> dict[str, float]:
    """The parameters of base and platform points, by name."""
    rows = {"b": base, "p": platform}
    return {
        f"{k}{i}{a}": v
        for k, row in rows.items()
        for i, at in enumerate(row, 1)
        for a, v in zip("xyz", at, strict=True)
    }


def paired(half: float) -> list[float]:
    """Angles [deg] of three pairs, each `half` to both sides of 0, 120 and 240."""
    return [middle + side for middle in (0.0, 120.0, 240.0) for side in (-half, half)]


HEAVY = numbers(circle(1.0, paired(10.0)), circle(0.6, paired(50.0)))
GENERAL = numbers(
    [
        (0.0, 0.0, 0.0),
        (1.107915, 0.0, 0.0),
        (0.549094, 0.756063, 0.0),
        (0.735077, -0.223935, 0.525991),
        (0.514188, -0.526063, -0.368418),
        (0.590473, 0.094733, -0.205018),
    ],
    [
        (0.0, 0.0, 0.0),
        (0.542805, 0.0, 0.0),
        (0.956919, -0.528915, 0.0),
        (0.665885, -0.353482, 1.402538),
        (0.478359, 1.158742, 0.107672),
        (-0.137087, -0.235121, 0.353913),
    ],
)
CAMERA = numbers(
    [
        (0.2276, 0.6538, -0.525),
        (-0.2276, 0.6538, -0.525),
        (-0.68, -0.1297, -0.525),
        (-0.4523, -0.524, -0.525),
        (0.4523, -0.524, -0.525),
        (0.68, -0.1297, -0.525),
    ],
    [
        (0.4728, 0.5122, -0.1214),
        (-0.4728, 0.5122, -0.1214),
        (-0.68, 0.1533, -0.1214),
        (-0.2072, -0.6655, -0.1214),
        (0.2072, -0.6655, -0.1214),
        (0.68, 0.1533, -0.1214),
    ],
)
# Two triangles that share their corners between legs: the edges of an octahedron.
OCTAHEDRON = numbers(
    circle(1.0, [0.0, 0.0, 120.0, 120.0, 240.0, 240.0]), circle(0.7, [-60.0, 60.0, 60.0, 180.0, 180.0, -60.0])
)
SEMI_REGULAR = numbers(circle(1.0, paired(20.0)), circle(0.7, paired(35.0)))
POINTS = {
    name: Parameter(
        value, "m", CHOSEN, about=f"leg {name[1]}, {name[2]} of its {'foot' if name[0] == 'b' else 'joint'}"
    )
    for name, value in HEAVY.items()
}


@robot(
    presets={"dietmaier": GENERAL, "rubin-camera": CAMERA, "octahedral": OCTAHEDRON, "semi-regular": SEMI_REGULAR},
    more=POINTS,
)
def gough(
    m=Parameter(20.0, "kg", "chosen", about="mass of the platform, centred on its frame's origin"),
    i_xy=Parameter(1.5, "kg m^2", "chosen", about="its inertia about x and about y"),
    i_z=Parameter(3.0, "kg m^2", "chosen", about="its inertia about z"),
    m_1=Parameter(2.0, "kg", "chosen", about="mass of a leg's lower part"),
    c_1=Parameter(0.3, "m", "chosen", about="its centre, from the foot"),
    i_1=Parameter(0.06, "kg m^2", "chosen", about="its inertia across the leg"),
    m_2=Parameter(1.0, "kg", "chosen", about="mass of a leg's upper part"),
    c_2=Parameter(0.3, "m", "chosen", about="its centre, from the platform's joint"),
    i_2=Parameter(0.03, "kg m^2", "chosen", about="its inertia across the leg"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
    **points,
):
    """Six telescopes from feet on the ground to joints on a platform, which moves and turns in every way."""
    platform = Body("platform", mass=m, inertia=(i_xy, i_xy, i_z))
    legs = []
    for i in range(1, 7):
        foot = Fixed(f"B{i}", at=[points[f"b{i}{a}"] for a in "xyz"])
        joint = platform.point(f"P{i}", at=[points[f"p{i}{a}"] for a in "xyz"])
        lower = {"base_mass": m_1, "base_centre": c_1, "base_inertia": i_1}
        legs.append(Telescope(f"l{i}", foot, joint, **lower, tip_mass=m_2, tip_centre=c_2, tip_inertia=i_2))
    return Mechanism("gough", drives=tuple(legs), output=platform, gravity=(0, 0, -g))
