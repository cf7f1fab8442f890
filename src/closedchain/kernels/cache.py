"""Compiled routines by key: from memory, from the user's cache folder, or made now."""

from __future__ import annotations

import hashlib
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from closedchain.errors import ClosedChainError
from closedchain.kernels import folder as folders
from closedchain.kernels.entry import Entry, pack, unpack
from closedchain.kernels.fastcall import Machine
from closedchain.kernels.gufunc import Routine, make
from closedchain.kernels.llvm import Host, compile_object, host, target_machine
from closedchain.kernels.program import Doubles, Program
from closedchain.kernels.scan import Scan
from closedchain.kernels.signature import Signature, signature_of
from closedchain.kernels.single import FASTCALL, single_symbol

Build = Callable[[], Sequence[Program | Scan]]
Announce = Callable[[str], None]

_LOADED: dict[tuple[str, Path], Library] = {}
_LOCK = threading.Lock()
_KEPT: list[object] = []  # machine code lives as long as the process: NumPy holds bare pointers into it


class CacheWarning(UserWarning):
    """Compiled code cannot be kept; it works, but is compiled again each time."""


class Library(Mapping[str, np.ufunc | Routine]):
    """Compiled routines by name, as gufuncs, called as library["forward_dynamics"] with (q, q_dot, tau, p)."""

    def __init__(self, entry: Entry) -> None:
        self.signatures = {s.name: s for s in entry.signatures}
        self._addresses = _link(entry)
        self._singles = {  # addresses of the function Python calls and of the code for one state
            s.name: (self._addresses[FASTCALL], self._addresses[single_symbol(s.name)])
            for s in entry.signatures
            if s.single and s.compiled_outputs
        }
        self._made: dict[str, np.ufunc | Routine] = {}

    def __getitem__(self, name: str) -> np.ufunc | Routine:
        if name not in self._made:
            if name not in self.signatures:
                raise KeyError(f"no routine {name!r}; there are {', '.join(self.signatures)}")
            signature = self.signatures[name]
            self._made[name] = make(signature, self._addresses.get(signature.symbol, 0), _describe(signature))
        return self._made[name]

    def inputs(self, name: str, given: Mapping[str, Doubles]) -> list[Doubles]:
        """What a routine takes, in its order; it has no input for what its expressions do not have, as `p` may be."""
        return [given[array.name] for array in self.signatures[name].inputs]

    def run(self, name: str, given: Mapping[str, Doubles]) -> dict[str, Doubles]:
        """A routine's outputs by name, of inputs by name; what it has no input for is left out."""
        made: Any = self[name](*self.inputs(name, given))
        names = [array.name for array in self.signatures[name].outputs]
        return dict(zip(names, made if isinstance(made, tuple) else (made,), strict=True))

    def fast(
        self,
        name: str,
        *,
        fallback: Callable[..., Any],
        constants: Mapping[str, Doubles] | None = None,
        guard: float | None = None,
        takes: Sequence[str] | None = None,
        gives: Sequence[str] | None = None,
        result: type[tuple[Any, ...]] | None = None,
    ) -> Callable[..., Any]:
        """A program marked `single` as a function of one state, in a fraction of a gufunc's time.

        It takes the inputs `takes` (all but the bound `constants`) and gives the outputs `gives` (all but a guarded
        margin) as `result`, a type of tuples: new arrays, Python floats for scalars, one alone if there is only one.
        Names in either that the program does not have stand for empty vectors. `fallback` is called with the same
        arguments instead, unless all are C-contiguous arrays of doubles of just the core shape, every number in and
        out is finite and, with a `guard`, the output `margin` exceeds it.
        """
        if name not in self._singles:
            raise KeyError(f"no routine {name!r} for one state; there are {', '.join(self._singles) or 'none'}")
        machine = Machine(self.signatures[name], *self._singles[name], _describe(self.signatures[name]))
        return machine.bind(fallback, constants=constants or {}, guard=guard, takes=takes, gives=gives, result=result)

    def __iter__(self) -> Iterator[str]:
        return iter(self.signatures)

    def __len__(self) -> int:
        return len(self.signatures)


