"""`verify`: a robot against independent engines, quantity by quantity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.motion.formulas import formula_of
from closedchain.motion.reference import Trajectory
from closedchain.simulation.run import Run
from closedchain.verify import own_functions, own_motion
from closedchain.verify.bodies import Bodies, bodies_of
from closedchain.verify.comparison import Answers, Comparison, Row, Trace
from closedchain.verify.driving import along, driven, labels
from closedchain.verify.engine import PACKAGES, NoEngine, installed, missing
from closedchain.verify.engine import known as known_engine
from closedchain.verify.from_output import inverse_rows, their_output
from closedchain.verify.limits import Ground, apart, pace_of, worst_of
from closedchain.verify.meeting import apart_because, beginning, chosen, first_of, meeting
from closedchain.verify.motions import (
    DURATION,
    MOTIONS,
    Branch,
    NoMotion,
    instants,
    modes_of,
    oscillation,
    random_states,
    release,
    start_of,
    trajectory,
)
from closedchain.verify.own_units import open_engine
from closedchain.verify.replaying import Known, known
from closedchain.verify.samples import DRIVES, RATES, Quantities, Samples, answers, closed, units
from closedchain.verify.witness import Testimony, Witness, testify

STATES = 60  # random ones
SINGULAR = 1e-9  # of M of the tree with unit diagonal: below it a solver needs masses where there are none
TINY = 1e-12  # of the robot's mass: given masses below this have no effect on a motion that rounding would not hide
LIGHT = 1e-6  # of the robot's mass, given to massless bodies on which nothing heavy rides
SIMULATED: dict[str, Callable[[Model, Branch, int], Run]] = {
    "oscillation": oscillation,
    "trajectory": trajectory,
    "release": release,
}


@dataclass(frozen=True, eq=False)
class Motion:
    """States to be compared and, where they were simulated, the run."""

    name: str
    samples: Samples
    t: Doubles | None = None
    run: Run | None = None
    known: Known | None = None  # as much of the run as can be compared in time
    theirs: Samples | None = None  # the same drives with the output of the engine's robot, where that is another one
    note: str = ""

    @property
    def exact(self) -> bool:
        """Whether its states are the motion's own, not those of a run that follows it: figures then show them."""
        return self.name == own_motion.NAME


def verify(
    robot: Model | str,
    engine: str = "all",
    *,
    motion: str | Trajectory = "all",
    duration: float = DURATION,
    others: Mapping[str, Any] | None = None,
    engine_values: Mapping[str, float] | None = None,
    assembly: str | None = None,
    working: str | None = None,
    seed: int = 0,
    states: int = STATES,
) -> Comparison:
    """Build the robot in another engine, put both through the same motions, and compare every quantity.

    engine is "mujoco", "pinocchio", "all" (those that are installed) or "none"; motion is "oscillation", "trajectory",
    for a linkage "release", "random" or "all", or one of your own: a motion of closedchain.motion, or formulas
    "q1 = 0.1*sin(t); q2 = 0" for `duration`. `others` are model functions of your own by a name for their column:
    {"mine": {"tau": function}}, a module or an object; `engine_values` are parameters that the engine's robot has
    instead of the model's.
    The result prints the documents' table; `ok` says whether every difference is within its limit.
    """
    model = robot if isinstance(robot, Model) else load(robot)
    chosen = formula_of(model, motion, duration) if isinstance(motion, str) and "=" in motion else motion
    return compare(
        model,
        engine_model=model.with_values(**engine_values) if engine_values else None,
        engine=engine,
        motion=chosen,
        others=others,
        branch=Branch(assembly, working),
        seed=seed,
        states=states,
    )


