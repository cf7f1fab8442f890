import { el } from "../../core/dom";
import { tell } from "../../core/numbers";
import { table } from "../../core/widgets";
import type { Shown } from "./run";

export interface RunList {
  element: HTMLElement;
  show(all: { id: string; name: string; letter: string; shown: boolean }[], seen: Shown[], active: string | null): void;
}

export interface ListWishes {
  see(id: string, on: boolean): void;
  take(id: string): void; // as the one that is played and taken away
  remove(id: string): void;
}

const PREFIXES: [number, string][] = [
  [1, "m"],
  [1e3, "mm"],
  [1e6, "µm"],
  [1e9, "nm"],
];

/** A length in a unit that suits it, down to nanometres. */
function small(metres: unknown): string {
  if (typeof metres !== "number") return "–";
  const [factor, unit] = PREFIXES.find(([f]) => Math.abs(metres) * f >= 0.5) ?? (Math.abs(metres) < 1e-10 ? [1, "m"] : [1e9, "nm"]);
  return `${tell(metres * factor, 3)}\u00a0${unit}`;
}

const amountOf =
  (unit: string) =>
  (value: unknown): string =>
    typeof value === "number" ? `${tell(value, 3)}\u00a0${unit}`.trim() : "–";

const known = (value: unknown): boolean => typeof value === "number" || (Array.isArray(value) && value.length > 0);

/** The largest of some columns, of those with each unit. */
const largest =
  (units: string[]) =>
  (value: unknown): string => {
    if (!Array.isArray(value)) return "–";
    const most = new Map<string, number>();
    value.forEach((v: number, k) => most.set(units[k] ?? "", Math.max(most.get(units[k] ?? "") ?? 0, Math.abs(v))));
    return [...most].map(([unit, v]) => `${tell(v, 3)} ${unit}`.trim().replaceAll(" ", "\u00a0")).join(", ");
  };

/** The runs of this robot by what differs among them, and the figures of those that are shown, a column each. */
export function runList(wishes: ListWishes): RunList {
  const rows = el("ul", { class: "runs", "aria-label": "runs" });
  const figures = table("Result", [""], { hideCaption: true });
  const words = el("p", { class: "small ended" });
  const element = el("div", { class: "legend result", hidden: true }, rows, figures.element, words);

  const row = ({ id, name, letter, shown }: Parameters<RunList["show"]>[0][number], active: boolean): HTMLElement => {
    const see = el("input", { type: "checkbox", "aria-label": `show ${name}`, onchange: () => wishes.see(id, see.checked) });
    see.checked = shown;
    const take = el(
      "button",
      { type: "button", class: "quiet name", "aria-pressed": String(active), title: "play this one, and take it away", onclick: () => wishes.take(id) },
      name,
    );
    const remove = el("button", { type: "button", class: "quiet", "aria-label": `remove ${name}`, title: "remove", onclick: () => wishes.remove(id) }, "×");
    return el("li", { class: active ? "active" : null }, see, el("span", { class: "letter", "aria-hidden": "true" }, letter), take, remove);
  };

  return {
    element,
    show: (all, shown, active) => {
      const seen = [...shown].sort((a, b) => a.letter.localeCompare(b.letter));
      element.hidden = !all.length;
      rows.replaceChildren(...all.map((one) => row(one, one.id === active)));
      const lines: [string, string, (shown: Shown) => (value: unknown) => string][] = [
        ["largest error", "max_error", () => small],
        ["error at the end", "final_error", () => small],
        ["largest command", "max_effort_axes", ({ run }) => largest(run.meta.units.tau ?? [])],
        ["energy balance", "energy_residual", () => amountOf("J")],
        ["closure", "closure_residual", () => small],
      ];
      const told = lines.filter(([, key]) => seen.some(({ run }) => known(run.meta.summary[key])));
      figures.element.querySelector("thead tr")?.replaceChildren(...["", ...seen.map(({ letter }) => letter)].map((text) => el("th", { scope: "col" }, text)));
      figures.rows(told.map(([name, key, say]) => [name, ...seen.map((one) => say(one)(one.run.meta.summary[key]))]));
      const early = seen.filter(({ run }) => !run.meta.finished);
      words.textContent = early.map(({ letter, run }) => `${seen.length > 1 ? `${letter} ended` : "Ended"} early: ${run.meta.ended}`).join(" ");
    },
  };
}
