"""A mechanism that several of these tests try."""

from closedchain.describe import Angle, Bar, Crank, Damper, Fixed, Free, Mechanism, Motor, Spring


def busy_fivebar():
    """A five-bar with springs, dampers, a geared motor with losses, readouts of both kinds, gravity aslant."""
    A1 = Crank("q1", about=(-0.1, 0), radius=0.2, mass=0.3, point="A1")
    A2 = Crank("q2", about=(0.1, 0), radius=0.2, mass=0.3, centre=0.05, inertia=0.002, point="A2")
    C, E = Free("C", mass=0.5), Fixed("E", at=(0, 0.6))
    return Mechanism(
        "busy",
        drives=(A1, A2),
        bars=(Bar(A1, C, 0.3, mass=0.2), Bar(A2, C, 0.25)),
        output=C,
        springs=(Spring((C, E), stiffness=30.0, rest=0.1), Spring(A1, stiffness=0.4, rest=0.3)),
        dampers=(Damper((A1, E), damping=0.5), Damper(A2, damping=0.05)),
        motors=(Motor("q1", resistance=2.0, kt=0.02, kv=0.02, ratio=30.0, inertia=1e-5, efficiency=0.8),),
        readouts=(Angle("psi1", A1, C), Angle("psi2", A2, C, relative_to=A2)),
        gravity=(0.5, -9.81),
    )
