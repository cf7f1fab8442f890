import type { App } from "../core/app";
import type { Job } from "../core/connection";
import { el } from "../core/dom";
import { scenePoints } from "../core/motion";
import { flattened, type KeptRun, runNames } from "../core/runs";
import { openSpace } from "../core/space/opening";
import type { Stage, Window } from "../core/stage";
import { standing } from "../core/standing";
import { button, progress } from "../core/widgets";
import { type Actors, actorsInSpace, actorsOnStage, place } from "./simulate/actors";
import { charts } from "./simulate/charts";
import { files } from "./simulate/files";
import { byFormula } from "./simulate/formulas";
import { runList } from "./simulate/list";
import { player } from "./simulate/player";
import { hasOwnMotion, read, type Tables } from "./simulate/recipe";
import { endOf, type Run, readRun, type Shown, sample, spread } from "./simulate/run";
import { OWN, scenarioSelect } from "./simulate/scenarios";
import { Script } from "./simulate/script";
import { type SetupWishes, setup } from "./simulate/setup";
import { type Sketch, sketch } from "./simulate/sketch";
import { around, stations } from "./simulate/stations";
import { drawable, wayOf } from "./simulate/trajectory";
import "./simulate/simulate.css";

/** Choose a scenario, change it, run it, play it, compare any number of runs, take them away. */
export function mount(root: HTMLElement, app: App): () => void {
  const screen = new Simulate(root, app);
  void screen.begin();
  return () => screen.dispose();
}

class Simulate {
  private seen: Shown[] = []; // the runs that are shown, the active one first
  private readonly read = new Map<string, Run>(); // by the runs' ids
  private job: Job<"simulate"> | null = null;
  private actors: Actors | null = null;
  private stage: Stage | null = null;
  private sketch: Sketch | null = null;
  private over = false; // disposed
  private readonly ends: (() => void)[] = [];

  private readonly holder = el("div", { class: "holder" });
  private readonly player = player((at) => this.at(at));
  private readonly charts = charts((at) => this.player.seek(at));
  private readonly list = runList({ see: (id, on) => this.app.runs.show(id, on), take: (id) => this.activate(id), remove: (id) => this.app.runs.remove(id) });
  private readonly progress = progress();
  private readonly start = button("▶ Run", () => void this.go(), "primary");
  private readonly script: Script;
  private readonly files: ReturnType<typeof files>;
  private readonly choice: ReturnType<typeof scenarioSelect>;
  private readonly setup: ReturnType<typeof setup>;

  constructor(
    root: HTMLElement,
    private readonly app: App,
  ) {
    this.script = new Script(app);
    this.files = files(
      app,
      () => this.run,
      () => this.charts.sheets(),
      () => this.script.python(),
    );
    this.choice = scenarioSelect(app, (name) => void this.choose(name));
    this.setup = setup(app, this.wishes());
    this.start.disabled = true; // until there is a scenario
    const tools = el("div", { class: "tools" }, this.choice.element, this.start, this.progress.element, el("span", { class: "spacer" }), this.files.element);
    const empty = el("p", { class: "charts-empty" }, "Run it: plots of errors, commands, drives, energy and closure appear here, with one cursor for all and for the robot.");
    this.charts.element.append(empty);
    const theatre = el("div", { class: "theatre" }, this.holder, this.player.element);
    const results = el("div", { class: "results" }, this.list.element, this.charts.element);
    root.append(el("div", { class: "workbench" }, tools, this.setup.element, theatre, results));
    this.ends.push(
      this.app.robot.listen(() => this.still()),
      this.app.runs.list.listen(() => this.compare()),
    );
  }

