import type { App } from "./app";
import { el, say } from "./dom";
import { atRest, Live } from "./live";
import { letters, tell } from "./numbers";
import { pole } from "./pole";
import type { Puppet } from "./puppet";
import { Spring } from "./spring";
import { button, readout, type Slider, slider } from "./widgets";

/** The robot let go, for the parts of a screen around it. */
export interface Loose {
  readonly element: HTMLElement;
  readonly live: Live | null;
  readonly running: boolean;
  readonly efforts: Float64Array; // as the sliders hold them
  readonly most: number[]; // that the sliders reach
  /** Pull a point towards a place while it moves; null lets it go. */
  pull(point: number | null, to: ArrayLike<number>): void;
  stop(): void;
  dispose(): void;
}

export interface LooseOptions {
  started?(): void;
  moved?(live: Live): void; // once in a frame
}

/** The robot let go: its dynamics in the page, in steps of 1 ms, under efforts that are held by sliders. Taken in hand it is at rest again. */
export function loose(app: App, puppet: Puppet, options: LooseOptions = {}): Loose {
  const { kernels, told } = app.robot.value;
  const driven = kernels?.robot.driven ?? [],
    volts = kernels?.robot.inputs === "voltage",
    efforts = new Float64Array(driven.length);
  const rows = readout(["time", "kinetic energy", "potential energy"]);
  const note = el("p", { class: "small warn", role: "status" });
  let live: Live | null = null,
    spring: Spring | null = null,
    frame = 0,
    before = 0,
    over = (): void => undefined,
    mine = false;
  const place = (q: ArrayLike<number>, x: ArrayLike<number>): void => {
    mine = true;
    puppet.switchTo({ ...puppet.pose.value, q: Array.from(q), x: Array.from(x) });
    mine = false;
  };
  const stop = (why = ""): void => {
    cancelAnimationFrame(frame);
    frame = 0;
    over();
    say(go, "▶ Start");
    say(note, why);
  };
  const tick = (time: number): void => {
    if (!live) return;
    const { p } = app.robot.value;
    live.u.set(efforts);
    live.spring = spring;
    const ok = live.advance((time - (before || time)) / 1000, p),
      { kinetic, potential } = live.energy(p);
    before = time;
    place(live.now.q, live.now.x);
    rows.show("time", `${live.t.toFixed(2)} s`);
    rows.show("kinetic energy", `${tell(kinetic, 3)} J`);
    rows.show("potential energy", `${tell(potential, 3)} J`);
    options.moved?.(live);
    if (ok) frame = requestAnimationFrame(tick);
    else stop("Stopped: beyond, the numbers overflow or the loops come open. Place the robot anew.");
  };
  const start = (): void => {
    if (frame) return;
    const { q, x } = puppet.pose.value;
    if (!live) {
      live = new Live(app.robot.value, atRest(q, x));
      options.started?.();
    }
    before = 0;
    over = app.lasting();
    say(go, "■ Stop");
    say(note, "");
    frame = requestAnimationFrame(tick);
  };
  const go = button("▶ Start", () => (frame ? stop() : start()), "primary", "let go: its own weight, the efforts below and your hand move it");
  const end = puppet.pose.listen(() => {
    if (mine) return;
    live = null; // taken in hand: the next motion begins here, at rest
    if (frame) stop();
  });
  const feed = (u: ArrayLike<number>): void => inputs.forEach((one, k) => ((efforts[k] = u[k] ?? 0), one.show(u[k] ?? 0)));
  const ranges = driven.map((i) => range(app, i, volts));
  const inputs: Slider[] = driven.map((i, k) => {
    const row = told.q[i] ?? { name: "", unit: "m" };
    const change = (value: number): void => {
      efforts[k] = value;
      if (value !== 0) start();
    };
    return slider({
      label: letters(row.name),
      unit: volts ? "V" : row.unit === "rad" ? "N m" : "N",
      about: `${volts ? "voltage" : "effort"} of ${row.name}, held`,
      ...(ranges[k] ?? { low: -1, high: 1 }),
      value: 0,
      change,
    });
  });
  const hold = (): void => {
    const { q, x } = puppet.pose.value,
      found = new Live(app.robot.value, atRest(q, x)).holding(app.robot.value.p);
    if (!found) return say(note, "No efforts hold it here.");
    stop();
    live = null;
    feed(found);
    start();
  };
  const put = (q: ArrayLike<number>): void => {
    stop();
    live = null;
    place(q, []);
  };
  const starts = told.closed
    ? [button("Hold", hold, "plain", "efforts that carry the weight here")]
    : [button("Upright", () => put(pole(app.robot.value, true))), button("Hanging", () => put(pole(app.robot.value, false)))];
  const zero = button("Zero", () => feed(new Float64Array(driven.length)), "plain", "all inputs to zero");
  const element = el("div", { class: "stack" }, el("div", { class: "row" }, go, ...starts, zero), ...inputs.map((one) => one.element), note, rows.element);
  return {
    element,
    efforts,
    most: ranges.map(({ high }) => high),
    get live() {
      return live;
    },
    get running() {
      return frame !== 0;
    },
    pull: (point, to) => (spring = point === null ? null : spring?.point === point ? Object.assign(spring, { to }) : new Spring(app.robot.value, point, to)),
    stop: () => stop(),
    dispose: () => (stop(), end()),
  };
}

/** What gives a drive about 10 m/s² or 10 rad/s² where the robot begins, and what carries its weight there. */
function range(app: App, i: number, volts: boolean): { low: number; high: number } {
  const { kernels, told, p } = app.robot.value,
    zero = new Float64Array(told.q.length);
  const found = volts ? {} : (kernels?.evaluate("evaluate", { q: told.start.q, x: told.start.x, q_dot: zero, q_ddot: zero, p }) ?? {});
  const inertia = Math.abs(found.M?.[i * told.q.length + i] ?? 1) || 1;
  const most = volts ? 12 : Number((10 * inertia + 2 * Math.abs(found.c?.[i] ?? 0)).toPrecision(1)) || 1;
  return { low: -most, high: most };
}
