import type { App } from "../core/app";
import type { Job } from "../core/connection";
import { el } from "../core/dom";
import { scenePoints } from "../core/motion";
import type { Stage, Window } from "../core/stage";
import { button, progress, tick } from "../core/widgets";
import { actorsInSpace, actorsOnStage, place, type Actors } from "./simulate/actors";
import { charts } from "./simulate/charts";
import { files } from "./simulate/files";
import { player } from "./simulate/player";
import { hasOwnMotion, type Tables } from "./simulate/recipe";
import { result } from "./simulate/result";
import { endOf, readRun, sample, spread, type Run } from "./simulate/run";
import { scenarioSelect, OWN } from "./simulate/scenarios";
import { around, stations } from "./simulate/stations";
import { Script, standing } from "./simulate/script";
import { setup, type SetupWishes } from "./simulate/setup";
import { sketch, type Sketch } from "./simulate/sketch";
import { wayOf } from "./simulate/trajectory";
import { openSpace } from "./space/opening";
import "./simulate/simulate.css";

/** Choose a scenario, change it, run it, play it, compare two runs, take them away. */
export function mount(root: HTMLElement, app: App): () => void {
  const screen = new Simulate(root, app);
  void screen.begin();
  return () => screen.dispose();
}

class Simulate {
  private run: Run | null = null;
  private other: Run | null = null;
  private job: Job<"simulate"> | null = null;
  private actors: Actors | null = null;
  private stage: Stage | null = null;
  private sketch: Sketch | null = null;
  private over = false; // disposed
  private readonly ends: (() => void)[] = [];

  private readonly holder = el("div", { class: "holder" });
  private readonly player = player((at) => this.at(at));
  private readonly charts = charts((at) => this.player.seek(at));
  private readonly result = result();
  private readonly progress = progress();
  private readonly start = button("▶ Run", () => void this.go(), "primary");
  private readonly pin = tick("Pin", false, (on) => this.pinned(on));
  private readonly script: Script;
  private readonly files: ReturnType<typeof files>;
  private readonly choice: ReturnType<typeof scenarioSelect>;
  private readonly setup: ReturnType<typeof setup>;

  constructor(
    root: HTMLElement,
    private readonly app: App,
  ) {
    this.script = new Script(app);
    this.files = files(app, () => this.run?.meta.job ?? null, () => this.script.python());
    this.choice = scenarioSelect(app, (name) => void this.choose(name));
    this.setup = setup(app, this.wishes());
    this.pin.element.title = "keep this run, dashed, beside the next one";
    this.pin.input.disabled = true;
    this.start.disabled = true; // until there is a scenario
    const tools = el("div", { class: "tools" }, this.choice.element, this.start, this.progress.element, el("span", { class: "spacer" }), this.pin.element, this.files.element);
    const empty = el("p", { class: "charts-empty" }, "Run it: plots of errors, commands, drives, energy and closure appear here, with one cursor for all and for the robot.");
    this.charts.element.append(empty);
    const theatre = el("div", { class: "theatre" }, this.holder, this.player.element);
    const results = el("div", { class: "results" }, this.result.element, this.charts.element);
    root.append(el("div", { class: "workbench" }, tools, this.setup.element, theatre, results));
    this.ends.push(this.app.robot.listen(() => this.still()));
  }

  private wishes(): SetupWishes {
    return {
      change: (place, value) => this.change({ [place]: value }),
      plant: (kind) => {
        this.script.draft.plant = kind;
        this.app.keep("plant", kind);
      },
      draw: (tool) => this.sketch?.tool(tool),
      undo: () => {
        this.script.draft.changes = {};
        this.shown();
      },
    };
  }

  async begin(): Promise<void> {
    const held = this.app.setting<Record<string, unknown>>("changes", {});
    const plant = this.app.setting<string>("plant", "exact");
    this.script.draft.plant = plant === "mujoco" ? "mujoco" : "exact";
    await this.open();
    if (this.over) return;
    const names = this.choice.fitting();
    const wanted = this.app.setting("scenario", names[0] ?? OWN);
    const known = names.includes(wanted) || wanted.endsWith(".toml") || (wanted === OWN && hasOwnMotion(this.app.robot.value));
    await this.load(known ? wanted : (names[0] ?? OWN), known ? { ...held } : {});
  }

  dispose(): void {
    this.over = true;
    this.job?.cancel();
    this.player.dispose();
    this.charts.dispose();
    this.sketch?.dispose();
    this.actors?.dispose();
    for (const end of this.ends) end();
  }

  // The stage ----------------------------------------------------------------------------------

  private async open(): Promise<void> {
    const { told } = this.app.robot.value;
    if (told.dimension === 3) {
      const view = await openSpace(this.app, this.holder);
      if (this.over || !view) return view?.dispose();
      this.actors = actorsInSpace(view, this.app);
    } else {
      const stage = this.app.stage({ label: "the robot's motion" });
      this.holder.append(stage.element);
      stage.fit(told.window as Window);
      this.stage = stage;
      this.actors = actorsOnStage(stage);
      if (told.closed) this.sketch = sketch(stage, (trajectory) => this.change({ trajectory, start: {} }), () => this.drew());
      this.ends.push(() => stage.dispose());
    }
    this.still();
  }

