import type { SceneRow } from "../../messages";
import { el, oncePerFrame, svg } from "../dom";
import { colour, theme } from "../theme";
import { button } from "../widgets";
import { Eye, type Vector } from "./eye";
import { drumOf, Pieces, type Points, type Role, seeThrough } from "./pieces";
import "./space.css";

/** A flat area of space: closed lines around it and around its holes, its colour, and lines on it. */
export interface Patch {
  around: number[][][];
  fill: string;
  lines: { points: number[][]; paint: string; wide: number }[];
}

interface Line {
  points: number[][];
  paint: string;
  dashed: boolean;
}

/** Space on a canvas, z up: what is far is drawn first. The pointer or arrow keys turn the view, the wheel zooms; marks and handles lie over it. */
export class SpaceView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly marks = svg("g", { class: "marks" });
  readonly handles = svg("g", { class: "handles" });
  readonly corner = el("div", { class: "corner" });
  readonly eye = new Eye();
  readonly render = oncePerFrame(() => this.draw());
  private readonly svg = svg("svg", { role: "group", "aria-label": "marks and handles" }, this.marks, this.handles);
  private readonly bodies = new Map<string, { points: Points; role: Role }>();
  private readonly lines = new Map<string, Line>();
  private patches: Patch[] = [];
  private box: [number[], number[]] = [
    [0, 0, 0],
    [1, 1, 1],
  ];
  private readonly listeners = new Set<() => void>();
  private readonly observer: ResizeObserver;
  private readonly recolour: () => void;

  constructor(
    label: string,
    readonly scene: SceneRow,
    private readonly size: number,
    private readonly posts: boolean, // the robot stands on the floor
  ) {
    this.canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": `${label}; arrow keys turn the view, plus and minus zoom` });
    const home = button("⤢", () => this.home(), "quiet", "The first view again");
    home.setAttribute("aria-label", "The first view again");
    this.element = el("div", { class: "space-view" }, this.canvas, this.svg, this.corner, el("div", { class: "home" }, home));
    Object.assign(this.element, { view: this }); // for the console and for tests
    this.observer = new ResizeObserver(() => this.render());
    this.observer.observe(this.element);
    this.recolour = theme.listen(() => this.render());
    this.listen();
  }

  dispose(): void {
    this.observer.disconnect();
    this.recolour();
  }

  /** Look at a box of space; the floor is under it. */
  frame(low: number[], high: number[]): void {
    this.box = [low, high];
    this.home();
  }

  home(): void {
    const [low, high] = this.box,
      wide = high.map((h, k) => h - (low[k] ?? 0));
    this.eye.frame(high.map((h, k) => (h + (low[k] ?? 0)) / 2) as Vector, Math.max(Math.hypot(...wide) * 0.82, 1e-9));
    this.render();
  }

  /** For every frame: marks and handles are placed anew. */
  onView(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A robot by name; null: it is not there. */
  body(name: string, points: Points | null, role: Role = "robot"): void {
    if (points) this.bodies.set(name, { points, role });
    else this.bodies.delete(name);
    this.render();
  }

  /** Only these bodies of a role are left. */
  only(role: Role, names: string[]): void {
    for (const [name, body] of this.bodies) if (body.role === role && !names.includes(name)) this.bodies.delete(name);
    this.render();
  }

  /** A line through places, by name; none hides it. */
  line(name: string, points: number[][], paint: string, dashed = false): void {
    if (points.length > 1) this.lines.set(name, { points, paint, dashed });
    else this.lines.delete(name);
    this.render();
  }

  /** Flat areas under everything that stands in space. */
  areas(patches: Patch[]): void {
    this.patches = patches;
    this.render();
  }

  /** Where the motors' drums are and their axes. */
  drums(): { place: number[]; axis: number[] }[] {
    const robot = [...this.bodies.values()].find(({ role }) => role === "robot");
    return this.scene.parts.filter(({ kind }) => kind === "ground").map(({ points: [i = 0] }) => ({ place: Array.from(robot?.points[i] ?? []), ...drumOf(this.scene, i) }));
  }

  toScreen(p: ArrayLike<number>): [number, number] {
    const [x, y] = this.eye.seen(p);
    return [x, y];
  }

  /** Where a pointer is on the element [px]. */
  at(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The place under the pointer in the plane through a place that faces the eye. */
  facing(event: { clientX: number; clientY: number }, through: ArrayLike<number>): Vector {
    return this.eye.facing(...this.at(event), through);
  }

  /** The ghost under a pointer, by its name; null where there is none. */
  ghostAt(event: { clientX: number; clientY: number }): string | null {
    const at = this.at(event);
    let best: string | null = null,
      least = 7; // [px]
    for (const [name, { points, role }] of this.bodies) {
      if (role !== "ghost" && role !== "assembly") continue;
      for (const { kind, points: own } of this.scene.parts) {
        if (kind === "ground" || kind === "base") continue;
        own.forEach((i, k) => {
          const far = beside(at, this.toScreen(points[i] ?? []), this.toScreen(points[own[(k + 1) % own.length] ?? i] ?? []));
          if (far < least) [best, least] = [name, far];
        });
      }
    }
    return best;
  }

  /** What happens when a ghost is pressed, without a drag. */
  onGhost(press: (name: string) => void): void {
    let from: [number, number] = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => (from = this.at(event)), { capture: true });
    this.canvas.addEventListener("click", (event) => {
      const [x, y] = this.at(event),
        name = Math.hypot(x - from[0], y - from[1]) < 4 ? this.ghostAt(event) : null;
      if (name) press(name);
    });
  }

  /** The picture as it is seen. */
  png(): Promise<Blob> {
    this.draw();
    return new Promise((resolve, reject) => this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no picture")))));
  }

  private listen(): void {
    let last: { id: number; x: number; y: number } | null = null;
    const fingers = new Map<number, [number, number]>();
    const apart = (): number => {
      const [a = [0, 0], b = [0, 0]] = fingers.values();
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      last = { id: event.pointerId, x: event.clientX, y: event.clientY };
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!last || !fingers.has(event.pointerId)) return;
      const before = apart();
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      if (fingers.size > 1) this.eye.zoom(apart() / (before || 1));
      else this.eye.turn((event.clientX - last.x) * 0.008, (event.clientY - last.y) * 0.008);
      last = { id: event.pointerId, x: event.clientX, y: event.clientY };
      this.render();
    });
    for (const kind of ["pointerup", "pointercancel"] as const) this.canvas.addEventListener(kind, (event) => fingers.delete(event.pointerId));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("wheel", (event) => (event.preventDefault(), this.eye.zoom(Math.exp(-event.deltaY * 0.0015)), this.render()), { passive: false });
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = { ArrowLeft: [0.08, 0], ArrowRight: [-0.08, 0], ArrowUp: [0, 0.06], ArrowDown: [0, -0.06] };
    const turn = turns[event.key];
    if (turn) this.eye.turn(...turn);
    else if (event.key === "+" || event.key === "-") this.eye.zoom(event.key === "+" ? 1.1 : 0.9);
    else return;
    event.preventDefault();
    this.render();
  }

  // The drawing --------------------------------------------------------------------------------

  private get floor(): number {
    const [low, high] = this.box;
    return (low[2] ?? 0) - 0.05 * Math.max(...high.map((h, k) => h - (low[k] ?? 0)));
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element,
      ratio = Math.min(devicePixelRatio || 1, 2);
    const pen = this.canvas.getContext("2d");
    if (!pen || !width || !height) return;
    [this.eye.width, this.eye.tall] = [width, height];
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colour("stage");
    pen.fillRect(0, 0, width, height);
    pen.lineJoin = "round";
    this.drawFloor(pen);
    for (const patch of this.patches) this.drawPatch(pen, patch);
    for (const line of this.lines.values()) this.drawLine(pen, line);
    for (const faint of [true, false]) {
      const some = [...this.bodies.values()].filter(({ role }) => (role === "ghost" || role === "assembly") === faint); // ghosts never cover the robot
      const pieces = some.flatMap(({ points, role }) => new Pieces(this.eye, this.scene, this.size, points, role).all(this.posts ? this.floor : null));
      for (const piece of pieces.sort((a, b) => a.depth - b.depth)) piece.draw(pen);
    }
    pen.globalAlpha = 1;
    for (const listener of this.listeners) listener();
  }

  private drawFloor(pen: CanvasRenderingContext2D): void {
    const [low, high] = this.box,
      half = 0.75 * Math.max(...high.map((h, k) => h - (low[k] ?? 0)));
    const [mx, my] = [0, 1].map((k) => ((high[k] ?? 0) + (low[k] ?? 0)) / 2) as [number, number];
    pen.strokeStyle = colour("line");
    pen.lineWidth = 1;
    pen.beginPath();
    for (let k = -6; k <= 6; k++) {
      const at = (k / 6) * half;
      for (const [a, b] of [
        [
          [mx + at, my - half],
          [mx + at, my + half],
        ],
        [
          [mx - half, my + at],
          [mx + half, my + at],
        ],
      ] as const) {
        pen.moveTo(...this.toScreen([...a, this.floor]));
        pen.lineTo(...this.toScreen([...b, this.floor]));
      }
    }
    pen.stroke();
    for (const { points, role } of this.bodies.values()) if (role === "robot") this.drawShadow(pen, points);
  }

  /** Straight under the robot: it tells where things are. */
  private drawShadow(pen: CanvasRenderingContext2D, points: Points): void {
    pen.strokeStyle = seeThrough(colour("ink"), 0.09);
    pen.lineWidth = Math.max(2, 0.03 * this.size * this.eye.pixels());
    pen.lineCap = "round";
    pen.beginPath();
    for (const { kind, points: own } of this.scene.parts) {
      if (kind === "ground" || kind === "base" || own.length < 2) continue;
      own.forEach((i, k) => {
        const p = points[i] ?? [0, 0],
          at = this.toScreen([p[0] ?? 0, p[1] ?? 0, this.floor]);
        if (k) pen.lineTo(...at);
        else pen.moveTo(...at);
      });
    }
    pen.stroke();
  }

  private drawPatch(pen: CanvasRenderingContext2D, { around, fill, lines }: Patch): void {
    const path = new Path2D();
    for (const ring of around) {
      ring.forEach((p, k) => (k ? path.lineTo(...this.toScreen(p)) : path.moveTo(...this.toScreen(p))));
      path.closePath();
    }
    pen.globalAlpha = 0.82;
    pen.fillStyle = fill;
    pen.fill(path, "evenodd");
    pen.globalAlpha = 1;
    for (const { points, paint, wide } of lines) this.stroke(pen, points, paint, wide);
  }

  private drawLine(pen: CanvasRenderingContext2D, { points, paint, dashed }: Line): void {
    pen.setLineDash(dashed ? [7, 5] : []);
    this.stroke(pen, points, colour(paint), 2.2);
    pen.setLineDash([]);
  }

  private stroke(pen: CanvasRenderingContext2D, points: number[][], paint: string, wide: number): void {
    pen.strokeStyle = paint;
    pen.lineWidth = wide;
    pen.lineCap = "round";
    pen.beginPath();
    points.forEach((p, k) => (k ? pen.lineTo(...this.toScreen(p)) : pen.moveTo(...this.toScreen(p))));
    pen.stroke();
  }
}

/** How far a place is from a segment [px]. */
function beside(p: [number, number], a: [number, number], b: [number, number]): number {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]],
    s = Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(p[0] - a[0] - s * dx, p[1] - a[1] - s * dy);
}
