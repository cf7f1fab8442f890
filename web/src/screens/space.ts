import type { App } from "../core/app";
import { afterPause, el, oncePerFrame, say } from "../core/dom";
import { hasDynamics } from "../core/live";
import { type Loose, loose } from "../core/loose";
import { scenePoints } from "../core/motion";
import { Puppet } from "../core/puppet";
import { SpaceGhosts } from "../core/space/ghosts";
import { gizmo } from "../core/space/gizmo";
import { lead, takeHold } from "../core/space/hand";
import { SpaceMarks } from "../core/space/marks";
import { openSpace } from "../core/space/opening";
import { Slice } from "../core/space/slice";
import type { SpaceView } from "../core/space/view";
import { section, tick } from "../core/widgets";
import { branchTools } from "./explore/branches";
import { inspector } from "./explore/inspector";
import { player } from "./simulate/player";
import { endOf, type Run, sample } from "./simulate/run";
import { tipOf } from "./simulate/tip";
import { Graphs } from "./space/graphs";
import { playback } from "./space/playback";
import "./simulate/simulate.css";
import "./space/space.css";

/** A robot in space: all of Explore, and its scenarios played. */
export function mount(root: HTMLElement, app: App): () => void {
  const screen = new Space(root, app);
  Object.assign(window, { space: screen }); // for the console and for tests
  return () => screen.dispose();
}

const HISTORY = 8; // [s] of the live plots
const TRAIL = 2; // [s] of the tip's line
const REDRAW = 120; // [ms] between redraws of the live plots
const SETTLED = 50; // [ms] without an answer: until then the models' numbers are shown in the frames that move the robot

class Space {
  readonly puppet: Puppet;
  readonly view: SpaceView | null;
  readonly free: Loose | null;
  private run: Run | null = null;
  private drawn = 0;
  private trail: { t: number; at: number[] }[] = [];
  private readonly graphs: Graphs;
  private readonly player = player((at) => this.at(at));
  private readonly note = el("div", { class: "note-box", role: "status" });
  private readonly panel: ReturnType<typeof inspector>;
  private readonly tools: ReturnType<typeof branchTools>;
  private readonly marks: SpaceMarks | null;
  private readonly ghosts: SpaceGhosts | null;
  private readonly slice: Slice | null;
  private readonly handles: { draw(): void } | null;
  private readonly ends: (() => void)[] = [];
  private readonly draw = oncePerFrame(() => this.show());

  constructor(
    root: HTMLElement,
    private readonly app: App,
  ) {
    const { told } = app.robot.value;
    this.puppet = new Puppet(app);
    this.view = told.scene ? openSpace(app, told.scene) : null;
    this.free = hasDynamics(app.robot.value) ? loose(app, this.puppet, { started: () => this.begun(), moved: () => this.record() }) : null;
    this.graphs = new Graphs(() => app.robot.value, HISTORY);
    const { view, puppet } = this;
    this.marks = view && told.closed && !told.linkage ? new SpaceMarks(view, puppet) : null;
    this.ghosts = view && told.closed && !told.linkage ? new SpaceGhosts(view, puppet) : null;
    this.slice = view && told.slices.length ? new Slice(app, view, puppet) : null;
    this.handles = view && told.closed && !told.linkage ? gizmo(view, puppet) : null;
    const scenes = playback(
      app,
      () => this.free?.stop(),
      (run) => this.play(run),
    );
    const moving = this.free ? [section(told.motors.length ? "Voltage, live" : "Let it move", true, this.free.element, ...this.graphs.elements)] : [];
    this.panel = inspector(app, { png: () => this.picture() }, puppet, [...moving, scenes.element]);
    this.tools = branchTools(app, puppet, this.draw);
    this.lay(root);
    this.player.element.hidden = true; // until a scenario was run
    this.ends.push(scenes.dispose);
    if (view) this.listen(view);
    this.follow();
  }

  private lay(root: HTMLElement): void {
    const { told } = this.app.robot.value,
      { view, marks, ghosts } = this;
    if (ghosts) ghosts.shown = this.app.setting("ghosts", true);
    const branches = ghosts && tick("Branches", ghosts.shown, (on) => (this.app.keep("ghosts", on), (ghosts.shown = on), this.draw())).element;
    const shapes = marks && tick("Ellipsoids", this.app.setting("ellipses", true), (on) => (this.app.keep("ellipses", on), (marks.ellipses = on), this.draw())).element;
    const words = told.linkage && el("span", { class: "soft" }, "A linkage: drag any of its points. Its drives need not decide where it is, so there are no branches and no maps.");
    const open = !told.closed && el("span", { class: "soft" }, told.about.split("\n")[0] ?? "");
    const tools = el("div", { class: "tools" }, ...this.tools.elements, words, open, el("span", { class: "spacer" }), this.slice?.element, branches, shapes);
    if (marks) marks.ellipses = this.app.setting("ellipses", true);
    view?.corner.append(this.note);
    const stage = el("div", { class: "holder" }, view?.element ?? el("p", { class: "charts-empty" }, "This robot is stated by equations: nothing of it is drawn."));
    root.append(el("div", { class: "workbench" }, tools, el("div", { class: "theatre" }, stage, this.player.element), this.panel.element));
  }

