import type { App } from "../../core/app";
import type { Job } from "../../core/connection";
import { el, say } from "../../core/dom";
import { button, progress, section, select } from "../../core/widgets";
import type { ScenarioRow } from "../../messages";
import { type Run, readRun } from "../simulate/run";

export interface Playback {
  element: HTMLElement;
  dispose(): void;
}

/** Scenarios of the robot that is open: choose one, run it; `ready` gets the run. */
export function playback(app: App, begin: () => void, ready: (run: Run) => void): Playback {
  const base = (app.robot.value.ref.source ?? "").split(":")[0];
  const fitting = app.hello.value.scenarios.filter((row) => row.robot.split(":")[0] === base);
  if (!fitting.length) {
    const words = el("p", { class: "soft" }, "There are none for this robot. The Simulate screen makes one.");
    return { element: section("Scenarios", false, words), dispose: () => undefined };
  }
  let job: Job<"simulate"> | null = null,
    over = false;
  let chosen: ScenarioRow | undefined = fitting.find((row) => row.name.includes("swingup")) ?? fitting[0];
  const bar = progress();
  const about = el("p", { class: "small soft" }, chosen?.about ?? "");
  const choice = select({
    label: "Scenario",
    values: fitting.map((row) => row.name),
    value: chosen?.name ?? "",
    choose: (name) => {
      chosen = fitting.find((row) => row.name === name);
      say(about, chosen?.about ?? "");
    },
  });
  const start = button("▶ Run and play", () => void go(), "primary");
  const go = async (): Promise<void> => {
    if (!chosen || job) return;
    begin();
    const own = app.state.value.robot;
    const robot = chosen.robot === own.source ? own : { source: chosen.robot, toml: null, values: {} };
    const asked = app.job("simulate", { scenario: chosen.name, robot }, bar.told);
    job = asked;
    start.disabled = true;
    bar.start(() => asked.cancel());
    try {
      const frame = await asked.done;
      if (!over) ready(readRun(app.robot.value, frame));
    } catch (error) {
      if (!over) app.toast((error as Error).message, "error");
    } finally {
      job = null;
      start.disabled = false;
      bar.end();
    }
  };
  return {
    element: section("Scenarios", true, choice.element, about, el("div", { class: "row" }, start), bar.element),
    dispose: () => {
      over = true;
      job?.cancel();
    },
  };
}