  private wishes(): SetupWishes {
    return {
      change: (place, value) => this.change({ [place]: value }),
      plant: (kind) => {
        this.script.draft.plant = kind;
        this.app.keep("plant", kind);
      },
      draw: (tool) => this.sketch?.tool(tool),
      formula: (of, seconds) => this.change({ trajectory: byFormula(this.app, of, seconds), start: {} }),
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
    this.open();
    const names = this.choice.fitting();
    const wanted = this.app.setting("scenario", names[0] ?? OWN);
    const known = names.includes(wanted) || wanted.endsWith(".toml") || (wanted === OWN && hasOwnMotion(this.app.robot.value));
    await this.load(known ? wanted : (names[0] ?? OWN), known ? { ...held } : {});
    if (this.over) return;
    this.compare(); // what was run before
    const { run } = this;
    if (run) this.player.load(endOf(run), false);
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

  private open(): void {
    const { told } = this.app.robot.value;
    if (told.dimension === 3) {
      const view = told.scene && openSpace(this.app, told.scene);
      if (!view) return void this.holder.append(el("p", { class: "charts-empty" }, "This robot is stated by equations: nothing of it is drawn."));
      this.holder.append(view.element);
      this.actors = actorsInSpace(view);
    } else {
      const stage = this.app.stage({ label: "the robot's motion" });
      this.holder.append(stage.element);
      stage.fit(told.window as Window);
      this.stage = stage;
      this.actors = actorsOnStage(stage);
      if (drawable(told))
        this.sketch = sketch(
          stage,
          (trajectory) => this.change({ trajectory, start: {} }),
          () => this.drew(),
          { way: (trajectory) => wayOf(trajectory, this.app.robot.value) },
        );
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
    this.stage?.fit(
      around(
        doc,
        way.map(({ q, x }) => scenePoints(doc, q, x)),
        wayOf(this.script.trajectory, doc) ?? [],
      ),
    );
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
      if (!this.over) this.take(readRun(this.app.robot.value, frame), frame);
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

  /** Keep a run that was just simulated, and play it. */
  private take(run: Run, frame: Pick<KeptRun, "meta" | "arrays">): void {
    const { draft, name } = this.script,
      robot = this.app.state.value.robot;
    const recipe = flattened({
      ...draft.base,
      ...nested(draft.changes),
      parameters: robot.values ?? {},
      plant: { ...(read(draft.base, nested(draft.changes), "plant") as Tables | undefined), engine: draft.plant },
      robot: undefined,
    });
    const kept: KeptRun = {
      id: crypto.randomUUID(),
      when: Date.now(),
      robot,
      scenario: name === OWN ? "own motion" : name,
      recipe,
      meta: frame.meta,
      arrays: frame.arrays,
      shown: true,
    };
    this.read.set(kept.id, run);
    this.app.keep("run", kept.id);
    this.app.runs.add(kept);
    this.present();
  }

  /** Another of the runs to play and to take away. */
  private activate(id: string): void {
    this.app.keep("run", id);
    if (!this.app.runs.list.value.find((run) => run.id === id)?.shown) this.app.runs.show(id, true);
    else this.compare();
    this.present();
  }

  private present(): void {
    const run = this.run;
    if (!run) return;
    const doc = { ...this.app.robot.value, p: run.p };
    const all = spread(run.t.length, 40).map((i) => scenePoints(doc, sample(run, "q", run.t[i] ?? 0) ?? [], sample(run, "x", run.t[i] ?? 0) ?? []));
    this.stage?.fit(around(doc, all, run.wanted));
    this.player.load(endOf(run));
  }

  /** The run that is played. */
  private get run(): Run | null {
    return this.seen[0]?.run ?? null;
  }

  /** The others that are shown. */
  private get beside(): Shown[] {
    return this.seen.slice(1);
  }

  private compare(): void {
    const all = this.app.runs.of(this.app.robot.value.ref),
      names = runNames(all),
      letters = all.map((_, i) => String.fromCharCode(65 + (i % 26)));
    const wanted = this.app.setting("run", ""),
      shown = all.filter((run) => run.shown);
    const active = shown.find((run) => run.id === wanted) ?? shown.at(-1) ?? null;
    const ordered = active ? [active, ...shown.filter((run) => run !== active)] : [];
    this.seen = ordered.map((run, dash) => ({ id: run.id, letter: letters[all.indexOf(run)] ?? "", dash, run: this.runOf(run) }));
    this.list.show(
      all.map((run, i) => ({ id: run.id, name: names[i] ?? "", letter: letters[i] ?? "", shown: run.shown })),
      this.seen,
      active?.id ?? null,
    );
    this.files.enable(active !== null);
    const { run, beside } = this;
    this.actors?.only(beside.map(({ id }) => id));
    if (!run) return;
    if (run.wanted.length) this.sketch?.way(false);
    this.actors?.lines(
      run.trace,
      run.wanted,
      beside.map((other) => other.run.trace),
    );
    this.charts.show(run, this.seen[0]?.letter ?? "", beside);
    if (this.actors) place(this.app, this.actors, run, beside, this.player.at);
  }

  private runOf(kept: KeptRun): Run {
    let run = this.read.get(kept.id);
    if (!run) this.read.set(kept.id, (run = readRun(this.app.robot.value, kept)));
    return run;
  }
}

/** Changes by their dotted places as tables. */
function nested(changes: Tables): Tables {
  const made: Tables = {};
  for (const [place, value] of Object.entries(changes)) {
    const [first = "", ...rest] = place.split(".");
    made[first] = rest.length ? { ...(made[first] as Tables | undefined), [rest.join(".")]: value } : value;
  }
  return made;
}
