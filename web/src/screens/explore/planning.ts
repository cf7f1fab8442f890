import type { App } from "../../core/app";
import { el, say } from "../../core/dom";
import { column, row } from "../../core/frames";
import { fixed, length, shown, signs, tell } from "../../core/numbers";
import { Cursor, type Curve, plot } from "../../core/plot";
import type { Runner } from "../../core/running";
import type { Stage } from "../../core/stage";
import { button, numberField, segmented, tick } from "../../core/widgets";
import { tidy } from "../simulate/recipe";
import type { Ends } from "./ends";
import type { Journey } from "./journey";
import { Obstacles } from "./obstacles";

interface Setting {
  app: App;
  stage: Stage;
  ends: Ends;
  runner: Runner;
  journey: Journey;
  working(): string;
}

/** A motion from S to E that meets no singularity and no obstacle, or why there is none. */
export function planning(given: Setting): { element: HTMLElement; draw(): void; dispose(): void } {
  const { app, stage, ends, runner, journey, working } = given;
  const size = app.robot.value.told.size;
  const wish = { margin: app.setting("margin", 0.05), prefer: app.setting<string>("prefer", "shortest"), changes: app.setting("changes", true) };
  const remove = button("Remove obstacles", () => obstacles.clear(), "quiet");
  const obstacles = new Obstacles(app, stage, size, (count) => (remove.disabled = count === 0));
  const words = el("p", { class: "small", role: "status" });
  const why = el("ul", { class: "why small" });
  const run = async (): Promise<void> => {
    journey.clear();
    why.replaceChildren();
    say(words, "Searching…");
    const { start, end } = ends.way.value;
    const prefer = wish.prefer === "clearance" ? "clearance" : "shortest";
    const answer = await runner.run("plan", {
      robot: app.robot.value.ref,
      start,
      end,
      working: working(),
      margin: wish.margin,
      obstacles: obstacles.rows(),
      prefer,
      changes: wish.changes,
    });
    if (!answer) {
      say(words, runner.problem);
      return;
    }
    const clear = answer.clearance === null ? "" : `, ${length(answer.clearance)} clear of obstacles`;
    const modes = answer.modes.length > 1 ? `, through working modes ${answer.modes.map(signs).join(" → ")}` : "";
    say(words, answer.found ? `Found: ${length(answer.length)} long${clear}${modes}.` : answer.message);
    why.replaceChildren(...Object.entries(answer.why).map(([mode, reason]) => el("li", {}, el("strong", {}, signs(mode)), ` ${reason}`)));
    if (answer.found) journey.show(answer.q, answer.path, walked(answer.path, answer.modes));
  };
  const margin = numberField({
    label: "margin",
    value: wish.margin,
    min: 0,
    max: 1,
    hint: "least conditioning 1/κ on the way, 0 to 1",
    commit: (v) => ((wish.margin = v), app.keep("margin", v)),
  });
  const prefer = segmented({
    label: "Prefer",
    values: ["shortest", "clearance"] as const,
    value: wish.prefer === "clearance" ? "clearance" : "shortest",
    choose: (v) => ((wish.prefer = v), app.keep("prefer", v)),
  });
  const changes = tick("may change the working mode", wish.changes, (on) => ((wish.changes = on), app.keep("changes", on)));
  const buttons = el(
    "div",
    { class: "row" },
    button("Plan S → E", () => void run(), "primary"),
    button("Add obstacle", () => obstacles.add()),
    remove,
  );
  const element = el("div", { class: "stack" }, margin.element, prefer.element, changes.element, buttons, words, why);
  return { element, draw: () => obstacles.draw(), dispose: () => obstacles.dispose() };
}

const CORNERS = 24,
  PACE = 0.15; // points of a plan's trajectory; [m/s] on its way