  /** The robot where the motion begins, while there is no run. */
  private still(): void {
    if (this.run || !this.actors) return;
    const doc = this.app.robot.value;
    const way = stations(doc, this.script.draft, standing(this.app));
    const [first] = way;
    if (!first) return;
    this.actors.show("robot", scenePoints(doc, first.q, first.x), first.x);
    this.stage?.fit(around(doc, way.map(({ q, x }) => scenePoints(doc, q, x)), wayOf(this.script.trajectory) ?? []));
  }

  private drew(): void {
    this.sketch?.tool(null);
    this.setup.drawing(null);
  }

  private at(instant: number): void {
    if (!this.actors || !this.run) return;
    place(this.app, this.actors, this.run, this.beside, instant);
    this.charts.point(instant);
  }

  // The scenario -------------------------------------------------------------------------------

  private async choose(name: string): Promise<void> {
    this.app.keep("scenario", name);
    this.app.keep("changes", {});
    const robot = this.app.hello.value.scenarios.find((row) => row.name === name)?.robot;
    if (this.differs(robot ?? null)) await this.app.open({ source: robot ?? null, toml: null, values: {} });
    else await this.load(name, {});
  }

  private async load(name: string, changes: Tables): Promise<void> {
    try {
      const robot = await this.script.load(name, changes);
      if (this.over) return;
      if (name.endsWith(".toml") && this.differs(robot)) return await this.app.open({ source: robot, toml: null, values: {} });
    } catch (error) {
      if (this.over) return;
      this.app.toast((error as Error).message, "error");
      this.start.disabled = !hasOwnMotion(this.app.robot.value);
      if (this.start.disabled) return;
      await this.script.load(OWN, {});
    }
    this.choice.show(this.script.name);
    this.shown();
    this.start.disabled = this.job !== null;
  }

  /** Whether a scenario is for another robot, one that comes with the package. */
  private differs(robot: string | null): boolean {
    const names = this.app.hello.value.robots.flatMap((row) => [row.name, ...row.presets]);
    return robot !== null && names.includes(robot) && robot !== this.app.state.value.robot.source;
  }

  private change(changes: Tables): void {
    this.script.draft.changes = { ...this.script.draft.changes, ...changes };
    this.setup.say("");
    this.shown();
  }

  private shown(): void {
    const { draft, about, origin, trajectory } = this.script;
    this.app.keep("changes", draft.changes);
    this.setup.show(draft, about, origin);
    this.sketch?.way(true);
    this.sketch?.show(trajectory, standing(this.app).x);
    this.still();
  }

  // The run ------------------------------------------------------------------------------------

  private async go(): Promise<void> {
    this.start.disabled = true;
    this.setup.say("");
    this.player.pause();
    const body = { ...this.script.request(), robot: this.app.state.value.robot, plant: this.script.draft.plant };
    const job = this.app.job("simulate", body, (part, note) => this.progress.told(part, note));
    this.job = job;
    this.progress.start(() => job.cancel());
    try {
      const frame = await job.done;
      if (!this.over) this.take(readRun(this.app.robot.value, frame));
    } catch (error) {
      const { message, kind, where } = error as Error & { kind?: string; where?: string };
      if (this.over) return;
      if (kind === "cancelled") this.app.toast(message === "cancelled" ? "The run was cancelled." : message);
      else this.setup.say(where && !message.includes(where) ? `${where}: ${message}` : message);
    } finally {
      this.job = null;
      this.start.disabled = false;
      this.progress.end();
    }
  }

  private take(run: Run): void {
    this.run = run;
    this.files.enable(true);
    this.pin.input.disabled = false;
    this.compare();
    const doc = { ...this.app.robot.value, p: run.p };
    const all = spread(run.t.length, 40).map((i) => scenePoints(doc, sample(run, "q", run.t[i] ?? 0) ?? [], sample(run, "x", run.t[i] ?? 0) ?? []));
    this.stage?.fit(around(doc, all, run.wanted));
    this.player.load(endOf(run));
  }

  private pinned(on: boolean): void {
    this.other = on ? this.run : null;
    this.compare();
    if (on) this.app.toast("Pinned. The next run is drawn beside it.");
  }

  /** The pinned run, once there is another one. */
  private get beside(): Run | null {
    return this.other === this.run ? null : this.other;
  }

  private compare(): void {
    if (!this.run) return;
    const beside = this.beside;
    if (this.run.wanted.length) this.sketch?.way(false);
    this.actors?.lines(this.run.trace, this.run.wanted, beside?.trace ?? []);
    this.charts.show(this.run, beside);
    this.result.show(this.run, beside);
    if (this.actors) place(this.app, this.actors, this.run, beside, this.player.at);
  }
}
