import type { App } from "../core/app";
import { el, say } from "../core/dom";
import { scenePoints } from "../core/motion";
import { button, section, type Slider } from "../core/widgets";
import { player } from "./simulate/player";
import { endOf, sample, type Run } from "./simulate/run";
import { tipOf } from "./simulate/tip";
import type { Body } from "./space/body";
import { Graphs } from "./space/graphs";
import { atRest, Live, settled } from "./space/live";
import { openSpace } from "./space/opening";
import { inputSliders, poseSliders, stateReadout } from "./space/panels";
import { playback } from "./space/playback";
import { listenToPointer } from "./space/pointer";
import { pole } from "./space/pole";
import type { SpaceView } from "./space/view";
import "./simulate/simulate.css";

/** A robot in space: turn the view, drag its joints, drive it live, play a scenario. */
export function mount(root: HTMLElement, app: App): () => void {
  const screen = new Space(root, app);
  Object.assign(window, { space: screen }); // for the console and for tests
  void screen.begin();
  return () => screen.dispose();
}

const HISTORY = 8; // [s] of the live plots
const TRAIL = 2; // [s] of the tip's line
const REDRAW = 120; // [ms] between redraws of the live plots

class Space {
  readonly live: Live;
  private view: SpaceView | null = null;
  private body: Body | null = null;
  private run: Run | null = null;
  private over = false;
  private running = false;
  private frame = 0;
  private before = 0;
  private drawn = 0;
  private readonly trail: { t: number; at: number[] }[] = [];
  private readonly ends: (() => void)[] = [];

  private readonly holder = el("div", { class: "holder" });
  private readonly hint = el("p", { class: "hint", role: "status" });
  private readonly toggle = button("▶ Start", () => (this.running ? this.stop() : this.start()), "primary");
  private readonly inputs: Slider[];
  private readonly state: ReturnType<typeof stateReadout>;
  private readonly graphs: Graphs;
  private readonly player = player((at) => this.at(at));

  constructor(
    root: HTMLElement,
    private readonly app: App,
  ) {
    const doc = app.robot.value;
    const { q, x } = app.state.value;
    const fits = q?.length === doc.told.q.length && (x?.length ?? 0) === doc.told.x.length;
    this.live = new Live(doc, fits ? atRest(q ?? [], x ?? []) : settled(doc));
    this.inputs = inputSliders(doc, this.live, (k, value) => this.push(k, value));
    const poses = poseSliders(doc, this.live, (i, value) => this.turn(i, value));
    this.state = stateReadout(doc, poses);
    this.graphs = new Graphs(() => app.robot.value, HISTORY);
    const scenarios = playback(app, () => this.stop(), (run) => this.play(run));
    const pose = section("Pose", true, ...poses.map((s) => s.element));
    const state = section("State", true, this.state.element, ...this.graphs.elements);
    const inspector = el("aside", { class: "inspector" }, this.drivePanel(), pose, state, scenarios.element);
    const tools = el("div", { class: "tools" }, el("h2", {}, doc.told.name), el("span", { class: "soft" }, doc.told.about.split("\n")[0] ?? ""));
    const theatre = el("div", { class: "theatre" }, this.holder, this.player.element);
    root.append(el("div", { class: "workbench" }, tools, theatre, inspector));
    this.ends.push(app.robot.listen(() => this.show()), scenarios.dispose);
  }

  async begin(): Promise<void> {
    const view = await openSpace(this.app, this.holder);
    if (this.over) return view?.dispose();
    const { told } = this.app.robot.value;
    this.view = view;
    if (view && told.scene) {
      this.body = view.body(told.scene, "robot", told.size, !told.closed);
      this.listen(view);
      say(this.hint, `${told.closed ? "Drag the green tip" : "Drag a joint to place it"}; drag elsewhere to turn the view, wheel to zoom.`);
      const home = button("⤢", () => view.home(), "quiet", "the first view");
      home.setAttribute("aria-label", "the first view");
      this.holder.append(el("div", { class: "over" }, this.hint), el("div", { class: "home" }, home));
    }
    this.show();
    this.graphs.live(0);
  }

  dispose(): void {
    this.over = true;
    this.stop();
    this.player.dispose();
    this.graphs.dispose();
    this.view?.dispose();
    for (const end of this.ends) end();
  }

  /** Where a point of the robot is on the page [px]. */
  joint(i: number): [number, number] {
    const { q, x } = this.live.now;
    const box = this.holder.getBoundingClientRect();
    const [px, py] = this.view?.toScreen(scenePoints(this.app.robot.value, q, x)[i] ?? []) ?? [0, 0];
    return [box.left + px, box.top + py];
  }

  // Driving ------------------------------------------------------------------------------------

  private drivePanel(): HTMLElement {
    const doc = this.app.robot.value;
    const begin = settled(doc);
    const starts: HTMLButtonElement[] = doc.told.closed
      ? [button("Begin again", () => this.put(begin.q, begin.x)), button("Hold", () => this.hold(), "plain", "efforts that carry the weight here")]
      : [button("Upright", () => this.put(pole(this.app.robot.value, true), [])), button("Hanging", () => this.put(pole(this.app.robot.value, false), []))];
    const zero = button("Zero", () => this.feed(new Float64Array(this.inputs.length)), "plain", "all inputs to zero");
    const title = doc.told.motors.length ? "Voltage, live" : "Efforts, live";
    return section(title, true, el("div", { class: "row" }, this.toggle, ...starts, zero), ...this.inputs.map((s) => s.element));
  }