def compare(
    model: Model,
    *,
    engine_model: Model | None = None,
    engine: str = "all",
    motion: str | Trajectory = "all",
    others: Mapping[str, Any] | None = None,
    branch: Branch | None = None,
    seed: int = 0,
    states: int = STATES,
) -> Comparison:
    """`verify`, with an engine that may be built from another description than the model that is judged by it."""
    told = engine_model or model
    mine = {name: own_functions.functions_of(given, name) for name, given in (others or {}).items()}
    names, absent = _engines(told, engine)
    if not names and not mine:
        raise NoEngine("; ".join(absent) or "no engine and no functions of your own: nothing to compare with")
    branch = branch or Branch()
    decided = bool(model.nx) and not model.linkage
    if not decided and branch != Branch():
        why = "its drives need not decide where it is" if model.linkage else "it has no loops"
        raise BadInput(f"{model.name}: {why}, so that it has no modes; leave out the mode")
    motions, skipped = _motions(model, motion, branch, seed, states)
    beside = [_beside(name, functions, model, motions) for name, functions in mine.items()]
    found, left = _by_engines(names, model, told, motions, branch, seed) if names else ([], [])
    notes = [f"random states lie on {modes_of(model, m.samples)}" for m in motions if m.name == "random" and decided]
    notes += skipped + left
    notes += [m.note for m in motions if m.note]
    return Comparison(
        robot=model.name,
        engines=tuple(one.title for one in (*found, *beside)),
        rows=tuple(row for one in (*found, *beside) for row in one.rows),
        notes=tuple(dict.fromkeys([*(note for one in found for note in one.notes), *notes])),
        absent=tuple(absent),
        traces=tuple(trace for one in (*found, *beside) for trace in one.traces),
        answers=tuple(one.answers for one in found if one.answers is not None),
        model=model,
    )


def _engines(told: Model, engine: str) -> tuple[list[str], list[str]]:
    """The engines to compare with, and why others are not."""
    if engine == "none":
        return [], []
    names = list(PACKAGES) if engine == "all" else [known_engine(engine)]
    absent = [missing(n) for n in names if not installed(n)] if engine == "all" else []
    names = [n for n in names if engine != "all" or installed(n)]
    if "pinocchio" in names and told.mechanism is not None and told.mechanism.couplings:
        names.remove("pinocchio")
        absent.append("pinocchio knows no couplings of joints, so that it cannot hold this robot")
    return names, absent


def _by_engines(
    names: Sequence[str], model: Model, told: Model, motions: list[Motion], branch: Branch, seed: int
) -> tuple[list[Against], list[str]]:
    """What each engine brought, and which states are left out, in words."""
    own = next((m for m in motions if m.exact), None)
    start = start_of(model, branch, seed) if own is None else first_of(own.samples)
    left: list[str] = []
    if told is not model:
        motions, start, apart_ = _shared(told, motions, start)
        left += [f"{apart_} states are left out: the engine's robot does not close its loops there"] * (apart_ > 0)
    bodies = bodies_of(told, closed(told, start))
    if told.linkage:
        motions, flipped = _fitting(bodies, motions)
        left += [f"{flipped} states are left out: loops are put together the other way round there"] * (flipped > 0)
    return [_against(name, model, bodies, motions) for name in names], left


def _fitting(bodies: Bodies, motions: Sequence[Motion]) -> tuple[list[Motion], int]:
    """The motions at states of a linkage as which the engine's bodies can be put together, and how many are not."""
    found, left = [], 0
    for m in motions:
        at = m.theirs or m.samples
        kept = np.array([i for i in range(len(at)) if bodies.fits(at.q[i], at.x[i])], dtype=np.int64)
        left += len(at) - len(kept)
        if len(kept):
            theirs = chosen(m.theirs, kept) if m.theirs is not None else None
            found.append(replace(m, samples=chosen(m.samples, kept), theirs=theirs))
    if not found:
        raise NoSolution(f"{bodies.model.name}: the engine's bodies cannot be put together as any of {left} states")
    return found, left


def _asked(model: Model, motion: str) -> Sequence[str]:
    """The motions that are meant; all are those that are made for it."""
    if motion != "all" and motion not in MOTIONS:
        raise BadInput(
            f"no motion {motion!r:.40}; there are {', '.join(MOTIONS)}, and all; one of your own is a formula for each "
            'coordinate, "q1 = 0.1*sin(t); …"'
        )
    others = ("oscillation", "trajectory") if model.linkage else ("release",)
    return [name for name in MOTIONS if name not in others] if motion == "all" else (motion,)


def _motions(
    model: Model, motion: str | Trajectory, branch: Branch, seed: int, states: int
) -> tuple[list[Motion], list[str]]:
    """The motions asked for; of all of them those that the robot can make, with the reasons for the others."""
    if not isinstance(motion, str):
        own = own_motion.along(model, motion, branch)
        timed = known(model, own.run, along) if own.run is not None else None
        return [Motion(own_motion.NAME, own.samples, own.t, own.run, timed, note=own.note)], []
    found, skipped = [], []
    for name in _asked(model, motion):
        try:
            found.append(_motion(model, name, branch, seed, states))
        except NoMotion as problem:
            if motion != "all":
                raise
            skipped.append(f"no {name}: {str(problem).removeprefix(f'{model.name}: ')}")
    return found, skipped


