import type { App } from "../../core/app";
import { el, say } from "../../core/dom";
import { signs } from "../../core/numbers";
import { button, section, segmented, select, tick } from "../../core/widgets";
import { formula, formulaKinds, type Of } from "./formulas";
import { amount, CONTROLLERS, controllerOf, parse, read, type Tables, type Value, written } from "./recipe";
import type { Tool } from "./trajectory";
import { drawable, durationOf, lasting } from "./trajectory";

/** What the form shows and changes. */
export interface Draft {
  base: Tables; // the scenario as it is
  changes: Tables; // by their place in it
  plant: "exact" | "mujoco";
}

export interface SetupParts {
  element: HTMLElement;
  /** Build the form anew from the draft. */
  show(draft: Draft, about: string, origin: string): void;
  /** Which tool is drawing; null: none. */
  drawing(tool: Tool | null): void;
  say(problem: string): void;
}

export interface SetupWishes {
  change(place: string, value: unknown): void;
  plant(kind: "exact" | "mujoco"): void;
  draw(tool: Tool | null): void;
  formula(of: Of, seconds: number): void; // a motion by formula of the drives or of the output
  undo(): void; // all changes
}

let count = 0;

/** A field for a quantity: a number in SI, numbers between commas, or a text with its unit; `commit` may answer false. */
export function quantity(label: string, unit: string, value: unknown, about: string, commit: (value: Value | undefined) => unknown): HTMLElement {
  const id = `u${++count}`;
  const input = el("input", { id, type: "text", autocomplete: "off", spellcheck: "false", title: about });
  input.value = written(value);
  input.addEventListener("change", () => {
    if (commit(input.value.trim() === "" ? undefined : parse(input.value)) === false) input.value = written(value); // refused
  });
  return el("div", { class: Array.isArray(value) ? "quantity several" : "quantity" }, el("label", { for: id, title: about }, label), input, el("span", { class: "unit" }, unit));
}

