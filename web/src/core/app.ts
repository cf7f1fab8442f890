import type { HelloAnswer, Operations, RobotAnswer, RobotRef } from "../messages";
import { type Answer, Connection, type Job, Latest, type Link, Refused } from "./connection";
import { afterPause } from "./dom";
import { History } from "./history";
import { keepRobot, keepWork, resumed } from "./keeping";
import { type Kernels, loadKernels } from "./kernels";
import { forAnother, readLink, type ScreenName, type StudioState, type View, writeLink } from "./link";
import { Runs } from "./runs";
import type { Stage, StageOptions } from "./stage";
import { Store } from "./store";
import { toast } from "./toast";

/** A robot that is open: how it is named, what the server tells of it, its kernels. */
export interface RobotDoc {
  ref: RobotRef;
  told: RobotAnswer;
  kernels: Kernels | null;
  p: Float64Array; // values of the parameters, in the kernels' order
}

/** What a screen builds on. */
export interface App {
  readonly hello: Store<HelloAnswer>;
  readonly state: Store<StudioState>; // mirrored in the address
  readonly robot: Store<RobotDoc>;
  readonly link: Store<Link>; // the connection
  readonly runs: Runs; // of every robot
  ask<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"]): Promise<Answer<Op>>;
  job<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"], told?: (progress: number | null, note: string) => void): Job<Op>;
  /** Open another robot, or the same with other values; the screen is mounted anew where its structure differs. */
  open(ref: RobotRef, place?: { q: number[] | null; x: number[] | null }): Promise<void>;
  /** Change some parameters' values; the newest wish wins. */
  change(values: Record<string, number>): void;
  go(screen: ScreenName): void;
  /** A setting of the current screen, kept in the address. */
  setting<T>(name: string, otherwise: T): T;
  keep(name: string, value: unknown): void;
  /** Something moves by itself until the answer is called: one step to take back. */
  lasting(): () => void;
  stage(options?: StageOptions): Stage;
  /** What this screen's stage shows where it was moved; null: it is not kept. */
  readonly view: { readonly value: View | null; set(view: View | null): void } | null;
  /** The text of Define; null: that of the robot. */
  write(text: string | null): void;
  /** A file was written into the workspace. */
  saved(): void;
  /** The address of what is on the screen, without the token. */
  permanentLink(): string;
  toast(message: string, kind?: "info" | "error"): void;
}

const TOKEN = "closedchain.token";

/** The token of the address, or the one that this browser was given last. */
export function tokenGiven(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get("t");
  if (given) localStorage.setItem(TOKEN, given);
  return given ?? localStorage.getItem(TOKEN) ?? "";
}

/** Whether two references name the same equations: values may differ. */
export const sameStructure = (a: RobotRef, b: RobotRef): boolean => a.source === b.source && a.toml === b.toml;

/** What every screen shares; each has its own seat. */
export class StudioApp implements Omit<App, "stage" | "view"> {
  readonly connection: Connection;
  readonly link: Store<Link>;
  readonly state: Store<StudioState>;
  readonly hello: Store<HelloAnswer>;
  readonly robot: Store<RobotDoc>;
  readonly runs = new Runs();
  readonly opening = new Store<string | null>(null); // the name of the robot that is on its way
  readonly travelled = new Store(0); // how often screens must begin anew, as their settings became others by undo, redo, Back or Forward
  readonly files = new Store(0); // how often a file was written into the workspace
  readonly steps = new Store({ undo: false, redo: false }); // whether there are some
  private readonly history = new History(undefined, () => this.steps.set({ undo: this.history.canUndo, redo: this.history.canRedo }));
  private readonly changes: Latest<RobotRef, RobotDoc>;
  private token: string;
  private good: RobotDoc; // as the server described it last
  private turn = 0; // of robots that were asked for
  private held = false; // the pointer is down
  private travelling: "" | "steps" | "pages" = "";

  constructor(connection: Connection, hello: HelloAnswer, robot: RobotDoc, state: StudioState, token: string) {
    this.connection = connection;
    this.link = connection.link;
    this.hello = new Store(hello);
    this.robot = new Store(robot);
    this.good = robot;
    this.state = new Store(state);
    this.token = token;
    this.changes = new Latest(
      (ref) => describe(connection, ref),
      (doc) => sameStructure(doc.ref, this.robot.value.ref) && this.accept(doc),
      (error) => this.refused(error),
    );
    this.accept(robot);
    void this.runs.recall();
    this.keepState();
    this.listen();
  }

