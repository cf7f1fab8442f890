"""`simulate`: a robot under a controller, the whole loop compiled; or under any Python function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, numbers
from closedchain.model.dynamics import motor_constants
from closedchain.model.forces import Forces, Loads
from closedchain.model.joint_limits import drive_limits
from closedchain.model.model import Model
from closedchain.model.payload import with_payload
from closedchain.model.standing import Rates
from closedchain.model.state import State, standing
from closedchain.simulation.accuracy import FINER, assured
from closedchain.simulation.adaptive import ADAPTIVE, COARSE, PRECISION
from closedchain.simulation.balance import accounted
from closedchain.simulation.clock import Clock, clock
from closedchain.simulation.compiled import Compiled, History
from closedchain.simulation.deciding import commanding, named
from closedchain.simulation.endings import Progress
from closedchain.simulation.external import account, constant
from closedchain.simulation.marching import march
from closedchain.simulation.plant import Plant
from closedchain.simulation.rank import found_on
from closedchain.simulation.run import Run
from closedchain.simulation.starting import Beginning, check_start, starting_state
from closedchain.simulation.stepwise import stepwise

COMPILED = ("rk4", "rk6", "gauss4", "rodas")
METHODS = (*COMPILED, "dop853", *ADAPTIVE, "events")
POWERED = ("rk4", "rk6", "dop853", "events")  # where currents of motors are states
ROWS = 200_000  # kept of a run unless asked for more


def simulate(
    model: Model,
    controller: Any = None,
    *,
    duration: float | None = None,
    interval: float = 1e-3,
    step: float | None = None,
    start: State | None = None,
    state: State | None = None,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    q_dot: ArrayLike | None = None,
    x_dot: Rates | None = None,
    assembly: str | None = None,
    working: str | None = None,
    plant: Plant | None = None,
    method: str = "rk4",
    command: str | None = None,
    memory: Mapping[str, ArrayLike] | None = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    forces: Forces | None = None,
    torques: Forces | None = None,
    tolerance: float | None = None,
    precision: float | None = None,
    rows: int = ROWS,
    title: str = "",
    progress: Progress | None = None,
) -> Run:
    """The robot under a controller whose commands are held for `interval`, integrated with `step` (1 ms unless given).

    The controller is one of closedchain.control (the whole loop is then compiled) or any function (t, state) → command,
    which is an "effort", a "voltage" or a "velocity" as `command` says: efforts unless said, but where the robot has a
    motor it must be. With a `memory`, values by name, the function is (t, state, memory) → (command, memory).
    The run begins at `state`, at q or x or both, or where the controller's reference begins; it ends early, and says
    why, at a singularity that the law cannot bear, at a joint limit, or where numbers overflow. A duration that is not
    a whole number of intervals is completed: the last command is held for its whole interval. `progress` is told the
    time reached now and then; when it raises KeyboardInterrupt the run ends there and is returned as far as it came.

    External `forces` on points and `torques` on bodies, by name, act on the simulated robot and are unknown to the
    controller: numbers, or functions of (t, state), which are asked at every stage of RK4 or DOP853.

    A linkage begins where it is near unless told otherwise, moving with x_dot (an array, or rates by name), and needs
    no controller where nothing drives it. "events" finds where friction holds and slides and where firm stops are met,
    each to rounding, with steps of order 6 in between. "adaptive", and for what is stiff "stiff", choose their steps,
    between instants `step` apart, each with an error of `precision` times its size and its fastest rate. With a
    `tolerance` [m, rad] the run is repeated with finer steps until its end changes by no more than that; where it still
    does, the run says that it ended at a limit.
    """
    if method not in METHODS:
        raise BadInput(f"no method {method!r:.30}; there are {', '.join(METHODS)}")
    controller = commanding(model, controller, command, memory)
    _check_kind(model, controller, method)
    _check_options(model, method, tolerance, precision, start, {"q": q, "x": x, "q_dot": q_dot, "x_dot": x_dot})
    plant = (plant or Plant()).sampled(interval)
    reference = getattr(controller, "reference", None)
    duration = duration if duration is not None else getattr(reference, "duration", None)
    if duration is None:
        raise BadInput("give the duration: the controller has no reference that ends")
    real = plant_model(model, plant)
    if start is None:  # the same by another name, closed to rounding; `start` is taken as it is
        start = standing(real, state, q=q, x=x, q_dot=q_dot, x_dot=x_dot, assembly=assembly, working=working)
    elif state is not None:
        raise BadInput(f"{model.name}: start and state are two names of one thing; give one of them")
    loads = real.loads(forces, torques) if forces or torques else None
    if loads is not None:
        _check_loads(model, controller)
        real = constant(model, loads)
    begin = start or starting_state(real, controller, Beginning(q, x, q_dot, assembly, working, x_dot))
    check_start(real, controller, begin)
    bounds = joint_limits(real, limits)

    def once(time: Clock, precision: float) -> Run:
        history = _moved(
            real, model, controller, begin, time, plant, method, bounds, every(time, rows), progress, precision, loads
        )
        settings = {"method": method, "step": time.h, "seed": plant.seed}
        done = _run(real, controller, reference, history, time, title, settings, loads, plant)
        return accounted(_completed(done, asked), method, time.h) if done.finished else done

    asked, time = duration, clock(duration, interval, step)
    if tolerance is None:
        return once(time, PRECISION if precision is None else precision)
    if not tolerance > 0.0:
        raise BadInput(f"tolerance = {tolerance}: it must be positive")
    if method in ADAPTIVE:
        return assured(lambda k: once(time, COARSE / 100.0**k), tolerance, time.steps, FINER)
    return assured(lambda k: once(clock(duration, interval, time.h / 2**k), PRECISION), tolerance, time.steps)


def _moved(
    real: Model,
    model: Model,
    controller: Any,
    begin: State,
    time: Clock,
    plant: Plant,
    method: str,
    bounds: tuple[Doubles, Doubles],
    kept: int,
    progress: Progress | None,
    precision: float,
    loads: Loads | None,
) -> History:
    """The run's history by whatever moves this kind of model under this kind of controller."""
    varying = loads is not None and loads.varying
    compiled = hasattr(controller, "law") and method in COMPILED and not model.linkage and not varying
    if len(plant.payloads) > 1 and varying:
        raise BadInput("forces that are functions, or a payload that changes: give one of them")
    if compiled:
        return Compiled(real, model, controller, plant, method).run(begin, time, bounds, kept, progress)
    if method != "events" and not varying and (model.linkage or method in ADAPTIVE):
        return march(real, model, controller, begin, time, plant, method, bounds, kept, progress, precision)
    return stepwise(real, model, controller, begin, time, plant, method, bounds, progress, loads if varying else None)


