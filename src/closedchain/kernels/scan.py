"""A program repeated in time: the state goes round, inputs come in and outputs leave at every step."""

from __future__ import annotations

from dataclasses import dataclass

from closedchain.kernels.program import BadProgram, Operand, Program

STOP, STEPS = "stop", "steps"


@dataclass(frozen=True)
class Scan:
    """Run `program` T times, feeding each carried output back into its input.

    Called with the program's inputs in their order, stepped ones with a leading time axis (T, …), it returns the
    stepped outputs (T, …) in their order, then the final value of each carried input. All other inputs are constant.
    If the program has a scalar output `stop`, the first step where it is not 0 (or is NaN) is the last: it counts, then
    the state stays and the stepped outputs repeat; the number of counted steps is returned last, as `steps`.
    """

    program: Program
    carry: tuple[tuple[str, str], ...]  # (input, output) pairs
    stepped_inputs: tuple[str, ...]
    stepped_outputs: tuple[str, ...] = ()
    single: bool = (
        False  # whether it is compiled for one rollout at a time, not for vectors of them; the bits are equal
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def stops(self) -> bool:
        return any(o.name == STOP for o in self.program.outputs)

    @property
    def text(self) -> str:
        """Canonical text."""
        stepped = f"stepped {self.stepped_inputs} -> {self.stepped_outputs}"
        return f"scan{' single' * self.single} carry {self.carry} {stepped}\n{self.program.text}"


def check(scan: Scan) -> None:
    """Raise BadProgram unless every name exists, shapes agree and the number of steps is known."""
    where = f"scan {scan.name!r}"
    inputs = {o.name: o for o in scan.program.inputs}
    outputs = {o.name: o for o in scan.program.outputs}
    _check_names(where, "input", [a for a, _ in scan.carry] + list(scan.stepped_inputs), inputs)
    _check_names(where, "output", [b for _, b in scan.carry] + list(scan.stepped_outputs), outputs)
    for a, b in scan.carry:
        if inputs[a].shape != outputs[b].shape:
            raise BadProgram(f"{where}: {a} {inputs[a].shape} cannot carry {b} {outputs[b].shape}; shapes differ.")
    unused = set(outputs) - {b for _, b in scan.carry} - set(scan.stepped_outputs) - {STOP}
    if unused:
        raise BadProgram(f"{where}: outputs {sorted(unused)} are neither carried nor stepped; leave them out.")
    if scan.program.rounded:
        raise BadProgram(f"{where}: its state goes round in doubles; the program cannot be rounded.")
    if STOP in outputs and outputs[STOP].shape != ():
        raise BadProgram(f"{where}: the output {STOP!r} must be one number, not {outputs[STOP].shape}.")
    if not any(inputs[name].size for name in scan.stepped_inputs):
        raise BadProgram(f"{where}: it needs a stepped input, such as the time, to know the number of steps.")


def _check_names(where: str, kind: str, names: list[str], known: dict[str, Operand]) -> None:
    for name in names:
        if name not in known:
            raise BadProgram(f"{where}: no {kind} {name!r}; the program has {', '.join(known)}.")
    if len(set(names)) != len(names):
        raise BadProgram(f"{where}: {kind}s {names} are used twice.")
