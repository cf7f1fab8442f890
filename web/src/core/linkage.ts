import type { PartRow, RailRow, SceneRow } from "../messages";
import { put, svg } from "./dom";
import type { Point, Stage } from "./stage";

export type LinkageKind = "robot" | "ghost" | "reference" | "other";
type Draw = (at: (i: number) => Point) => void;

const text = (points: Point[]): string => points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");
const mix = (a: Point, b: Point, s: number): Point => [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])];
const off = (p: Point, u: Point, s: number, v: Point, r: number): Point => [p[0] + s * u[0] + r * v[0], p[1] + s * u[1] + r * v[1]];

/** Along and across a line on the screen, and its length. */
function frame(a: Point, b: Point): [Point, Point, number] {
  const d = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const u: Point = [(b[0] - a[0]) / d, (b[1] - a[1]) / d];
  return [u, [-u[1], u[0]], d];
}

const MOST = 2000; // strokes of a hatch
const RIM = 2.5; // [px] around the robot's parts

/** A line with the strokes that mean "fixed to the ground". */
function hatch(a: Point, b: Point, depth: number, side: number): string {
  const [u, v, long] = frame(a, b);
  let d = `M${a[0].toFixed(1)} ${a[1].toFixed(1)}L${b[0].toFixed(1)} ${b[1].toFixed(1)}`;
  const step = Math.max(depth, long / MOST);
  for (let s = depth / 2; s < long; s += step) {
    const from = off(a, u, s, v, 0),
      to = off(a, u, s - 0.6 * depth, v, side * depth);
    d += `M${from[0].toFixed(1)} ${from[1].toFixed(1)}L${to[0].toFixed(1)} ${to[1].toFixed(1)}`;
  }
  return d;
}

/** Draws a line only when its ends are elsewhere than last time: hatches are long texts. */
function whenMoved(): (a: Point, b: Point, draw: (a: Point, b: Point) => void) => void {
  let last: number[] = [];
  return (a, b, draw) => {
    const ends = [...a, ...b];
    if (ends.every((value, i) => value === last[i])) return;
    last = ends;
    draw(a, b);
  };
}

/** A robot drawn to scale from its points: bars, cranks, plates, telescopes, rails with carriages, pivots. */
export class Linkage {
  readonly group: SVGGElement;
  private readonly draws: Draw[] = [];
  private points: ArrayLike<ArrayLike<number>> | null = null;
  private x: ArrayLike<number> = [];
  private shortest = new Map<PartRow, number>(); // of each telescope, as far as it was seen [m]
  private readonly unit = 7; // [px]
  private hidden = false;

  constructor(
    private readonly stage: Stage,
    private readonly scene: SceneRow,
    readonly kind: LinkageKind,
    private readonly removed: () => void,
  ) {
    this.group = svg("g", { class: `linkage ${kind}` });
    const layer = kind === "robot" ? "robot" : "ghosts";
    stage.layers[layer].append(this.group);
    for (const rail of scene.rails) this.rail(rail);
    for (const part of scene.parts) this.part(part);
    this.joints();
  }

  /** Where the robot stands now: every point of the scene [m], and x for rails that turn with a plate. */
  show(points: ArrayLike<ArrayLike<number>>, x: ArrayLike<number>): void {
    this.points = points;
    this.x = x;
    if (this.hidden) this.group.removeAttribute("display");
    this.hidden = false;
    this.again();
  }

  hide(): void {
    this.points = null;
    if (!this.hidden) this.group.setAttribute("display", "none");
    this.hidden = true;
  }

  /** Draw in the view as it is now. */
  again(): void {
    const points = this.points;
    if (!points || !this.stage.width) return;
    const at = (i: number): Point => this.stage.toScreen(points[i] ?? [NaN, NaN]);
    for (const draw of this.draws) draw(at);
  }

  remove(): void {
    this.group.remove();
    this.removed();
  }

