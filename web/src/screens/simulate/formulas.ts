import type { App, RobotDoc } from "../../core/app";
import { el } from "../../core/dom";
import { standing, workingAt } from "../../core/standing";
import { hasOwnMotion, reachable, type Tables, tidy, written } from "./recipe";
import { led } from "./trajectory";

/** A motion by formula: of the drives (q) or of the output (x). */
export type Of = "q" | "x";

let count = 0;

/** A field for a formula of t, kept as it is typed. */
export function formula(label: string, value: unknown, commit: (value: string) => void): HTMLElement {
  const id = `f${++count}`;
  const about = "arithmetic of t [s], pi, deg and the robot's parameters, in SI: 0.1*sin(2*pi*t)";
  const input = el("input", { id, type: "text", autocomplete: "off", spellcheck: "false", title: about });
  input.value = written(value);
  input.addEventListener("change", () => commit(input.value.trim() || "0"));
  return el("div", { class: "quantity several" }, el("label", { for: id, title: about }, label), input, el("span", { class: "unit" }, ""));
}

/** Which motions by formula a robot can follow. */
export function formulaKinds(doc: RobotDoc): { of: Of; name: string; about: string }[] {
  const { q, x } = doc.told,
    about = (rows: { name: string }[]): string => `a motion as formulas of t: ${rows.map(({ name }) => `${name}(t)`).join(", ")}`;
  const made: { of: Of; name: string; about: string }[] = [];
  if (q.length > 0 && q.every((row) => row.driven)) made.push({ of: "q", name: "Drives by formula", about: about(q) });
  if (led(doc.told) && hasOwnMotion(doc)) made.push({ of: "x", name: "Output by formula", about: about(x) });
  return made;
}

/** A motion by formula from where the robot stands: there and back once, at rest at both ends; of the output, in its working mode. */
export function byFormula(app: App, of: Of, seconds: number): Tables & { formula: Record<string, string> } {
  const doc = app.robot.value,
    here = standing(app),
    at = here[of];
  const working = of === "x" ? workingAt(app, here) : "";
  const far = (unit: string): number => (unit === "rad" ? 0.4 : 0.1 * doc.told.size);
  const to = of === "x" ? reachable(doc, at, working) : at.map((v, i) => (i ? v : v + far(doc.told.q[0]?.unit ?? "")));
  const text = (from: number, away: number): string =>
    away ? `${tidy(from)} ${away < 0 ? "-" : "+"} ${Math.abs(tidy(away / 2))}*(1 - cos(2*pi*t/${seconds}))` : String(tidy(from));
  const formula = Object.fromEntries(doc.told[of].map(({ name }, i) => [name, text(at[i] ?? 0, (to[i] ?? 0) - (at[i] ?? 0))]));
  return { kind: "formula", formula, duration: seconds, ...(working ? { working } : {}) };
}