/** The scenario as a form: controller and gains, trajectory, interval, payload, sensors, plant. */
export function setup(app: App, wishes: SetupWishes): SetupParts {
  const words = el("p", { class: "soft small about" });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const body = el("div", { class: "set-up-body" });
  let tools: ReturnType<typeof segmented<Tool | "off">> | null = null;

  const controller = (draft: Draft): HTMLElement => {
    const now = (read(draft.base, draft.changes, "controller") ?? { kind: "none" }) as Tables;
    const kind = String(now.kind);
    const doc = app.robot.value;
    const follows = read(draft.base, draft.changes, "trajectory") !== undefined;
    const kinds = Object.keys(CONTROLLERS).filter(
      (k) => k === kind || ((CONTROLLERS[k]?.fits(doc) ?? false) && (follows || !CONTROLLERS[k]?.follows) && (k !== "none" || !doc.told.q.some((row) => row.driven))),
    );
    const choice = select({ label: "Law", values: kinds, value: kind, choose: (k) => wishes.change("controller", controllerOf(k, now, doc)) });
    const known = CONTROLLERS[kind]?.fields ?? [];
    const extra = Object.keys(now).filter((key) => key !== "kind" && !known.some((f) => f.key === key));
    const rows = [...known, ...extra.map((key) => ({ key, value: "", about: "", choices: undefined }))].map(({ key, value, about, choices }) => {
      const held = now[key] ?? value;
      const set = (next: unknown): void => wishes.change("controller", Object.fromEntries(Object.entries({ ...now, [key]: next }).filter(([, v]) => v !== undefined)));
      if (typeof held === "boolean") return tick(key, held, set).element;
      if (choices) return select({ label: key, values: choices.includes(String(held)) ? choices : [...choices, String(held)], value: String(held), choose: set }).element;
      if (kind === "formula" && key === "formula" && (typeof held === "string" || typeof held === "number")) return formula("u(t)", held, set);
      return quantity(key, "", held, about, set);
    });
    return section("Controller", true, choice.element, ...rows);
  };

  const trajectory = (draft: Draft): HTMLElement => {
    const given = read(draft.base, draft.changes, "trajectory");
    const one = given && !Array.isArray(given) ? (given as Tables) : null;
    const doc = app.robot.value;
    const planar = drawable(doc.told);
    tools = planar
      ? segmented<Tool | "off">({
          label: "Draw",
          values: ["off", "line", "circle", "points"],
          value: "off",
          text: (v) => (v === "off" ? "view" : v),
          title: (v) => (v === "off" ? "move the view" : `draw a ${v === "points" ? "curve through points: press, drag, release" : v} on the stage`),
          choose: (v) => wishes.draw(v === "off" ? null : v),
        })
      : null;
    const rows: HTMLElement[] = [];
    if (one) {
      const set = (key: string, value: unknown): void => wishes.change("trajectory", { ...one, [key]: value });
      rows.push(el("p", { class: "small" }, "Kind: ", el("strong", {}, String(one.kind))));
      for (const [key, unit] of [
        ["from", ""],
        ["to", ""],
        ["centre", ""],
        ["radius", "m"],
        ["at", ""],
        ["turns", ""],
      ] as const) {
        if (key in one) rows.push(quantity(key, unit, one[key], "in metres, angles in rad or with a unit: 45 deg", (v) => set(key, v)));
      }
      const texts = one.formula;
      if (texts && typeof texts === "object") {
        const change = (key: string, text: string): void => set("formula", Array.isArray(texts) ? texts.map((v, i) => (String(i) === key ? text : v)) : { ...texts, [key]: text });
        for (const [key, text] of Object.entries(texts)) rows.push(formula(Array.isArray(texts) ? `${Number(key) + 1}.` : key, text, (next) => change(key, next)));
      }
      if (Array.isArray(one.through)) rows.push(el("p", { class: "small soft" }, `${one.through.length} points`));
      const seconds = durationOf(one);
      if (seconds !== null)
        rows.push(
          quantity("duration", "s", seconds, "of the motion", (v) => {
            const wanted = amount(v) ?? 0;
            if (wanted > 0) return wishes.change("trajectory", lasting(one, wanted));
            app.toast(`duration: ${v === undefined ? "nothing" : `“${written(v).slice(0, 30)}”`} is no time above 0 s. It stays as it was.`, "error");
            return false;
          }),
        );
      if (doc.told.working.length > 1) {
        const mode = String(one.working ?? "");
        rows.push(
          select({
            label: "Mode",
            values: ["", ...doc.told.working],
            value: mode,
            text: (v) => signs(v) || "as it starts",
            choose: (v) => wishes.change("trajectory", { ...one, working: v || undefined }),
          }).element,
        );
      }
    } else rows.push(el("p", { class: "small soft" }, Array.isArray(given) ? `${given.length} motions, one after another` : planar ? "None. Draw one to follow it." : "None."));
    const texts = formulaKinds(doc).map(({ of, name, about }) => button(name, () => wishes.formula(of, durationOf(one) ?? 2), "quiet", about));
    return section("Trajectory", true, ...(tools ? [tools.element] : []), ...rows, ...(texts.length ? [el("div", { class: "row" }, ...texts)] : []));
  };

  const timing = (draft: Draft): HTMLElement => {
    const at = (place: string): unknown => read(draft.base, draft.changes, place);
    const free = at("trajectory") === undefined;
    return section(
      "Time and plant",
      true,
      quantity("interval", "s", at("interval"), "communication interval: time between commands", (v) => v !== undefined && wishes.change("interval", v)),
      ...(free ? [quantity("duration", "s", at("duration"), "of the run", (v) => v !== undefined && wishes.change("duration", v))] : []),
      quantity("payload", "kg", at("plant.payload") ?? 0, "an unknown mass at the output", (v) => wishes.change("plant.payload", v ?? 0)),
      select({
        label: "Plant",
        values: ["exact", ...(app.hello.value.engines.includes("mujoco") ? ["mujoco"] : [])] as ("exact" | "mujoco")[],
        value: draft.plant,
        text: (v) => (v === "exact" ? "exact equations" : "MuJoCo"),
        choose: wishes.plant,
      }).element,
    );
  };

  const sensors = (draft: Draft): HTMLElement => {
    const at = (key: string): unknown => read(draft.base, draft.changes, `plant.${key}`);
    const set = (key: string, value: unknown): void => wishes.change(`plant.${key}`, value);
    return section(
      "Sensors and limits",
      false,
      quantity("largest", "", at("saturation"), "largest command, SI; empty: none", (v) => set("saturation", v)),
      quantity("noise q", "", at("noise_q") ?? 0, "standard deviation of measured positions", (v) => set("noise_q", v ?? 0)),
      quantity("noise q̇", "", at("noise_q_dot") ?? 0, "standard deviation of measured velocities", (v) => set("noise_q_dot", v ?? 0)),
      quantity("quantum", "", at("quantum") ?? 0, "resolution of the position sensors", (v) => set("quantum", v ?? 0)),
      tick("one sample late", at("delay") === true, (on) => set("delay", on)).element,
      tick("velocities by differences", at("differences") === true, (on) => set("differences", on)).element,
    );
  };

  const element = el("div", { class: "set-up" }, words, problem, body);
  return {
    element,
    show: (draft, about, origin) => {
      say(words, about);
      words.title = origin;
      const opened = [...body.querySelectorAll("details")].map((d) => d.open);
      const focused = focusPlace(body);
      const undo = button("Undo changes", wishes.undo, "quiet", "back to the scenario as it is");
      undo.disabled = !Object.keys(draft.changes).length;
      body.replaceChildren(controller(draft), trajectory(draft), timing(draft), sensors(draft), el("div", { class: "inside row" }, undo));
      [...body.querySelectorAll("details")].forEach((d, i) => (d.open = opened[i] ?? d.open));
      focused(body);
    },
    drawing: (tool) => tools?.show(tool ?? "off"),
    say: (text) => {
      say(problem, text);
      problem.hidden = text === "";
    },
  };
}

/** Which control of a form has the focus, by its order; the answer gives the focus back to it in the new form. */
function focusPlace(root: HTMLElement): (next: HTMLElement) => void {
  const all = (within: HTMLElement): HTMLElement[] => [...within.querySelectorAll<HTMLElement>("input, select, button, summary")];
  const label = (control: HTMLElement): string => (control as HTMLInputElement).labels?.[0]?.textContent ?? control.textContent ?? "";
  const here = all(root).find((control) => control === document.activeElement);
  const name = here ? label(here) : null;
  return (next) => {
    if (name !== null)
      all(next)
        .find((control) => label(control) === name)
        ?.focus({ preventScroll: true });
  };
}
