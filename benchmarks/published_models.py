"""Models of other programs in a folder: which import, whether an engine reads the same, whether they go round.

    python -m benchmarks.published_models FOLDER [--verify]

Every MJCF, SDF and URDF file with loops is imported. `engine` compares the mass matrix of random joint values with that
of MuJoCo, without the shapes, or Pinocchio reading the very file (a dash where it does not, or where a YAML beside a
URDF makes other joints of its hinges). `round` is the same of the model written as MJCF and read again, by us and by
MuJoCo, but for the masses that MuJoCo needs and the file does not have. With `--verify` the robots, where loops and
drives match, go through `closedchain verify` at random states.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.exchange.importing import ENDINGS, READERS, Imported, import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.mjcf_reading import read_mjcf
from closedchain.exchange.mjcf_writing import to_mjcf
from closedchain.exchange.tree import Tree
from closedchain.exchange.xml_reading import read_xml
from closedchain.model.model import Model
from closedchain.verify.compare import verify

try:
    import pinocchio as pin
except ImportError:  # an extra: URDF files are then not compared
    pin = None

SAMPLES = 3


@dataclass(frozen=True)
class Line:
    """What became of one file."""

    name: str
    counts: str
    gap: str  # as written, and as assembled
    kind: str
    engine: str
    round: str
    verified: str


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--verify", action="store_true")
    args = parser.parse_args()
    heads = Line("model", "nv loops rows rank", "gap: written, closed", "as", "engine", "round", "verify")
    rows = [heads, *(line for path in models_in(args.folder) for line in tried(path, args.folder, args.verify))]
    widths = [max(len(str(getattr(row, key))) for row in rows) for key in vars(heads)]
    for row in rows:
        print("  ".join(str(value).ljust(w) for value, w in zip(vars(row).values(), widths, strict=True)).rstrip())
    made = [row for row in rows[1:] if row.kind in ("robot", "linkage")]
    print(f"{len(made)} of {len(rows) - 1} import")


def models_in(folder: Path) -> list[Path]:
    """The model files below a folder."""
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
    return [p for p in files if _root(p) in READERS]


def _root(path: Path) -> str:
    try:
        return read_xml(path).root.tag
    except ClosedChainError:
        return ""  # a piece that another file includes


def tried(path: Path, folder: Path, verifying: bool) -> list[Line]:
    """A line for a file with loops; none for one without."""
    name = str(path.relative_to(folder))
    try:
        found = import_model(path)
    except ClosedChainError as problem:
        return [Line(name, "", "", f"not read: {str(problem)[-60:]}", "", "", "")]
    tree, a = found.reading.tree, found.analysis
    if not tree.rows:
        return []
    counts = f"{tree.nv} {a.loops} {a.closure_rows} {a.rank}"
    gap = f"{a.assembly.start:.1e}, {a.assembly.residual:.1e}"
    kind = "robot" if found.recipe else f"no: {found.reason[:60]}"
    if found.recipe is not None and found.recipe.description.linkage:
        kind = "linkage"
    verified = verdict(found) if verifying and kind == "robot" else ""
    return [Line(name, counts, gap, kind, by_engine(path, tree), around(tree), verified)]


def by_engine(path: Path, tree: Tree) -> str:
    """The largest difference of M, of its largest entry, from an engine that reads the file itself."""
    rng = np.random.default_rng(0)
    values = [0.3 * rng.standard_normal(tree.nv) for _ in range(SAMPLES)]
    try:
        theirs = from_mujoco(path, tree, values) if path.suffix == ".xml" else from_pinocchio(path, tree, values)
    except (ValueError, KeyError, RuntimeError):
        return "-"
    return f"{difference(tree, values, theirs):.0e}"


def difference(tree: Tree, values: list[Doubles], theirs: list[Doubles]) -> float:
    """Of mass matrices at hinges and slides; rates of balls and floating bodies are counted otherwise elsewhere."""
    plain = [tree.columns[j.name].start for j in tree.joints if j.freedoms == 1]
    worst = 0.0
    for v, M in zip(values, theirs, strict=True):
        ours = Posture(tree, v).mass_matrix()[np.ix_(plain, plain)]
        worst = max(worst, float(np.abs(ours - M).max() / np.abs(ours).max()))
    return worst


def from_mujoco(path: Path, tree: Tree, values: list[Doubles]) -> list[Doubles]:
    """M of hinges and slides where MuJoCo has the same joint values."""
    spec = mujoco.MjSpec.from_file(str(path))
    if all(body.explicitinertial for body in spec.bodies[1:]):  # shapes, whose meshes may be missing, then say nothing
        unused = (spec.geoms, spec.meshes, spec.materials, spec.textures, spec.excludes, spec.pairs, spec.sensors)
        for shown in (one for some in unused for one in list(some)):
            spec.delete(shown)
    model = spec.compile()
    data = mujoco.MjData(model)
    places = {}  # by the bodies: joints need no name in MJCF
    for body in tree.bodies:
        at = int(model.body(body.name).dofadr[0])
        for joint in (j for j in body.joints if j.freedoms):
            places[joint.name] = slice(at, at + joint.freedoms)
            at += joint.freedoms
    made = []
    for v in values:
        step = np.zeros(model.nv)
        for body in tree.bodies:
            for joint in (j for j in body.joints if j.freedoms):
                value = v[tree.columns[joint.name]]
                if joint.kind == "free":  # MuJoCo shifts along the world's axes
                    value = np.append(body.rotation @ value[:3], value[3:])
                step[places[joint.name]] = value
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, step, 1.0)
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        order = [places[j.name].start for j in tree.joints if j.freedoms == 1]
        made.append(M[np.ix_(order, order)])
    return made


def from_pinocchio(path: Path, tree: Tree, values: list[Doubles]) -> list[Doubles]:
    """M where Pinocchio has the same joint values; KeyError where its joints are others."""
    if pin is None:
        raise KeyError
    model = pin.buildModelFromUrdf(str(path))
    names = [j.name for j in tree.joints if j.freedoms]
    if not all(model.existJointName(name) for name in names) or model.nv != tree.nv:
        raise KeyError
    order = [model.joints[model.getJointId(name)].idx_v for name in names]
    made = []
    for v in values:
        step = np.zeros(model.nv)
        step[order] = v
        M = pin.crba(model, model.createData(), pin.integrate(model, pin.neutral(model), step))
        made.append((np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)])
    return made


def around(tree: Tree) -> str:
    """Written as MJCF: M as we and as MuJoCo read it again."""
    rng = np.random.default_rng(1)
    values = [0.3 * rng.standard_normal(tree.nv) for _ in range(SAMPLES)]
    plain = [tree.columns[j.name].start for j in tree.joints if j.freedoms == 1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        path.write_text(to_mjcf(tree).text, encoding="utf-8")
        again = read_mjcf(path).tree
        order = {j.name: again.columns[j.name] for j in tree.joints if j.freedoms}
        moved = []
        for v in values:
            w = np.zeros(again.nv)
            for name, columns in order.items():
                w[columns] = v[tree.columns[name]]
            moved.append(w)
        rows = [again.columns[j.name].start for j in tree.joints if j.freedoms == 1]
        ours = difference(tree, values, [Posture(again, w).mass_matrix()[np.ix_(rows, rows)] for w in moved])
        theirs = difference(tree, values, from_mujoco(path, tree, values)) if plain else 0.0
    return f"{ours:.0e}, {theirs:.0e}" if again.rows == tree.rows else f"{again.rows} rows of {tree.rows}"


def verdict(found: Imported) -> str:
    """`closedchain verify` at a few random states."""
    assert found.recipe is not None
    try:
        made = verify(Model(found.recipe), motion="random", states=5)
    except ClosedChainError as problem:
        return f"no: {str(problem)[:60]}"
    return f"{sum(row.ok for row in made.rows)} of {len(made.rows)} rows"


if __name__ == "__main__":
    main()
