"""A humanoid's ankle (2-RSU + U): two motors in the shank move the foot about two axes through two rods.

Two parameter sets are geometries that were published as code, each its author's own assembly, in metres:
  g1      a Unitree G1: feidedao/Parallel_Ankle_Joint (MIT)
  slider  SLIDER: LegoYoda112/slider_joint_control, src/ankleKinematics.cpp. Its foot rolls first and then pitches; here
          x and y are exchanged, so that its roll and pitch are our pitch and roll
"""

from closedchain.describe import Bar, Body, Crank, Mechanism, Parameter, Turn, robot

CHOSEN = "chosen: about a humanoid's size"
Row = tuple[float, float, float]


def numbers(centres: list[Row], ends: list[Row], joints: list[Row]) -> dict[str, float]:
    """Parameters of each crank's centre, its end at zero, and the rod's joint on the foot, by name."""
    kinds = {"m": centres, "e": ends, "p": joints}
    return {
        f"{kind}{i}{axis}": value
        for kind, rows in kinds.items()
        for i, row in enumerate(rows, start=1)
        for axis, value in zip("xyz", row, strict=True)
    }


USUAL = numbers(
    [(0.04, 0.0, 0.15), (0.04, 0.0, 0.22)],
    [(0.04, 0.03, 0.15), (0.04, -0.03, 0.22)],
    [(0.03, 0.03, 0.0), (0.03, -0.03, 0.0)],
)
UNITREE = numbers(
    [(0.035, 0.0, 0.15087), (0.0395, 0.0, 0.21587)],
    [(0.035, 0.01653, 0.1469), (0.0395, -0.01636, 0.21125)],
    [(0.022, 0.015, 0.008), (0.022, -0.015, 0.008)],
)
SLIDER = numbers(
    [(-0.0578, -0.06, 0.186), (0.0578, -0.06, 0.186)],
    [(-0.0578, -0.1, 0.186), (0.0578, -0.1, 0.186)],
    [(-0.05433013, -0.0489418, 0.0), (0.05433013, -0.0489418, 0.0)],
)
PRESETS = {
    "g1": UNITREE | {"d": 0.01756, "l1": 0.15700660018, "l2": 0.22150655905},
    "slider": SLIDER | {"l1": 0.1925, "l2": 0.1925},
}
ABOUT = {"m": "its crank's centre", "e": "its crank's end at zero", "p": "its joint on the foot, from the roll axis"}
PLACES = {
    name: Parameter(value, "m", CHOSEN, about=f"leg {name[1]}: {name[2]} of {ABOUT[name[0]]}")
    for name, value in USUAL.items()
}


@robot(presets=PRESETS, more=PLACES)
def ankle(
    d=Parameter(0.0, "m", CHOSEN, about="how far the roll axis lies below the pitch axis"),
    l1=Parameter(0.15, "m", CHOSEN, about="length of the first rod"),
    l2=Parameter(0.22, "m", CHOSEN, about="length of the second rod"),
    m=Parameter(0.6, "kg", CHOSEN, about="mass of the foot"),
    c=Parameter(-0.03, "m", CHOSEN, about="z of its centre"),
    i_x=Parameter(4e-4, "kg m^2", CHOSEN, about="its inertia about x"),
    i_y=Parameter(2e-3, "kg m^2", CHOSEN, about="its inertia about y and about z"),
    j=Parameter(1e-5, "kg m^2", CHOSEN, about="inertia of a crank with its motor, about its shaft"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
    **places,
):
    """The foot pitches about y and then rolls about x; cranks turn about x."""
    cross = Body("cross", joint=Turn("pitch", axis=(0, 1, 0)))
    foot = Body("foot", m, (0, 0, c), (i_x, i_y, i_y), Turn("roll", (0, 0, -d), cross, axis=(1, 0, 0)))
    cranks, rods = [], []
    for k, length in enumerate((l1, l2), start=1):
        centre, end, at = ([places[f"{kind}{k}{axis}"] for axis in "xyz"] for kind in "mep")
        y, z = end[1] - centre[1], end[2] - centre[2]
        radius = (y**2 + z**2) ** 0.5
        plane = ((0, y / radius, z / radius), (0, -(z / radius), y / radius))
        body = {"radius": radius, "plane": plane, "inertia": j, "centre": 0}
        crank = Crank(f"theta{k}", about=centre, **body, point=f"A{k}")
        cranks.append(crank)
        rods.append(Bar(crank, foot.point(f"P{k}", at=at), length))
    return Mechanism("ankle", drives=tuple(cranks), bars=tuple(rods), output=foot, gravity=(0, 0, -g))