  private follow(): void {
    const { puppet, app } = this;
    const settled = afterPause(SETTLED, () => (this.panel.facts(), this.draw()));
    this.ends.push(puppet.pose.listen(this.draw), puppet.stop.listen(this.draw), puppet.found.listen(this.draw), puppet.facts.listen(settled), settled.cancel);
    this.ends.push(app.robot.listen(() => (this.panel.values(), this.draw())));
    if (this.view) this.ends.push(this.view.onView(() => this.place()));
    this.panel.facts();
    this.draw();
    this.graphs.live(0);
  }

  dispose(): void {
    this.player.dispose();
    this.graphs.dispose();
    this.free?.dispose();
    this.slice?.dispose();
    this.panel.dispose();
    this.puppet.dispose();
    this.view?.dispose();
    for (const end of this.ends) end();
  }

  /** Where a point of the robot is on the page [px]. */
  joint(i: number): [number, number] {
    const box = this.view?.element.getBoundingClientRect(),
      [x, y] = this.view?.toScreen(this.puppet.points()[i] ?? []) ?? [0, 0];
    return [(box?.left ?? 0) + x, (box?.top ?? 0) + y];
  }

  get live(): { t: number } {
    return { t: this.free?.live?.t ?? 0 };
  }

  private picture(): Promise<Blob> {
    return this.view ? this.view.png() : Promise.reject(new Error("nothing of this robot is drawn"));
  }

  // In hand ------------------------------------------------------------------------------------

  private listen(view: SpaceView): void {
    takeHold(view, this.puppet, {
      free: () => this.run === null,
      begin: () => undefined,
      move: (point, to) => {
        if (this.free?.running && point >= 0) this.pull(view, point, to);
        else lead(view, this.puppet, point, to);
      },
      end: () => {
        this.free?.pull(null, []);
        view.line("spring", [], "force");
      },
    });
  }

  /** A robot that is let go is pulled by a spring. */
  private pull(view: SpaceView, point: number, to: number[]): void {
    this.free?.pull(point, to);
    view.line("spring", [this.puppet.points()[point] ?? [], to], "force", true);
  }

  private begun(): void {
    this.graphs.forget();
    this.trail = [];
  }

  private record(): void {
    const live = this.free?.live,
      doc = this.app.robot.value,
      { q, x } = this.puppet.pose.value;
    if (!live) return;
    this.graphs.record(live);
    this.trail = [...this.trail, { t: live.t, at: tipOf(doc, scenePoints(doc, q, x), x) }].filter(({ t }) => t >= live.t - TRAIL);
    const now = performance.now();
    if (now - this.drawn < REDRAW) return;
    this.drawn = now;
    this.graphs.live(live.t);
  }

  private show(): void {
    const { puppet, view } = this,
      pose = puppet.pose.value;
    if (this.run) return;
    view?.body("robot", puppet.points(pose));
    this.ghosts?.draw();
    view?.line(
      "trail",
      this.trail.map(({ at }) => at),
      "path",
    );
    this.panel.pose();
    this.tools.show();
    say(this.note, puppet.stop.value?.why ?? "");
    this.note.hidden = puppet.stop.value === null;
  }

  /** Marks and handles, in every frame of the drawing. */
  private place(): void {
    if (this.run) return;
    this.marks?.draw();
    this.handles?.draw();
  }

  // A scenario ---------------------------------------------------------------------------------

  private play(run: Run): void {
    this.run = run;
    this.trail = [];
    this.view?.only("ghost", []);
    this.view?.only("assembly", []);
    this.view?.element.classList.add("playing");
    this.view?.line("trail", [], "path");
    this.view?.line("trace", run.trace, "path");
    this.graphs.run(run);
    this.player.element.hidden = false;
    this.player.load(endOf(run));
    const stop = this.puppet.pose.listen(() => (stop(), this.leave()));
    this.ends.push(stop);
  }

  private at(t: number): void {
    const run = this.run,
      q = run ? sample(run, "q", t) : null;
    if (!run || !q) return;
    const x = sample(run, "x", t) ?? new Float64Array(0);
    this.view?.body("robot", scenePoints({ ...this.app.robot.value, p: run.p }, q, x));
    this.graphs.point(t);
  }

  /** From playing a run back to the robot in hand. */
  private leave(): void {
    this.run = null;
    this.player.load(0, false);
    this.player.element.hidden = true;
    this.view?.element.classList.remove("playing");
    this.view?.line("trace", [], "path");
    this.graphs.forget();
    this.draw();
  }
}
