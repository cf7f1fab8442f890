import { el, oncePerFrame } from "../core/dom";
import { colour, theme } from "../core/theme";
import type { SceneRow } from "../messages";

type Vector = [number, number, number];
type Points = ArrayLike<ArrayLike<number>>;

interface Piece {
  depth: number;
  draw(pen: CanvasRenderingContext2D): void;
}

const LOW = -0.4, HIGH = 1.5; // [rad] of the eye's height

/** Space on a canvas: pieces sorted from far to near; the pointer or arrow keys turn the view, the wheel zooms. */
export class OrbitView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly corner = el("div", { class: "corner" });
  readonly render = oncePerFrame(() => this.draw());
  around = -0.95;
  height = 0.42;
  private zoomed = 1;
  private middle: Vector = [0, 0, 0];
  private span = 1;
  private floor = 0;
  private bodies: { points: Points; faint: boolean }[] = [];

  constructor(
    label: string,
    private readonly scene: SceneRow,
  ) {
    this.canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": `${label}; arrow keys turn the view, plus and minus zoom` });
    this.element = el("div", { class: "space" }, this.canvas, this.corner);
    new ResizeObserver(() => this.render()).observe(this.element);
    theme.listen(() => this.render());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("wheel", (event) => (event.preventDefault(), this.zoom(Math.exp(-event.deltaY * 0.0015))), { passive: false });
  }

  /** Look at everything within `span` metres about a place. */
  frame(middle: Vector, span: number, floor: number): void {
    [this.middle, this.span, this.floor] = [middle, span, floor];
    this.render();
  }

  show(points: Points, ghosts: Points[]): void {
    this.bodies = [...ghosts.map((ghost) => ({ points: ghost, faint: true })), { points, faint: false }];
    this.render();
  }

  turn(dx: number, dy: number): void {
    this.around -= dx;
    this.height = Math.min(HIGH, Math.max(LOW, this.height + dy));
    this.render();
  }

  zoom(factor: number): void {
    this.zoomed = Math.min(8, Math.max(0.25, this.zoomed * factor));
    this.render();
  }

  /** The eye's axes: right, up, towards the eye. */
  private axes(): [Vector, Vector, Vector] {
    const [c, s, ch, sh] = [Math.cos(this.around), Math.sin(this.around), Math.cos(this.height), Math.sin(this.height)];
    return [[-s, c, 0], [-sh * c, -sh * s, ch], [ch * c, ch * s, sh]];
  }

  private get pixels(): number {
    return (0.8 * this.zoomed * Math.min(this.element.clientWidth, this.element.clientHeight)) / this.span; // [px/m]
  }

  /** Where a place is on the element [px], and how near to the eye [m]. */
  seen(p: ArrayLike<number>): [number, number, number] {
    const d = this.middle.map((m, k) => (p[k] ?? 0) - m);
    const [right, up, near] = this.axes().map((axis) => axis.reduce((sum, a, k) => sum + a * (d[k] ?? 0), 0));
    return [this.element.clientWidth / 2 + (right ?? 0) * this.pixels, this.element.clientHeight / 2 - (up ?? 0) * this.pixels, near ?? 0];
  }

  toScreen(p: ArrayLike<number>): [number, number] {
    const [x, y] = this.seen(p);
    return [x, y];
  }

  /** The place under the pointer in the plane through a place that faces the eye. */
  facing(event: { clientX: number; clientY: number }, through: ArrayLike<number>): number[] {
    const box = this.element.getBoundingClientRect(), [x, y] = this.seen(through), [right, up] = this.axes();
    const dx = (event.clientX - box.left - x) / this.pixels, dy = -(event.clientY - box.top - y) / this.pixels;
    return [0, 1, 2].map((k) => (through[k] ?? 0) + dx * (right[k] ?? 0) + dy * (up[k] ?? 0));
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = { ArrowLeft: [0.08, 0], ArrowRight: [-0.08, 0], ArrowUp: [0, 0.06], ArrowDown: [0, -0.06] };
    const turn = turns[event.key];
    if (turn) this.turn(...turn);
    else if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 1.1 : 0.9);
    else return;
    event.preventDefault();
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element, ratio = Math.min(devicePixelRatio || 1, 2);
    const pen = this.canvas.getContext("2d");
    if (!pen || !width) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.lineCap = pen.lineJoin = "round";
    this.drawFloor(pen);
    const pieces = this.bodies.flatMap(({ points, faint }) => this.pieces(points, faint));
    for (const piece of pieces.sort((a, b) => a.depth - b.depth)) piece.draw(pen);
    pen.globalAlpha = 1;
  }

  private drawFloor(pen: CanvasRenderingContext2D): void {
    pen.strokeStyle = colour("line");
    pen.lineWidth = 1;
    pen.beginPath();
    const [mx, my] = this.middle, half = 0.6 * this.span;
    for (let k = -6; k <= 6; k++) {
      const at = (k / 6) * half;
      for (const [a, b] of [[[mx + at, my - half], [mx + at, my + half]], [[mx - half, my + at], [mx + half, my + at]]] as const) {
        pen.moveTo(...this.toScreen([...a, this.floor]));
        pen.lineTo(...this.toScreen([...b, this.floor]));
      }
    }
    pen.stroke();
  }

  private pieces(points: Points, faint: boolean): Piece[] {
    const width: Record<string, [string, number]> = { bar: ["bar", 6], crank: ["drive", 9], telescope: ["drive", 7], spring: ["soft", 2], damper: ["soft", 2] };
    const at = (i: number): [number, number, number] => this.seen(points[i] ?? [0, 0, 0]);
    const made: Piece[] = [];
    const ends = new Set<number>(this.scene.tip === null ? [] : [this.scene.tip]);
    for (const { kind, points: own } of this.scene.parts) {
      const places = own.map(at), depth = places.reduce((sum, p) => sum + p[2], 0) / places.length;
      const style = width[kind];
      if (style) {
        for (const i of own) ends.add(i);
        made.push({ depth, draw: (pen) => stroke(pen, places, colour(faint ? "ghost" : style[0]), faint ? style[1] / 2 : style[1], faint) });
      } else if (kind === "plate" || (kind === "base" && !faint)) {
        made.push({ depth: depth - 0.02 * this.span, draw: (pen) => fill(pen, places, colour(faint || kind === "base" ? "ghost" : "plate"), faint || kind === "base" ? 0.18 : 0.6) });
      } else if (kind === "ground" && !faint) made.push({ depth, draw: (pen) => this.post(pen, points[own[0] ?? 0] ?? [0, 0, 0]) });
    }
    if (faint) return made;
    for (const i of ends) {
      const [x, y, depth] = at(i), tip = i === this.scene.tip;
      made.push({ depth: depth + 0.03 * this.span, draw: (pen) => disc(pen, x, y, tip ? 8 : 5, colour(tip ? "tip" : "stage"), colour(tip ? "stage" : "bar")) });
    }
    return made;
  }

  private post(pen: CanvasRenderingContext2D, p: ArrayLike<number>): void {
    const top = this.toScreen(p), low = this.toScreen([p[0] ?? 0, p[1] ?? 0, this.floor]);
    if (low[1] > top[1]) stroke(pen, [top, low], colour("edge"), 7, true);
    disc(pen, top[0], top[1], 8, colour("edge"), colour("stage"));
  }
}

function stroke(pen: CanvasRenderingContext2D, places: number[][], paint: string, width: number, faint: boolean): void {
  pen.globalAlpha = faint ? 0.55 : 1;
  pen.strokeStyle = paint;
  pen.lineWidth = width;
  pen.beginPath();
  places.forEach(([x = 0, y = 0], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

function fill(pen: CanvasRenderingContext2D, places: number[][], paint: string, alpha: number): void {
  pen.globalAlpha = alpha;
  pen.fillStyle = paint;
  pen.beginPath();
  places.forEach(([x = 0, y = 0], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
  pen.fill();
}

function disc(pen: CanvasRenderingContext2D, x: number, y: number, radius: number, inside: string, edge: string): void {
  pen.globalAlpha = 1;
  pen.fillStyle = inside;
  pen.strokeStyle = edge;
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
}
