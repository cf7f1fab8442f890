import type { RobotDoc } from "./app";
import type { Kernels, Miss } from "./kernels";

/** Where the robot stands, and on which branch. */
export interface Pose {
  q: number[];
  x: number[];
  working: string;
  assembly: string;
}

/** A wish that could not be met in full: the robot stands as far as it goes; why it stops. */
export interface Moved {
  pose: Pose;
  why: Stop | null;
}
export interface Stop {
  leg: string;
  by: number | null; // [m] at the wish
  what: "tip" | "drive";
}

const HALVINGS = 40;
const LEAP = 0.5; // of the robot's size, and [rad]: a step of the drives that moves the output by more is no continuation
const SIDED = 1e-6; // of the largest det A with the same drives
const TURN = 2 * Math.PI;

/** Every point of the scene: the named ones from the kernels, then the constant ones. */
export function scenePoints(doc: RobotDoc, q: ArrayLike<number>, x: ArrayLike<number>): number[][] {
  const { kernels, told, p } = doc;
  const scene = told.scene;
  if (!kernels || !scene) return [];
  const flat = kernels.evaluate("points", { q, x, p }).points as Float64Array;
  const points: number[][] = [];
  for (let i = 0; i < flat.length; i += told.dimension) points.push(Array.from(flat.subarray(i, i + told.dimension)));
  return [...points, ...scene.constants];
}

/** How far two values of coordinates are apart: angles modulo a turn, lengths by the robot's size. */
export function apart(doc: RobotDoc, which: "q" | "x", a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  doc.told[which].forEach((row, i) => {
    const d = (a[i] ?? 0) - (b[i] ?? 0);
    const scaled = row.unit === "rad" ? d - TURN * Math.round(d / TURN) : d / doc.told.size;
    sum += scaled * scaled;
  });
  return Math.sqrt(sum);
}

/** The same angles, each within half a turn of where it was: a drive is turned, it does not leap. */
function unwound(doc: RobotDoc, which: "q" | "x", values: ArrayLike<number>, before: ArrayLike<number>): number[] {
  return doc.told[which].map((row, i) => {
    const v = values[i] ?? 0;
    return row.unit === "rad" ? v + TURN * Math.round(((before[i] ?? v) - v) / TURN) : v;
  });
}

/** A solver that does not solve again what it was asked last. */
function lastKept<T>(solve: (at: ArrayLike<number>, p: Float64Array) => T): (at: ArrayLike<number>, p: Float64Array) => T {
  let asked: number[] | null = null,
    given: Float64Array | null = null,
    answer: T;
  return (at, p) => {
    if (asked?.length !== at.length || given !== p || !asked.every((v, i) => v === at[i])) {
      answer = solve(at, p);
      asked = Array.from(at);
      given = p;
    }
    return answer;
  };
}

/** By how much the loops are open [m]. */
export function openBy(doc: RobotDoc, q: ArrayLike<number>, x: ArrayLike<number>): number {
  if (!doc.kernels || !doc.told.x.length) return 0;
  return Math.max(0, ...Array.from(doc.kernels.evaluate("closures", { q, x, p: doc.p }).gap ?? [], Math.abs));
}

/** Moves a robot with its kernels, from where it is. */
export abstract class Moving {
  abstract readonly complete: boolean; // whether it knows every branch

  constructor(
    readonly doc: RobotDoc,
    protected readonly kernels: Kernels,
  ) {}

  /** The pose for the parameters that the robot has now: near where it was; null where the loops do not close there. */
  abstract settle(before: Pose): Pose | null;
  /** A configuration with the names of its branch, where they are known here. */
  abstract named(q: number[], x: number[]): Pose;
  /** Put the output at x, or as near as it goes from here. */
  abstract moveTip(pose: Pose, target: number[]): Moved;
  abstract moveDrive(pose: Pose, i: number, value: number): Moved;
  /** Put all drives at values, on the straight way there, or as near as the loops allow. */
  abstract moveDrives(pose: Pose, target: number[]): Moved;
  /** Pull the output of a robot with fewer drives than outputs. */
  abstract pull(pose: Pose, target: number[]): Moved;
  abstract others(pose: Pose): { pose: Pose; kind: "working" | "assembly" }[];

  /** J = −A⁻¹B, row-major; null where it does not exist. */
  jacobian(pose: Pose): Float64Array | null {
    const zero = new Float64Array(pose.q.length);
    const made = this.kernels.evaluate("evaluate", { q: pose.q, x: pose.x, q_dot: zero, q_ddot: zero, p: this.doc.p });
    const J = made.J;
    return J?.every(Number.isFinite) ? J : null;
  }

  /** A, B, J and their determinants. */
  matrices(pose: Pose): { A: Float64Array; B: Float64Array; J: Float64Array | null; detA: number | null; detB: number | null } {
    const { A, B } = this.kernels.configuration(pose.q, pose.x, this.doc.p);
    const n = pose.x.length,
      m = pose.q.length;
    const detA = A.length === n * n ? this.kernels.determinant(A, n) : null;
    const detB = B.length === m * m ? this.kernels.determinant(B, m) : null;
    return { A, B, J: this.jacobian(pose), detA, detB };
  }
}

