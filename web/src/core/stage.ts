import type { App } from "./app";
import { el, oncePerFrame, svg } from "./dom";
import { Linkage, type LinkageKind } from "./linkage";
import { roundStep } from "./numbers";
import { button } from "./widgets";

export type Window = [number, number, number, number]; // x0, x1, y0, y1 [m]
export type Point = [number, number];

export interface StageOptions {
  label?: string; // of the drawing, for screen readers
  draw?: boolean; // background drags are for the screen (drawing a path), not for moving the view
}

const LAYERS = ["grid", "under", "ghosts", "robot", "marks", "handles"] as const;
const SMALLEST = 0.02,
  LARGEST = 50; // zoom, of the fitted view

const FAR = 1e6; // [px] what lies beyond is drawn there: an SVG has no larger numbers to draw with
const near = (pixels: number): number => Math.max(-FAR, Math.min(FAR, pixels));

/** The drawing: a canvas for maps under an SVG to scale, in metres; the view is moved, zoomed and fitted. */
export class Stage {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly svg: SVGSVGElement;
  readonly layers: Record<(typeof LAYERS)[number], SVGGElement>;
  readonly corner: HTMLElement; // for a legend
  figure: () => SVGElement[] = () => []; // what the canvas shows, as shapes
  width = 0;
  height = 0;
  private centre: Point = [0, 0];
  private scale = 100; // [px/m]
  private fitted: Window | null = null;
  private moved = false;
  private listeners = new Set<() => void>();
  private linkages = new Set<Linkage>();
  private readonly observer: ResizeObserver;
  private readonly redraw = oncePerFrame(() => this.draw());

