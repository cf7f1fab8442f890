"""The same bits on every target: objects from our LLVM IR, run by qemu-user and Node, against our own kernels.

    python -m benchmarks.target_bits [--states 100000] [--robots biglide,delta] [--targets aarch64,wasm32]

Each robot's forward and inverse dynamics, and an ankle's maps, are built for each target, linked with a small program
that reads states and keeps a sum over the bits of all outputs, and compared with that sum over what NumPy gets from the
kernels in use here. Two different answers have the same sum by chance once in 2^64. Every NaN counts as the same.

Wanted: qemu-user, gcc for aarch64, riscv64 and armhf Linux, gcc-riscv64-unknown-elf, Node; what is missing is left out.
The Cortex-M7's object is run on an A-profile processor of qemu's, which has all its instructions.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain.export.headers import inputs, outputs, prototypes
from closedchain.export.maps import maps
from closedchain.export.package import GUARD, Package, guarded, map_package, model_package, random_inputs
from closedchain.kernels.lower import lower
from closedchain.kernels.program import Program, run
from closedchain.kernels.targets import TARGETS, build

ROBOTS = ("biglide", "fivebar", "rpr3", "rrr3", "triplate", "delta", "furuta", "orthoglide", "neck", "ankle:g1")
BASE = 500  # configurations; states are these, moved a little, with rates and efforts of their own
NAN = np.uint64(0x7FF8000000000000)


@dataclass(frozen=True)
class Runner:
    """How a target's program is linked and run."""

    compiler: str
    flags: tuple[str, ...]
    emulator: tuple[str, ...]

    @property
    def there(self) -> bool:
        return all(shutil.which(word) for word in (self.compiler, *self.emulator[:1]))


RUNNERS = {
    "x86-64": Runner("gcc", (), ()),
    "aarch64": Runner("aarch64-linux-gnu-gcc", ("-static",), ("qemu-aarch64",)),
    "cortex-m7": Runner("arm-linux-gnueabihf-gcc", ("-static",), ("qemu-arm", "-cpu", "max")),
    "riscv64": Runner("riscv64-linux-gnu-gcc", ("-static",), ("qemu-riscv64",)),
    "riscv32": Runner("riscv64-unknown-elf-gcc", ("-march=rv32imafdc", "-mabi=ilp32d", "-nostdlib", "-static",
                                                   "-ffreestanding", "-DBARE", "-Wl,--no-relax"), ("qemu-riscv32",)),
}  # fmt: skip
PROGRAM = """
#include "code.h"
typedef unsigned long long u64;
#ifdef BARE /* no library at all: Linux by its calls */
static long call3(long n, long a, long b, long c) {
    register long r7 __asm__("a7") = n, r0 __asm__("a0") = a, r1 __asm__("a1") = b, r2 __asm__("a2") = c;
    __asm__ volatile("ecall" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
    return r0;
}
#define read(f, p, n) call3(63, f, (long)(p), (long)(n))
#define write(f, p, n) call3(64, f, (long)(p), (long)(n))
#else
#include <unistd.h>
#endif
static double row[%(row)d], made[%(most)d];
static u64 sum, place;
static void take(int n) {
    for (int i = 0; i < n; i++) {
        u64 bits;
        __builtin_memcpy(&bits, &made[i], 8);
        if ((bits & 0x7ff0000000000000u) == 0x7ff0000000000000u && (bits & 0xfffffffffffffu)) {
            bits = 0x7ff8000000000000u;
        }
        sum += bits * (2 * place++ + 1);
    }
}
static int fill(void) {
    char *at = (char *)row, *end = (char *)row + sizeof row;
    while (at < end) {
        long n = read(0, at, end - at);
        if (n <= 0) {
            return 0;
        }
        at += n;
    }
    return 1;
}
static void all(void) {
    while (fill()) {
%(calls)s
    }
    write(1, &sum, sizeof sum);
}
#ifdef BARE
void *memset(void *p, int c, unsigned long n) { for (char *q = p; n--;) *q++ = (char)c; return p; }
void _start(void) { all(); call3(93, 0, 0, 0); }
#else
int main(void) { all(); return 0; }
#endif
"""
NODE = """
import fs from "node:fs";
const memory = new WebAssembly.Memory({initial: 64});
const module = new WebAssembly.Module(fs.readFileSync("code.wasm"));
const f = new WebAssembly.Instance(module, {env: {__linear_memory: memory}}).exports;
const data = fs.readFileSync("states.bin"), size = 8 * %(row)d, ROW = 1024, MADE = ROW + size;
const doubles = new Float64Array(memory.buffer), bits = new BigUint64Array(memory.buffer);
const bytes = new Uint8Array(memory.buffer);
let sum = 0n, place = 0n;
function take(n) {
  for (let i = 0; i < n; i++) {
    let v = Number.isNaN(doubles[MADE / 8 + i]) ? 0x7ff8000000000000n : bits[MADE / 8 + i];
    sum = BigInt.asUintN(64, sum + v * (2n * place++ + 1n));
  }
}
for (let at = 0; at + size <= data.length; at += size) {
  bytes.set(data.subarray(at, at + size), ROW);
%(calls)s
}
process.stdout.write(Buffer.from(new BigUint64Array([sum]).buffer));
"""


