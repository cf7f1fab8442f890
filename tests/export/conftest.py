"""Engines for exported code: the system's C compiler, and Node or a headless Chromium."""

import ctypes
import functools
import html
import json
import shutil
import struct
import subprocess

import numpy as np
import pytest

import closedchain as cc
from closedchain.export.programs import every_program, natural_inputs
from closedchain.model.sampling import sample

HARNESS = """
const hex = (v) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, v);
  return "#" + view.getBigUint64(0).toString(16).padStart(16, "0");
};
const exact = (v) =>
  typeof v === "number" ? hex(v)
  : v instanceof Float64Array || Array.isArray(v) ? Array.from(v, exact)
  : v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, w]) => [k, exact(w)]))
  : v === undefined ? null : v;
const answer = ((given) => { %s })(%s);
const text = JSON.stringify(exact(answer));
"""
PAGE = "<!doctype html><body><script type=module>%s\ndocument.body.textContent = '@@' + text + '@@';</script></body>"
CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--virtual-time-budget=20000", "--dump-dom"]  # fmt: skip


@functools.cache
def loaded(name):
    """A robot, and its programs with the inputs that are natural for it."""
    model = cc.load(name)
    inputs = natural_inputs(model)
    return model, every_program(model, inputs), inputs


@pytest.fixture(scope="session")
def derived():
    return loaded


@pytest.fixture(scope="session")
def compile_c():
    """C text → a loaded library, by the system's compiler as the header asks for."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler here")

    def build(text, folder, *flags):
        (folder / "code.c").write_text(text)
        command = [compiler, "-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pedantic", *flags]
        command += ["-fPIC", "-shared", str(folder / "code.c"), "-o", str(folder / "code.so"), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:2000]
        return ctypes.CDLL(str(folder / "code.so"))

    return build


def decoded(value):
    """What the harness wrote, with its doubles to the bit."""
    if isinstance(value, str) and value.startswith("#"):
        return struct.unpack(">d", bytes.fromhex(value[1:]))[0]
    if isinstance(value, list):
        return [decoded(v) for v in value]
    return {k: decoded(v) for k, v in value.items()} if isinstance(value, dict) else value


@pytest.fixture(scope="session")
def run_js():
    """(module, script, given, folder) → what the script, a function body of `given` in the module's scope, returns."""
    node, chromium = shutil.which("node"), shutil.which("chromium") or shutil.which("chrome")
    if node is None and chromium is None:
        pytest.skip("no JavaScript engine here")

    def run(module, script, given, folder):
        code = module + HARNESS % (script, json.dumps(given))
        if node is not None:
            path = folder / "main.mjs"
            path.write_text(code + "\nconsole.log('@@' + text + '@@');", encoding="utf-8")
            command = [node, str(path)]
        else:
            path = folder / "main.html"
            path.write_text(PAGE % code.replace("</script", "<\\/script"), encoding="utf-8")
            command = [chromium, *CHROMIUM, f"--user-data-dir={folder / 'profile'}", path.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "@@" in done.stdout, (done.stdout + done.stderr)[:2000]
        printed = done.stdout if node is not None else html.unescape(done.stdout)
        return decoded(json.loads(printed.split("@@")[1]))

    return run


def arrays(model, count, seed):
    """Random inputs for every kernel, by name, (count, …)."""
    rng, state = np.random.default_rng(seed), sample(model, count, seed)
    n, nx, legs = model.nq, model.nx, model.nq
    found = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot}
    found |= {"q_ddot": rng.standard_normal((count, n)), "x_ddot": rng.standard_normal((count, nx))}
    found |= {"z_ddot": rng.standard_normal((count, n + nx)), "tau": rng.standard_normal((count, len(model.driven)))}
    found |= {"u": rng.standard_normal((count, len(model.driven))), "h": np.full(count, 1e-3)}
    found |= {"work": rng.standard_normal(count), "sigma": rng.choice([-1.0, 1.0], (count, legs))}
    found |= {"s": rng.choice([-1.0, 1.0], count), "lam": rng.standard_normal((count, nx))}
    return found | {"p": np.broadcast_to(model.p, (count, len(model.p)))}


@pytest.fixture(scope="session")
def random_arrays():
    return arrays


@pytest.fixture(scope="session")
def same_bits():
    """Whether two arrays have the same bits; two NaNs count as equal."""

    def compare(a, b):
        a, b = np.asarray(a, float), np.asarray(b, float)
        return bool(((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))).all())

    return compare
