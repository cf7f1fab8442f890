import type { RobotDoc } from "../core/app";
import type { Pose } from "../core/motion";
import type { AtAnswer, Ellipse } from "../messages";
import { type Svd, svd } from "./svd";
import { frameOf } from "./told";

const NEAR = 0.08; // margin below which the free or lost motion is shown
const SINGULAR = 1e-9;
const SHORT = 1e-3; // of the robot's size: a telescope's row is not divided by less

/** The models at a configuration, as the server's `at` tells them; margins in metres as Python's `singularities` has them. */
export function factsAt(doc: RobotDoc, pose: Pose): AtAnswer {
  const { kernels, p } = doc;
  if (!kernels || !doc.told.x.length) return { ...nothing(), readouts: readouts(doc, pose) };
  const n = pose.x.length,
    m = pose.q.length;
  const { A, B, residual, condition } = kernels.configuration(pose.q, pose.x, p);
  const rows = A.length / n;
  const twist = kernels.evaluate("closures", { q: pose.q, x: pose.x, p }).A_twist; // of a body of space: margins do not depend on which angles tell an orientation
  const [a, b] = weighed(doc, pose, twist ?? A, B);
  const parallel = svd(a, rows),
    serial = svd(b, rows);
  const margin2 = (parallel.sigma.at(-1) ?? 0) / (parallel.sigma[0] || 1),
    margin1 = serial.sigma.at(-1) ?? 0;
  const kinds = [...(margin1 < SINGULAR ? ["type 1"] : []), ...(margin2 < SINGULAR ? ["type 2"] : [])];
  const ellipse = velocityEllipse(doc, parallel, b, rows);
  return {
    ...nothing(),
    A: shaped(A, n),
    B: shaped(B, m),
    J: margin2 < SINGULAR ? null : jacobian(doc, pose),
    det_A: A.length === n * n ? kernels.determinant(A, n) : null,
    det_B: B.length === m * m ? kernels.determinant(B, m) : null,
    condition_A: Number.isFinite(condition) ? condition : null,
    condition: margin2,
    serial: margin1,
    kinds,
    velocity_ellipse: ellipse,
    force_ellipse: ellipse && { ...ellipse, radii: ellipse.radii.map((r) => (r === null ? 0 : r > 0 ? 1 / r : null)) },
    free_motion: margin2 < NEAR ? freeMotion(doc, parallel) : null,
    residual,
    working: pose.working,
    assembly: pose.assembly,
    readouts: readouts(doc, pose),
    warnings: warnings(kinds, margin1, margin2),
  };
}

const nothing = (): AtAnswer => ({
  A: [],
  B: [],
  J: null,
  det_A: null,
  det_B: null,
  condition_A: null,
  condition: 1,
  serial: 1,
  legs: {},
  kinds: [],
  distances: { type1: { metres: null, searched: false }, type2: { metres: null, searched: false } },
  velocity_ellipse: null,
  force_ellipse: null,
  free_motion: null,
  centre: null,
  lost_motion: null,
  readouts: [],
  residual: 0,
  working: "",
  assembly: "",
  warnings: [],
});

const shaped = (flat: ArrayLike<number>, columns: number): number[][] =>
  Array.from({ length: flat.length / columns }, (_, i) => Array.from({ length: columns }, (_, j) => flat[i * columns + j] ?? 0));

/** A and B with every motion in metres and each row divided by twice its leg's length. */
function weighed(doc: RobotDoc, pose: Pose, A: Float64Array, B: Float64Array): [number[], number[]] {
  const frame = frameOf(doc.kernels!, doc.p);
  const closures = (doc.kernels!.robot as unknown as { closures: string[] }).closures;
  const names = doc.told.q.map((row) => row.name);
  const lengths = closures.map((name, i) => {
    const drive = names.indexOf(name);
    return 2 * (drive >= 0 ? Math.max(Math.abs(pose.q[drive] ?? 0), SHORT * doc.told.size) : (frame.rows[i] ?? 0)) || 1;
  });
  const divided = (matrix: Float64Array, by: Float64Array): number[] => {
    const columns = matrix.length / closures.length;
    return Array.from(matrix, (v, k) => v / (lengths[Math.floor(k / columns)] ?? 1) / (by[k % columns] ?? 1));
  };
  return [
    divided(
      A,
      frame.by_x.map((by) => by || doc.told.size),
    ),
    divided(B, frame.by_q),
  ]; // a body with one joint counts by the robot's size
}

