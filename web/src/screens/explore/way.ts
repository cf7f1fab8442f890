import { simplified } from "../../core/simplify";
import type { Point } from "../../core/stage";
import { amount, amounts, type Tables } from "../simulate/recipe";
import { drawn, type Grip, grips, type Tool, wayOf } from "../simulate/trajectory";

export const MOST = 64; // points of a path; more are not checked, and the address stays short
const ROUND = 96; // pieces of a circle that is drawn

export type Shape = Tool; // "points" is a free hand's, or corners that are typed

/** A path in the plane, as the trajectory that it would be, without times and without a plate's angle. */
export type Path =
  | { kind: "quintic"; from: number[]; to: number[] }
  | { kind: "circle"; centre: number[]; radius: number; angle: number }
  | { kind: "spline"; through: number[][] };

export const shapeOf = (path: Path): Shape => ({ quintic: "line", circle: "circle", spline: "points" })[path.kind] as Shape;

const flat = (value: unknown): number[] | null => {
  const made = amounts(value);
  return made && made.length >= 2 && made.every(Number.isFinite) ? made.slice(0, 2) : null;
};
const apart = (a: number[] | undefined, b: number[] | undefined): number => Math.hypot((a?.[0] ?? 0) - (b?.[0] ?? 0), (a?.[1] ?? 0) - (b?.[1] ?? 0));

/** The path of a trajectory or of an address; null where it is none, or has no length. */
export function pathOf(given: Tables | null): Path | null {
  if (given?.kind === "quintic") {
    const from = flat(given.from),
      to = flat(given.to);
    return from && to && apart(from, to) > 0 ? { kind: "quintic", from, to } : null;
  }
  if (given?.kind === "circle") {
    const centre = flat(given.centre),
      radius = amount(given.radius),
      angle = amount(given.angle) ?? 0;
    return centre && radius !== null && radius > 0 && Number.isFinite(radius + angle) ? { kind: "circle", centre, radius, angle } : null;
  }
  if (given?.kind !== "spline" || !Array.isArray(given.through)) return null;
  const rows = (given.through as unknown[]).map(flat);
  const through = rows.filter((row, i): row is number[] => row !== null && (i === 0 || apart(row, rows[i - 1] ?? undefined) > 0));
  return rows.every(Boolean) && through.length >= 2 && through.length <= MOST ? { kind: "spline", through } : null;
}

/** The trajectory that follows a path: with a plate's angle, in a working mode. */
export function trajectoryOf(path: Path, rest: number[], working: string): Tables | null {
  const rim = (c: number[], r: number, angle: number): number[] => [(c[0] ?? 0) + r * Math.cos(angle), (c[1] ?? 0) + r * Math.sin(angle)];
  const points = path.kind === "quintic" ? [path.from, path.to] : path.kind === "circle" ? [path.centre, rim(path.centre, path.radius, path.angle)] : path.through;
  return drawn(shapeOf(path), points, rest, working ? { working } : {});
}

/** Places that can be dragged: not those of a free hand, which are many. */
export const few = (trajectory: Tables | null): Grip[] => (trajectory?.kind === "spline" ? [] : grips(trajectory));

/** The points of a free hand that matter at the stage's scale. */
export const kept = (points: number[][], pixelsPerMetre: number): number[][] => simplified(points, MOST, 1.5 / pixelsPerMetre);

/** A path by its s, as the server counts it: 1 for each piece between corners, 1 for the whole circle. */
export class Way {
  readonly end: number;
  private readonly corners: number[][];
  private readonly lengths: number[]; // [m] from the beginning to each corner

  constructor(private readonly path: Path) {
    this.corners = path.kind === "circle" ? [] : (wayOf(path) ?? []);
    this.lengths = this.corners.map(() => 0);
    for (let i = 1; i < this.corners.length; i++) this.lengths[i] = (this.lengths[i - 1] ?? 0) + apart(this.corners[i], this.corners[i - 1]);
    this.end = path.kind === "circle" ? 1 : this.corners.length - 1;
  }

  /** [m] from the beginning to s. */
  length(s: number): number {
    if (this.path.kind === "circle") return 2 * Math.PI * this.path.radius * s;
    const i = Math.max(0, Math.min(this.end - 1, Math.floor(s))),
      low = this.lengths[i] ?? 0;
    return low + (s - i) * ((this.lengths[i + 1] ?? low) - low);
  }

  /** s at a length, within the path. */
  s(metres: number): number {
    const whole = this.length(this.end),
      at = Math.max(0, Math.min(whole, metres));
    if (this.path.kind === "circle") return at / whole;
    const i = Math.max(0, Math.min(this.end - 1, this.lengths.findIndex((l) => l > at) - 1));
    if (at >= whole) return this.end;
    const low = this.lengths[i] ?? 0;
    return i + (at - low) / ((this.lengths[i + 1] ?? low) - low || 1);
  }

  at(s: number): Point {
    if (this.path.kind === "circle") {
      const turn = this.path.angle + 2 * Math.PI * s;
      return [(this.path.centre[0] ?? 0) + this.path.radius * Math.cos(turn), (this.path.centre[1] ?? 0) + this.path.radius * Math.sin(turn)];
    }
    const i = Math.max(0, Math.min(this.end - 1, Math.floor(s))),
      part = s - i;
    const [a = [0, 0], b = a] = [this.corners[i], this.corners[i + 1]];
    return [0, 1].map((k) => (a[k] ?? 0) + part * ((b[k] ?? 0) - (a[k] ?? 0))) as Point;
  }

  /** The points from one s to another, corners included. */
  between(low: number, high: number): Point[] {
    const step = this.path.kind === "circle" ? 1 / ROUND : 1;
    const made = [this.at(low)];
    for (let k = Math.floor(low / step) + 1; k * step < high; k++) made.push(this.at(k * step));
    return [...made, this.at(high)];
  }
}
