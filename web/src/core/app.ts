import type { HelloAnswer, Operations, RobotAnswer, RobotRef } from "../messages";
import { Connection, Latest, Refused, type Answer, type Job, type Link } from "./connection";
import { afterPause } from "./dom";
import { loadKernels, type Kernels } from "./kernels";
import { forAnother, readLink, writeLink, type ScreenName, type StudioState } from "./link";
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
  ask<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"]): Promise<Answer<Op>>;
  job<Op extends keyof Operations>(
    op: Op,
    body: Operations[Op]["request"],
    told?: (progress: number | null, note: string) => void,
  ): Job<Op>;
  /** Open another robot, or the same with other values; the screen is mounted anew where its structure differs. */
  open(ref: RobotRef, place?: { q: number[] | null; x: number[] | null }): Promise<void>;
  /** Change some parameters' values; the newest wish wins. */
  change(values: Record<string, number>): void;
  go(screen: ScreenName): void;
  /** A setting of the current screen, kept in the address. */
  setting<T>(name: string, otherwise: T): T;
  keep(name: string, value: unknown): void;
  stage(options?: StageOptions): Stage;
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
export class StudioApp implements Omit<App, "stage"> {
  readonly connection: Connection;
  readonly link: Store<Link>;
  readonly state: Store<StudioState>;
  readonly hello: Store<HelloAnswer>;
  readonly robot: Store<RobotDoc>;
  readonly opening = new Store<boolean>(false);
  private readonly changes: Latest<RobotRef, RobotDoc>;
  private token: string;
  private good: RobotDoc; // as the server described it last

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
    const write = afterPause(200, () => this.writeAddress());
    this.state.listen(write);
    this.writeAddress();
    addEventListener("storage", (event) => {
      if (event.key !== TOKEN || !event.newValue || this.link.value !== "refused") return;
      this.token = event.newValue; // a newer studio at this address was opened in another tab
      connection.open(event.newValue);
    });
    addEventListener("hashchange", () => void this.readAddress());
  }

  ask<Op extends keyof Operations>(op: Op, body: Operations[Op]["request"]): Promise<Answer<Op>> {
    return this.connection.job(op, body).done;
  }

  job<Op extends keyof Operations>(
    op: Op,
    body: Operations[Op]["request"],
    told?: (progress: number | null, note: string) => void,
  ): Job<Op> {
    return this.connection.job(op, body, told);
  }

  async open(ref: RobotRef, place: { q: number[] | null; x: number[] | null } = { q: null, x: null }): Promise<void> {
    this.opening.set(true);
    try {
      const doc = await describe(this.connection, ref);
      const { robot, settings } = this.state.value;
      this.state.patch({ robot: ref, q: place.q, x: place.x, settings: sameStructure(robot, ref) ? settings : forAnother(settings) });
      this.accept(doc);
    } catch (error) {
      this.toast((error as Error).message, "error");
    } finally {
      this.opening.set(false);
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
    this.robot.set(doc);
  }

  /** A value that the robot cannot have: the last good ones again. Without a server the kernels' word is all there is. */
  private refused(error: Error): void {
    if (error instanceof Refused && error.kind === "cancelled") return;
    this.toast(`${error.message}. The last good values are back.`.replace("..", "."), "error");
    this.state.patch({ robot: this.good.ref });
    this.robot.set(this.good);
  }

  go(screen: ScreenName): void {
    this.state.patch({ screen });
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

  permanentLink(): string {
    return `${location.origin}${location.pathname}#${writeLink(this.state.value)}`;
  }

  toast(message: string, kind: "info" | "error" = "info"): void {
    toast(message, kind);
  }

  private writeAddress(): void {
    const fragment = `#t=${encodeURIComponent(this.token)}&${writeLink(this.state.value)}`;
    if (location.hash !== fragment) history.replaceState(null, "", fragment);
  }

  private async readAddress(): Promise<void> {
    const next = readLink(location.hash, this.state.value);
    const changed = JSON.stringify(next.robot) !== JSON.stringify(this.state.value.robot);
    this.state.set(next);
    if (changed) await this.open(next.robot, next);
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
  const blank: StudioState = { screen: "explore", robot: open, q: null, x: null, settings: {} };
  let state = readLink(location.hash, blank);
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
