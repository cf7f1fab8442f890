import type { SceneRow } from "../../messages";
import { bytes, mixed } from "../colours";
import { colour } from "../theme";
import type { Eye, Vector } from "./eye";

export type Points = ArrayLike<ArrayLike<number>>;
export type Role = "robot" | "ghost" | "assembly" | "reference" | "other";

/** A part of the drawing, and how near it is to the eye. */
export interface Piece {
  depth: number;
  draw(pen: CanvasRenderingContext2D): void;
}

const RODS: Record<string, [string, number]> = { bar: ["bar", 0.024], crank: ["drive", 0.036], telescope: ["drive", 0.03], spring: ["soft", 0.012], damper: ["soft", 0.012] }; // paint, thickness by the robot's size
const CUTS = 6; // pieces of a rod: which of two crossing rods is nearer is decided for each
const FAINT: Record<Role, [string, number]> = { robot: ["", 1], ghost: ["ghost", 0.34], assembly: ["ghost", 0.26], reference: ["ghost", 0.45], other: ["type2", 0.5] };
const LIGHT: Vector = [0.42, -0.56, 0.71];

/** The pieces of a robot: rods with a sheen, balls, plates lit from above, drums on the motors' axes. */
export class Pieces {
  private readonly made: Piece[] = [];
  private readonly paint: (name: string) => string;
  private readonly alpha: number;

  constructor(
    private readonly eye: Eye,
    private readonly scene: SceneRow,
    private readonly size: number,
    private readonly points: Points,
    private readonly role: Role,
  ) {
    const [own, alpha] = FAINT[role];
    this.paint = (name) => colour(own || name);
    this.alpha = alpha;
  }

  all(floor: number | null): Piece[] {
    const ends = new Set<number>(this.scene.tip === null ? [] : [this.scene.tip]);
    for (const { kind, points } of this.scene.parts) {
      const rod = RODS[kind],
        [a = 0, b = 0] = points;
      if (rod) this.rod(this.at(a), this.at(b), rod[1] * this.size, this.paint(rod[0]));
      else if (kind === "plate" || kind === "base") this.plate(points, kind === "base");
      else if (kind === "ground" && this.role === "robot") this.ground(a, floor);
      if (rod || kind === "plate") for (const i of points) ends.add(i);
    }
    for (const i of ends) this.ball(i);
    return this.made;
  }

  private at(i: number): ArrayLike<number> {
    return this.points[i] ?? [0, 0, 0];
  }

  private rod(a: ArrayLike<number>, b: ArrayLike<number>, thick: number, paint: string, cuts = CUTS): void {
    const place = (s: number): Vector => this.eye.seen([0, 1, 2].map((k) => (a[k] ?? 0) + s * ((b[k] ?? 0) - (a[k] ?? 0))));
    const light = lighter(paint, 0.42),
      rim = colour("stage"),
      alpha = this.alpha;
    for (let k = 0; k < cuts; k++) {
      const from = place(k / cuts),
        to = place((k + 1) / cuts),
        wide = Math.max(this.role === "robot" ? 3 : 2, thick * this.eye.pixels((from[2] + to[2]) / 2));
      const first = k === 0,
        last = k === cuts - 1;
      this.made.push({
        depth: (from[2] + to[2]) / 2,
        draw: (pen) => {
          pen.globalAlpha = alpha;
          if (alpha === 1) segment(pen, from, to, rim, wide + 3, 0, false);
          segment(pen, from, to, paint, wide, first || last ? 0 : 0.6, first || last);
          if (alpha === 1 && wide > 4) segment(pen, ...shifted(from, to, -0.22 * wide), light, 0.26 * wide, 0.6, false);
        },
      });
    }
  }

  private plate(corners: number[], base: boolean): void {
    const edges = corners.length < 3 ? corners.slice(1) : corners;
    if (!base)
      edges.forEach((i, k) =>
        this.rod(
          this.at(corners[k] ?? i),
          this.at(corners[(k + 1) % corners.length] ?? i),
          (corners.length < 3 ? 0.024 : 0.012) * this.size,
          this.paint(corners.length < 3 ? "bar" : "plate"),
          3,
        ),
      );
    const places = corners.map((i) => this.eye.seen(this.at(i)));
    const depth = places.reduce((sum, p) => sum + p[2], 0) / Math.max(places.length, 1);
    const lit = Math.abs(dot(normal(corners.map((i) => this.at(i))), LIGHT));
    const paint = base ? this.paint("ghost") : shade(this.paint("plate"), 0.25 * (lit - 0.5));
    this.made.push({
      depth: depth - 0.03 * this.size,
      draw: (pen) => {
        pen.beginPath();
        for (const [x, y] of places) pen.lineTo(x, y);
        pen.closePath();
        pen.globalAlpha = this.alpha * (base ? 0.16 : this.role === "robot" ? 0.72 : 0.3);
        pen.fillStyle = paint;
        pen.fill();
        if (!base) return;
        pen.globalAlpha = 0.5 * this.alpha;
        pen.lineWidth = 1.4;
        pen.strokeStyle = paint;
        pen.stroke();
      },
    });
  }