  private add<Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes: Record<string, string | number>): SVGElementTagNameMap[Tag] {
    const made = svg(tag, attributes);
    this.group.append(made);
    return made;
  }

  /** A rim in the stage's colour around what is drawn next: the robot is seen on any map. */
  private cased<Tag extends "polyline" | "polygon" | "path" | "circle">(tag: Tag, width: number): SVGElementTagNameMap[Tag] | null {
    return this.kind === "robot" ? this.add(tag, { class: "casing", "stroke-width": width + 2 * RIM }) : null;
  }

  private line(kind: string, width: number, points: number[]): void {
    const rim = this.cased("polyline", width),
      made = this.add("polyline", { class: `link ${kind}`, "stroke-width": width });
    this.draws.push((at) => {
      const ends = text(points.map(at));
      if (rim) put(rim, "points", ends);
      put(made, "points", ends);
    });
  }

  private part(part: PartRow): void {
    const ghost = this.kind !== "robot";
    const thin = ghost ? 0.55 : 1;
    if (part.kind === "bar") this.line("bar", 6 * thin, part.points);
    else if (part.kind === "crank") this.line("crank", 9 * thin, part.points);
    else if (part.kind === "telescope") this.telescope(part, thin);
    else if (part.kind === "plate") this.plate(part);
    else if (part.kind === "spring" || part.kind === "damper") this.acting(part);
    else if (part.kind === "ground" && !ghost) this.ground(part);
  }

  private telescope(part: PartRow, thin: number): void {
    this.line("telescope", 4.5 * thin, part.points);
    const rim = this.cased("polyline", 12 * thin),
      tube = this.add("polyline", { class: "link telescope tube", "stroke-width": 12 * thin });
    const [base = 0, tip = 0] = part.points;
    this.draws.push((at) => {
      const a = at(base),
        b = at(tip);
      const long = frame(a, b)[2] / this.stage.pixelsPerMetre;
      const least = Math.min(this.shortest.get(part) ?? Infinity, long);
      this.shortest.set(part, least);
      const ends = text([a, mix(a, b, Math.min(1, (0.6 * least) / (long || 1)))]);
      if (rim) put(rim, "points", ends);
      put(tube, "points", ends);
    });
  }

  private plate(part: PartRow): void {
    const rim = this.cased("polygon", 4),
      made = this.add("polygon", { class: "plate" });
    this.draws.push((at) => {
      const corners = text(part.points.map(at));
      if (rim) put(rim, "points", corners);
      put(made, "points", corners);
    });
  }

  private acting(part: PartRow): void {
    const made = this.add("polyline", { class: "acting", "stroke-width": 2 });
    const [from = 0, to = 0] = part.points;
    const box: Point[] = [
      [0, 0],
      [0.4, 0],
      [0.4, 1],
      [0.6, 1],
      [0.6, -1],
      [0.4, -1],
      [0.4, 0],
      [1, 0],
    ];
    const coil: Point[] = [[0, 0], ...Array.from({ length: 15 }, (_, n): Point => [0.2 + (0.6 * n) / 14, n % 14 ? (n % 2 ? 1 : -1) : 0]), [1, 0]];
    const shape = part.kind === "damper" ? box : coil;
    this.draws.push((at) => {
      const a = at(from),
        [u, v, d] = frame(a, at(to));
      put(made, "points", text(shape.map(([s, side]) => off(a, u, s * d, v, side * this.unit))));
    });
  }

  private ground(part: PartRow): void {
    const stand = this.add("polygon", { class: "stand" });
    const rim = this.cased("path", 1.5),
      floor = this.add("path", { class: "hatch", "stroke-width": 1.5 });
    const h = 3.2 * this.unit,
      line = whenMoved();
    this.draws.push((at) => {
      const p = at(part.points[0] ?? 0);
      put(stand, "points", text([p, [p[0] - 0.6 * h, p[1] + h], [p[0] + 0.6 * h, p[1] + h]]));
      line([p[0] - h, p[1] + h], [p[0] + h, p[1] + h], (a, b) => {
        const d = hatch(a, b, 0.35 * h, 1);
        if (rim) put(rim, "d", d);
        put(floor, "d", d);
      });
    });
  }

  private rail(rail: RailRow): void {
    const ghost = this.kind !== "robot";
    const rim = ghost ? null : this.cased("path", rail.fixed ? 1.5 : 2.5);
    const track = ghost ? null : this.add("path", { class: rail.fixed ? "hatch" : "track", "stroke-width": rail.fixed ? 1.5 : 2.5 });
    const box = this.add("polygon", { class: "carriage" });
    const l = (ghost ? 1.8 : 2.5) * this.unit,
      w = (ghost ? 1 : 1.5) * this.unit,
      line = whenMoved();
    this.draws.push((at) => {
      const [a, b] = this.railEnds(rail),
        p = at(rail.carriage);
      const [u, v] = frame(a, b);
      if (track)
        line(a, b, () => {
          const d = rail.fixed ? hatch(a, b, 1.3 * this.unit, 1) : `M${a.join(" ")}L${b.join(" ")}`;
          if (rim) put(rim, "d", d);
          put(track, "d", d);
        });
      put(box, "points", text([off(p, u, -l, v, -w), off(p, u, l, v, -w), off(p, u, l, v, w), off(p, u, -l, v, w)]));
    });
  }

  private railEnds(rail: RailRow): [Point, Point] {
    const through = rail.point === null ? rail.through : this.points?.[rail.point];
    const phi = rail.angle === null ? 0 : (this.x[rail.angle] ?? 0);
    const [ax = 1, ay = 0] = rail.along;
    const along = [Math.cos(phi) * ax - Math.sin(phi) * ay, Math.sin(phi) * ax + Math.cos(phi) * ay];
    const [px, py] = [through?.[0] ?? 0, through?.[1] ?? 0];
    const end = (s: number): Point => this.stage.toScreen([px + s * (along[0] ?? 0), py + s * (along[1] ?? 0)]);
    return [end(rail.reach[0] ?? -1), end(rail.reach[1] ?? 1)];
  }

  private joints(): void {
    const kinds = ["bar", "crank", "telescope", "plate"];
    const ends = new Set(this.scene.parts.filter((p) => kinds.includes(p.kind)).flatMap((p) => p.points));
    const r = this.kind === "robot" ? 5 : 3;
    for (const i of ends) {
      const rim = this.cased("circle", 2.5),
        circle = this.add("circle", { class: "joint", r });
      rim?.setAttribute("r", String(r));
      this.draws.push((at) => {
        const [x, y] = at(i).map((v) => v.toFixed(2)) as [string, string];
        for (const one of rim ? [rim, circle] : [circle]) put(one, "cx", x), put(one, "cy", y);
      });
    }
  }
}