  private listen(): void {
    addEventListener("storage", (event) => {
      if (event.key !== TOKEN || !event.newValue || this.link.value !== "refused") return;
      this.token = event.newValue; // a newer studio at this address was opened in another tab
      this.connection.open(event.newValue);
    });
    addEventListener("popstate", () => void this.readAddress());
    addEventListener("pointerdown", () => ((this.held = true), this.history.begin()), { capture: true });
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => (this.held = false), { capture: true });
    addEventListener("keydown", (event) => this.key(event), { capture: true });
  }

  /** The address, the browser's memory and the steps follow the state; another screen or robot is another page. */
  private keepState(): void {
    const write = afterPause(200, () => (this.writeAddress(), keepWork(this.state.value)));
    this.state.listen((after, before) => {
      if (!this.travelling) this.history.record(before, after, this.held);
      const turned = after.screen !== before.screen || !sameStructure(after.robot, before.robot);
      if (!turned || this.travelling === "pages") return write();
      write.cancel();
      history.pushState(null, "", this.fragment());
      keepWork(after);
    });
    addEventListener("pagehide", () => write.now());
    this.writeAddress();
  }

  ask<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"]): Promise<Answer<Op>> {
    return this.connection.job(op, body).done;
  }

  job<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"], told?: (progress: number | null, note: string) => void): Job<Op> {
    return this.connection.job(op, body, told);
  }

  // The robot ----------------------------------------------------------------------------------

  async open(ref: RobotRef, place: { q: number[] | null; x: number[] | null } = { q: null, x: null }): Promise<void> {
    const doc = await this.fetched(ref);
    if (!doc) return;
    const { robot, settings, text, views } = this.state.value;
    const same = sameStructure(robot, ref);
    this.state.patch({ robot: ref, q: place.q, x: place.x, settings: same ? settings : forAnother(settings), text: same ? text : null, views: same ? views : {} });
    this.accept(doc);
  }

  /** What the server tells of a robot, while the page says that it is on its way; null where it does not open, or another was asked for since. */
  private async fetched(ref: RobotRef): Promise<RobotDoc | null> {
    const mine = ++this.turn;
    this.opening.set(ref.source ?? "your robot");
    try {
      const doc = await describe(this.connection, ref);
      return mine === this.turn ? doc : null;
    } catch (error) {
      this.toast((error as Error).message, "error");
      return null;
    } finally {
      if (mine === this.turn) this.opening.set(null);
    }
  }

  change(values: Record<string, number>): void {
    const ref = this.state.value.robot;
    const next = { ...ref, values: { ...ref.values, ...values } };
    this.state.patch({ robot: next });
    this.robot.set(withValues(this.robot.value, next, values)); // the kernels have them at once; fixed points follow
    this.changes.want(next);
  }

  private accept(doc: RobotDoc): void {
    this.good = doc;
    if (doc.ref.toml) keepRobot({ name: doc.told.name, toml: doc.ref.toml });
    this.robot.set(doc);
  }

  /** A value that the robot cannot have: the last good ones again. Without a server the kernels' word is all there is. */
  private refused(error: Error): void {
    if (error instanceof Refused && error.kind === "cancelled") return;
    this.toast(`${error.message}. The last good values are back.`.replace("..", "."), "error");
    this.state.patch({ robot: this.good.ref });
    this.robot.set(this.good);
  }

  // What is written and seen -------------------------------------------------------------------

  go(screen: ScreenName): void {
    this.state.patch({ screen });
  }

  write(text: string | null): void {
    this.state.patch({ text });
  }

  saved(): void {
    this.files.set(this.files.value + 1);
  }

  /** What a screen's stage shows now. */
  look(screen: ScreenName, view: View | null): void {
    if (view !== (this.state.value.views[screen] ?? null)) this.state.patch({ views: { ...this.state.value.views, [screen]: view ?? undefined } });
  }

  setting<T>(name: string, otherwise: T): T {
    const held = this.state.value.settings[this.state.value.screen]?.[name];
    return typeof held === typeof otherwise ? (held as T) : otherwise;
  }

  keep(name: string, value: unknown): void {
    const { settings, screen } = this.state.value;
    if (JSON.stringify(settings[screen]?.[name]) === JSON.stringify(value)) return;
    this.state.patch({ settings: { ...settings, [screen]: { ...settings[screen], [name]: value } } });
  }

  toast(message: string, kind: "info" | "error" = "info"): void {
    toast(message, kind);
  }

  // Back and again -----------------------------------------------------------------------------

  lasting(): () => void {
    return this.history.lasting();
  }

  undo(): void {
    void this.travel(this.history.undo(this.state.value), "steps");
  }

  redo(): void {
    void this.travel(this.history.redo(this.state.value), "steps");
  }

  private key(event: KeyboardEvent): void {
    const name = event.key.toLowerCase(),
      [within] = event.composedPath(); // also what stands in a root of its own
    const typing = (within instanceof HTMLElement && within.isContentEditable) || (event.target instanceof HTMLInputElement && event.target.classList.contains("typed"));
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(name)) {
      this.history.begin(typing ? "typing" : event.key);
      return;
    }
    if (typing) return; // the field takes its own letters back
    event.preventDefault();
    if (event.shiftKey || name === "y") this.redo();
    else this.undo();
  }

  /** Show another state of the work: screens begin anew, unless only the robot moves. */
  private async travel(next: StudioState | null, how: "steps" | "pages"): Promise<void> {
    if (!next) return;
    const before = this.state.value;
    const same = (name: "robot" | "settings" | "text"): boolean => JSON.stringify(next[name]) === JSON.stringify(before[name]);
    const doc = same("robot") ? null : await this.fetched(next.robot);
    this.travelling = how;
    this.state.set(next);
    this.travelling = "";
    if (doc) this.accept(doc);
    if (!same("settings") || !same("text")) this.travelled.set(this.travelled.value + 1);
  }

  // The address --------------------------------------------------------------------------------

  permanentLink(): string {
    return `${location.origin}${location.pathname}#${writeLink(this.state.value)}`;
  }

  private fragment(): string {
    return `#t=${encodeURIComponent(this.token)}&${writeLink(this.state.value)}`;
  }

  private writeAddress(): void {
    if (location.hash !== this.fragment()) history.replaceState(null, "", this.fragment());
  }

  private async readAddress(): Promise<void> {
    if (!location.hash.includes("screen=")) return; // a place within the page
    const next = readLink(location.hash, this.state.value);
    await this.travel(sameStructure(next.robot, this.state.value.robot) ? next : { ...next, text: null, views: {} }, "pages");
  }
}

