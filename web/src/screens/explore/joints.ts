import type { App } from "../../core/app";
import { el, put, say, svg } from "../../core/dom";
import { keys } from "../../core/handles";
import { fixed, letters, shown } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import type { Piece } from "../../core/spaces";

const SIDE = 228,
  EDGE = 36, // [px] of the pane, of its rim
  INNER = SIDE - EDGE - 6;
const LEAP = 24; // [px] between two places of a curve that are not joined

/** What lies in the pane: pieces of singular curves, and where three poses meet. */
export interface Told {
  pieces: Piece[];
  cusps: number[][]; // drives
  proven: boolean;
  words: string;
}

/** A plane of joint space beside the work space: the dot is the robot, drag either; the singular curves lie in both. */
export class JointPane {
  readonly element: HTMLElement;
  private told: Told = { pieces: [], cusps: [], proven: false, words: "" };
  private span: [number, number, number, number] = [-1, 1, -1, 1]; // of the two drives: low and high
  private zoomed = false;
  private readonly drawing = svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group" });
  private readonly curves = svg("svg", { x: EDGE, y: 6, width: INNER, height: INNER, viewBox: `${EDGE} 6 ${INNER} ${INNER}` }); // ends at its frame
  private readonly names = [svg("text", { class: "pane-text", x: SIDE / 2, y: SIDE - 8 }), svg("text", { class: "pane-text", x: 4, y: SIDE / 2 })] as const;
  private readonly dot = svg(
    "g",
    { class: "handle dot", tabindex: "0", role: "slider", "aria-valuenow": "0" },
    svg("circle", { class: "ring", r: 13 }),
    svg("circle", { class: "seen", r: 7 }),
    svg("circle", { class: "hit", r: 16 }),
  );
  private readonly words = el("p", { class: "small soft", role: "status" });

  constructor(
    private readonly app: App,
    private readonly puppet: Puppet,
    private axes: readonly [number, number],
  ) {
    this.drawing.setAttribute("aria-label", `joint space of ${app.robot.value.told.name}`);
    const frame = svg("rect", { class: "frame", x: EDGE, y: 6, width: INNER, height: INNER });
    this.drawing.append(frame, this.curves, ...this.names, this.dot);
    this.element = el("div", { class: "stack joint-pane" }, this.drawing, this.words);
    this.turnTo(axes);
    this.listen();
  }

  /** Show the plane of two other drives. */
  turnTo(axes: readonly [number, number]): void {
    this.axes = axes;
    this.zoomed = false;
    const names = axes.map((i) => letters(this.app.robot.value.told.q[i]?.name ?? ""));
    this.names.forEach((text, k) => (text.textContent = names[k] ?? ""));
    this.dot.setAttribute("aria-label", `drives ${names.join(" and ")}`);
  }

