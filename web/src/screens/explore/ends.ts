import type { App } from "../../core/app";
import { el, svg } from "../../core/dom";
import { pointHandle } from "../../core/handles";
import { decimalsFor, letters } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import type { Point, Stage } from "../../core/stage";
import { Store } from "../../core/store";
import { numberField } from "../../core/widgets";

export interface Way {
  start: number[];
  end: number[];
}

/** The two ends of a way over the stage: dragged, typed, or drawn with the pointer. */
export class Ends {
  readonly way: Store<Way>;
  readonly element: HTMLElement;
  drawing = false;
  private readonly line = svg("path", { class: "mark line" });
  private readonly grips: { draw(): void; remove(): void }[];
  private readonly over = new AbortController();
  private readonly fields: { which: keyof Way; i: number; show(value: number): void }[] = [];

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    puppet: Puppet,
  ) {
    this.way = new Store(this.first(puppet));
    stage.layers.under.append(this.line);
    const step = (): number => app.robot.value.told.size / 100;
    const grip = (which: keyof Way, letter: string): { draw(): void; remove(): void } =>
      pointHandle(stage, { kind: "end", label: `${which} of the line`, letter, at: () => this.way.value[which], move: (to) => this.put(which, to), step });
    this.grips = [grip("start", "S"), grip("end", "E")];
    this.element = el("div", { class: "stack" }, this.row("start", "S"), this.row("end", "E"));
    this.way.listen((way) => app.keep("way", way));
    this.listenForDrawing();
  }

  private first(puppet: Puppet): Way {
    const kept = this.app.setting<Partial<Way>>("way", {});
    const pose = puppet.pose.value,
      { x } = pose;
    const fits = (v: unknown): v is number[] => Array.isArray(v) && v.length === x.length && v.every(Number.isFinite);
    if (fits(kept.start) && fits(kept.end)) return { start: kept.start, end: kept.end };
    const reach = 0.45 * this.app.robot.value.told.size;
    const beside = (dx: number, dy: number): number[] => {
      const target = x.map((v, i) => v + ([dx, dy][i] ?? 0));
      const moved = puppet.mover?.moveTip(pose, target);
      return moved?.why ? x.map((v, i) => v + 0.8 * ((moved.pose.x[i] ?? v) - v)) : target; // within reach
    };
    return { start: beside(-reach / 2, 0), end: beside(reach / 2, reach / 3) };
  }

  private put(which: keyof Way, to: Point): void {
    this.way.patch({ [which]: [to[0], to[1], ...this.way.value[which].slice(2)] });
  }

  private row(which: keyof Way, letter: string): HTMLElement {
    const { told } = this.app.robot.value;
    const fields = told.x.map((coordinate, i) => {
      const field = numberField({
        label: `${letter} ${letters(coordinate.name)}`,
        unit: coordinate.unit,
        decimals: coordinate.unit === "rad" ? 1 : decimalsFor(told.size),
        commit: (value) => this.way.patch({ [which]: this.way.value[which].map((v, k) => (k === i ? value : v)) }),
      });
      this.fields.push({ which, i, show: field.show });
      return field.element;
    });
    return el("div", { class: "pair" }, ...fields);
  }

  private listenForDrawing(): void {
    const { signal } = this.over;
    let from: Point | null = null;
    this.stage.svg.addEventListener(
      "pointerdown",
      (event) => {
        if (!this.drawing || event.defaultPrevented || event.button !== 0) return;
        event.stopImmediatePropagation();
        from = this.stage.at(event);
        this.put("start", from);
        this.put("end", from);
        this.stage.svg.setPointerCapture(event.pointerId);
      },
      { capture: true, signal },
    );
    this.stage.svg.addEventListener("pointermove", (event) => from && this.put("end", this.stage.at(event)), { signal });
    for (const kind of ["pointerup", "pointercancel"] as const) this.stage.svg.addEventListener(kind, () => (from = null), { signal });
  }

  dispose(): void {
    this.over.abort();
    this.line.remove();
    this.stage.element.classList.remove("drawing");
    for (const grip of this.grips) grip.remove();
  }

  draw(): void {
    const { start, end } = this.way.value;
    this.line.setAttribute("d", this.stage.path([start, end]));
    for (const grip of this.grips) grip.draw();
    for (const { which, i, show } of this.fields) show(this.way.value[which][i] ?? 0);
  }
}
