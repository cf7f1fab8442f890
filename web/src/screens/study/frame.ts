import { el, svg } from "../../core/dom";
import { roundStep, shown, tell } from "../../core/numbers";
import type { AxisRow } from "../../messages";

const LEFT = 76,
  LOW = 52,
  EDGE = 18; // [px] around the field

/** A field with two axes that have numbers; places in it are shares of its width and height. */
export class Frame {
  readonly element: HTMLElement;
  readonly inside = svg("g");
  private readonly ticks = svg("g", { class: "study-axes" });
  private readonly svg: SVGSVGElement;
  private readonly observer: ResizeObserver;
  private readonly listeners = new Set<() => void>();
  private width = 400;
  private height = 300;

  constructor(label: string) {
    this.svg = svg("svg", { class: "study-field", role: "group", "aria-label": label }, this.ticks, this.inside);
    this.element = el("div", { class: "study-frame" }, this.svg);
    this.observer = new ResizeObserver(() => {
      [this.width, this.height] = [this.element.clientWidth || 400, this.element.clientHeight || 300];
      for (const listener of this.listeners) listener();
    });
    this.observer.observe(this.element);
  }

  dispose(): void {
    this.observer.disconnect();
  }

  onSize(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  at(across: number, up: number): [number, number] {
    return [LEFT + across * (this.width - LEFT - EDGE), this.height - LOW - up * (this.height - LOW - EDGE)];
  }

  onPress(press: (across: number, up: number) => void): void {
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      const across = (event.clientX - box.left - LEFT) / (this.width - LEFT - EDGE),
        up = (this.height - LOW - (event.clientY - box.top)) / (this.height - LOW - EDGE);
      if (across >= 0 && across <= 1 && up >= 0 && up <= 1) press(across, up);
    });
  }

  /** Draw the axes anew. */
  axes(a: AxisRow, b: AxisRow, unit: (name: string) => string): void {
    const [x0, y0] = this.at(0, 0),
      [x1, y1] = this.at(1, 1),
      made: SVGElement[] = [svg("rect", { x: x0, y: y1, width: Math.max(x1 - x0, 0), height: Math.max(y0 - y1, 0), class: "box" })];
    for (const [axis, across] of [
      [a, true],
      [b, false],
    ] as const) {
      const { unit: seen, factor } = shown(unit(axis.name)),
        low = axis.low * factor,
        high = axis.high * factor,
        step = roundStep((high - low) / 5) || 1;
      for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) {
        const share = (v - low) / (high - low),
          [x, y] = across ? this.at(share, 0) : this.at(0, share),
          words = tell(Math.abs(v) < step / 1e6 ? 0 : v, 3);
        made.push(
          svg("path", { class: "tick", d: across ? `M${x} ${y}v5` : `M${x} ${y}h-5` }),
          svg("text", across ? { x, y: y + 18, "text-anchor": "middle" } : { x: x - 8, y: y + 4, "text-anchor": "end" }, words),
        );
      }
      const name = `${axis.name}${seen ? ` [${seen}]` : ""}`,
        [mx, my] = across ? this.at(0.5, 0) : this.at(0, 0.5);
      made.push(
        svg(
          "text",
          across ? { class: "name", x: mx, y: my + 40, "text-anchor": "middle" } : { class: "name", transform: `translate(${mx - 58} ${my}) rotate(-90)`, "text-anchor": "middle" },
          name,
        ),
      );
    }
    this.ticks.replaceChildren(...made);
  }
}