  constructor(
    private readonly app: App,
    private readonly options: StageOptions = {},
  ) {
    this.canvas = el("canvas", { "aria-hidden": "true" });
    const made = LAYERS.map((name) => [name, svg("g", { class: name })] as const);
    this.layers = Object.fromEntries(made) as Record<(typeof LAYERS)[number], SVGGElement>;
    this.svg = svg("svg", { role: "group", "aria-label": options.label ?? "the robot, drawn to scale" }, ...made.map(([, g]) => g));
    this.corner = el("div", { class: "corner" });
    const zoom = el(
      "div",
      { class: "zoom", role: "group", "aria-label": "view" },
      labelled(
        button("+", () => this.zoom(1.25), "quiet"),
        "Zoom in",
      ),
      labelled(
        button("−", () => this.zoom(0.8), "quiet"),
        "Zoom out",
      ),
      labelled(
        button("⤢", () => this.refit(), "quiet"),
        "Fit the robot into the view",
      ),
    );
    this.element = el("div", { class: "stage" }, this.canvas, this.svg, this.corner, zoom);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.element);
    this.listenToPointers();
  }

  dispose(): void {
    this.observer.disconnect();
  }

  // The view -----------------------------------------------------------------------------------

  /** Show a window of the plane, with room around it; where this screen's view was moved before, that. */
  fit(window: Window): void {
    this.fitted = window;
    const kept = this.app.view?.value;
    if (!kept) this.refit();
    else {
      this.moved = true;
      [this.centre, this.scale] = [[kept[0], kept[1]], kept[2]];
      this.redraw();
    }
  }

  refit(): void {
    this.moved = false;
    this.app.view?.set(null);
    if (!this.fitted || !this.width) return;
    const [x0, x1, y0, y1] = this.fitted;
    this.centre = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.scale = 0.94 * Math.min(this.width / Math.max(x1 - x0, 1e-9), this.height / Math.max(y1 - y0, 1e-9));
    this.redraw();
  }

  /** Zoom about a place on the screen, by default the middle. */
  zoom(factor: number, about: Point = [this.width / 2, this.height / 2]): void {
    const fit = this.fittedScale();
    const next = Math.min(LARGEST * fit, Math.max(SMALLEST * fit, this.scale * factor));
    const [x, y] = this.toWorld(about);
    const ratio = this.scale / next;
    this.centre = [x + (this.centre[0] - x) * ratio, y + (this.centre[1] - y) * ratio];
    this.scale = next;
    this.seen();
  }

  /** Move the view by pixels. */
  pan(dx: number, dy: number): void {
    this.centre = [this.centre[0] - dx / this.scale, this.centre[1] + dy / this.scale];
    this.seen();
  }

  private seen(): void {
    this.moved = true;
    this.app.view?.set([...this.centre, this.scale]);
    this.redraw();
  }

  private fittedScale(): number {
    if (!this.fitted) return this.scale;
    const [x0, x1, y0, y1] = this.fitted;
    return Math.min(this.width / Math.max(x1 - x0, 1e-9), this.height / Math.max(y1 - y0, 1e-9)) || this.scale;
  }

  /** The part of the plane that is seen. */
  get window(): Window {
    const w = this.width / 2 / this.scale,
      h = this.height / 2 / this.scale;
    return [this.centre[0] - w, this.centre[0] + w, this.centre[1] - h, this.centre[1] + h];
  }

  get pixelsPerMetre(): number {
    return this.scale;
  }

  toScreen(p: ArrayLike<number>): Point {
    return [near(this.width / 2 + ((p[0] ?? 0) - this.centre[0]) * this.scale), near(this.height / 2 - ((p[1] ?? 0) - this.centre[1]) * this.scale)];
  }

  toWorld(p: Point): Point {
    return [this.centre[0] + (p[0] - this.width / 2) / this.scale, this.centre[1] - (p[1] - this.height / 2) / this.scale];
  }

  /** Where a pointer is, in metres. */
  at(event: { clientX: number; clientY: number }): Point {
    const box = this.svg.getBoundingClientRect();
    return this.toWorld([event.clientX - box.left, event.clientY - box.top]);
  }

  /** Hear every change of the view; what is drawn in pixels is drawn anew. */
  onView(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // What is drawn ------------------------------------------------------------------------------

  /** A robot on the stage: the robot itself, a ghost of another branch, or the reference. */
  linkage(kind: LinkageKind = "robot"): Linkage {
    const scene = this.app.robot.value.told.scene;
    if (!scene) throw new Error("this robot has nothing to draw");
    const made = new Linkage(this, scene, kind, () => this.linkages.delete(made));
    this.linkages.add(made);
    return made;
  }

  /** Points in metres as an SVG path in pixels. */
  path(points: ArrayLike<ArrayLike<number>>, closed = false): string {
    let d = "";
    for (let i = 0; i < points.length; i++) {
      const [x, y] = this.toScreen(points[i] as ArrayLike<number>);
      d += `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    return closed ? `${d}Z` : d;
  }

  private resized(): void {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || (clientWidth === this.width && clientHeight === this.height)) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.svg.setAttribute("viewBox", `0 0 ${clientWidth} ${clientHeight}`);
    if (!this.moved) this.refit();
    this.draw();
  }

  private draw(): void {
    if (!this.width) return;
    this.drawGrid();
    for (const linkage of this.linkages) linkage.again();
    for (const listener of [...this.listeners]) listener();
  }

  private drawGrid(): void {
    const step = roundStep(110 / this.scale);
    const [x0, x1, y0, y1] = this.window;
    let d = "";
    for (let x = Math.ceil(x0 / step) * step; x <= x1; x += step) d += `M${this.toScreen([x, 0])[0].toFixed(1)} 0V${this.height}`;
    for (let y = Math.ceil(y0 / step) * step; y <= y1; y += step) d += `M0 ${this.toScreen([0, y])[1].toFixed(1)}H${this.width}`;
    const long = step * this.scale,
      y = this.height - 16,
      x = 16;
    this.layers.grid.replaceChildren(
      svg("path", { class: "lines", d }),
      svg("path", { class: "ruler", d: `M${x} ${y - 5}v5h${long.toFixed(1)}v-5` }),
      svg("text", { class: "ruler-text", x: x + 6, y: y - 5 }, step < 1 ? `${Number((step * 1e3).toPrecision(1))} mm` : `${Number(step.toPrecision(1))} m`),
    );
  }

  // The pointer --------------------------------------------------------------------------------

  private listenToPointers(): void {
    const down = new Map<number, Point>();
    const place = (event: PointerEvent): Point => [event.clientX, event.clientY];
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.defaultPrevented || (event.button !== 0 && event.button !== 1)) return;
      if (this.options.draw && event.button === 0) return;
      down.set(event.pointerId, place(event));
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      if (down.size === 1) this.pan(now[0] - before[0], now[1] - before[1]);
      else if (down.size === 2) this.pinch(down, event.pointerId, before, now);
      down.set(event.pointerId, now);
    });
    for (const kind of ["pointerup", "pointercancel"] as const) this.svg.addEventListener(kind, (event) => down.delete(event.pointerId));
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private pinch(down: Map<number, Point>, id: number, before: Point, now: Point): void {
    const other = [...down].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const box = this.svg.getBoundingClientRect();
    const factor = Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(Math.hypot(before[0] - other[0], before[1] - other[1]), 1);
    this.zoom(factor, [(now[0] + other[0]) / 2 - box.left, (now[1] + other[1]) / 2 - box.top]);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.svg.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * 0.0015), [event.clientX - box.left, event.clientY - box.top]);
  }
}

function labelled(element: HTMLButtonElement, label: string): HTMLButtonElement {
  element.setAttribute("aria-label", label);
  element.title = label;
  return element;
}
