"""ROS nodes within one script: timers by the run's clock, topics and services between them, parameters."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from math import inf
from typing import Any

from closedchain.lab.events import Timer as Due
from closedchain.lab.events import process_events
from closedchain.lab.moments import Clock, Future, Rate
from closedchain.lab.parameters import NotDeclared, Parameter, Result
from closedchain.lab.parts import Logger
from closedchain.lab.session import current

DEPTH = 10  # messages that wait for a node to spin


class Timer:
    """Calls something every so many seconds of the run's clock while its node spins."""

    def __init__(self, of: list[Timer], period: float, callback: Callable[[], Any]) -> None:
        self.of, self.period, self.callback = of, max(float(period), 1e-6), callback
        self.reset()

    def reset(self) -> None:
        """Begin counting."""
        self.due = current().clock.now() + self.period
        if self not in self.of:
            self.of.append(self)

    def cancel(self) -> None:
        """Count no more."""
        if self in self.of:
            self.of.remove(self)

    def is_canceled(self) -> bool:
        """Whether it does not count."""
        return self not in self.of

    def go_off(self) -> None:
        """Its time has come; the next one is a period later, also where this one was late."""
        self.due += self.period
        self.callback()

    @property
    def timer_period_ns(self) -> int:
        """Its period [ns]."""
        return round(self.period * 1e9)


class Box:
    """What came and waits for the node to spin."""

    def __init__(self, name: str, callback: Callable[..., Any], depth: int | None) -> None:
        self.topic_name = self.srv_name = name
        self.callback = callback
        self.waiting: deque[Any] = deque(maxlen=depth)

    @property
    def due(self) -> float:
        """Now, where something waits."""
        return current().clock.at() if self.waiting else inf

    def go_off(self) -> None:
        """Hand over what came first."""
        self.callback(self.waiting.popleft())


class Publisher:
    """Sends messages to the subscriptions of this script."""

    def __init__(self, kind: Any, topic: str) -> None:
        self.msg_type, self.topic_name = kind, topic

    def publish(self, message: Any) -> None:
        """To everyone who subscribed; they get it when their nodes spin."""
        if isinstance(self.msg_type, type) and not isinstance(message, self.msg_type):
            raise TypeError(f"Expected {self.msg_type}, got {type(message)}")
        for box in current().board.topics.get(self.topic_name, []):
            box.waiting.append(message)

    def get_subscription_count(self) -> int:
        """How many listen."""
        return len(current().board.topics.get(self.topic_name, []))


class Client:
    """Asks a service of this script; the simulation's `reset_simulation` is there as well."""

    def __init__(self, kind: Any, name: str) -> None:
        self.srv_type, self.srv_name = kind, name

    def service_is_ready(self) -> bool:
        """Whether there is such a service."""
        return self.srv_name in current().board.services or self._resets()

    def wait_for_service(self, timeout_sec: float | None = None) -> bool:
        """Whether there is one within the time."""
        session = current()
        if not self.service_is_ready():
            if session.turns is not None and not session.turns.alone:
                session.turns.wait_until(self.service_is_ready, timeout_sec)
            elif timeout_sec is not None:
                session.clock.wait(timeout_sec)
            else:
                raise RuntimeError(f"the service {self.srv_name!r} is not there: none of the script's nodes offers it")
        return self.service_is_ready()

    def call_async(self, request: Any) -> Future:
        """Ask; the answer is there when the service's node has spun."""
        future = Future()
        if service := current().board.services.get(self.srv_name):
            service.waiting.append((request, future))
        elif self._resets():
            for robot in current().robots:
                robot.reset_simulation()
            future.set_result(self.srv_type.Response())
        return future

    def call(self, request: Any, timeout_sec: float | None = None) -> Any:
        """Ask and wait for the answer."""
        future = self.call_async(request)
        service = current().board.services.get(self.srv_name)
        while service and not future.done():
            service.go_off()
        return future.result()

    def _resets(self) -> bool:
        return self.srv_name == "reset_simulation" and bool(current().robots)


