import type { App } from "../../core/app";
import { afterPause, el } from "../../core/dom";
import type { Puppet } from "../../core/puppet";
import { Runner } from "../../core/running";
import type { Stage } from "../../core/stage";
import { tick } from "../../core/widgets";
import { handOver } from "../simulate/handover";
import { Ends } from "./ends";
import { Journey } from "./journey";
import { Line } from "./line";
import { crossing, planning } from "./planning";

/** A way from S to E: its determinants with proven points, a plan around singularities and obstacles, a crossing with its efforts. */
export class Ways {
  readonly element: HTMLElement;
  private readonly ends: Ends;
  private readonly line: Line;
  private readonly plan: ReturnType<typeof planning>;
  private readonly cross: ReturnType<typeof crossing>;
  private readonly runner: Runner;
  private readonly journey: Journey;
  private readonly aimed = afterPause(30, () => this.line.want());
  private readonly stops: (() => void)[];
  private mode = "";

  constructor(app: App, stage: Stage, puppet: Puppet) {
    const working = (): string => puppet.pose.value.working;
    this.ends = new Ends(app, stage, puppet);
    this.line = new Line(app, stage, this.ends, working);
    this.runner = new Runner(app);
    this.journey = new Journey(
      app,
      stage,
      (trajectory) => handOver(app, trajectory),
      (q, x) => puppet.switchTo({ ...puppet.pose.value, q, x }),
    );
    const given = { app, stage, ends: this.ends, runner: this.runner, journey: this.journey, working };
    this.plan = planning(given);
    this.cross = crossing({ ...given, goal: () => "" });
    const drawing = tick("Draw the line", false, (on) => ((this.ends.drawing = on), stage.element.classList.toggle("drawing", on)));
    const part = (title: string, ...content: HTMLElement[]): HTMLElement => el("section", { class: "part" }, el("h3", {}, title), ...content);
    this.element = el(
      "div",
      { class: "stack ways" },
      drawing.element,
      this.ends.element,
      this.runner.element,
      this.journey.element,
      part("Along the line", this.line.element),
      part("Plan a path", this.plan.element),
      part("Cross a singularity", this.cross.element),
    );
    this.stops = [
      this.ends.way.listen(() => (this.draw(), this.aimed())),
      stage.onView(() => this.draw()),
      puppet.pose.follow(() => {
        if (working() === this.mode || working().includes("0")) return;
        this.mode = working();
        this.aimed();
      }),
      app.link.listen((link) => link === "open" && this.line.want()),
      app.robot.listen(() => this.line.want()),
    ];
    this.draw();
  }

  draw(): void {
    for (const part of [this.ends, this.line, this.plan, this.journey]) part.draw();
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.runner.cancel();
    this.aimed.cancel();
    for (const part of [this.ends, this.line, this.plan, this.journey, this.cross]) part.dispose();
  }
}