def _motion(model: Model, name: str, branch: Branch, seed: int, states: int) -> Motion:
    if name == "random":
        return Motion(name, random_states(model, states, seed, branch))
    run = SIMULATED[name](model, branch, seed)
    samples, t = instants(model, run)
    return Motion(name, samples, t, run, known(model, run, along))


def _shared(told: Model, motions: Sequence[Motion], start: State) -> tuple[list[Motion], State, int]:
    """The motions where the engine's robot can follow, where it is built, and how many states it cannot have."""
    found, left = [], 0
    for m in motions:
        kept, theirs = meeting(told, m.samples)
        left += len(m.samples) - len(kept)
        whole = len(kept) == len(m.samples)
        t = m.t[kept] if m.t is not None else None
        if len(kept):
            timed = (m.run, m.known) if whole else (None, None)
            found.append(Motion(m.name, chosen(m.samples, kept), t, *timed, theirs, m.note))
    if not found:
        why = apart_because(told, motions[0].samples)
        raise NoSolution(f"{told.name}: the engine's robot closes its loops at none of the {left} states compared{why}")
    return found, beginning(told, start, found[0].theirs or found[0].samples), left


# One engine ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Against:
    """What one engine brought."""

    title: str
    rows: list[Row]
    notes: list[str]
    traces: list[Trace]
    answers: Answers | None


@dataclass(frozen=True, eq=False)
class Heard:
    """What both sides said of one motion."""

    samples: Samples
    ours: Quantities
    theirs: Quantities


def _against(name: str, model: Model, bodies: Bodies, motions: Sequence[Motion]) -> Against:
    witness = _opened(name, bodies)
    able, heavier = witness.able, _heavier(name, witness, bodies)
    rows: dict[tuple[str, str], list[Row]] = {}
    traces: list[Trace] = []
    timed: list[Row] = []
    told: list[str] = []
    heard: list[Heard] = []
    for motion in motions:
        asked = motion.theirs or motion.samples
        said = testify(witness, bodies, asked)
        more = testify(heavier, bodies, asked) if heavier is not None else said
        ours = answers(model, motion.samples, bodies.cuts)
        ground = _ground(name, model, motion, said, more)
        found, unjudged = _rows(ground, model, motion.samples, ours)
        for row in found:
            rows.setdefault((row.way, row.quantity), []).append(row)
        if unjudged:
            told.append(f"{motion.name}: {able.title}'s solver does not judge {unjudged}: it misses its own equations")
        heard.append(Heard(motion.samples, ours, said.pieces))
        traces += _traces(ground, motion, ours, said.pieces)
        if motion.run is not None and able.whole:
            laden = heavier.able if heavier is not None and able.floor > TINY else None
            made = driven(able, laden, name, bodies, model, motion.known, motion.name)
            timed, traces, told = timed + made.rows, traces + ([] if motion.exact else made.traces), told + made.notes
    rows_ = ", ".join(loop.name for loop in bodies.closing.rows)
    told += [f"{able.title}'s solver has no words for {rows_}: it is not asked; its pieces are"] * (not able.whole)
    notes = [*_given(witness), *told]
    worst = [worst_of(found) for found in rows.values()]
    return Against(able.title, [*worst, *timed], notes, traces, _gathered(name, heard, bodies))


def _opened(name: str, bodies: Bodies) -> Witness:
    """The engine with the least masses it takes, and with light ones where its solver could not work without."""
    plain = open_engine(name, bodies.tree, bodies.places)
    M = plain.look(plain.configuration(np.zeros(bodies.tree.nv)), np.zeros(bodies.tree.nv)).M
    M = M * np.outer(bodies.sizes, bodies.sizes)  # lengths in the robot's size
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    if (size**2 > SINGULAR * (size**2).max()).all() and np.linalg.eigvalsh(M / np.outer(size, size))[0] > SINGULAR:
        return Witness(plain, plain)
    return Witness(plain, open_engine(name, bodies.tree, bodies.places, LIGHT))


def _heavier(name: str, witness: Witness, bodies: Bodies) -> Witness | None:
    """The same with twice the masses that massless bodies were given; None where nothing was."""
    if not witness.able.notes:
        return None
    able = open_engine(name, bodies.tree, bodies.places, 2 * witness.able.floor)
    if witness.able is witness.plain:
        return Witness(able, able)
    return Witness(open_engine(name, bodies.tree, bodies.places, 2 * witness.plain.floor), able)