def main(words: list[str] | None = None) -> int:
    """Print a row for each robot and target; 1 where any bits differ."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--targets", default=",".join(TARGETS))
    args = parser.parse_args(words)
    total, wrong = 0, 0
    for name in args.robots.split(","):
        for package in packages(name):
            states = rows(package, args.states)
            wanted = reference(package, states)
            for target in args.targets.split(","):
                begun = time.perf_counter()
                made = answered(package, states, target)
                if made is None:
                    print(f"{name} {target}: no tools here", flush=True)
                    continue
                wrong += made != wanted
                total += args.states
                word = "same bits" if made == wanted else f"DIFFERENT: {made:016x}, not {wanted:016x}"
                took = time.perf_counter() - begun
                kernels = ", ".join(p.name for p in package.programs)
                print(f"{name} {target}: {args.states} states of {kernels}: {word} ({took:.0f} s)",
                      flush=True)  # fmt: skip
    print(f"{total} states on targets, {wrong} runs differ")
    return int(wrong > 0)


def packages(name: str) -> list[Package]:
    """A robot's dynamics; of an ankle its maps, too."""
    model = cc.load(name)
    found = [model_package(model, [model.forward_kernel, "inverse_dynamics"])]
    if name == "ankle:g1":
        low, high = np.radians([-50.0, -15.0]), np.radians([30.0, 15.0])
        found.append(map_package(maps(cc.transmission(model), low, high)))
    return found


def rows(package: Package, count: int) -> dict[str, np.ndarray]:
    """Inputs by name, (count, size), for all programs."""
    rng, base = np.random.default_rng(5), random_inputs(package.model, BASE)
    chosen = rng.integers(0, BASE, count)
    sizes = {o.name: o.size for p in package.programs for o in p.inputs}
    found = {}
    for name, size in sizes.items():
        if name in ("q", "x", "y"):
            own = base["x" if name == "y" else name][chosen][:, :size]
            if package.told:  # maps: about the range
                own = rng.uniform(-1.0, 1.0, (count, size))
            found[name] = own + 1e-3 * rng.standard_normal((count, size))
        else:
            found[name] = rng.standard_normal((count, size))
    return found