def _completed(done: Run, asked: float) -> Run:
    """The same run; one that went on to the end of its last interval says so."""
    end = float(done.t[-1])
    if end <= asked * (1 + 1e-9):
        return done
    remark = f"{asked:g} s is no whole number of intervals of {done.interval:g} s: the last one ended at {end:.6g} s"
    findings = done.findings | {"asked_duration": asked}
    return replace(done, findings=findings, remarks=(*done.remarks, remark))


def _check_kind(model: Model, controller: Any, method: str) -> None:
    """Refuse drives without a command, and a voltage without a motor."""
    if controller is None and model.driven:
        raise BadInput(f'{model.name}: give a controller; Constant(0.0, "tau") leaves its drives without effort')
    output = getattr(controller, "output", "tau")
    if output == "voltage":
        motor_constants(model)
    powered = POWERED[-1:] if model.linkage else POWERED
    if output == "voltage" and model.equations.inductive and method not in powered:
        raise BadInput(
            f"{model.name}: the currents of its motors are states, which {method} has no place for; take "
            f"{' or '.join(powered)}, or leave the inductance out"
        )
    if model.equations.nonsmooth and method != "events" and output != "velocity":
        raise BadInput(
            f"{model.name}: {model.equations.nonsmooth}: no function of the state, which {method} integrates; take "
            'method = "events", or give each friction a width and each stop a stiffness in place of a restitution'
        )


