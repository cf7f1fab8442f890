"""Friction and stops beside Exudyn, where it models the same: friction that grows steeper, a linear stop."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.describe import Body, Friction, Mechanism, Recipe, Slide, Spring, Stop

exudyn = pytest.importorskip("exudyn")
items = pytest.importorskip("exudyn.itemInterface")
MASS, SPRING, DRY, VISCOUS = 2.0, 200.0, 3.0, 1.5


def block(**acting):
    """A block on a rail, and what acts along it."""
    s = Slide("s", axis=(1, 0, 0))
    given = {name: (make(s),) for name, make in acting.items()}
    return cc.load(Recipe(Mechanism("block", (s,), Body("block", mass=MASS, joint=s), **given)))


def theirs(start, force, duration, step, data=(), **connector):
    """(t, position) of the same block in Exudyn, by its trapezoidal rule."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    node = system.AddNode(items.Node1D(referenceCoordinates=[0.0], initialCoordinates=[start], initialVelocities=[0.0]))
    ground = system.AddNode(items.NodePointGround())
    system.AddObject(items.Mass1D(nodeNumber=node, mass=MASS))
    markers = [system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=n, coordinate=0)) for n in (ground, node)]
    for state in data:
        held = items.NodeGenericData(initialCoordinates=state, numberOfDataCoordinates=len(state))
        connector["nodeNumber"] = system.AddNode(held)
    system.AddObject(items.ObjectConnectorCoordinateSpringDamperExt(markerNumbers=markers, **connector))
    system.AddLoad(items.LoadCoordinate(markerNumber=markers[1], load=force))
    told = exudyn.OutputVariableType.Coordinates
    seen = system.AddSensor(items.SensorNode(nodeNumber=node, outputVariableType=told, storeInternal=True))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime, settings.timeIntegration.numberOfSteps = duration, round(duration / step)
    settings.timeIntegration.verboseMode = 0
    settings.solution.sensors.writePeriod, settings.solution.file.write = step, False
    system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.TrapezoidalIndex2)
    return system.GetSensorStoredData(seen).T


def test_exudyns_friction_comes_near_the_set_valued_law_as_it_grows_steeper():
    """Theirs is proportional to the rate within a zone: a tenth of the zone, a tenth as far from ours at every row."""
    robot = block(
        springs=lambda s: Spring(s, stiffness=SPRING),
        frictions=lambda s: Friction(s, coulomb=DRY, viscous=VISCOUS),
    )
    ours = cc.simulate(robot, Constant(0.0, "tau"), q=[0.1], duration=1.5, interval=0.01, step=0.01, method="events")
    dry = {"stiffness": SPRING, "dynamicFrictionForce": DRY, "viscousFrictionFactor": VISCOUS}
    apart = []
    for zone in (1e-2, 1e-3, 1e-4):
        t, s = theirs(0.1, 0.0, 1.5, 1e-4, frictionProportionalZone=zone, **dry)
        apart.append(np.abs(np.interp(ours.t, t, s) - ours.q[:, 0]).max())
    assert apart[0] < 3e-3  # 2.1e-3, 2.4e-4 and 2.5e-5 m were measured
    assert apart[1] < 0.15 * apart[0]
    assert apart[2] < 0.15 * apart[1]


def test_a_block_bounces_on_a_linear_stop_as_in_exudyn():
    """A constant force presses it onto a stop of 1e4 N/m, again and again; the gap closes with their step."""
    robot = block(springs=lambda s: Spring(s, preload=10.0), stops=lambda s: Stop(s, low=0.0, stiffness=1e4))
    told = {"duration": 2.0, "interval": 0.01, "step": 1e-4, "method": "rk6"}
    ours = cc.simulate(robot, Constant(0.0, "tau"), q=[0.1], **told)
    stop = {"useLimitStops": True, "limitStopsUpper": 1e3, "limitStopsLower": 0.0, "limitStopsStiffness": 1e4}
    apart = []
    for step in (2e-4, 1e-4, 2e-5):
        t, s = theirs(0.1, -10.0, 2.0, step, data=[[0, 0, 0]], **stop)
        apart.append(np.abs(np.interp(ours.t, t, s) - ours.q[:, 0]).max())
    assert apart[0] < 3e-4  # 1.5e-4, 2.0e-5 and 1.3e-6 m were measured
    assert apart[1] < apart[0] / 2
    assert apart[2] < 3e-6
