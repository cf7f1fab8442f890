import type { RobotDoc } from "./app";
import type { Kernels } from "./kernels";
import type { Spring } from "./spring";

/** Where a robot is and how it moves. */
export interface Motion {
  q: Float64Array;
  x: Float64Array;
  q_dot: Float64Array;
  x_dot: Float64Array;
}

const STEP = 1e-3; // [s] of RK4
const CHUNK = 4; // steps under a pull that is found once
const MOST = 48; // steps in one frame: a slow browser shows slow motion, not jumps

/** A configuration at rest. */
export const atRest = (q: ArrayLike<number>, x: ArrayLike<number>): Motion => ({
  q: Float64Array.from(q),
  x: Float64Array.from(x),
  q_dot: new Float64Array(q.length),
  x_dot: new Float64Array(x.length),
});

/** Where a robot begins: as the server says, on the assembly mode that hangs lowest. */
export function settled(doc: RobotDoc): Motion {
  const { q, x } = doc.told.start;
  const begin = atRest(q, x);
  if (!doc.told.closed || doc.told.linkage || !doc.kernels) return begin;
  const heights = doc.kernels.direct(q, doc.p).solutions.map((s) => {
    const now = atRest(q, s.x);
    const told = doc.kernels?.evaluate("energy", { ...now, p: doc.p }) as unknown as { potential: number };
    return { now, potential: told.potential };
  });
  const [first, ...rest] = heights;
  return first ? rest.reduce((a, b) => (b.potential < a.potential ? b : a), first).now : begin;
}

/** Whether the page has a robot's dynamics: of a linkage it has not. */
export const hasDynamics = ({ kernels, told }: RobotDoc): boolean => kernels !== null && "step" in kernels.kernels && !told.linkage;

/** The robot moved by its own kernels: forward dynamics and RK4, projected onto the closures, and a spring that pulls one of its points. */
export class Live {
  now: Motion;
  t = 0;
  left = 0; // [s] of time that passed and is not yet simulated
  u: Float64Array;
  spring: Spring | null = null;

  constructor(
    private readonly doc: RobotDoc,
    start: Motion,
  ) {
    this.now = start;
    this.u = new Float64Array(doc.kernels?.robot.driven.length ?? 0);
  }

  /** Go on by so many seconds; false where the motion cannot be followed further. */
  advance(seconds: number, p: Float64Array): boolean {
    const kernels = this.doc.kernels;
    if (!kernels) return false;
    this.left = Math.min(this.left + seconds, MOST * STEP);
    for (let steps = Math.floor(this.left / STEP + 1e-9); steps > 0; ) {
      const some = this.spring ? Math.min(CHUNK, steps) : steps;
      this.spring?.push(this.now, p, (some * STEP) / 2); // half of the pull before, half after: the method stays of second order
      const { ok, ...made } = kernels.advance({ ...this.now }, this.u, p, STEP, some);
      this.left -= some * STEP;
      steps -= some;
      if (!ok) return false;
      this.now = { q: made.q ?? this.now.q, x: made.x ?? this.now.x, q_dot: made.q_dot ?? this.now.q_dot, x_dot: made.x_dot ?? this.now.x_dot };
      this.spring?.push(this.now, p, (some * STEP) / 2);
      this.t += some * STEP;
    }
    return true;
  }

  /** Kinetic and potential energy [J]. */
  energy(p: Float64Array): { kinetic: number; potential: number } {
    const told = this.doc.kernels?.evaluate("energy", { ...this.now, p }) as unknown as { kinetic: number; potential: number };
    return { kinetic: told.kinetic, potential: told.potential };
  }

  /** The inputs that keep the robot where it is, at rest; null where they do not exist or do not suffice. */
  holding(p: Float64Array): Float64Array | null {
    const kernels = this.doc.kernels;
    if (!kernels) return null;
    const still = new Float64Array(this.now.q.length);
    const { tau, margin } = kernels.evaluate("inverse_dynamics", { ...this.now, q_dot: still, q_ddot: still, p }) as unknown as { tau: Float64Array; margin: number };
    const driven = kernels.robot.driven;
    const passive = Array.from(tau, (_, i) => i).filter((i) => !driven.includes(i));
    if (!(margin > 0) || !tau.every(Number.isFinite) || passive.some((i) => Math.abs(tau[i] ?? 0) > 1e-9)) return null;
    const efforts = Float64Array.from(driven, (i) => tau[i] ?? 0);
    return kernels.robot.inputs === "voltage" ? voltages(kernels, efforts, p) : efforts;
  }
}

/** Voltages that give efforts at rest: effort = gain · voltage. */
function voltages(kernels: Kernels, efforts: Float64Array, p: Float64Array): Float64Array | null {
  const { gain } = kernels.evaluate("motors", { p }) as unknown as { gain: Float64Array };
  const made = efforts.map((effort, i) => effort / (gain[i] ?? NaN));
  return made.every(Number.isFinite) ? made : null;
}
