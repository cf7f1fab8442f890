"""The IFToMM benchmarks of space in Exudyn: rigid bodies with Euler parameters and joints, generalised-α steps.

Bricard's last hinge has one constraint less than a hinge, which the others imply: with all of them its Jacobian is
singular. Settings are those of the benchmarks of the plane.
"""

from __future__ import annotations

from typing import Any

import exudyn
import numpy as np
from exudyn.utilities import InertiaCuboid, RigidBodyInertia

from .biglide import Array

DOWN = 9.81


def solve(mbs: Any, duration: float, step: float, radius: float) -> None:
    """Generalised-α steps with the dense solver for small systems."""
    settings = exudyn.SimulationSettings()
    time = settings.timeIntegration
    time.numberOfSteps, time.endTime, time.verboseMode = round(duration / step), duration, 0
    time.generalizedAlpha.spectralRadius = radius
    time.newton.useModifiedNewton = True
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = duration
    settings.linearSolver.solverType = exudyn.LinearSolverType.EXUdense
    mbs.SolveDynamic(settings)


def bricard(duration: float, step: float, radius: float) -> Array:
    """Where P3 is after `duration`."""
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    joints = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    axes = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    bodies = [mbs.CreateGround()]
    for a, b, axis in zip(joints, joints[1:], axes, strict=False):
        sides = np.where(np.abs(b - a) > 0.5, 1.0, 0.1)
        inertia = InertiaCuboid(density=1.0 / np.prod(sides), sideLengths=list(sides))
        body = mbs.CreateRigidBody(inertia=inertia, referencePosition=list((a + b) / 2), gravity=[0, -DOWN, 0])
        mbs.CreateRevoluteJoint(bodyNumbers=[bodies[-1], body], position=list(a), axis=axis, useGlobalFrame=True)
        bodies.append(body)
    mbs.CreateGenericJoint(
        bodyNumbers=[bodies[-1], bodies[0]], position=[0, 0, 1], constrainedAxes=[1, 1, 1, 0, 1, 0], useGlobalFrame=True
    )
    end = _place(mbs, bodies[2], [0, -0.5, 0])
    mbs.Assemble()
    solve(mbs, duration, step, radius)
    return np.array(mbs.GetSensorValues(end))


def governor(duration: float, step: float, radius: float) -> Array:
    """The sleeve's height s and the rods' angle after `duration`."""
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    ground, omega = mbs.CreateGround(), np.array([0.0, 0.0, 2 * np.pi])

    def body(inertia: Any, at: Array, R: Array) -> int:
        moving = {"initialVelocity": list(np.cross(omega, at)), "initialAngularVelocity": list(omega)}
        place = {"referencePosition": list(at), "referenceRotationMatrix": R}
        return int(mbs.CreateRigidBody(inertia=inertia, **place, **moving, gravity=[0, 0, -DOWN]))

    shaft = body(InertiaCuboid(3000, [0.01, 0.01, 1.0]), np.array([0, 0, 0.5]), np.eye(3))
    sleeve = body(InertiaCuboid(3000, [0.1, 0.1, 0.1]), np.array([0, 0, 0.5]), np.eye(3))
    mbs.CreateRevoluteJoint(bodyNumbers=[ground, shaft], position=[0, 0, 0], axis=[0, 0, 1], useGlobalFrame=True)
    mbs.CreatePrismaticJoint(bodyNumbers=[shaft, sleeve], position=[0, 0, 0.5], axis=[0, 0, 1], useGlobalFrame=True)
    m, mass = 0.3, 5.0
    centre = (m * 0.5 + mass) / (m + mass)
    across = m * (1 + 1e-4) / 12 + m * (centre - 0.5) ** 2 + mass * (1 - centre) ** 2
    end = 0
    for side in (1, -1):
        along = np.array([side * np.cos(np.pi / 6), 0, -np.sin(np.pi / 6)])
        R = np.column_stack([along, [0, 1, 0], np.cross(along, [0, 1, 0])])
        hinge = np.array([side * 0.05, 0, 1.0])
        rod = body(RigidBodyInertia(m + mass, np.diag([m * 1e-4 / 6, across, across])), hinge + centre * along, R)
        mbs.CreateRevoluteJoint(bodyNumbers=[shaft, rod], position=list(hinge), axis=[0, side, 0], useGlobalFrame=True)
        mbs.CreateSpringDamper(
            bodyNumbers=[rod, sleeve],
            localPosition0=[0.5 - centre, 0, 0],
            localPosition1=[side * 0.05, 0, 0],
            referenceLength=0.5,
            stiffness=8e5,
            damping=4e4,
        )
        end = _place(mbs, rod, [1 - centre, 0, 0])
    height = _place(mbs, sleeve, [0, 0, 0])
    mbs.Assemble()
    solve(mbs, duration, step, radius)
    return np.array([mbs.GetSensorValues(height)[2], np.arcsin(1.0 - mbs.GetSensorValues(end)[2])])


def _place(mbs: Any, body: int, at: list[float]) -> int:
    """A sensor of a body's point."""
    kind = exudyn.OutputVariableType.Position
    sensor = exudyn.utilities.SensorBody(bodyNumber=body, localPosition=at, outputVariableType=kind, writeToFile=False)
    return int(mbs.AddSensor(sensor))
