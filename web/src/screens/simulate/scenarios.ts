import type { App } from "../../core/app";
import { el } from "../../core/dom";
import { hasOwnMotion } from "./recipe";

export const OWN = "own";

const base = (name: string): string => name.split(":")[0] ?? name;

export interface ScenarioSelect {
  element: HTMLElement;
  /** Names of the scenarios of the robot that is open. */
  fitting(): string[];
  show(name: string): void;
}

/** Scenarios of this robot, of the workspace, and of other robots, which are opened with them. */
export function scenarioSelect(app: App, choose: (name: string) => void): ScenarioSelect {
  const input = el("select", { id: "scenario", onchange: () => choose(input.value) });
  const all = app.hello.value.scenarios;
  const fitting = (): string[] => {
    const { ref, told } = app.robot.value;
    const own = ref.source ? base(ref.source) : told.name;
    const exact = all.filter((row) => row.robot === ref.source);
    return [...exact, ...all.filter((row) => base(row.robot) === own && row.robot !== ref.source)].map((row) => row.name);
  };
  const group = (label: string, names: string[]): HTMLElement | null =>
    names.length ? el("optgroup", { label }, ...names.map((name) => el("option", { value: name }, name))) : null;
  const fill = (workspace: string[]): void => {
    const held = input.value;
    const mine = fitting();
    const others = all.map((row) => row.name).filter((name) => !mine.includes(name));
    const groups = [
      hasOwnMotion(app.robot.value) ? el("option", { value: OWN }, "own motion") : null,
      group(app.robot.value.told.name, mine),
      group("workspace", workspace),
      group("other robots", others),
    ];
    input.replaceChildren(...groups.filter((g) => g !== null));
    if (held) input.value = held;
  };
  fill([]);
  void app.ask("files", {}).then(
    ({ toml }) => toml.length && fill(toml),
    () => undefined,
  );
  const element = el("div", { class: "field" }, el("label", { for: "scenario" }, "Scenario"), input);
  return { element, fitting, show: (name) => (input.value = name) };
}
