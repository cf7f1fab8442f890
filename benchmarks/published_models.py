"""Models of other programs in a folder: which import, whether an engine reads the same, whether they go round.

    python -m benchmarks.published_models FOLDER [--verify]

Every MJCF, SDF and URDF file with loops is imported. `engine` compares the mass matrix of random joint values with that
of MuJoCo, without the shapes, or Pinocchio reading the very file (a dash where it does not, or where a YAML beside a
URDF makes other joints of its hinges). `round` writes it with its loops closed as MJCF, SDF and URDF with its YAML,
reads these again and compares how the drives accelerate by their efforts, without rotors where a format has none; then
M of the MJCF as MuJoCo reads it, with the masses that it needs and the file does not have. With `--verify` they go
through `closedchain verify` at random states.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np
from scipy.linalg import null_space

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.exchange.importing import ENDINGS, READERS, Imported, import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.mjcf_writing import to_mjcf
from closedchain.exchange.reshaping import standing
from closedchain.exchange.sdf_writing import to_sdf
from closedchain.exchange.tree import Tree
from closedchain.exchange.urdf_writing import to_urdf
from closedchain.exchange.xml_reading import read_xml
from closedchain.model.model import Model
from closedchain.verify.compare import verify

try:
    import pinocchio as pin
except ImportError:  # an extra: URDF files are then not compared
    pin = None

SAMPLES = 3
RANK = 1e-8  # of the closures' largest singular value
MASSLESS = 1e-13  # of the largest inertia: a rod without one spins freely, and says nothing


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
    heads = Line(
        "model", "nv loops rows rank", "gap: written, closed", "as", "engine", "round: MJCF SDF URDF MuJoCo", "verify"
    )
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
    verified = verdict(found) if verifying and found.recipe is not None else ""
    return [Line(name, counts, gap, kind, by_engine(path, tree), around(standing(tree, a.assembly.v)), verified)]


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
    """Written in each format and read again: what the drives feel, as we read it, and M of the MJCF as MuJoCo does."""
    rng = np.random.default_rng(1)
    single = np.array([joint.freedoms == 1 for joint in tree.joints for _ in range(joint.freedoms)])
    values = [0.3 * single * rng.standard_normal(tree.nv) for _ in range(SAMPLES)]  # balls as they stand
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for ending, write in WRITERS.items():
            path = Path(folder) / f"model{ending}"
            for suffix, text in write(tree).items():
                path.with_suffix(suffix).write_text(text, encoding="utf-8")
            again = READERS[read_xml(path).root.tag](path).tree
            answers.append(repeated(tree if ending == ".xml" else without_rotors(tree), again))
        mjcf = Path(folder) / "model.xml"
        answers.append(f"{difference(tree, values, from_mujoco(mjcf, tree, values)):.0e}" if single.any() else "-")
    return " ".join(answers)


def repeated(tree: Tree, again: Tree) -> str:
    """The difference in what the drives feel, of its largest entry; SDF may be spanned by other joints."""
    ours, theirs = response(tree), response(again)
    if ours.shape != theirs.shape or tree.nv - _rank(tree) != again.nv - _rank(again):
        return f"{again.nv - _rank(again)} freedoms of {tree.nv - _rank(tree)}"
    return f"{np.abs(ours - theirs).max(initial=0.0) / np.abs(ours).max(initial=1e-300):.0e}"


def response(tree: Tree) -> Doubles:
    """Accelerations of the drives (all hinges and slides where none is driven) by their own efforts, loops closed.

    D N (Nᵀ M N)⁻¹ Nᵀ Dᵀ with the motions N that the loops leave: it does not depend on which joints span the tree.
    """
    stands = Posture(tree, np.zeros(tree.nv))
    N = null_space(stands.constraint(), rcond=RANK) if tree.rows else np.eye(tree.nv)
    names = tree.drives or sorted(j.name.removesuffix("_joint") for j in tree.joints if j.freedoms == 1)
    held = [tree.columns[name if name in tree.columns else f"{name}_joint"].start for name in names]
    return N[held] @ np.linalg.pinv(N.T @ stands.mass_matrix() @ N, rcond=MASSLESS, hermitian=True) @ N[held].T


def without_rotors(tree: Tree) -> Tree:
    """What SDF and URDF have no word for, and say so."""
    bodies = [replace(b, joints=tuple(replace(j, armature=0.0) for j in b.joints)) for b in tree.bodies]
    return replace(tree, bodies=tuple(bodies))


def _rank(tree: Tree) -> int:
    return int(np.linalg.matrix_rank(Posture(tree, np.zeros(tree.nv)).constraint(), rtol=RANK)) if tree.rows else 0


def _urdf(tree: Tree) -> dict[str, str]:
    made, loops = to_urdf(tree)
    return {".urdf": made.text, ".yaml": loops}


WRITERS: dict[str, Callable[[Tree], dict[str, str]]] = {
    ".xml": lambda tree: {".xml": to_mjcf(tree).text},
    ".sdf": lambda tree: {".sdf": to_sdf(tree).text},
    ".urdf": _urdf,
}


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
