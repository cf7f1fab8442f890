import type { RobotDoc } from "./app";
import type { Kernels } from "./kernels";
import { compatible } from "./motion";
import { outlines, turning } from "./outlines";

/** A piece of a singular curve in the plane of the output. */
export interface Curve {
  type: 1 | 2;
  x: number[][];
  closed: boolean;
}

/** A piece of a singular curve in joint space. */
export interface Piece {
  type: 1 | 2;
  q: number[][];
}

const SIDE = 64; // samples along each side of the window

/** The drives of an output in a working mode; null where it does not reach. */
export function drivesAt(kernels: Kernels, p: Float64Array, x: number[], working: string): number[] | null {
  const { solutions } = kernels.inverse(x, p);
  const found = solutions.find((one) => one.mode === working) ?? solutions.find((one) => compatible(one.mode, working));
  return found ? Array.from(found.q) : null;
}

/** Where det A changes its sign in a working mode, on a grid of a window, a plate's angle held: at once, by the kernels of the page; no proof. */
export function coarse(doc: RobotDoc, kernels: Kernels, working: string, window: number[], held: number[]): Curve[] {
  const [x0 = 0, x1 = 1, y0 = 0, y1 = 1] = window;
  const place = (column: number, row: number): number[] => [x0 + ((x1 - x0) * column) / (SIDE - 1), y0 + ((y1 - y0) * row) / (SIDE - 1)];
  const detAt = (at: number[]): number => kernels.inverse([...at, ...held], doc.p).solutions.find((one) => one.mode === working)?.det ?? NaN;
  const det = Float64Array.from({ length: SIDE * SIDE }, (_, i) => detAt(place(i % SIDE, Math.floor(i / SIDE))));
  const slack = det.map((v) => (Number.isNaN(v) ? -1 : 1));
  const lines: number[][][] = [];
  for (const { points, level } of outlines(SIDE, SIDE, (i) => (det[i] ?? NaN) > 0, turning(det, slack))) {
    let line: number[][] = [];
    level.forEach((on, k) => {
      if (on) line.push(place(points[2 * k] ?? 0, points[2 * k + 1] ?? 0));
      else line = (line.length > 1 && lines.push(line), []);
    });
    if (line.length > 1) lines.push(line);
  }
  return lines.map((x) => ({ type: 2, x, closed: false }));
}

/** The drives along a curve, turned so that they do not leap. */
export function withDrives(doc: RobotDoc, kernels: Kernels, working: string, { type, x }: Curve): Piece {
  const q: number[][] = [];
  for (const now of x.map((at) => drivesAt(kernels, doc.p, at, working))) {
    const before = q.at(-1);
    if (now) q.push(now.map((v, i) => (before && doc.told.q[i]?.unit === "rad" ? v + 2 * Math.PI * Math.round(((before[i] ?? v) - v) / (2 * Math.PI)) : v)));
  }
  return { type, q };
}
