import type { App } from "../../core/app";
import { svg } from "../../core/dom";
import { pointHandle } from "../../core/handles";
import type { Point, Stage } from "../../core/stage";
import type { ObstacleRow } from "../../messages";

interface Disc {
  circle: SVGCircleElement;
  grip: ReturnType<typeof pointHandle>;
}

/** Discs that the robot must not touch: added, dragged or moved by keys; the screen's settings keep where they are. */
export class Obstacles {
  private places: Point[];
  private discs: Disc[] = [];
  private readonly radius: number;

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly size: number,
    private readonly counted: (count: number) => void,
  ) {
    this.radius = size / 12;
    this.places = app
      .setting<unknown[]>("obstacles", [])
      .filter(isPlace)
      .map(([x, y]) => [x, y]);
    this.show();
  }

  /** As a plan is asked for with them. */
  rows(): ObstacleRow[] {
    return this.places.map((at) => ({ kind: "disc", corners: [[...at]], radius: this.radius }));
  }

  add(): void {
    const [x0, x1, y0, y1] = this.stage.window;
    this.put([...this.places, [(x0 + x1) / 2 + this.places.length * this.radius, (y0 + y1) / 2]]);
  }

  clear(): void {
    this.put([]);
  }

  draw(): void {
    this.discs.forEach(({ circle, grip }, i) => {
      const [x, y] = this.stage.toScreen(this.places[i] ?? [0, 0]);
      circle.setAttribute("cx", x.toFixed(1));
      circle.setAttribute("cy", y.toFixed(1));
      circle.setAttribute("r", (this.radius * this.stage.pixelsPerMetre).toFixed(1));
      grip.draw();
    });
  }

  dispose(): void {
    for (const { circle, grip } of this.discs) circle.remove(), grip.remove();
  }

  private put(places: Point[]): void {
    this.places = places;
    this.app.keep("obstacles", places.length ? places : undefined);
    this.show();
  }

  private show(): void {
    while (this.discs.length > this.places.length) {
      const gone = this.discs.pop();
      gone?.circle.remove();
      gone?.grip.remove();
    }
    while (this.discs.length < this.places.length) this.discs.push(this.disc(this.discs.length));
    this.counted(this.places.length);
    this.draw();
  }

  private disc(i: number): Disc {
    const circle = svg("circle", { class: "disc" });
    this.stage.layers.under.append(circle);
    const move = (to: Point): void => this.put(this.places.map((at, k) => (k === i ? to : at)));
    const grip = pointHandle(this.stage, { kind: "obstacle", label: `obstacle ${i + 1}`, letter: "", at: () => this.places[i] ?? [0, 0], move, step: () => this.size / 100 });
    return { circle, grip };
  }
}

const isPlace = (given: unknown): given is Point => Array.isArray(given) && given.length === 2 && given.every(Number.isFinite);
