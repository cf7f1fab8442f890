"""What a compiled routine takes and gives: names and core dimensions, fixed sizes as integers, the steps as "t"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from closedchain.kernels.program import Operand, Program
from closedchain.kernels.scan import STEPS, Scan

TIME = "t"


@dataclass(frozen=True)
class Array:
    """One argument of a routine."""

    name: str
    dims: tuple[int | str, ...]

    @property
    def empty(self) -> bool:
        return 0 in self.dims

    @property
    def text(self) -> str:
        return f"({','.join(map(str, self.dims))})"


@dataclass(frozen=True)
class Signature:
    """A routine's arguments in order; compiled code sees only those that are not empty."""

    name: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    single: bool = False  # whether there is code for one state, too
    rounded: bool = False  # whether outputs are float32

    @property
    def symbol(self) -> str:
        """The name of its machine code, which no function of the C library has."""
        return symbol(self.name)

    @property
    def compiled_inputs(self) -> tuple[Array, ...]:
        """Inputs that hold numbers; NumPy needs at least one, so else a scalar which nobody reads."""
        return tuple(a for a in self.inputs if not a.empty) or (Array("nothing", ()),)

    @property
    def compiled_outputs(self) -> tuple[Array, ...]:
        return tuple(a for a in self.outputs if not a.empty)

    @property
    def text(self) -> str:
        """NumPy's notation for the compiled arguments, such as (2),(t,3)->(2,2)."""
        given, made = (",".join(a.text for a in arrays) for arrays in (self.compiled_inputs, self.compiled_outputs))
        return f"{given}->{made}"

    @property
    def dimensions(self) -> tuple[int | str, ...]:
        """The distinct core dimensions, in the order in which NumPy passes their sizes."""
        return tuple(dict.fromkeys(d for a in self.compiled_inputs + self.compiled_outputs for d in a.dims))


def symbol(name: str) -> str:
    """The name of a routine's machine code."""
    return f"closedchain_{name}"


def signature_of(routine: Program | Scan) -> Signature:
    """The arguments of a program, or of a scan: stepped ones lead with the time, final states and `steps` come last."""
    if isinstance(routine, Program):
        return Signature(routine.name, _plain(routine.inputs), _plain(routine.outputs), routine.single, routine.rounded)
    program, carried = routine.program, {a for a, _ in routine.carry}
    inputs = tuple(_stepped(o) if o.name in routine.stepped_inputs else Array(o.name, o.shape) for o in program.inputs)
    outputs = tuple(_stepped(o) for o in program.outputs if o.name in routine.stepped_outputs)
    outputs += _plain([o for o in program.inputs if o.name in carried])
    return Signature(routine.name, inputs, outputs + ((Array(STEPS, ()),) if routine.stops else ()))


def _plain(operands: Sequence[Operand]) -> tuple[Array, ...]:
    return tuple(Array(o.name, o.shape) for o in operands)


def _stepped(o: Operand) -> Array:
    return Array(o.name, (TIME, *o.shape))
