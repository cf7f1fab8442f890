"""The rotary hexapod (6-RUS): six cranks, six rods, one platform that moves and turns in every way."""

from math import cos, pi, sin

from closedchain.describe import Bar, Body, Crank, Mechanism, Parameter, robot
from closedchain.describe import cos as cosine
from closedchain.describe import sin as sine

CHOSEN = "chosen: motors in pairs on a circle of 0.1 m, their cranks across it; joints of the platform in pairs"
REACHY = "Pollen Robotics, reachy_mini: kinematics_data.json, the motors' frames as roll, pitch and yaw"
Row = tuple[float, float, float]


def numbers(centres: list[Row], frames: list[Row], joints: list[Row]) -> dict[str, float]:
    """Parameters of each motor's centre and frame and of the rod's joint on the platform, by name."""
    rows = {"m": (centres, "xyz"), "f": (frames, "rpy"), "p": (joints, "xyz")}
    return {
        f"{kind}{i}{letter}": value
        for kind, (places, letters) in rows.items()
        for i, row in enumerate(places, start=1)
        for letter, value in zip(letters, row, strict=True)
    }


def usual() -> dict[str, float]:
    """Motors in pairs, shafts along the circle's radius; a pair's cranks point away from each other, mirror images."""
    angles = [middle + side for middle in (0.0, 120.0, 240.0) for side in (-12.0, 12.0)]
    places = [(cos(a * pi / 180), sin(a * pi / 180)) for a in angles]
    joints = [middle + side for middle in (0.0, 120.0, 240.0) for side in (-45.0, 45.0)]
    # The crank's zero lies along the circle, its quarter turn upward for one of a pair, downward for the other.
    mirrored = [1 if i % 2 == 0 else -1 for i in range(6)]
    turned = [(side * pi / 2, 0.0, (a - side * 90.0) * pi / 180) for side, a in zip(mirrored, angles, strict=True)]
    on_platform = [(0.08 * cos(a * pi / 180), 0.08 * sin(a * pi / 180), 0.0) for a in joints]
    return numbers([(0.1 * c, 0.1 * s, -0.12) for c, s in places], turned, on_platform)


HEAD = numbers(
    [
        (0.02699057811093811, 0.026748914460103163, 0.07663325409026873 - 0.177),
        (0.009669970308047848, 0.03674900379480585, 0.0766333000521544 - 0.177),
        (-0.03666069825622655, 0.01000011608629868, 0.07663342299448257 - 0.177),
        (-0.03666077172023576, -0.009999865338437615, 0.07663342299448232 - 0.177),
        (0.009669744869838334, -0.03674904912286439, 0.07663330005203527 - 0.177),
        (0.026990337066403518, -0.02674913845737482, 0.0766332540903862 - 0.177),
    ],
    [
        (1.570791326800536, 2.2980790772356483e-06, -0.5236000000015245),
        (-1.5707913267836533, -2.2980697229989315e-06, 2.6179853071780625),
        (1.5707953071795864, 7.055064691426758e-12, 1.5707899999999997),
        (-1.5707953071795864, 6.767968824477438e-14, -1.5707999999999671),
        (1.5707913268005127, -2.298079429787037e-06, -2.6179999999984753),
        (-1.57079132678363, 2.298069644839126e-06, 0.5236000000015243),
    ],
    [
        (0.020648178337122566, 0.021763723638894568, 1.0345743467476964e-07),
        (0.00852381571767217, 0.028763668526131346, 1.183437210727778e-07),
        (-0.029172011376922807, 0.0069999429399361995, 4.0290270064691214e-08),
        (-0.029172040355214434, -0.0069999960097160766, -3.1608172912367394e-08),
        (0.008523809101930114, -0.028763713010385224, -1.4344916837716326e-07),
        (0.020648186722822436, -0.02176369606185343, -8.957920105689965e-08),
    ],
)
ABOUT = {"m": "of its motor's centre", "f": "of its motor's frame", "p": "of its joint on the platform"}
PLACES = {
    name: Parameter(value, "rad" if name[0] == "f" else "m", CHOSEN, about=f"leg {name[1]}: {name[2]} {ABOUT[name[0]]}")
    for name, value in usual().items()
}


@robot(
    presets={"reachy-mini": HEAD | {"r": 0.04, "l": 0.085, "m": 0.2, "i": 2e-4, "m_1": 0.005, "m_2": 0.005}},
    more=PLACES,
)
def hexa(
    r=Parameter(0.06, "m", "chosen", about="length of the cranks"),
    l=Parameter(0.15, "m", "chosen", about="length of the rods"),
    m=Parameter(0.5, "kg", "chosen", about="mass of the platform, centred on its frame's origin"),
    i=Parameter(1e-3, "kg m^2", "chosen", about="its inertia, about any axis"),
    m_1=Parameter(0.02, "kg", "chosen: uniform cranks", about="mass of a crank"),
    m_2=Parameter(0.02, "kg", "chosen: uniform rods", about="mass of a rod"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
    **places,
):
    """A crank's tip is its motor's frame at (r cos θ, r sin θ, 0); the ground's origin is the platform's home."""
    platform = Body("platform", mass=m, inertia=(i, i, i))
    cranks, rods = [], []
    for k in range(1, 7):
        (cr, sr), (cp, sp), (cy, sy) = ((cosine(a), sine(a)) for a in (places[f"f{k}{axis}"] for axis in "rpy"))
        plane = ((cy * cp, sy * cp, -sp), (cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr))
        about = [places[f"m{k}{axis}"] for axis in "xyz"]
        crank = Crank(f"theta{k}", about=about, radius=r, mass=m_1, plane=plane, point=f"A{k}")
        joint = platform.point(f"P{k}", at=[places[f"p{k}{axis}"] for axis in "xyz"])
        cranks.append(crank)
        rods.append(Bar(crank, joint, l, mass=m_2))
    drives, gravity = tuple(cranks), (0, 0, -g)
    return Mechanism("hexa", drives=drives, bars=tuple(rods), output=platform, gravity=gravity, working="-+-+-+")
