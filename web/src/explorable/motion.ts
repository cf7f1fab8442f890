import { el, say } from "../core/dom";
import type { Pose } from "../core/motion";
import { shown, tell } from "../core/numbers";
import type { Puppet } from "../core/puppet";
import { button, section, slider } from "../core/widgets";
import { player } from "../screens/simulate/player";
import type { OfflineApp } from "./offline";
import { values } from "./panel";

const STEP = 1e-3; // [s] of RK4
const MOST = 40; // steps in one frame: a slow browser shows slow motion, not jumps

interface Moving {
  q: Float64Array;
  x: Float64Array;
  q_dot: Float64Array;
  x_dot: Float64Array;
  work: number;
}

const rest = (pose: Pose): Moving => ({
  q: Float64Array.from(pose.q),
  x: Float64Array.from(pose.x),
  q_dot: new Float64Array(pose.q.length),
  x_dot: new Float64Array(pose.x.length),
  work: 0,
});

/** The robot let go: forward dynamics with the inputs held, RK4 projected onto the closures, in real time. */
export function liveMotion(app: OfflineApp, puppet: Puppet): HTMLElement {
  const { robot } = app.kernels;
  const u = new Float64Array(robot.driven.length);
  const rows = values(["time", "kinetic energy", "potential energy", "energy less work put in"]);
  const note = el("p", { class: "small warn", role: "status" });
  let now: Moving = rest(puppet.pose.value),
    begin: Pose = puppet.pose.value,
    t = 0,
    first = 0,
    left = 0,
    before = 0,
    playing = false,
    mine = false;

  const seen = (): [number, number] => {
    const { kinetic, potential } = app.kernels.evaluate("observe", { ...now, p: app.robot.value.p });
    return [Number(kinetic), Number(potential)];
  };
  const show = (): void => {
    const [kinetic, potential] = seen();
    const balance = kinetic + potential - first - now.work;
    rows.show("time", `${t.toFixed(2)} s`, t);
    rows.show("kinetic energy", `${tell(kinetic, 4)} J`, kinetic);
    rows.show("potential energy", `${tell(potential, 4)} J`, potential);
    rows.show("energy less work put in", `${tell(balance, 3)} J`, balance);
  };
  const place = (pose: Pose): void => {
    mine = true;
    puppet.switchTo(pose);
    mine = false;
  };
  const start = (): void => {
    begin = puppet.pose.value;
    now = rest(begin);
    [t, left] = [0, 0];
    const [kinetic, potential] = seen();
    first = kinetic + potential;
    say(note, "");
    show();
  };
  const stop = (why = ""): void => {
    playing = false;
    say(go, "▶ Let go");
    say(note, why);
  };
  const advance = (steps: number): boolean => {
    const next = app.kernels.advance(now as unknown as Record<string, Float64Array | number>, u, app.robot.value.p, STEP, steps);
    now = { ...now, ...(next as unknown as Partial<Moving>) }; // an open robot's step has no x
    t += steps * STEP;
    return next.ok;
  };
  const tick = (at: number): void => {
    if (!playing) return;
    left = Math.min(left + (at - before) / 1000, MOST * STEP);
    before = at;
    const steps = Math.floor(left / STEP);
    left -= steps * STEP;
    const ok = steps === 0 || advance(steps);
    place({ ...puppet.pose.value, q: Array.from(now.q), x: Array.from(now.x) });
    show();
    if (ok) requestAnimationFrame(tick);
    else stop("It stops here: beyond, the numbers overflow or the loops come open.");
  };
  const go = button(
    "▶ Let go",
    () => {
      if (playing) return stop();
      if (t === 0) start();
      playing = true;
      before = performance.now();
      say(go, "⏸ Hold");
      say(note, "");
      requestAnimationFrame(tick);
    },
    "primary",
  );
  const back = button("Reset", () => {
    stop();
    place(begin);
    start();
  });
  const once = button(
    "+ 0.1 s",
    () => {
      if (t === 0) start();
      const ok = advance(100);
      place({ ...puppet.pose.value, q: Array.from(now.q), x: Array.from(now.x) });
      show();
      if (!ok) stop("It stops here: beyond, the numbers overflow or the loops come open.");
    },
    "plain",
    "a hundred steps of 1 ms",
  );
  puppet.pose.listen(() => {
    if (mine) return;
    stop();
    t = 0; // taken in hand: the next motion begins here, at rest
  });
  app.robot.listen(() => {
    stop();
    start();
  });
  start();
  const inputs = robot.driven.map((i, k) => effort(app, i, (value) => (u[k] = value)));
  return section("Let it move", true, ...inputs, el("div", { class: "row" }, go, once, back), note, rows.element);
}

/** A slider for one input: a voltage, or an effort up to what gives 10 m/s² or 10 rad/s² here. */
function effort(app: OfflineApp, i: number, change: (value: number) => void): HTMLElement {
  const { robot, p, told } = { ...app.kernels, p: app.robot.value.p, told: app.robot.value.told };
  const row = robot.q[i] ?? { name: "", unit: "m" };
  const volts = robot.inputs === "voltage";
  const zero = new Float64Array(robot.q.length);
  const found = app.kernels.evaluate("evaluate", { q: told.start.q, x: told.start.x, q_dot: zero, q_ddot: zero, p });
  const inertia = Math.abs(found.M?.[i * robot.q.length + i] ?? 1) || 1;
  const raw = volts ? 12 : 10 * inertia + 2 * Math.abs(found.c?.[i] ?? 0);
  const most = Number(raw.toPrecision(1)) || 1;
  const unit = volts ? "V" : row.unit === "rad" ? "N m" : "N";
  return slider({ label: row.name, unit, about: `${volts ? "voltage" : "effort"} of ${row.name}, held`, low: -most, high: most, value: 0, change }).element;
}

/** The simulation that the page carries: play, scrub; only instants that were computed are shown. */
export function embeddedRun(app: OfflineApp, puppet: Puppet, say_: (text: string) => void): HTMLElement | null {
  const run = app.told.run;
  if (!run) return null;
  const control = player((at) => {
    if (Object.keys(app.changed).length) app.set({}); // it was computed with the values given
    let low = 0,
      high = run.t.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((run.t[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    const k = at - (run.t[low] ?? 0) < (run.t[high] ?? 0) - at ? low : high;
    puppet.switchTo({ ...puppet.pose.value, q: run.q[k] ?? [], x: run.x[k] ?? [] });
  });
  control.load(run.t.at(-1) ?? 0, false);
  const { unit } = shown("s");
  say_(`${run.title}: ${tell(run.t.at(-1), 3)} ${unit}`);
  return section("Simulation", true, el("p", { class: "small soft" }, `${run.title}, ${tell(run.t.at(-1), 3)} s; ${run.ended}.`), control.element);
}
