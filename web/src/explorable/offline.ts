import type { App, RobotDoc } from "../core/app";
import type { Answer, Job, Link } from "../core/connection";
import { afterPause } from "../core/dom";
import type { Kernels } from "../core/kernels";
import { readLink, type StudioState, writeLink } from "../core/link";
import { Mover, type Pose } from "../core/motion";
import { Runs } from "../core/runs";
import { Stage, type StageOptions } from "../core/stage";
import { Store } from "../core/store";
import { toast } from "../core/toast";
import type { HelloAnswer, Operations, RobotRef } from "../messages";
import { factsAt } from "./facts";
import { docOf, type Told } from "./told";

const NOT_HERE = "this page works by itself, without a server; start `closedchain studio` for that";

/** What the studio's parts build on, without a server: the kernels answer. */
export class OfflineApp implements App {
  readonly hello = new Store<HelloAnswer>({} as HelloAnswer);
  readonly state: Store<StudioState>;
  readonly robot: Store<RobotDoc>;
  readonly link = new Store<Link>("open");
  changed: Record<string, number> = {};

  constructor(
    readonly told: Told,
    readonly kernels: Kernels,
  ) {
    this.robot = new Store(docOf(told, kernels, {}));
    this.robot.value.told.start = this.named(this.robot.value, told.start);
    this.state = new Store<StudioState>({ screen: told.dimension === 3 ? "space" : "explore", robot: this.robot.value.ref, q: null, x: null, settings: {}, text: null, views: {} });
    this.readAddress();
    const write = afterPause(200, () => this.writeAddress());
    this.state.listen(write);
    addEventListener("hashchange", () => this.readAddress());
  }

  /** Stand as the address says: values, place, map; of another robot's link nothing is taken. */
  private readAddress(): void {
    const { q, x, settings, robot } = readLink(location.hash, this.state.value);
    if (!/[#&]robot=/.test(location.hash) || robot.source !== this.robot.value.ref.source) return;
    const known = Object.fromEntries(Object.entries(robot.values ?? {}).filter(([name]) => this.kernels.robot.parameters.some((row) => row.name === name)));
    if (JSON.stringify(known) !== JSON.stringify(this.changed)) this.set(known);
    this.state.patch({ q, x, settings });
  }

  /** The address tells the state, so that it can be sent; a page inside another one may not be allowed one. */
  private writeAddress(): void {
    const exercise = new URLSearchParams(location.hash.slice(1)).get("exercise");
    try {
      history.replaceState(null, "", `#${writeLink(this.state.value)}${exercise ? `&exercise=${encodeURIComponent(exercise)}` : ""}`);
    } catch {
      // the state is then the page's alone
    }
  }

  ask<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"]): Promise<Answer<Op>> {
    if (op !== "at") return Promise.reject(new Error(NOT_HERE));
    const { q, x } = body as { q: number[]; x: number[] };
    return Promise.resolve(factsAt(this.robot.value, { q, x, working: "", assembly: "" }) as unknown as Answer<Op>);
  }

  job<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"]): Job<Op> {
    return { done: this.ask(op, body), cancel: () => undefined };
  }

  open(ref: RobotRef): Promise<void> {
    return this.set(ref.values ?? {}) ? Promise.resolve() : Promise.reject(new Error(NOT_HERE));
  }

  change(values: Record<string, number>): void {
    this.set({ ...this.changed, ...values });
  }

  /** All parameters' values: these, the others as they were given. Refused, and said, where the loops close nowhere near. */
  set(values: Record<string, number>): boolean {
    const doc = docOf(this.told, this.kernels, values);
    const wrong = doc.told.parameters.find((row, i) => !allowed(row.value, this.kernels.robot.parameters[i]?.value ?? 0, row.unit));
    if (wrong) return this.refuse(`${wrong.name} = ${wrong.value}: it stays as it was; its sign must not change.`);
    const start = doc.told.closed ? startWith(doc, this.pose()) : this.told.start;
    if (!start) return this.refuse("With this value the loops do not close near here; it stays as it was.");
    doc.told.start = this.named(doc, start);
    this.changed = values;
    this.state.patch({ robot: doc.ref });
    this.robot.set(doc);
    return true;
  }

  private refuse(why: string): false {
    this.toast(why, "error");
    this.robot.set({ ...this.robot.value }); // the sliders go back
    return false;
  }

  private pose(): { q: number[]; x: number[] } {
    const { q, x } = this.state.value;
    return q && x ? { q, x } : this.told.start;
  }

  private named(doc: RobotDoc, at: { q: number[]; x: number[] }): RobotDoc["told"]["start"] {
    const solves = doc.kernels && doc.kernels.robot.legs.length > 0 && doc.kernels.robot.groups.length > 0;
    const pose = solves && doc.kernels ? new Mover(doc, doc.kernels).named(at.q, at.x) : { ...at, working: "", assembly: "" };
    return { ...pose, points: [] };
  }

  go(): void {}

  setting<T>(name: string, otherwise: T): T {
    const held = this.state.value.settings[this.state.value.screen]?.[name];
    return typeof held === typeof otherwise ? (held as T) : otherwise;
  }

  keep(name: string, value: unknown): void {
    const { settings, screen } = this.state.value;
    this.state.patch({ settings: { ...settings, [screen]: { ...settings[screen], [name]: value } } });
  }

  lasting(): () => void {
    return () => undefined; // nothing is taken back here
  }

  write(): void {}

  saved(): void {}

  readonly view = null;

  readonly runs = new Runs();

  stage(options: StageOptions = {}): Stage {
    return new Stage(this, options);
  }

  permanentLink(): string {
    return location.href;
  }

  toast(message: string, kind: "info" | "error" = "info"): void {
    toast(message, kind);
  }
}

/** Lengths and masses keep their sign; angles and plain numbers are free. */
const allowed = (value: number, given: number, unit: string): boolean =>
  Number.isFinite(value) && (unit === "rad" || unit === "" || given === 0 ? value >= 0 || unit === "rad" || unit === "" : Math.sign(value) === Math.sign(given));

/** A configuration that closes the loops: the output or the drives as they are, else the nearest on a coarse grid. */
function startWith(doc: RobotDoc, before: { q: number[]; x: number[] }): Pick<Pose, "q" | "x"> | null {
  const kernels = doc.kernels;
  if (!kernels) return null;
  const here = kernels.inverse(before.x, doc.p).solutions[0];
  if (here) return { q: Array.from(here.q), x: before.x };
  const same = kernels.direct(before.q, doc.p).solutions[0];
  if (same) return { q: before.q, x: Array.from(same.x) };
  const [x0 = 0, x1 = 1, y0 = 0, y1 = 1] = doc.told.window;
  let best: Pick<Pose, "q" | "x"> | null = null,
    least = Infinity;
  for (let k = 0; k < 21 * 21; k++) {
    const x = [...before.x];
    x[0] = x0 + ((x1 - x0) * (k % 21)) / 20;
    x[1] = y0 + ((y1 - y0) * Math.floor(k / 21)) / 20;
    const far = Math.hypot(x[0] - (before.x[0] ?? 0), x[1] - (before.x[1] ?? 0));
    const found = far < least ? kernels.inverse(x, doc.p).solutions[0] : undefined;
    if (found) [best, least] = [{ q: Array.from(found.q), x }, far];
  }
  return best;
}