class Node:
    """A node of ROS: its timers go off and its messages are handed over while it spins."""

    def __init__(self, node_name: str = "node", **more: Any) -> None:
        self._name = node_name
        for parameter in more.get("parameter_overrides") or ():
            self._overrides[parameter.name] = parameter.value

    # Also of a node whose class forgot to begin with ours

    @cached_property
    def timers(self) -> list[Timer]:
        """Those that count."""
        return []

    @cached_property
    def boxes(self) -> list[Box]:
        """Of its subscriptions and services."""
        return []

    @cached_property
    def _parameters(self) -> dict[str, Parameter]:
        return {}

    @cached_property
    def _overrides(self) -> dict[str, Any]:
        return dict(current().board.parameters)

    @cached_property
    def _checks(self) -> list[Callable[[list[Parameter]], Any]]:
        return []

    # What it does -------------------------------------------------------------------------------

    def create_timer(self, timer_period_sec: float, callback: Callable[[], Any], *more: Any, **others: Any) -> Timer:
        """Call something every so many seconds."""
        return Timer(self.timers, timer_period_sec, callback)

    def create_rate(self, frequency: float, *more: Any, **others: Any) -> Rate:
        """Something to sleep by."""
        return Rate(frequency)

    def create_publisher(self, msg_type: Any, topic: str, qos_profile: Any = DEPTH, **more: Any) -> Publisher:
        """Send messages."""
        return Publisher(msg_type, topic.lstrip("/"))

    def create_subscription(
        self, msg_type: Any, topic: str, callback: Callable[[Any], Any], qos_profile: Any = DEPTH, **more: Any
    ) -> Box:
        """Get messages."""
        depth = qos_profile if isinstance(qos_profile, int) else getattr(qos_profile, "depth", DEPTH)
        box = Box(topic.lstrip("/"), callback, max(int(depth), 1))
        current().board.topics.setdefault(box.topic_name, []).append(box)
        self.boxes.append(box)
        return box

    def create_service(self, srv_type: Any, srv_name: str, callback: Callable[[Any, Any], Any], **more: Any) -> Box:
        """Answer requests."""

        def answer(asked: tuple[Any, Future]) -> None:
            asked[1].set_result(callback(asked[0], srv_type.Response()))

        box = Box(srv_name.lstrip("/"), answer, None)
        current().board.services[box.srv_name] = box
        self.boxes.append(box)
        return box

    def create_client(self, srv_type: Any, srv_name: str, **more: Any) -> Client:
        """Ask a service."""
        return Client(srv_type, srv_name.lstrip("/"))

    def destroy_timer(self, timer: Timer) -> bool:
        """Call it no more."""
        timer.cancel()
        return True

    def destroy_subscription(self, box: Box) -> bool:
        """Get no more messages."""
        self._forget(box)
        return True

    def destroy_publisher(self, publisher: Publisher) -> bool:
        """There is nothing to end."""
        return True

    destroy_client, destroy_service = destroy_publisher, destroy_subscription

    def destroy_node(self) -> None:
        """Its timers go off no more, and it gets no messages."""
        self.timers.clear()
        for box in list(self.boxes):
            self._forget(box)

    def get_name(self) -> str:
        """Its name."""
        return self._name

    def get_namespace(self) -> str:
        """There is but one."""
        return "/"

    def get_logger(self) -> Logger:
        """Says things on the terminal."""
        return Logger(getattr(self, "_name", "node"))

    def get_clock(self) -> Clock:
        """The run's."""
        return Clock()

    # Parameters ---------------------------------------------------------------------------------

    def declare_parameter(self, name: str, value: Any = None, *more: Any, **others: Any) -> Parameter:
        """One of its own, with a value unless the command line has another: --ros-args -p NAME:=VALUE."""
        self._parameters[name] = Parameter(name, value=self._overrides.get(name, value))
        return self._parameters[name]

    def declare_parameters(self, namespace: str, parameters: Sequence[Any]) -> list[Parameter]:
        """Several; names, or names with values."""
        prefix = f"{namespace}." if namespace else ""
        pairs = [(p, None) if isinstance(p, str) else (*p, None)[:2] for p in parameters]
        return [self.declare_parameter(prefix + name, value) for name, value in pairs]

    def has_parameter(self, name: str) -> bool:
        """Whether it was declared."""
        return name in self._parameters

    def get_parameter(self, name: str) -> Parameter:
        """One that was declared."""
        if name not in self._parameters:
            raise NotDeclared(name)
        return self._parameters[name]

    def get_parameter_or(self, name: str, alternative: Any = None) -> Any:
        """One that was declared, or something else."""
        return self._parameters.get(name, alternative)

    def get_parameters(self, names: Sequence[str]) -> list[Parameter]:
        """Several."""
        return [self.get_parameter(name) for name in names]

    def set_parameters(self, parameters: Sequence[Parameter]) -> list[Result]:
        """Other values, unless a callback of the node refuses them."""
        for name in (p.name for p in parameters):
            self.get_parameter(name)
        results = []
        for parameter in parameters:
            answers = [check([parameter]) for check in self._checks]
            refused = next((a for a in answers if not getattr(a, "successful", True)), None)
            if refused is None:
                self._parameters[parameter.name] = parameter
            results.append(refused or Result())
        return results

    def add_on_set_parameters_callback(self, callback: Callable[[list[Parameter]], Any]) -> None:
        """Ask it before a value changes."""
        self._checks.append(callback)

    # ---------------------------------------------------------------------------------------------

    def _forget(self, box: Box) -> None:
        self.boxes.remove(box)
        board = current().board
        board.topics = {topic: [b for b in boxes if b is not box] for topic, boxes in board.topics.items()}
        board.services = {name: b for name, b in board.services.items() if b is not box}

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("create_", "get_", "add_", "set_", "declare_")):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}: it is not in the lab's stand-in for ROS"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def due(nodes: Sequence[Any]) -> list[Due]:
    """What these nodes wait for."""
    return [item for node in nodes for item in [*getattr(node, "timers", ()), *getattr(node, "boxes", ())]]


def attend(nodes: Sequence[Any], timeout: float | None) -> None:
    """What comes next for these nodes, if that is before the time-out; nothing waits for what cannot come."""
    session = current()
    clock, turns = session.clock, session.turns
    begin, limit = clock.now(), inf if timeout is None or timeout < 0.0 else timeout
    soonest = min((item.due for item in due(nodes)), default=inf) - begin
    if soonest == inf and turns is not None and clock.others_work():
        turns.serve(lambda: any(item.due < inf for item in due(nodes)), None if limit == inf else limit)
    elif soonest < inf:
        clock.wait(max(min(soonest, limit), 0.0))
    elif limit < inf:
        clock.sleep(limit)
    process_events(due(nodes))
