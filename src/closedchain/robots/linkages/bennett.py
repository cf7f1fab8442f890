"""Bennett's linkage: four skew hinges that by counting are rigid, and move, since distances go with twists."""

from math import sqrt

from closedchain.describe import Body, Direction, Fixed, Incline, Mechanism, Parameter, Pin, Turn, cos, robot, sin

SOURCE = "G. T. Bennett, A new mechanism, 1903: opposite links alike, a / sin(alpha) = b / sin(beta)"
# The ground's link stands obliquely, along X, its first hinge along Z: no condition of the last hinge is void anywhere.
X, Y, Z = (
    (1 / sqrt(2), -1 / sqrt(2), 0.0),
    (1 / sqrt(6), 1 / sqrt(6), -2 / sqrt(6)),
    (1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3)),
)


@robot()
def bennett(
    a=Parameter(0.3, "m", SOURCE, about="length of the first and of the third link; that of the others, b, follows"),
    alpha=Parameter(0.7, "rad", SOURCE, about="twist of their hinges"),
    beta=Parameter(1.2, "rad", SOURCE, about="twist of the hinges of the second link and of the ground"),
    m=Parameter(1.0, "kg", "chosen: uniform rods", about="mass of each moving link"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -y"),
):
    """Three coordinates, five conditions of the last hinge, of which two are independent.

    A link lies along x of its frame, from its first hinge, which is z; the next hinge is z turned about x by its twist.
    """
    b = a * sin(beta) / sin(alpha)
    (ca, sa), (cb, sb) = ((cos(angle), sin(angle)) for angle in (alpha, beta))

    def link(k, length, near, turn):
        rod = m * length**2 / 12
        return Body(f"link{k}", m, (length / 2, 0, 0), (0, rod, rod), turn, near=(near,))

    def after(k, by, length, c, s):
        axes = ((1, 0, 0), (0, c, s), (0, -s, c))
        return Turn(f"theta{k}", at=(length, 0, 0), by=by, axes=axes, axis=axes[2])

    first = link(1, a, 0.8, Turn("theta1", axes=(X, Y, Z), axis=Z))
    second = link(2, b, 2.886, after(2, first, a, ca, sa))
    third = link(3, a, -0.8, after(3, second, b, cb, sb))
    hinge = Fixed("D", at=[-b * e for e in X])
    last = (0, -sa, ca)  # along the next hinge, in the third link
    beside = [cb * y - sb * z for y, z in zip(Y, Z, strict=True)]  # with X across the last hinge, sb Y + cb Z
    across = [[(x + side * e) / sqrt(2) for x, e in zip(X, beside, strict=True)] for side in (1, -1)]
    inclines = tuple(
        Incline(third.direction(last), Direction(e), name=f"hinge.tilt{k}") for k, e in enumerate(across, start=1)
    )
    pins = (Pin(hinge, third.point("D3", at=(a, 0, 0)), name="hinge"),)
    ends = ((first, "A1", 0), (first, "B1", a), (second, "B2", 0), (second, "C2", b), (third, "C3", 0))  # to be drawn
    drawn = tuple(body.point(name, at=(along, 0, 0)) for body, name, along in ends)
    closing = {"pins": pins, "inclines": inclines, "further": drawn, "linkage": True}
    return Mechanism("bennett", drives=(), **closing, output=third, gravity=(0, -g, 0))