  /** A drum along its motor's axis; where the robot stands on the floor, a post under it. */
  private ground(i: number, floor: number | null): void {
    const p = this.at(i),
      { axis } = drumOf(this.scene, i),
      half = 0.03 * this.size,
      paint = this.paint("edge");
    const end = (side: number): number[] => [0, 1, 2].map((k) => (p[k] ?? 0) + side * half * (axis[k] ?? 0));
    if (floor !== null) this.rod([p[0] ?? 0, p[1] ?? 0, floor], p, 0.045 * this.size, paint);
    this.rod(end(-1), end(1), 0.07 * this.size, paint, 1);
  }

  private ball(i: number): void {
    const [x, y, near] = this.eye.seen(this.at(i)),
      tip = i === this.scene.tip && this.role === "robot";
    const radius = Math.max(tip ? 5 : 2.5, this.size * (tip ? 0.03 : 0.019) * this.eye.pixels(near)),
      paint = this.paint(tip ? "tip" : "ink"),
      alpha = this.alpha;
    this.made.push({
      depth: near + 0.02 * this.size,
      draw: (pen) => {
        pen.globalAlpha = alpha;
        const sheen = pen.createRadialGradient(x - 0.35 * radius, y - 0.4 * radius, 0.1 * radius, x, y, radius);
        sheen.addColorStop(0, lighter(paint, alpha === 1 ? 0.65 : 0.2));
        sheen.addColorStop(1, paint);
        pen.beginPath();
        pen.arc(x, y, radius, 0, 2 * Math.PI);
        pen.fillStyle = sheen;
        pen.fill();
        if (alpha < 1) return;
        pen.lineWidth = 1.2;
        pen.strokeStyle = colour("stage");
        pen.stroke();
      },
    });
  }
}

/** A motor's drum: where it is fixed, and about which axis it turns. */
export function drumOf(scene: SceneRow, i: number): { axis: number[] } {
  return { axis: scene.drives.find((drive) => drive.base === i)?.axis ?? [0, 0, 1] };
}

function segment(pen: CanvasRenderingContext2D, from: ArrayLike<number>, to: ArrayLike<number>, paint: string, wide: number, more: number, round: boolean): void {
  const [x, y, u, v] = [from[0] ?? 0, from[1] ?? 0, to[0] ?? 0, to[1] ?? 0],
    long = Math.hypot(u - x, v - y) || 1;
  const dx = (more * (u - x)) / long,
    dy = (more * (v - y)) / long; // so that no seam shows
  pen.lineCap = round ? "round" : "butt";
  pen.lineWidth = wide;
  pen.strokeStyle = paint;
  pen.beginPath();
  pen.moveTo(x - dx, y - dy);
  pen.lineTo(u + dx, v + dy);
  pen.stroke();
}

/** A line beside another one, on its upper left [px]. */
function shifted(from: Vector, to: Vector, by: number): [number[], number[]] {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]],
    long = Math.hypot(dx, dy) || 1;
  let [nx, ny] = [-dy / long, dx / long];
  if (nx + ny < 0) [nx, ny] = [-nx, -ny]; // towards the lower right; `by` is negative
  return [
    [from[0] + by * nx, from[1] + by * ny],
    [to[0] + by * nx, to[1] + by * ny],
  ];
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => [0, 1, 2].reduce((sum, k) => sum + (a[k] ?? 0) * (b[k] ?? 0), 0);

/** The unit normal of a polygon, by Newell's sums. */
function normal(corners: ArrayLike<number>[]): Vector {
  const n: Vector = [0, 0, 0];
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length] ?? a;
    for (let k = 0; k < 3; k++) n[k] = (n[k] ?? 0) + ((a[(k + 1) % 3] ?? 0) - (b[(k + 1) % 3] ?? 0)) * ((a[(k + 2) % 3] ?? 0) + (b[(k + 2) % 3] ?? 0));
  });
  const size = Math.hypot(...n) || 1;
  return n.map((v) => v / size) as Vector;
}

const lighter = (paint: string, by: number): string => mixed([255, 255, 255], paint, by);
const shade = (paint: string, by: number): string => (by > 0 ? lighter(paint, by) : mixed([0, 0, 0], paint, -by));
export const seeThrough = (paint: string, alpha: number): string => `rgb(${bytes(paint).join(" ")} / ${100 * alpha}%)`;