  private push(k: number, value: number): void {
    this.live.u[k] = value;
    if (!this.running && value !== 0) this.start();
  }

  private hold(): void {
    const found = this.live.holding(this.app.robot.value.p);
    if (!found) return say(this.hint, "No efforts hold it here.");
    this.put(this.live.now.q, this.live.now.x);
    this.feed(found);
    if (!this.running) this.start();
  }

  private feed(u: Float64Array): void {
    this.live.u = Float64Array.from(u);
    this.inputs.forEach((s, k) => s.show(u[k] ?? 0));
  }

  /** Put one coordinate at a value, at rest; a closed robot's output follows. */
  private turn(i: number, value: number): void {
    this.leave();
    const { told, kernels, p } = this.app.robot.value;
    const q = this.live.now.q.map((v, k) => (k === i ? value : v));
    if (!told.closed) return this.put(q, this.live.now.x);
    const far = (x: Float64Array): number => Math.hypot(...x.map((v, k) => v - (this.live.now.x[k] ?? 0)));
    const { solutions, misses } = kernels?.direct(q, p) ?? { solutions: [], misses: [] };
    const [first, ...others] = solutions;
    if (!first) return say(this.hint, `The loops cannot close there: ${misses[0]?.leg ?? "a leg"} does not reach.`);
    this.put(q, others.reduce((a, b) => (far(b.x) < far(a.x) ? b : a), first).x);
  }

  /** Put the robot somewhere, at rest; live motion goes on from there. */
  private put(q: ArrayLike<number>, x: ArrayLike<number>): void {
    this.leave();
    this.live.now = atRest(q, x);
    this.live.left = 0;
    this.trail.length = 0;
    this.show();
    if (!this.running) this.remember();
  }

  private remember(): void {
    const { q, x } = this.live.now;
    this.app.state.patch({ q: Array.from(q), x: Array.from(x) });
  }

  private listen(view: SpaceView): void {
    let went = false;
    listenToPointer(view, this.app, {
      now: () => this.live.now,
      free: () => this.run === null,
      begin: () => {
        went = this.running;
        this.stop();
      },
      move: (to) => this.put(to.q, to.x),
      end: () => went && this.start(),
    });
  }

  // Live ---------------------------------------------------------------------------------------

  private start(): void {
    if (this.running) return;
    this.leave();
    this.live.t = 0;
    this.graphs.forget();
    this.running = true;
    this.before = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
    say(this.toggle, "■ Stop");
  }

  private stop(): void {
    if (!this.running) return;
    this.running = false;
    cancelAnimationFrame(this.frame);
    say(this.toggle, "▶ Start");
    if (!this.over) this.remember();
  }

  private tick(now: number): void {
    if (!this.running) return;
    const ok = this.live.advance((now - this.before) / 1000, this.app.robot.value.p);
    this.before = now;
    this.record();
    this.show();
    if (!ok) {
      this.stop();
      return say(this.hint, "Stopped: the motion cannot be followed further here. Place the robot anew.");
    }
    if (now - this.drawn > REDRAW) {
      this.drawn = now;
      this.graphs.live(this.live.t);
    }
    this.frame = requestAnimationFrame((next) => this.tick(next));
  }

  private record(): void {
    const doc = this.app.robot.value;
    const { q, x } = this.live.now;
    this.graphs.record(this.live);
    this.trail.push({ t: this.live.t, at: tipOf(doc, scenePoints(doc, q, x), x) });
    while ((this.trail[0]?.t ?? 0) < this.live.t - TRAIL) this.trail.shift();
  }

  private show(): void {
    const doc = this.app.robot.value;
    if (this.run) return this.at(this.player.at);
    const { q, x, q_dot } = this.live.now;
    const { kinetic, potential } = this.live.energy(doc.p);
    this.body?.show(scenePoints(doc, q, x));
    this.view?.line("trail", this.trail.map((row) => row.at), "path");
    this.state.show({ t: this.live.t, q, x, q_dot, energy: kinetic + potential });
  }

  // A scenario ---------------------------------------------------------------------------------

  private play(run: Run): void {
    this.run = run;
    this.trail.length = 0;
    this.view?.line("trail", [], "path");
    this.view?.line("trace", run.trace, "path");
    this.graphs.run(run);
    this.player.load(endOf(run));
  }

  private at(t: number): void {
    const run = this.run, q = run ? sample(run, "q", t) : null;
    if (!run || !q) return;
    const x = sample(run, "x", t) ?? new Float64Array(0);
    const energy = (sample(run, "kinetic", t)?.[0] ?? 0) + (sample(run, "potential", t)?.[0] ?? 0);
    this.body?.show(scenePoints({ ...this.app.robot.value, p: run.p }, q, x));
    this.state.show({ t, q, x, q_dot: sample(run, "q_dot", t) ?? [], energy });
    this.graphs.point(t);
  }

  /** From playing a run back to live motion, from where the run stood, at rest. */
  private leave(): void {
    const run = this.run;
    if (!run) return;
    const q = sample(run, "q", this.player.at), x = sample(run, "x", this.player.at) ?? new Float64Array(0);
    this.run = null;
    this.player.load(0, false);
    this.view?.line("trace", [], "path");
    if (q) this.live.now = atRest(q, x);
    this.graphs.forget();
  }
}
