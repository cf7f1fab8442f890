import { el } from "../../core/dom";
import { tell } from "../../core/numbers";
import { table } from "../../core/widgets";
import type { Run } from "./run";

export interface Result {
  element: HTMLElement;
  show(run: Run | null, other: Run | null): void;
}

const PREFIXES: [number, string][] = [[1, "m"], [1e3, "mm"], [1e6, "µm"], [1e9, "nm"]];

/** A length in a unit that suits it, down to nanometres. */
function small(metres: unknown): string {
  if (typeof metres !== "number") return "–";
  const [factor, unit] = PREFIXES.find(([f]) => Math.abs(metres) * f >= 0.5) ?? (Math.abs(metres) < 1e-10 ? [1, "m"] : [1e9, "nm"]);
  return `${tell(metres * factor, 3)}\u00a0${unit}`;
}

const amountOf = (unit: string) => (value: unknown): string => (typeof value === "number" ? `${tell(value, 3)}\u00a0${unit}`.trim() : "–");

const known = (value: unknown): boolean => typeof value === "number" || (Array.isArray(value) && value.length > 0);

/** The largest of some columns, of those with each unit. */
const largest = (units: string[]) => (value: unknown): string => {
  if (!Array.isArray(value)) return "–";
  const most = new Map<string, number>();
  value.forEach((v: number, k) => most.set(units[k] ?? "", Math.max(most.get(units[k] ?? "") ?? 0, Math.abs(v))));
  return [...most].map(([unit, v]) => `${tell(v, 3)} ${unit}`.trim().replaceAll(" ", "\u00a0")).join(", ");
};

/** The numbers of a run, and of another one beside them. */
export function result(): Result {
  const rows = table("Result", ["", "this run"], { hideCaption: true });
  const words = el("p", { class: "small ended" });
  const element = el("div", { class: "legend result", hidden: true }, rows.element, words);
  return {
    element,
    show: (run, other) => {
      element.hidden = !run;
      if (!run) return;
      const lines: [string, string, (value: unknown) => string][] = [
        ["largest error", "max_error", small],
        ["error at the end", "final_error", small],
        ["largest command", "max_effort_axes", largest(run.meta.units["tau"] ?? [])],
        ["energy balance", "energy_residual", amountOf("J")],
        ["closure", "closure_residual", small],
      ];
      const told = lines.filter(([, key]) => known(run.meta.summary[key]) || known(other?.meta.summary[key]));
      const head = ["", "this run", ...(other ? ["pinned"] : [])].map((text) => el("th", { scope: "col" }, text));
      rows.element.querySelector("thead tr")?.replaceChildren(...head);
      rows.rows(told.map(([name, key, say]) => [name, say(run.meta.summary[key]), ...(other ? [say(other.meta.summary[key])] : [])]));
      words.textContent = run.meta.finished ? "" : `Ended early: ${run.meta.ended}`;
    },
  };
}