function jacobian(doc: RobotDoc, pose: Pose): number[][] | null {
  const zero = new Float64Array(pose.q.length);
  const { J } = doc.kernels!.evaluate("evaluate", { q: pose.q, x: pose.x, q_dot: zero, q_ddot: zero, p: doc.p });
  return J?.every(Number.isFinite) ? shaped(J, pose.q.length) : null;
}

/** The output's motion with locked drives, of length 1: A's last right singular vector, in its own units. */
function freeMotion(doc: RobotDoc, parallel: Svd): number[] {
  const { by_x } = frameOf(doc.kernels!, doc.p);
  const raw = (parallel.v.at(-1) ?? []).map((value, i) => value / (by_x[i] ?? 1));
  const size = Math.hypot(...raw) || 1;
  const largest = raw.reduce((a, b) => (Math.abs(b) > Math.abs(a) * (1 + 1e-9) ? b : a), 0);
  const lead = doc.told.scene?.plate && Math.abs(raw[2] ?? 0) > 1e-12 * size ? (raw[2] ?? 0) : largest;
  return raw.map((value) => (Math.sign(lead) * value) / size);
}

/** Semi-axes of {ẋ : |q̇| ≤ 1}: of J = −V Σ⁻¹ Uᵀ B with the drives in their own units. */
function velocityEllipse(doc: RobotDoc, { sigma, u, v }: Svd, b: number[], rows: number): Ellipse | null {
  const m = b.length / rows,
    n = sigma.length;
  if ((sigma.at(-1) ?? 0) <= 1e-15 * (sigma[0] ?? 1)) return null;
  const { by_q } = frameOf(doc.kernels!, doc.p);
  const J = new Float64Array(n * m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      for (let k = 0; k < n; k++) {
        let pushed = 0;
        for (let r = 0; r < rows; r++) pushed += (u[k]?.[r] ?? 0) * (b[r * m + j] ?? 0) * (by_q[j] ?? 1);
        J[i * m + j] = (J[i * m + j] ?? 0) - ((v[k]?.[i] ?? 0) * pushed) / (sigma[k] ?? 1);
      }
    }
  }
  const made = svd(J, n);
  return { radii: made.sigma.slice(0, Math.min(n, m)), axes: made.u.slice(0, Math.min(n, m)) };
}

function readouts(doc: RobotDoc, pose: Pose): AtAnswer["readouts"] {
  const { kernels, told, p } = doc;
  if (!kernels || !told.readouts.length || !("observe" in kernels.kernels)) return [];
  const seen = kernels.evaluate("observe", { q: pose.q, x: pose.x, q_dot: new Float64Array(pose.q.length), x_dot: new Float64Array(pose.x.length), p });
  return told.readouts.map((row, i) => ({ name: row.name, unit: row.unit, value: seen.passive?.[i] ?? NaN }));
}

function warnings(kinds: string[], margin1: number, margin2: number): string[] {
  const told = [];
  if (kinds.includes("type 2")) told.push("Type 2 singularity: the output moves with locked drives, and efforts have no bound.");
  else if (margin2 < NEAR) told.push(`Close to Type 2: margin ${margin2.toFixed(3)}.`);
  if (kinds.includes("type 1")) told.push("Type 1 singularity: a leg is at its end.");
  else if (margin1 < NEAR) told.push(`Close to Type 1: margin ${margin1.toFixed(3)}.`);
  return told;
}