/** Moves a robot whose branches have a closed form, and keeps its branch. */
export class Mover extends Moving {
  readonly complete = true;
  private readonly inverse: Kernels["inverse"]; // the last answers are kept: a drag asks for one place several times
  private readonly direct: Kernels["direct"];

  constructor(doc: RobotDoc, kernels: Kernels) {
    super(doc, kernels);
    this.inverse = lastKept(kernels.inverse);
    this.direct = lastKept(kernels.direct);
  }

  /** The branch names of a configuration. */
  override named(q: number[], x: number[]): Pose {
    const { p } = this.doc;
    const working = nearest(this.inverse(x, p).solutions, (s) => apart(this.doc, "q", s.q, q))?.mode ?? "";
    const assembly = nearest(this.direct(q, p).solutions, (s) => apart(this.doc, "x", s.x, x))?.mode ?? "";
    return { q, x, working, assembly };
  }

  override settle(before: Pose): Pose | null {
    const square = this.doc.told.q.length === this.doc.told.x.length;
    if (square && this.inverse(before.x, this.doc.p).solutions.some((s) => s.mode === before.working)) return this.moveTip(before, before.x).pose;
    const { pose } = this.moveDrive(before, 0, before.q[0] ?? 0);
    return this.doc.kernels && openBy(this.doc, pose.q, pose.x) < 1e-9 * this.doc.told.size ? pose : null;
  }

  /** The drives for an output, on the pose's working mode; null where it does not reach. */
  private reach(x: ArrayLike<number>, pose: Pose): number[] | null {
    const { solutions } = this.inverse(x, this.doc.p);
    const same = solutions.find((s) => s.mode === pose.working) ?? solutions.find((s) => compatible(s.mode, pose.working));
    return same ? unwound(this.doc, "q", same.q, pose.q) : null;
  }

  /** Put the output at x, or as near to it as the working mode reaches from here. */
  override moveTip(pose: Pose, target: number[]): Moved {
    const q = this.reach(target, pose);
    if (q) return { pose: this.settled(q, target, pose), why: null };
    const miss = this.missAt(target, pose);
    const edge = this.slide(pose, this.bisect(pose, target), target);
    const there = this.reach(edge, pose);
    return { pose: there ? this.settled(there, edge, pose) : pose, why: { leg: miss.leg, by: miss.by, what: "tip" } };
  }

  private missAt(x: ArrayLike<number>, pose: Pose): Miss {
    const found = this.inverse(x, this.doc.p);
    const worst = found.misses.reduce<Miss | null>((a, b) => (a && (a.by ?? 0) >= (b.by ?? 0) ? a : b), null);
    return worst ?? { leg: `working mode ${pose.working}`, by: null };
  }

  private bisect(pose: Pose, target: number[]): number[] {
    let low = 0,
      high = 1;
    const at = (s: number): number[] => target.map((v, i) => (pose.x[i] ?? 0) + s * (v - (pose.x[i] ?? 0)));
    for (let k = 0; k < HALVINGS; k++) {
      const middle = (low + high) / 2;
      if (this.reach(at(middle), pose)) low = middle;
      else high = middle;
    }
    return at(low);
  }

  /** Along the boundary towards the target: smaller and smaller steps that stay within reach and come nearer. */
  private slide(pose: Pose, start: number[], target: number[]): number[] {
    let best = start;
    const far = (x: number[]): number => Math.hypot((x[0] ?? 0) - (target[0] ?? 0), (x[1] ?? 0) - (target[1] ?? 0));
    let step = far(start) / 2,
      tries = 0;
    while (step > 1e-6 * this.doc.told.size && tries < 90) {
      let better: number[] | null = null;
      for (let k = 0; k < 8; k++) {
        tries++;
        const turn = (k * Math.PI) / 4;
        const next = [...best];
        next[0] = (best[0] ?? 0) + step * Math.cos(turn);
        next[1] = (best[1] ?? 0) + step * Math.sin(turn);
        if (far(next) < far(better ?? best) && this.reach(next, pose)) better = next;
      }
      if (better) best = better;
      else step /= 2;
    }
    return best;
  }

  /** Put one drive at a value, or as near as the loops allow; the pose that continues this one. */
  override moveDrive(pose: Pose, i: number, value: number): Moved {
    return this.moveDrives(
      pose,
      pose.q.map((v, k) => (k === i ? value : v)),
    );
  }

  /** Put all drives at values, on the straight way there, or as near as the loops allow. */
  override moveDrives(pose: Pose, target: number[]): Moved {
    const at = (s: number): number[] => pose.q.map((v, k) => (target[k] === v ? v : v + s * ((target[k] ?? v) - v)));
    const steps = Math.max(1, Math.min(24, Math.ceil(Math.max(...pose.q.map((v, i) => Math.abs((target[i] ?? v) - v) / this.stride(i))))));
    let here = pose;
    for (let k = 1; k <= steps; k++) {
      const next = this.follow(here, at(k / steps));
      if (!next) return { pose: this.halfway(here, at, (k - 1) / steps, k / steps), why: this.stopped(at(1)) };
      here = next;
    }
    return { pose: this.settled(here.q, here.x, pose), why: null };
  }

