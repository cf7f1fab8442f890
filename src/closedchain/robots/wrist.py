"""The spherical wrist (3-RRR): three motors, three pairs of bent links and one platform turn about a common centre."""

from math import cos, pi, sin

from closedchain.describe import Ball, Body, Incline, Mechanism, Parameter, Turn, robot
from closedchain.describe import cos as cosine
from closedchain.describe import sin as sine

CHOSEN = "chosen"
AGILE = "C. M. Gosselin and J.-F. Hamel, The agile eye, 1994: every axis at right angles to the next"


@robot(
    presets={"agile-eye": {"alpha": pi / 2, "beta": pi / 2, "gamma": 0.9553166181245093, "delta": 0.9553166181245093}}
)
def wrist(
    alpha=Parameter(1.2, "rad", CHOSEN, about="angle that a motor's link is bent by"),
    beta=Parameter(1.3, "rad", CHOSEN, about="angle that a platform's link is bent by"),
    gamma=Parameter(0.95, "rad", CHOSEN, about="angle of the motors' axes to -z"),
    delta=Parameter(0.95, "rad", CHOSEN, about="angle of the platform's axes to z"),
    m=Parameter(0.5, "kg", CHOSEN, about="mass of the platform"),
    h=Parameter(0.05, "m", CHOSEN, about="its centre, above the common one"),
    i_xy=Parameter(4e-4, "kg m^2", CHOSEN, about="its inertia about x and about y"),
    i_z=Parameter(6e-4, "kg m^2", CHOSEN, about="its inertia about z"),
    m_1=Parameter(0.1, "kg", CHOSEN, about="mass of a motor's link"),
    c_1=Parameter(0.04, "m", CHOSEN, about="its centre, from the common one along its second axis"),
    i_1=Parameter(1e-4, "kg m^2", CHOSEN, about="its inertia, about any axis"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """A platform's link, here without mass, keeps the axis of its motor's link and the platform's own at an angle."""
    platform = Body("platform", m, (0, 0, h), (i_xy, i_xy, i_z), Ball("head"))
    drives, inclines, heads, ends = [], [], [], []
    for k, angle in enumerate((0.0, 2 * pi / 3, 4 * pi / 3), start=1):
        c, s = cos(angle), sin(angle)
        motor = (sine(gamma) * c, sine(gamma) * s, -cosine(gamma))
        axes = (
            (cosine(gamma) * c, cosine(gamma) * s, sine(gamma)),
            (-s, c, 0),
            (-sine(gamma) * c, -sine(gamma) * s, cosine(gamma)),
        )
        turn = Turn(f"theta{k}", axes=axes, axis=motor)
        bent = (sine(alpha), 0, -cosine(alpha))  # at alpha from the motor's axis, which is -z of the link's frame
        link = Body(f"link{k}", m_1, tuple(c_1 * e for e in bent), (i_1, i_1, i_1), turn)
        pointing = (sine(delta) * c, sine(delta) * s, cosine(delta))
        drives.append(turn)
        inclines.append(Incline(link.direction(bent), platform.direction(pointing), cosine(beta), name=f"link{k}"))
        ends += [link.point(f"E{k}", at=(0, 0, -c_1)), link.point(f"W{k}", at=tuple(c_1 * e for e in bent))]
        heads.append(platform.point(f"V{k}", at=tuple(h * e for e in pointing)))
    links = {"drives": tuple(drives), "inclines": tuple(inclines), "further": (*heads, *ends)}
    return Mechanism("wrist", **links, output=platform, gravity=(0, 0, -g))