def _given(witness: Witness) -> list[str]:
    """What massless bodies were given, in words."""
    told = [f"{witness.plain.title} was {note}" for note in witness.plain.notes]
    if witness.able is witness.plain:
        return told
    return told + [f"{witness.able.title}'s solver was {note}" for note in witness.able.notes]


def _ground(name: str, model: Model, motion: Motion, said: Testimony, more: Testimony) -> Ground:
    """`more` is what the engine said with twice the masses that massless bodies were given."""
    unit = units(model, (*said.pieces, *(f"drives from output{rate}" for rate in RATES)))
    floor, given = (
        {n: float(np.abs(apart(unit[n], laden[n], v)).max(initial=0.0)) for n, v in light.items()}
        for light, laden in ((said.pieces, more.pieces), (said.exact, more.exact))
    )
    rates = {" velocity": motion.samples.q_dot, " acceleration": motion.samples.q_ddot}
    theirs = (their_output(model, motion.samples.x, said.pieces, rate) for rate in rates)
    pace = pace_of(model, *(np.concatenate(z, axis=-1) for z in zip(rates.values(), theirs, strict=True)))
    return Ground(model, name, motion.name, said, floor, given, unit, pace)


def _rows(ground: Ground, model: Model, samples: Samples, ours: Quantities) -> tuple[list[Row], str]:
    """The rows of one motion, and the names of those that the engine's solver is not sure of."""
    said = ground.testimony
    rows = [ground.pieces(name, ours[name], value) for name, value in said.pieces.items() if _there(ours[name], value)]
    if len(said.gap) and model.nx:
        rows += [*inverse_rows(ground, samples), ground.gap()]
    forced = answers(model, replace(samples, q_ddot=np.asarray(ours[DRIVES])))
    forced[DRIVES] = np.asarray(ours[DRIVES])
    sure = {name: ground.sure(name, forced) for name in said.solver}
    rows += [row for name, well in sure.items() if well for row in ground.solver(name, forced)]
    return rows, ", ".join(name for name, well in sure.items() if not well)


def _there(ours: Doubles, theirs: Doubles) -> bool:
    """Whether there is anything to compare: a robot without weight has no potential energy on either side."""
    return bool(np.any(ours) or np.any(theirs))


def _traces(ground: Ground, motion: Motion, ours: Quantities, theirs: Quantities) -> list[Trace]:
    """Accelerations and efforts along a simulated motion, whose positions and velocities come from the driven course.

    Along a motion of the user's own, all that the documents' figures show, with the drives where the motion has them.
    """
    if motion.t is None:
        return []
    chosen = [n for n in theirs if n.endswith(" acceleration") or n == "efforts"]
    if motion.exact:
        chosen = [n for n in theirs if n == "efforts" or (n != DRIVES and ground.units[n].startswith(("m", "rad")))]
    place: dict[str, Any] = {"motion": motion.name, "engine": ground.engine, "t": motion.t}
    return [
        Trace(**place, quantity=n, unit=ground.units[n], labels=labels(ground.model, n), ours=ours[n], theirs=theirs[n])
        for n in chosen
    ]


def _beside(name: str, functions: own_functions.Functions, model: Model, motions: Sequence[Motion]) -> Against:
    """The user's own functions at the states of all motions."""
    rows: dict[str, list[Row]] = {}
    traces: list[Trace] = []
    for motion in motions:
        at = own_functions.states_of(model, motion.samples, motion.name)
        found, returned = own_functions.rows_of(name, functions, at)
        for row in found:
            rows.setdefault(row.quantity, []).append(row)
        if motion.t is not None:
            traces += own_functions.traces_of(name, at, motion.t, returned)
    return Against(name, [worst_of(found) for found in rows.values()], [], traces, None)


def _gathered(name: str, heard: Sequence[Heard], bodies: Bodies) -> Answers:
    """All motions together, for a diagnosis."""
    parts = {name: np.concatenate([h.samples.arrays[name] for h in heard]) for name in heard[0].samples.arrays}
    samples = Samples(**parts, motion=tuple(m for h in heard for m in h.samples.motion))
    ours = {n: np.concatenate([h.ours[n] for h in heard]) for n in heard[0].ours}
    theirs = {n: np.concatenate([h.theirs[n] for h in heard]) for n in heard[0].theirs}
    return Answers(name, samples, ours, theirs, bodies.cuts)
