import type { ObstacleRow } from "../../messages";
import type { App } from "../../core/app";
import { el, say, svg } from "../../core/dom";
import { column, row } from "../../core/frames";
import { pointHandle } from "../../core/handles";
import { fixed, length, shown, signs, tell } from "../../core/numbers";
import { Cursor, plot } from "../../core/plot";
import { Runner } from "../../core/running";
import type { Stage } from "../../core/stage";
import { button, numberField, segmented, tick } from "../../core/widgets";
import type { Ends } from "./ends";
import { Journey } from "./journey";

interface Setting {
  app: App;
  stage: Stage;
  ends: Ends;
  runner: Runner;
  journey: Journey;
  working(): string;
}

/** A motion from S to E that meets no singularity and no obstacle, or why there is none. */
export function planning(given: Setting): { element: HTMLElement; draw(): void } {
  const { app, stage, ends, runner, journey, working } = given;
  const size = app.robot.value.told.size;
  const wish = { margin: app.setting("margin", 0.05), prefer: app.setting<string>("prefer", "shortest"), changes: app.setting("changes", true) };
  const remove = button("Remove obstacles", () => obstacles.clear(), "quiet");
  const obstacles = obstacleLayer(stage, size, (count) => (remove.disabled = count === 0));
  const words = el("p", { class: "small", role: "status" });
  const why = el("ul", { class: "why small" });
  const run = async (): Promise<void> => {
    journey.clear();
    why.replaceChildren();
    say(words, "Searching…");
    const { start, end } = ends.way.value;
    const prefer = wish.prefer === "clearance" ? "clearance" : "shortest";
    const answer = await runner.run("plan", { robot: app.robot.value.ref, start, end, working: working(), margin: wish.margin, obstacles: obstacles.rows(), prefer, changes: wish.changes });
    if (!answer) {
      say(words, runner.problem);
      return;
    }
    const clear = answer.clearance === null ? "" : `, ${length(answer.clearance)} clear of obstacles`;
    const modes = answer.modes.length > 1 ? `, through working modes ${answer.modes.map(signs).join(" → ")}` : "";
    say(words, answer.found ? `Found: ${length(answer.length)} long${clear}${modes}.` : answer.message);
    why.replaceChildren(...Object.entries(answer.why).map(([mode, reason]) => el("li", {}, el("strong", {}, signs(mode)), ` ${reason}`)));
    if (answer.found) journey.show(answer.q, answer.path);
  };
  const margin = numberField({ label: "margin", value: wish.margin, min: 0, max: 1, hint: "least conditioning 1/κ on the way, 0 to 1", commit: (v) => ((wish.margin = v), app.keep("margin", v)) });
  const prefer = segmented({ label: "Prefer", values: ["shortest", "clearance"] as const, value: wish.prefer === "clearance" ? "clearance" : "shortest", choose: (v) => ((wish.prefer = v), app.keep("prefer", v)) });
  const changes = tick("may change the working mode", wish.changes, (on) => ((wish.changes = on), app.keep("changes", on)));
  const buttons = el("div", { class: "row" }, button("Plan S → E", () => void run(), "primary"), button("Add obstacle", obstacles.add), remove);
  return { element: el("div", { class: "stack" }, margin.element, prefer.element, changes.element, buttons, words, why), draw: obstacles.draw };
}

/** Discs that the robot must not touch, dragged on the stage. */
function obstacleLayer(stage: Stage, size: number, counted: (count: number) => void): { rows(): ObstacleRow[]; add(): void; clear(): void; draw(): void } {
  const radius = size / 12;
  let discs: { at: [number, number]; circle: SVGCircleElement; grip: () => void; group: Element | null }[] = [];
  const draw = (): void => {
    for (const disc of discs) {
      const [x, y] = stage.toScreen(disc.at);
      disc.circle.setAttribute("cx", x.toFixed(1));
      disc.circle.setAttribute("cy", y.toFixed(1));
      disc.circle.setAttribute("r", (radius * stage.pixelsPerMetre).toFixed(1));
      disc.grip();
    }
  };
  const add = (): void => {
    const [x0, x1, y0, y1] = stage.window;
    const at: [number, number] = [(x0 + x1) / 2 + discs.length * radius, (y0 + y1) / 2];
    const circle = svg("circle", { class: "obstacle" });
    stage.layers.under.append(circle);
    const label = `obstacle ${discs.length + 1}`;
    const grip = pointHandle(stage, { kind: "obstacle", label, letter: "", at: () => at, move: (to) => (([at[0], at[1]] = to), draw()), step: () => size / 100 });
    discs.push({ at, circle, grip, group: stage.layers.handles.lastElementChild });
    counted(discs.length);
    draw();
  };
  const clear = (): void => {
    for (const disc of discs) (disc.circle.remove(), disc.group?.remove());
    discs = [];
    counted(0);
  };
  counted(0);
  return { rows: () => discs.map(({ at }) => ({ kind: "disc", corners: [[...at]], radius })), add, clear, draw };
}

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
    const { t, q, x, tau } = frame?.arrays ?? {};
    if (!frame || !t || !q || !x || !tau) {
      say(words, runner.problem);
      return;
    }
    const driven = app.robot.value.told.q.filter((c) => c.driven);
    efforts.show(t.data, driven.map((c, i) => ({ name: `τ ${c.name}`, unit: shown(frame.meta.units[i] ?? "").unit, values: column(tau, i), line: i })));
    efforts.mark(frame.meta.t_singular);
    const at = frame.meta.t_singular.map((v) => `${fixed(v, 3)} s`).join(", ");
    const margin = frame.meta.margin === null ? "" : ` Near the crossing it is ${tell(100 * (1 - frame.meta.margin), 3)} % of the largest elsewhere.`;
    say(words, !frame.meta.t_singular.length ? "The motion meets no Type 2 singularity." : frame.meta.bounded ? `Crosses at t = ${at}; largest effort ${tell(frame.meta.max_effort, 4)} ${[...new Set(frame.meta.units)].join(" or ")}.${margin}` : `Meets a singularity at t = ${at} with unbounded efforts.`);
    const times = Array.from(t.data), rows = times.map((_, i) => i);
    journey.show(rows.map((i) => row(q, i)), rows.map((i) => row(x, i)), times);
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
