"""Every message between the browser and the server; `python -m closedchain.studio.messages` prints them as TypeScript.

A request is `{"id": n, "op": "solve", …fields}`; its answer `{"id": n, "ok": true, …fields}`, a `Failure`, or a binary
frame. Jobs send `Progress` in between and end with `{"op": "cancel", "target": n}`. Lengths in m, angles in rad.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from closedchain.studio.messages.checks import GradeAnswer, GradeRequest, VerifyAnswer, VerifyRequest
from closedchain.studio.messages.connection import (
    CancelAnswer,
    CancelRequest,
    FilesAnswer,
    FilesRequest,
    HelloAnswer,
    HelloRequest,
    ReadAnswer,
    ReadRequest,
    SaveAnswer,
    SaveRequest,
)
from closedchain.studio.messages.define import DefineAnswer, DefineRequest
from closedchain.studio.messages.explore import (
    AtAnswer,
    AtRequest,
    PythonAnswer,
    PythonRequest,
    SolveAnswer,
    SolveRequest,
)
from closedchain.studio.messages.parts import Failure, FrameHeader, Progress
from closedchain.studio.messages.path import PathAnswer, PathRequest
from closedchain.studio.messages.planning import CrossingMeta, CrossingRequest, PlanAnswer, PlanRequest
from closedchain.studio.messages.robot import RobotAnswer, RobotRequest
from closedchain.studio.messages.simulate import (
    FileAnswer,
    FileRequest,
    ScenarioAnswer,
    ScenarioRequest,
    SimulateMeta,
    SimulateRequest,
)
from closedchain.studio.messages.singularities import (
    AlongMeta,
    AlongRequest,
    AspectsMeta,
    AspectsRequest,
    CuspsAnswer,
    CuspsRequest,
    LociAnswer,
    LociRequest,
    MapMeta,
    MapRequest,
)
from closedchain.studio.messages.study import DesignAnswer, DesignRequest, SweepMeta, SweepRequest


@dataclass(frozen=True)
class Operation:
    """An operation's request, its answer (or a frame's meta), where it runs, and how long it may take [s]."""

    request: type
    answer: type
    where: Literal["server", "solver", "warm", "job"]
    seconds: float
    frame: bool = False


OPERATIONS: dict[str, Operation] = {
    "hello": Operation(HelloRequest, HelloAnswer, "server", 10.0),
    "cancel": Operation(CancelRequest, CancelAnswer, "server", 1.0),
    "robot": Operation(RobotRequest, RobotAnswer, "solver", 60.0),
    "solve": Operation(SolveRequest, SolveAnswer, "solver", 20.0),
    "at": Operation(AtRequest, AtAnswer, "solver", 20.0),
    "along": Operation(AlongRequest, AlongMeta, "warm", 60.0, frame=True),
    "path": Operation(PathRequest, PathAnswer, "warm", 60.0),
    "define": Operation(DefineRequest, DefineAnswer, "warm", 60.0),
    "python": Operation(PythonRequest, PythonAnswer, "solver", 10.0),
    "files": Operation(FilesRequest, FilesAnswer, "server", 5.0),
    "read": Operation(ReadRequest, ReadAnswer, "server", 5.0),
    "save": Operation(SaveRequest, SaveAnswer, "server", 5.0),
    "scenario": Operation(ScenarioRequest, ScenarioAnswer, "solver", 10.0),
    "map": Operation(MapRequest, MapMeta, "warm", 60.0, frame=True),
    "loci": Operation(LociRequest, LociAnswer, "warm", 120.0),
    "cusps": Operation(CuspsRequest, CuspsAnswer, "warm", 120.0),
    "aspects": Operation(AspectsRequest, AspectsMeta, "warm", 120.0, frame=True),
    "plan": Operation(PlanRequest, PlanAnswer, "job", 120.0),
    "crossing": Operation(CrossingRequest, CrossingMeta, "job", 120.0, frame=True),
    "simulate": Operation(SimulateRequest, SimulateMeta, "job", 600.0, frame=True),
    "verify": Operation(VerifyRequest, VerifyAnswer, "job", 600.0),
    "sweep": Operation(SweepRequest, SweepMeta, "job", 600.0, frame=True),
    "design": Operation(DesignRequest, DesignAnswer, "job", 600.0),
    "grade": Operation(GradeRequest, GradeAnswer, "job", 300.0),
    "file": Operation(FileRequest, FileAnswer, "job", 600.0),
}
LOOSE = (Failure, Progress, FrameHeader)  # messages that belong to no operation alone