def reference(package: Package, states: dict[str, np.ndarray]) -> int:
    """The sum over what our own kernels give; of maps, which have none, over NumPy's operations."""
    parts = []
    for p in package.programs:
        given = {o.name: states[o.name].reshape(-1, *o.shape) for o in p.inputs}
        if package.told:
            made = dict(zip((o.name for o in p.outputs), run(lower(p), *given.values()), strict=True))
        else:
            made = package.model.call(p.name, **given)
        flat = {o.name: made[o.name].reshape(len(states[next(iter(states))]), -1) for o in outputs(p)}
        if guarded(p):
            counts = flat[GUARD] > 0.0
            flat = {name: value if name == GUARD else np.where(counts, value, 0.0) for name, value in flat.items()}
        parts.append(np.concatenate([flat[o.name] for o in outputs(p)], axis=1))
    bits = np.concatenate(parts, axis=1).ravel()
    words = np.where(np.isnan(bits), NAN, bits.view(np.uint64))
    with np.errstate(over="ignore"):
        return int((words * (2 * np.arange(len(words), dtype=np.uint64) + 1)).sum())


def answered(package: Package, states: dict[str, np.ndarray], target: str) -> int | None:
    """The sum that a target makes; None without its tools."""
    runner = RUNNERS.get(target)
    if (runner is None and not shutil.which("node")) or (runner is not None and not runner.there):
        return None
    content = build(package.programs, f"{package.name}_", target, GUARD).content
    data = np.ascontiguousarray(np.concatenate([states[name] for name in states], axis=1)).tobytes()
    places, at = {}, 0
    for name, value in states.items():
        places[name], at = at, at + value.shape[1]
    most = max(sum(o.size for o in outputs(p)) for p in package.programs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if runner is None:
            told = _by_node(package, content, data, places, at, folder)
        else:
            (folder / "code.h").write_text(prototypes(package))
            calls = "\n".join(_call(package, p, places) for p in package.programs)
            (folder / "main.c").write_text(PROGRAM % {"row": at, "most": most, "calls": calls})
            (folder / "code.o").write_bytes(content)
            if target == "cortex-m7":  # a linker refuses to mix profiles; the instructions are the same
                strip = ["arm-linux-gnueabihf-objcopy", "-R", ".ARM.attributes", "code.o"]
                subprocess.run(strip, cwd=folder, check=True)
            command = [runner.compiler, "-O1", "main.c", "code.o", *runner.flags, "-o", "main"]
            subprocess.run(command, cwd=folder, check=True)
            told = subprocess.run(
                [*runner.emulator, "./main"], cwd=folder, input=data, capture_output=True, check=True
            ).stdout
    return int.from_bytes(told[:8], "little")


def _call(package: Package, p: Program, places: dict[str, int]) -> str:
    given = [f"&row[{places[o.name]}]" if o.shape else f"row[{places[o.name]}]" for o in inputs(p)]
    made, at = [], 0
    for o in outputs(p):
        made.append(f"&made[{at}]")
        at += o.size
    clear = f"        __builtin_memset(made, 0, 8 * {at});\n" if guarded(p) else ""
    return f"{clear}        {package.name}_{p.name}({', '.join(given + made)});\n        take({at});"


def _by_node(package: Package, content: bytes, data: bytes, places: dict[str, int], row: int, folder: Path) -> bytes:
    calls = []
    for p in package.programs:
        given = [
            f"ROW + 8 * {places[o.name]}" if o.shape else f"doubles[ROW / 8 + {places[o.name]}]" for o in inputs(p)
        ]
        made, at = [], 0
        for o in outputs(p):
            made.append(f"MADE + 8 * {at}")
            at += o.size
        clear = f"  doubles.fill(0, MADE / 8, MADE / 8 + {at});\n" if guarded(p) else ""
        calls.append(f"{clear}  f.{package.name}_{p.name}({', '.join(given + made)});\n  take({at});")
    (folder / "code.wasm").write_bytes(content)
    (folder / "states.bin").write_bytes(data)
    (folder / "main.mjs").write_text(NODE % {"row": row, "calls": "\n".join(calls)})
    return subprocess.run(["node", "main.mjs"], cwd=folder, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