  /** For every frame: the dot is where the drives are. */
  draw(): void {
    const { q } = this.puppet.pose.value,
      [x, y] = this.toPane(q);
    const spoken = (i: number): string => {
      const row = this.app.robot.value.told.q[i],
        { factor, unit } = shown(row?.unit ?? "");
      return `${row?.name} ${fixed((q[i] ?? 0) * factor, 3)} ${unit}`;
    };
    put(this.dot, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    put(this.dot, "aria-valuenow", (q[this.axes[0]] ?? 0).toFixed(4));
    put(this.dot, "aria-valuetext", this.axes.map(spoken).join(", "));
  }

  show(told: Told): void {
    this.told = told;
    if (!this.zoomed) this.fit();
    say(this.words, told.words);
    this.place();
    this.draw();
  }

  /** The whole of what lies in the pane. */
  private fit(): void {
    const { told } = this;
    const all = [...told.pieces.flatMap(({ q }) => q), ...told.cusps, this.puppet.pose.value.q];
    const ends = (k: 0 | 1): [number, number] => {
      const values = all.map((q) => q[this.axes[k]] ?? 0),
        low = Math.min(...values),
        high = Math.max(...values),
        room = 0.12 * (high - low) || 1;
      return [low - room, high + room];
    };
    this.span = [...ends(0), ...ends(1)];
    this.zoomed = false;
  }

  private place(): void {
    const leaps = (a: [number, number] | undefined, b: [number, number]): boolean => !a || Math.hypot(a[0] - b[0], a[1] - b[1]) > LEAP; // where a leg at its end turns freely
    const path = (points: [number, number][]): string => points.map(([x, y], i) => `${leaps(points[i - 1], [x, y]) ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const kind = (type: number): string => `mark type${type}${this.told.proven ? "" : " coarse"}`;
    const lines = this.told.pieces.map(({ type, q }) => svg("path", { class: kind(type), d: path(q.map((row) => this.toPane(row))) }));
    const rings = this.told.cusps.map((q) => {
      const [cx, cy] = this.toPane(q);
      return svg("circle", { class: "mark cusp", cx: cx.toFixed(1), cy: cy.toFixed(1), r: 4.5 }, svg("title", {}, "a cusp: once around it is another assembly mode"));
    });
    this.curves.replaceChildren(...lines, ...rings);
  }

  private toPane(q: ArrayLike<number>): [number, number] {
    const [a0, a1, b0, b1] = this.span;
    return [EDGE + ((this.near(q, 0) - a0) / (a1 - a0)) * INNER, SIDE - EDGE - ((this.near(q, 1) - b0) / (b1 - b0)) * INNER];
  }

  /** An angle by whole turns into the pane. */
  private near(q: ArrayLike<number>, k: 0 | 1): number {
    const v = q[this.axes[k]] ?? 0,
      [low, high] = k ? [this.span[2], this.span[3]] : [this.span[0], this.span[1]];
    if (this.app.robot.value.told.q[this.axes[k]]?.unit !== "rad" || (v >= low && v <= high)) return v;
    return v + 2 * Math.PI * Math.round(((low + high) / 2 - v) / (2 * Math.PI));
  }

  private go(a: number, b: number): void {
    const { q } = this.puppet.pose.value;
    this.puppet.moveDrives(q.map((v, i) => (i === this.axes[0] ? a : i === this.axes[1] ? b : v)));
  }

  private listen(): void {
    const to = (event: MouseEvent): [number, number] => {
      const box = this.drawing.getBoundingClientRect(),
        [a0, a1, b0, b1] = this.span,
        scale = SIDE / box.width;
      return [a0 + (((event.clientX - box.left) * scale - EDGE) / INNER) * (a1 - a0), b0 + ((SIDE - EDGE - (event.clientY - box.top) * scale) / INNER) * (b1 - b0)];
    };
    this.dot.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.dot.setPointerCapture(event.pointerId);
      this.dot.focus({ preventScroll: true });
    });
    this.dot.addEventListener("pointermove", (event) => {
      if (!this.dot.hasPointerCapture(event.pointerId)) return;
      const { q } = this.puppet.pose.value,
        [a, b] = to(event);
      this.go(a + (q[this.axes[0]] ?? 0) - this.near(q, 0), b + (q[this.axes[1]] ?? 0) - this.near(q, 1));
    });
    this.drawing.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const by = Math.exp(0.002 * event.deltaY),
          about = to(event);
        this.span = this.span.map((v, i) => (about[i < 2 ? 0 : 1] ?? 0) + by * (v - (about[i < 2 ? 0 : 1] ?? 0))) as typeof this.span;
        this.zoomed = true;
        this.place();
        this.draw();
      },
      { passive: false },
    );
    this.drawing.addEventListener("dblclick", () => (this.fit(), this.place(), this.draw()));
    keys(
      this.dot,
      () => (this.span[1] - this.span[0]) / 100,
      (dx, dy) => {
        const { q } = this.puppet.pose.value;
        this.go((q[this.axes[0]] ?? 0) + dx, (q[this.axes[1]] ?? 0) + dy);
      },
    );
  }
}
