import type { App } from "./app";
import { solvesItself } from "./kernels";

export interface Station {
  q: number[];
  x: number[];
}

/** Where the robot stands: as the address says, or where the server begins. */
export function standing(app: App): Station {
  const { told } = app.robot.value;
  const { q, x } = app.state.value;
  const fits = q?.length === told.q.length && (x?.length ?? 0) === told.x.length;
  return fits && q ? { q, x: x ?? [] } : { q: told.start.q, x: told.start.x };
}

/** The working mode of where the robot stands. */
export function workingAt(app: App, { q, x }: Station): string {
  const { told, kernels, p } = app.robot.value;
  if (!solvesItself(kernels) || !told.closed) return told.start.working;
  const near = (v: number, i: number): boolean => Math.abs(v - (q[i] ?? 0)) < 1e-6 * (1 + Math.abs(v));
  const found = kernels.inverse(x, p).solutions.find((s) => Array.from(s.q).every(near));
  return found && !found.mode.includes("0") ? found.mode : told.start.working;
}
