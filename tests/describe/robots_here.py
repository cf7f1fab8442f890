"""One small robot to break: the biglide's shape, as a file and as a function of its parts."""

GLIDE = """\
schema = "closedchain.mechanism/1"
name = "glide"
output = "C"

[parameters]
l = { value = 0.36, unit = "m" }
d = 0.4

[points]
C = { free = true, mass = 3.0 }

[drives.q1]
slider = { at = ["-d/2", 0], along = [0, 1] }
point = "A1"

[drives.q2]
slider = { at = ["d/2", 0], along = [0, 1] }
point = "A2"

[[bars]]
between = ["A1", "C"]
length = "l"

[[bars]]
between = ["A2", "C"]
length = "l"
"""

PENDULUM = """\
schema = "closedchain.mechanism/1"
name = "pendulum"

[parameters]
m = 1.0
L = 0.5

[equations]
q = { th = "rad" }
driven = ["th"]
kinetic = "m*L**2*th_dot**2/2"
potential = "-m*9.81*L*cos(th)"
points = { O = [0, 0], P = ["L*sin(th)", "-L*cos(th)"] }
lines = [["O", "P"]]
"""


def changed(source: str, old: str, new: str) -> str:
    """The text with its one `old` replaced; `old` must be there, or the test would test nothing."""
    assert old in source
    return source.replace(old, new, 1)