def _check_loads(model: Model, controller: Any) -> None:
    """Refuse external forces where they would change nothing, or where what they act on is not simulated."""
    if getattr(controller, "output", "tau") == "velocity":
        raise BadInput(f"{model.name}: the kinematic plant moves as commanded, whatever forces act; give efforts")


def _check_options(
    model: Model,
    method: str,
    tolerance: float | None,
    precision: float | None,
    start: State | None,
    begin: dict[str, Any],
) -> None:
    """Refuse options that would be left unused."""
    said = [name for name, value in begin.items() if value is not None]
    if start is not None and said:
        raise BadInput(f"{model.name}: the run begins at start; leave {' and '.join(said)} out")
    if begin["x_dot"] is not None and not model.linkage:
        raise BadInput(f"{model.name}: x_dot is for linkages; begin at start=closedchain.state(robot, x=…, x_dot=…)")
    if precision is not None and method not in ADAPTIVE:
        raise BadInput(f"precision is for {' and '.join(ADAPTIVE)}; {method} takes steps, and a tolerance")
    if precision is not None and tolerance is not None:
        raise BadInput("a tolerance chooses the precision; give one of them")
    if tolerance is not None and method == "dop853":
        raise BadInput("dop853 works at rounding, and finer steps would change nothing: leave the tolerance out")


def every(time: Clock, rows: int) -> int:
    """Steps between kept rows, so that at most `rows` are kept."""
    return max(1, -(-time.steps // rows))


def plant_model(model: Model, plant: Plant) -> Model:
    """The robot that is simulated."""
    real = model.with_values(**plant.values) if plant.values else model
    first = plant.payloads[0][1]
    return with_payload(real, first) if first or len(plant.payloads) > 1 else real


def joint_limits(model: Model, limits: tuple[ArrayLike, ArrayLike] | None) -> tuple[Doubles, Doubles]:
    """The least and the greatest q: those of the robot's description, and within them those given."""
    own = drive_limits(model)
    if limits is None:
        return own
    low, high = (np.broadcast_to(np.asarray(b, dtype=np.float64), (model.nq,)) for b in limits)
    if not (low < high).all():
        raise BadInput(f"{model.name}: joint limits {numbers(low)} to {numbers(high)} leave no room")
    low, high = np.maximum(low, own[0]), np.minimum(high, own[1])
    if not (low < high).all():
        raise BadInput(f"{model.name}: joint limits {numbers(low)} to {numbers(high)} leave no room beside its own")
    return low, high


def _found(real: Model, history: History) -> dict[str, Any]:
    """Findings and remarks: where closures were lost, what friction and stops did."""
    if history.told is not None:
        return {"findings": history.told.findings, "remarks": history.told.remarks}
    return found_on(real, history)


def _run(
    real: Model,
    controller: Any,
    reference: Any,
    history: History,
    time: Clock,
    title: str,
    settings: dict[str, Any],
    loads: Loads | None,
    plant: Plant,
) -> Run:
    states = State(history.q, history.x, history.q_dot, history.x_dot)
    external = account(loads, history.t, states, history.external) if loads is not None else None
    ref = None if reference is None else reference(history.t).x
    return Run(
        model=real,
        title=title or named(controller),
        t=history.t,
        q=history.q,
        x=history.x,
        q_dot=history.q_dot,
        x_dot=history.x_dot,
        command=history.command,
        work=history.work,
        output=getattr(controller, "output", "tau"),
        interval=time.interval,
        ended=history.ended,
        ref=ref,
        space=getattr(reference, "space", "output"),
        settings=settings,
        external=external,
        current=history.current,
        payloads=plant.payloads if len(plant.payloads) > 1 else (),
        **_found(real, history),
    )