  private stride(i: number): number {
    return this.doc.told.q[i]?.unit === "rad" ? 0.15 : 0.05 * this.doc.told.size;
  }

  /** The solution that continues a pose: the nearest on its side of Type 2, and near; beyond a fold there is none. */
  private follow(pose: Pose, q: number[]): Pose | null {
    const { solutions } = this.direct(q, this.doc.p),
      { det } = this.kernels.configuration(pose.q, pose.x, this.doc.p);
    const on = Math.abs(det) < SIDED * Math.max(...solutions.map((s) => Math.abs(s.det))); // Type 2 itself has no side
    const far = (s: { x: ArrayLike<number> }): number => apart(this.doc, "x", s.x, pose.x);
    const found = nearest(
      solutions.filter((s) => on || s.det * det >= 0),
      far,
    );
    return found && far(found) < LEAP ? { ...pose, q, x: unwound(this.doc, "x", found.x, pose.x), assembly: found.mode } : null;
  }

  private halfway(pose: Pose, at: (s: number) => number[], from: number, to: number): Pose {
    let low = from,
      high = to,
      best = pose;
    for (let k = 0; k < HALVINGS; k++) {
      const middle = (low + high) / 2;
      const next = this.follow(best, at(middle));
      if (next) [low, best] = [middle, next];
      else high = middle;
    }
    return this.settled(best.q, best.x, pose);
  }

  private stopped(q: number[]): Stop {
    const miss = this.direct(q, this.doc.p).misses[0];
    return { leg: miss?.leg ?? "the loop", by: miss?.by ?? null, what: "drive" };
  }

  private settled(q: number[], x: number[], before: Pose): Pose {
    const pose = this.named(q, x);
    const kept = pose.working === "" || compatible(pose.working, before.working); // at its end a leg is on two modes
    return { ...pose, working: kept ? before.working : pose.working, assembly: pose.assembly || before.assembly };
  }

  /** Pull the output of a robot with fewer drives than outputs: the drives that bring it nearest, step by step. */
  override pull(pose: Pose, target: number[]): Moved {
    let here = pose;
    for (let round = 0; round < 6; round++) {
      const J = this.jacobian(here);
      if (!J) break;
      const n = here.q.length,
        m = here.x.length;
      const reachable = Math.min(m, 2);
      const step = here.q.map((_, j) => {
        let along = 0,
          size = 1e-12;
        for (let i = 0; i < reachable; i++) {
          const slope = J[i * n + j] ?? 0;
          along += slope * ((target[i] ?? 0) - (here.x[i] ?? 0));
          size += slope * slope;
        }
        return along / size / n;
      });
      let next = here;
      step.forEach((d, j) => {
        const limit = 4 * this.stride(j);
        next = this.moveDrive(next, j, (next.q[j] ?? 0) + Math.max(-limit, Math.min(limit, d))).pose;
      });
      const moved = apart(this.doc, "q", next.q, here.q);
      here = next;
      if (moved < 1e-7) break;
    }
    return { pose: here, why: null };
  }

  /** Every other branch: the working modes with the output here, the assembly modes with the drives here. */
  override others(pose: Pose): { pose: Pose; kind: "working" | "assembly" }[] {
    const { p } = this.doc;
    const made: { pose: Pose; kind: "working" | "assembly" }[] = [];
    for (const s of this.inverse(pose.x, p).solutions) {
      if (s.mode === pose.working || s.double || apart(this.doc, "q", s.q, pose.q) < 1e-9) continue;
      const q = unwound(this.doc, "q", s.q, pose.q);
      made.push({ kind: "working", pose: { q, x: pose.x, working: s.mode, assembly: sign(s.det, pose.assembly) } });
    }
    for (const s of this.direct(pose.q, p).solutions) {
      if (apart(this.doc, "x", s.x, pose.x) < 1e-7) continue;
      const x = unwound(this.doc, "x", s.x, pose.x);
      made.push({ kind: "assembly", pose: { q: pose.q, x, working: "", assembly: s.mode } });
    }
    return made;
  }
}

const sign = (det: number, otherwise: string): string => (det > 0 ? "+" : det < 0 ? "-" : otherwise);

/** Whether two mode names differ only where a leg is at its end ("0"). */
export const compatible = (a: string, b: string): boolean => a.length === b.length && [...a].every((c, i) => c === b[i] || c === "0" || b[i] === "0");

function nearest<T>(rows: T[], distance: (row: T) => number): T | null {
  let best: T | null = null,
    least = Infinity;
  for (const row of rows) {
    const d = distance(row);
    if (d < least) [best, least] = [row, d];
  }
  return best;
}