def load(key_text: str, build: Build, *, announce: Announce | None = None, folder: Path | None = None) -> Library:
    """The routines for a key; `build` is called, and `announce` told so, only if they are not in the cache.

    The key must determine what `build` returns. Versions, CPU and this package's own sources are added to it.
    """
    where = (folder or folders.default_folder()).absolute()
    with _LOCK:
        name = (digest(key_text, host()), where)
        if name not in _LOADED:
            _LOADED[name] = open_library(key_text, build, announce=announce, folder=where)
        return _LOADED[name]


def open_library(key_text: str, build: Build, *, announce: Announce | None = None, folder: Path) -> Library:
    """`load` without the memory of this process."""
    target = host()
    key = digest(key_text, target)
    usable = _usable(folder)
    content = folders.read(folder, key) if usable else None
    entry = unpack(content, key) if content else None
    if entry is not None:
        try:
            return Library(entry)
        except RuntimeError:  # LLVM's word for code that cannot be linked
            pass
    entry = compile_entry(key, build, target, announce)
    if usable:
        folders.write(folder, key, pack(entry))
        folders.sweep(folder)
    return Library(entry)


def compile_entry(key: str, build: Build, target: Host, announce: Announce | None = None) -> Entry:
    """Build and compile now."""
    if announce:
        announce("compiling the model's equations (once; the next start finds them ready)")
    routines = list(build())
    names = [r.name for r in routines]
    if len(set(names)) != len(names):
        raise ClosedChainError(f"routines {names} do not all have different names.")
    signatures = tuple(map(signature_of, routines))
    code = compile_object([r for r, s in zip(routines, signatures, strict=True) if s.compiled_outputs], target=target)
    return Entry(key, signatures, code)


def digest(key_text: str, target: Host) -> str:
    """SHA-256 of everything that compiled code depends on; the name of its file."""
    parts = [
        key_text, source_digest(), llvmlite.__version__, np.__version__.split(".")[0], target.text, str(target.width),
    ]  # fmt: skip
    framed = b"".join(len(part.encode()).to_bytes(8, "little") + part.encode() for part in parts)
    return hashlib.sha256(framed).hexdigest()


@cache
def source_digest() -> str:
    """SHA-256 of the sources that turn a description into code, so that changing them makes new code."""
    package = Path(__file__).parent.parent
    found = hashlib.sha256()
    for path in sorted(p for part in ("kernels", "derive") for p in (package / part).rglob("*.py")):
        found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _usable(folder: Path) -> bool:
    """Make the folder if need be; False, with a warning if it is unsafe, if it cannot be used."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folders.check_folder(folder)
    except folders.UnsafeFolder as error:
        warnings.warn(str(error), CacheWarning, stacklevel=4)
        return False
    except OSError:
        return False
    return True


def _link(entry: Entry) -> dict[str, int]:
    """Load object code into memory: the address of each symbol."""
    compiled = [s for s in entry.signatures if s.compiled_outputs]
    if not compiled:
        return {}
    singles = [single_symbol(s.name) for s in compiled if s.single]
    symbols = [s.symbol for s in compiled] + singles + ([FASTCALL] if singles else [])
    engine = llvm.create_lljit_compiler(target_machine(host()))
    linker = llvm.JITLibraryBuilder().add_object_img(entry.code).add_current_process()
    for name in symbols:
        linker.export_symbol(name)
    linked = linker.link(engine, "closedchain")
    _KEPT.append((engine, linked))
    return {name: int(linked[name]) for name in symbols}


def _describe(signature: Signature) -> str:
    """A docstring: name(inputs) -> outputs, with core shapes."""
    given, made = (
        ", ".join(f"{a.name}{a.text if a.dims else ''}" for a in g) for g in (signature.inputs, signature.outputs)
    )
    kinds = "float32 from double" if signature.rounded else "all double"
    return f"{signature.name}: {given} -> {made}; any batch in front, {kinds}."
