"""The IFToMM benchmarks in Exudyn: rigid bars of the plane with revolute joints, generalised-α steps.

Its own settings for these: modified Newton, no output, a sparse solver for the long chain and its dense one for small
systems (both were tried); spectral radius 0.6 or 0.9, since at 1 (no damping) it fails where the bars lie flat.
"""

from __future__ import annotations

from collections.abc import Sequence

import exudyn
import numpy as np
from exudyn.utilities import (
    LoadMassProportional,
    LoadTorqueVector,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerBodyRigid,
    NodeRigidBody2D,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
    SensorBody,
)

from .biglide import Array
from .iftomm_data import Squeezer

Pair = Sequence[float]


class System:
    """Bodies of the plane, joints and what acts, in Exudyn's words."""

    def __init__(self, gravity: float = 0.0) -> None:
        self.container = exudyn.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground, self.gravity = self.mbs.AddObject(ObjectGround()), gravity

    def body(self, mass: float, inertia: float, centre: Pair, angle: float, v: Pair = (0, 0), w: float = 0.0) -> int:
        node = NodeRigidBody2D(referenceCoordinates=[*centre, angle], initialVelocities=[*v, w])
        number = self.mbs.AddNode(node)
        body = self.mbs.AddObject(ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=number))
        if self.gravity:
            marker = self.mbs.AddMarker(MarkerBodyMass(bodyNumber=body))
            self.mbs.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0, -self.gravity, 0]))
        return int(body)

    def marker(self, body: int, at: Pair) -> int:
        return int(self.mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[*at, 0])))

    def joint(self, a: int, at_a: Pair, b: int, at_b: Pair) -> None:
        markers = [self.marker(a, at_a), self.marker(b, at_b)]
        self.mbs.AddObject(ObjectJointRevolute2D(markerNumbers=markers))

    def sensor(self, body: int, at: Pair, kind: str) -> int:
        output = getattr(exudyn.OutputVariableType, kind)
        sensor = SensorBody(bodyNumber=body, localPosition=[*at, 0], outputVariableType=output, writeToFile=False)
        return int(self.mbs.AddSensor(sensor))

    def solve(self, duration: float, step: float, radius: float, sparse: bool) -> None:
        """Generalised-α steps; raises where Newton's method fails."""
        settings = exudyn.SimulationSettings()
        time = settings.timeIntegration
        time.numberOfSteps, time.endTime, time.verboseMode = round(duration / step), duration, 0
        time.generalizedAlpha.spectralRadius = radius
        time.newton.useModifiedNewton = True
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = duration
        kinds = exudyn.LinearSolverType
        settings.linearSolver.solverType = kinds.EigenSparse if sparse else kinds.EXUdense
        self.mbs.SolveDynamic(settings)


def windows(N: int, duration: float, step: float, radius: float) -> Array:
    """Position of the first top joint of N windows after `duration`."""
    system = System(gravity=9.81)
    U = [system.body(1.0, 1 / 12, (i, 0.5), np.pi / 2, (0.5, 0), -1.0) for i in range(N + 1)]
    C = [system.body(1.0, 1 / 12, (i + 0.5, 1), 0.0, (1, 0)) for i in range(N)]
    for i, upright in enumerate(U):
        system.joint(system.ground, (i, 0), upright, (-0.5, 0))
    for i, coupler in enumerate(C):
        system.joint(U[i], (0.5, 0), coupler, (-0.5, 0))
        system.joint(coupler, (0.5, 0), U[i + 1], (0.5, 0))
    top = system.sensor(U[0], (0.5, 0), "Position")
    system.mbs.Assemble()
    system.solve(duration, step, radius, sparse=N > 10)
    return np.array(system.mbs.GetSensorValues(top)[:2])


def squeezer(data: Squeezer, duration: float, step: float, radius: float) -> float:
    """The crank's angle β of Andrews' squeezer after `duration`."""
    system, p = System(), data.parameters
    m, inertia = data.masses, data.inertias
    beta, theta, gamma, phi, delta, Omega, epsilon = data.angles
    A, B, C = (p["xa"], p["ya"]), (p["xb"], p["yb"]), (p["xc"], p["yc"])

    def turned(origin: Pair, angle: float, local: Pair) -> tuple[float, float]:
        c, s = np.cos(angle), np.sin(angle)
        return origin[0] + c * local[0] - s * local[1], origin[1] + s * local[0] + c * local[1]

    F = turned((0, 0), beta, (p["rr"], 0))
    G, H = turned(A, delta, (p["zt"], 0)), turned(A, epsilon, (0, -p["u"]))
    frames = {  # where a body's frame is, its angle, and its centre there
        1: ((0, 0), beta, (p["ra"], 0)),
        2: (F, beta + theta, (-p["da"], 0)),
        3: (B, gamma, (p["sb"], -p["sa"])),
        4: (G, phi + delta, (0, -(p["e"] - p["ea"]))),
        5: (A, delta, (p["ta"], p["tb"])),
        6: (H, Omega + epsilon, (p["zf"] - p["fa"], 0)),
        7: (A, epsilon, (p["ub"], -p["ua"])),
    }
    bodies, centre = {}, {k: frame[2] for k, frame in frames.items()}
    for k, (origin, angle, local) in frames.items():
        bodies[k] = system.body(m[k - 1], inertia[k - 1], turned(origin, angle, local), angle)

    def at(k: int, local: Pair) -> tuple[int, tuple[float, float]]:
        """A point of a body's frame, from its centre."""
        return bodies[k], (local[0] - centre[k][0], local[1] - centre[k][1])

    E_of = {2: (-p["d"], 0), 3: (0, -p["ss"]), 4: (0, -p["e"]), 6: (p["zf"], 0)}
    for k, foot in ((1, (0, 0)), (3, B), (5, A), (7, A)):
        system.joint(system.ground, foot, *at(k, (0, 0)))
    system.joint(*at(1, (p["rr"], 0)), *at(2, (0, 0)))
    system.joint(*at(5, (p["zt"], 0)), *at(4, (0, 0)))
    system.joint(*at(7, (0, -p["u"])), *at(6, (0, 0)))
    for k in (2, 4, 6):
        system.joint(*at(3, E_of[3]), *at(k, E_of[k]))
    ends = [system.marker(system.ground, C), system.marker(*at(3, (p["sd"], -p["sc"])))]
    spring = ObjectConnectorSpringDamper(markerNumbers=ends, referenceLength=p["l_0"], stiffness=p["k_0"], damping=0.0)
    system.mbs.AddObject(spring)
    crank = system.mbs.AddMarker(MarkerBodyRigid(bodyNumber=bodies[1], localPosition=[0, 0, 0]))
    system.mbs.AddLoad(LoadTorqueVector(markerNumber=crank, loadVector=[0, 0, data.torque]))
    turn = system.sensor(bodies[1], (0, 0), "Rotation")
    system.mbs.Assemble()
    system.solve(duration, step, radius, sparse=False)
    return beta + float(np.ravel(system.mbs.GetSensorValues(turn))[-1])  # it counts from the reference
