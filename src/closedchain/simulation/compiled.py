"""Running the compiled loop: its library, its inputs, and its histories."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.kernels import Library
from closedchain.kernels import load as load_kernels
from closedchain.model.measured import declared
from closedchain.model.model import Model
from closedchain.model.payload import PAYLOAD
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.endings import CANCELLED, NEAR, Commanded, Progress, cancelled, explain, goes_on, stands
from closedchain.simulation.law_keys import answers, law_key
from closedchain.simulation.plant import Plant, noise, payload_changes, saturation, smoothing
from closedchain.simulation.run import END
from closedchain.simulation.stiffness import too_long
from closedchain.simulation.telling import Told

CHUNK = 65_536  # steps in one call, to bound memory


@dataclass(frozen=True, eq=False)
class History:
    """Rows of a run: the states, and the command that holds from each on."""

    t: Doubles
    q: Doubles
    x: Doubles
    q_dot: Doubles
    x_dot: Doubles
    command: Doubles
    work: Doubles
    ended: str
    external: Doubles | None = None  # (T,) [J] work of external forces that are functions
    current: Doubles | None = None  # (T, nd) [A] of motors whose current is a state
    told: Told | None = None  # what events of friction and stops did


@dataclass(frozen=True, eq=False)
class Compiled:
    """A plant, a model and a law as one compiled loop."""

    real: Model
    model: Model
    controller: Any
    plant: Plant
    method: str
    summary: bool = False
    tracked: bool = False
    varied: bool = False  # whether the plant's parameters are others than the model's from run to run

    @property
    def inverts(self) -> str:
        """Which Jacobian the law inverts: "A", "B" or none."""
        return str(getattr(self.controller, "inverts", ""))

    @property
    def reference(self) -> Any:
        """What the law follows, if anything."""
        return getattr(self.controller, "reference", None)

    @property
    def delay(self) -> int:
        """In samples, as `Plant.sampled` gives it."""
        if self.plant.timed:
            raise BadInput(
                f"delay = {self.plant.delay!r} is a time; plant.sampled(interval) says how many samples it is"
            )
        return int(self.plant.delay)

    @cached_property
    def memory(self) -> dict[str, Doubles]:
        """What the law keeps from one command to the next, as it begins."""
        return declared(self.controller, self.model)

    @cached_property
    def library(self) -> Library:
        """The loop, from the cache or compiled now."""
        fields, n_gains = self.controller.fields(self.model), len(self.controller.gains)
        memory = tuple((name, len(value)) for name, value in self.memory.items())
        design = {"method": self.method, "output": self.controller.output, "massless": self.real.massless}
        design |= {"differences": self.plant.differences, "delay": self.delay, "inverts": self.inverts}
        design |= {"summary": self.summary, "tracked": self.tracked, "memory": memory}
        design |= {"filtered": bool(self.plant.filter)}
        design["ideal"] = self.plant.ideal and not self.varied
        key = f"loop {design} {fields} {n_gains} {law_key(self.controller, self.model, fields, memory)}"
        key += f" {self.real.equations.key} {self.model.equations.key}"

        def build() -> Any:
            loop = importlib.import_module("closedchain.simulation.loop")  # brings CasADi, only to compile anew
            law = self.controller.law
            return loop.loop_programs(
                self.real.equations, self.model.equations, law, fields, n_gains, loop.Design(**design)
            )

        announce = self.model.announce
        tell = (lambda text: announce(f"{self.model.recipe.name}: {text}")) if announce else None
        return load_kernels(key, build, announce=tell)

    # Running ------------------------------------------------------------------------------------

    def run(
        self,
        begin: State,
        time: Clock,
        limits: tuple[Doubles, Doubles],
        every: int = 1,
        progress: Progress | None = None,
    ) -> History:
        """One run with its history, every `every`-th step of it; `progress` may cancel it between chunks."""
        carried = self.carried(begin)
        constants = self.constants(time, limits)
        samples = self.controller.samples(self.model, time.instants, time.interval)
        noise = self.noise(time)
        kept: dict[str, list[Doubles]] = {}
        times: list[Doubles] = []
        done, ended = 0, END
        changes = payload_changes(self.plant, time)
        while done < time.steps:
            if done in changes:
                constants, carried = self.with_payload(changes[done], constants, carried)
            count = min(CHUNK, time.steps - done, *(step - done for step in changes if step > done))
            made, steps = self.call(carried, self.stepped(time, samples, noise, done, count), constants)
            rows = np.arange(done, done + steps)
            chosen = rows % every == 0
            times.append(rows[chosen])
            for name, value in made.items():
                if name.endswith("_now"):
                    kept.setdefault(name.removesuffix("_now"), []).append(value[:steps][chosen])
            carried = {name: made[name] for name in carried if name in made}
            done += steps
            before, after = _state({name: made[f"{name}_now"][steps - 1] for name in kept}), _state(carried)
            if steps < count or not goes_on(self.real, self.inverts, before, after, limits):
                first = (done - 1) // time.substeps * time.substeps  # step of the last command
                row = max(first - (done - steps), 0)
                then = _state({name: made[f"{name}_now"][row] for name in kept})
                last = Commanded((done - steps + row) * time.h, then, time.interval)
                ended = explain(
                    *(self.real, self.inverts, done * time.h, before, after, limits, self.reference, last),
                    self.blame(begin, kept["u"][0][0] if "u" in kept else np.zeros(0), time),
                    answers(self.controller),
                )
                break
            if cancelled(progress, done * time.h) and done < time.steps:
                ended = CANCELLED.format(t=done * time.h)
                break
        return self._history(np.concatenate(times), kept, carried, done, time, ended)

    def with_payload(
        self, mass: float, constants: dict[str, Doubles], carried: dict[str, Doubles]
    ) -> tuple[dict[str, Doubles], dict[str, Doubles]]:
        """From now on with another payload; the energy that it brings, at the output's own speed, counts as put in."""
        now, p = _state(carried), constants["p"].copy()
        p[list(self.real.values).index(PAYLOAD)] = mass
        given = {"q": now.q, "x": now.x, "q_dot": now.q_dot, "x_dot": now.x_dot}
        before, after = (self.real.call("energy", p=numbers, **given) for numbers in (constants["p"], p))
        brought = sum(after[name] - before[name] for name in ("kinetic", "potential"))
        return constants | {"p": p}, carried | {"work": carried["work"] + brought}

    def blame(self, begin: State, command: Doubles, time: Clock) -> str:
        """That its steps are too long for the plant itself, where they are at the beginning."""
        at = State(*(getattr(begin, name)[None] for name in ("q", "x", "q_dot", "x_dot")))
        return too_long(self.real, at, command[None], self.controller.output, self.method, time.h, time.t[-1])

    def call(self, carried: Any, stepped: Any, constants: Any) -> tuple[dict[str, Doubles], int]:
        """The scan's outputs by name and the number of steps it made."""
        signature = self.library.signatures["loop"]
        given = carried | stepped | constants
        made: Any = self.library["loop"](*(given[a.name] for a in signature.inputs))
        named = dict(zip((a.name for a in signature.outputs), made, strict=True))
        steps = named.pop("steps")
        return named, int(steps) if np.ndim(steps) == 0 else steps

    def _history(
        self,
        index: Doubles,
        kept: dict[str, list[Doubles]],
        last: dict[str, Doubles],
        done: int,
        time: Clock,
        ended: str,
    ) -> History:
        """The kept rows and the state at the end; what is no state of the robot is left out."""
        rows = {name: np.concatenate(parts) for name, parts in kept.items()}
        final = {name: last[name] for name in rows}
        t = np.append(time.t[index], time.t[done] if done < time.steps else time.t[-1])
        empty = np.zeros((len(t), 0))
        if all(np.isfinite(v).all() for v in final.values()) and stands(self.real, _state(final)):
            rows = {name: np.concatenate([value, final[name][None]]) for name, value in rows.items()}
        else:
            t, empty = t[:-1], empty[:-1]
        finite = np.logical_and.reduce([np.isfinite(v).all(axis=-1) for v in rows.values()])
        n = len(t) if finite.all() else int(np.argmin(finite))
        if n == 0:
            raise BadInput(f"{self.model.name}: the first command is not a finite number; take smaller gains")
        pick = {name: value[:n] for name, value in rows.items()}
        return History(
            t[:n],
            pick["q"],
            pick.get("x", empty[:n]),
            pick["q_dot"],
            pick.get("x_dot", empty[:n]),
            pick.get("u", empty[:n]),
            pick["work"][:, 0],
            ended,
            current=pick.get("current"),
        )

    # Inputs -------------------------------------------------------------------------------------

    def carried(self, begin: State) -> dict[str, Doubles]:
        """The loop's state at the beginning: at rest or moving, nothing commanded, the sensors showing it.

        What sensors showed before is there for a loop that looks back.
        """
        state = {
            "q": begin.q,
            "x": begin.x,
            "q_dot": begin.q_dot,
            "x_dot": begin.x_dot,
            "q_seen": np.concatenate([begin.q] * max(self.delay, 1), axis=-1),
            "v_seen": np.concatenate([begin.q_dot] * max(self.delay, 1), axis=-1),
            "x_seen": np.concatenate([begin.x[..., :0], *[begin.x] * (self.delay - 1)], axis=-1),
        }
        batch = begin.q.shape[:-1]
        driven = len(self.real.driven)
        memory = np.concatenate([np.zeros(0), *self.memory.values()])
        state["memory"] = np.broadcast_to(memory, (*batch, len(memory)))
        state |= {"u": np.zeros((*batch, driven)), "work": np.zeros((*batch, 1))}
        if self.controller.output == "voltage" and self.real.equations.inductive:
            state["current"] = np.zeros((*batch, driven))
        if self.summary:
            size = self.real.nx or self.real.nq
            state |= {"worst": np.zeros((*batch, size)), "most": np.zeros((*batch, driven))}
            state |= {"stopped": np.zeros((*batch, 1)), "peak": np.zeros((*batch, 1))}
        return {name: value for name, value in state.items() if value.shape[-1]}

    def constants(self, time: Clock, limits: tuple[Doubles, Doubles]) -> dict[str, Doubles]:
        limit = saturation(self.real, self.plant)
        constants = {"gains": self.controller.gains, "h": np.array([time.h]), "interval": np.array([time.interval])}
        constants |= {
            "limit": limit,
            "quantum": np.array([self.plant.quantum]),
            "smoothing": np.array([smoothing(self.plant, time.interval)]),
            "p": self.real.p,
            "p_model": self.model.p,
        }
        return constants | {
            "low": limits[0],
            "high": limits[1],
            "near": np.array([NEAR]),
            "size": np.array([self.real.scale]),
        }

    def noise(self, time: Clock) -> Doubles:
        return noise(self.plant, self.model.nq, time)

    def stepped(self, time: Clock, samples: Doubles, noise: Doubles, start: int, count: int) -> dict[str, Doubles]:
        """What comes in at each step: whether to decide, the reference then, the noise then."""
        steps = np.arange(start, start + count)
        period = steps // time.substeps
        shaken = noise[..., period, :] if noise.shape[-2] > 1 else np.broadcast_to(noise, (count, noise.shape[-1]))
        late = self.plant.late(time) if self.plant.jitter else np.zeros(time.periods, dtype=np.intp)
        return {
            "update": (steps % time.substeps == late[period]).astype(float)[:, None],
            "ref": samples[..., period, :],
            "noise": shaken,
        }


def _state(values: dict[str, Doubles]) -> State:
    empty = np.zeros(0)
    return State(values["q"], values.get("x", empty), values["q_dot"], values.get("x_dot", empty))
