import type { RobotDoc } from "./app";
import { solved } from "./leastnorm";
import type { Motion } from "./live";
import { scenePoints } from "./motion";

const PACE = 2 * Math.PI * 1.2; // [rad/s] at which the point's own inertia swings on it
const RATIO = 0.8; // of its damping
const NUDGE = 1e-6;

/** A spring with a damper from a point of the robot to a place: as stiff as the point's own inertia asks for. */
export class Spring {
  force: number[] = [];

  constructor(
    private readonly doc: RobotDoc,
    readonly point: number,
    public to: ArrayLike<number>,
  ) {}

  /** Change the velocities by its pull over so many seconds: M Δż = Jᵀ f h + Φᵀ λ, Φ Δż = 0. That holds beside Type 2 and for passive joints too. */
  push(now: Motion, p: Float64Array, seconds: number): void {
    const n = now.q.length,
      z = [...now.q, ...now.x],
      z_dot = [...now.q_dot, ...now.x_dot];
    const at = scenePoints({ ...this.doc, p }, now.q, now.x)[this.point] ?? [];
    const J = this.slopes(z, n, p, at),
      answers = J.map((row) => this.moved(now, p, row)); // Δż for a unit of force along each axis
    const mobility = J.reduce((sum, row, k) => sum + dot(row, answers[k] ?? []), 0) / Math.max(J.length, 1);
    const inertia = 1 / Math.max(mobility, 1e-12);
    this.force = at.map((v, k) => inertia * (PACE * PACE * ((this.to[k] ?? v) - v) - 2 * RATIO * PACE * dot(J[k] ?? [], z_dot)));
    z_dot.forEach((v, i) => {
      const next = v + seconds * answers.reduce((sum, answer, k) => sum + (answer[i] ?? 0) * (this.force[k] ?? 0), 0);
      if (i < n) now.q_dot[i] = next;
      else now.x_dot[i - n] = next;
    });
  }

  /** How the point moves with each coordinate, one row for each axis. */
  private slopes(z: number[], n: number, p: Float64Array, at: number[]): number[][] {
    const moved = z.map((_, i) => {
      const next = z.map((v, k) => (k === i ? v + NUDGE : v));
      return scenePoints({ ...this.doc, p }, next.slice(0, n), next.slice(n))[this.point] ?? [];
    });
    return at.map((v, k) => moved.map((other) => ((other[k] ?? 0) - v) / NUDGE));
  }

  /** The change of velocities that an impulse makes, with the loops closed. */
  private moved(now: Motion, p: Float64Array, impulse: number[]): number[] {
    const kernels = this.doc.kernels,
      size = impulse.length,
      n = now.q.length,
      m = now.x.length;
    const M = kernels?.evaluate("mass", { q: now.q, x: now.x, p }).M_z ?? [];
    const { A, B } = m && kernels ? kernels.evaluate("closures", { q: now.q, x: now.x, p }) : {};
    const rows = m ? (A?.length ?? 0) / m : 0,
      phi = (i: number, j: number): number => (j < n ? B?.[i * n + j] : A?.[i * m + j - n]) ?? 0;
    const whole = Array.from({ length: size + rows }, (_, i) =>
      Array.from({ length: size + rows }, (_, j) =>
        i < size && j < size ? (M[i * size + j] ?? 0) : i < size ? phi(j - size, i) : j < size ? phi(i - size, j) : i === j ? -1e-14 : 0,
      ),
    );
    return solved(whole, [...impulse, ...new Array<number>(rows).fill(0)]).slice(0, size);
  }
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => Array.from(a).reduce((sum, v, i) => sum + v * (b[i] ?? 0), 0);