/** Ask what a robot is, and load its kernels. */
export async function describe(connection: Connection, ref: RobotRef): Promise<RobotDoc> {
  const told = await connection.job("robot", { robot: ref }).done;
  return robotDoc(ref, told);
}

/** A robot with some other values: what the page can know without asking. */
function withValues(doc: RobotDoc, ref: RobotRef, values: Record<string, number>): RobotDoc {
  const parameters = doc.told.parameters.map((row) => ({ ...row, value: values[row.name] ?? row.value }));
  const all = Object.fromEntries(parameters.map((row) => [row.name, row.value]));
  const p = doc.kernels ? doc.kernels.parameters(all) : Float64Array.from(parameters, (row) => row.value);
  return { ...doc, ref, told: { ...doc.told, parameters }, p };
}

/** The same, asked again when the connection was lost meanwhile. */
async function patiently(connection: Connection, ref: RobotRef): Promise<RobotDoc> {
  for (;;) {
    try {
      return await describe(connection, ref);
    } catch (error) {
      if (!(error instanceof Refused) || error.kind !== "cancelled") throw error;
      await connection.opened();
    }
  }
}

/** A robot's answer with its kernels. */
export async function robotDoc(ref: RobotRef, told: RobotAnswer): Promise<RobotDoc> {
  const kernels = told.kernels ? await loadKernels(told.kernels) : null;
  const values = Object.fromEntries(told.parameters.map((row) => [row.name, row.value]));
  const p = kernels ? kernels.parameters(values) : Float64Array.from(told.parameters, (row) => row.value);
  return { ref, told, kernels, p };
}

/** Connect, hear the greeting, open the robot that the address or the command line names. */
export async function start(address: string, token: string, firstLink: (link: Store<Link>) => void): Promise<StudioApp> {
  const connection = new Connection(address, token);
  firstLink(connection.link);
  let app: StudioApp | null = null;
  const hello = await new Promise<HelloAnswer>((resolve) => {
    connection.onHello((told) => (app ? app.hello.set(told) : resolve(told)));
    connection.open();
  });
  const open = hello.open ?? { source: hello.robots[0]?.name ?? "biglide", toml: null, values: {} };
  const blank: StudioState = { screen: "explore", robot: open, q: null, x: null, settings: {}, text: null, views: {} };
  const said = hello.open !== null || /[#&](robot|toml)=/.test(location.hash);
  let state = readLink(location.hash, (said ? null : resumed(blank)) ?? blank);
  let robot: RobotDoc;
  try {
    robot = await patiently(connection, state.robot);
  } catch (error) {
    toast(`The link's robot does not open: ${(error as Error).message}`, "error");
    state = { ...blank, screen: state.screen };
    robot = await patiently(connection, open);
  }
  app = new StudioApp(connection, hello, robot, state, token);
  return app;
}