/** A plan's path as a smooth motion through some of its points, at an even pace; where its working mode changes, as it goes. */
function walked(path: number[][], modes: string[]): Record<string, unknown> {
  const every = Math.max(1, (path.length - 1) / CORNERS),
    picked: number[][] = [];
  for (let at = 0; at < path.length - 1 - every / 2; at += every) picked.push(path[Math.round(at)] ?? []);
  const through = [...picked, path.at(-1) ?? []].map((x) => x.map(tidy));
  const far = through.map((p, i) => (i ? Math.hypot((p[0] ?? 0) - (through[i - 1]?.[0] ?? 0), (p[1] ?? 0) - (through[i - 1]?.[1] ?? 0)) : 0));
  let sum = 0;
  const times = far.map((d) => tidy((sum += Math.max(d, 1e-6) / PACE) - 1e-6 / PACE));
  return { kind: "spline", through, times, ends: "clamped", ...(modes.length === 1 ? { working: modes[0] } : {}) };
}

const FAR = 3; // of the largest effort: beyond it an unshaped motion's curves leave the plot

/** A motion through a Type 2 singularity with bounded efforts, and the efforts over time. */
export function crossing(given: Setting & { goal(): string }): { element: HTMLElement; dispose(): void } {
  const { app, ends, runner, journey, working, goal } = given;
  let duration = app.setting("duration", 2);
  const words = el("p", { class: "small", role: "status" });
  const cursor = new Cursor();
  const efforts = plot({ title: "Efforts τ", height: 160, cursor });
  const run = async (): Promise<void> => {
    journey.clear();
    say(words, "Searching…");
    const { start, end } = ends.way.value;
    const frame = await runner.run("crossing", { robot: app.robot.value.ref, start, end, duration, working: working(), end_working: goal() || null });
    const { t, q, x, tau, tau_plain: plain } = frame?.arrays ?? {};
    if (!frame || !t || !q || !x || !tau || !plain) {
      say(words, runner.problem);
      return;
    }
    const driven = app.robot.value.told.q.filter((c) => c.driven);
    const room = FAR * Math.max(...Array.from(tau.data, Math.abs));
    const curve = (from: typeof tau, i: number, named: string, dash: number): Curve => ({
      name: `τ ${driven[i]?.name ?? ""}${named}`,
      unit: shown(frame.meta.units[i] ?? "").unit,
      values: Array.from(column(from, i), (v) => (Math.abs(v) < room ? v : NaN)),
      line: i,
      dash,
    });
    const both = driven.map((_, i) => [curve(tau, i, "", 0), ...(frame.meta.plain_effort === null ? [] : [curve(plain, i, ", unshaped", 1)])]);
    efforts.show(t.data, both.flat());
    efforts.mark(frame.meta.t_singular);
    const at = frame.meta.t_singular.map((v) => `${fixed(v, 3)} s`).join(", ");
    const margin = frame.meta.margin === null ? "" : ` Near the crossing it is ${tell(100 * (1 - frame.meta.margin), 3)} % of the largest elsewhere.`;
    const otherwise =
      frame.meta.plain_effort === null
        ? ""
        : ` Dashed, the same ends without that shape: ${tell(frame.meta.plain_effort, 3)} at ${tell(0.001 * duration, 2)} s from the singularity, and beyond any bound nearer to it.`;
    say(
      words,
      !frame.meta.t_singular.length
        ? "The motion meets no Type 2 singularity."
        : frame.meta.bounded
          ? `Crosses at t = ${at}; largest effort ${tell(frame.meta.max_effort, 4)} ${[...new Set(frame.meta.units)].join(" or ")}.${margin}${otherwise}`
          : `Meets a singularity at t = ${at} with unbounded efforts.`,
    );
    const times = Array.from(t.data),
      rows = times.map((_, i) => i);
    journey.show(
      rows.map((i) => row(q, i)),
      rows.map((i) => row(x, i)),
      { kind: "crossing", from: start, to: end, duration, working: working() },
      times,
    );
  };
  const field = numberField({ label: "duration", unit: "s", value: duration, min: 0.01, max: 600, commit: (v) => ((duration = v), app.keep("duration", v)) });
  const hint = el("p", { class: "small soft" }, "S and E on two sides of a Type 2 curve: the motion is shaped so that the dynamics are consistent at the singularity.");
  const start = button("Cross S → E", () => void run(), "primary");
  const { no_crossing: impossible } = app.robot.value.told;
  start.disabled = field.input.disabled = impossible !== "";
  efforts.element.hidden = impossible !== "";
  say(words, impossible);
  const element = el("div", { class: "stack" }, hint, field.element, el("div", { class: "row" }, start), words, efforts.element);
  return { element, dispose: efforts.dispose };
}
