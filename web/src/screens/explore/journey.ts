import type { App } from "../../core/app";
import { el, svg } from "../../core/dom";
import type { Stage } from "../../core/stage";
import { button } from "../../core/widgets";

const SECONDS = 4; // that a path without a time of its own takes

/** A motion on the stage: its path, and the robot along it, played or scrubbed. */
export class Journey {
  readonly element: HTMLElement;
  private q: number[][] = [];
  private x: number[][] = [];
  private times: number[] = [];
  private now = 0;
  private frame = 0;
  private over = (): void => undefined;
  private readonly path = svg("path", { class: "mark path motion-path" });
  private readonly halo = svg("path", { class: "mark halo" });
  private readonly slider = el("input", {
    type: "range",
    min: 0,
    max: 1000,
    value: 0,
    "aria-label": "place along the motion",
    oninput: () => (this.stop(), this.seek(Number(this.slider.value) / 1000)),
  });
  private readonly play = button("Play", () => (this.frame ? this.stop() : this.start()), "plain");

  private trajectory: Record<string, unknown> | null = null;
  private readonly run: HTMLButtonElement;

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    hand: (trajectory: Record<string, unknown>) => void,
    private readonly stand: (q: number[], x: number[]) => void,
  ) {
    stage.layers.under.append(this.halo, this.path);
    this.run = button("Simulate it", () => this.trajectory && hand(this.trajectory), "plain", "opens Simulate with this motion: it is run, compared, taken away and linked there");
    this.element = el("div", { class: "row journey" }, this.play, this.slider, this.run);
    this.enable(false);
  }

  /** Show a motion, which Simulate knows as this trajectory; times default to an even pace. */
  show(q: number[][], x: number[][], trajectory: Record<string, unknown>, times?: number[]): void {
    this.stop();
    this.trajectory = trajectory;
    [this.q, this.x] = [q, x];
    this.times = times ?? paced(x);
    this.enable(q.length > 1);
    this.now = 0;
    this.slider.value = "0";
    this.draw();
  }

  clear(): void {
    this.stop();
    this.q = [];
    this.x = [];
    this.enable(false);
    this.draw();
  }

  draw(): void {
    const d = this.x.length ? this.stage.path(this.x) : "";
    this.path.setAttribute("d", d);
    this.halo.setAttribute("d", d);
  }

  dispose(): void {
    this.stop();
    this.halo.remove();
    this.path.remove();
  }

  private enable(on: boolean): void {
    this.play.disabled = !on;
    this.run.disabled = !on;
    this.slider.disabled = !on;
  }

  private seek(part: number): void {
    this.now = part;
    const t = part * (this.times.at(-1) ?? 0);
    let i = this.times.findIndex((v) => v >= t);
    if (i < 0) i = this.times.length - 1;
    const q = this.q[i],
      x = this.x[i];
    this.slider.value = String(Math.round(1000 * part));
    if (q && x) this.stand(q, x);
  }

  private start(): void {
    if (this.now >= 1) this.now = 0;
    this.over = this.app.lasting();
    let before = performance.now();
    const tick = (stamp: number): void => {
      this.seek(Math.min(1, this.now + (stamp - before) / 1000 / SECONDS));
      before = stamp;
      if (this.now >= 1) this.stop();
      else this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
    this.play.textContent = "Pause";
  }

  private stop(): void {
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.over();
    this.play.textContent = "Play";
  }
}

function paced(x: number[][]): number[] {
  let sum = 0;
  return x.map((at, i) => {
    const before = x[i - 1];
    if (before) sum += Math.hypot((at[0] ?? 0) - (before[0] ?? 0), (at[1] ?? 0) - (before[1] ?? 0)) + 1e-9;
    return sum;
  });
}
