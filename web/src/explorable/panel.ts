import { el, say } from "../core/dom";
import { decimalsFor, fixed, shown, tell } from "../core/numbers";
import type { Puppet } from "../core/puppet";
import { button, matrix, numberField, section, slider } from "../core/widgets";
import type { OfflineApp } from "./offline";

const NEAR = 0.08,
  CLOSE = 0.2; // margins shown as bad, as a warning

const WIDEST = 4; // columns of a matrix that fit

export interface Panel {
  element: HTMLElement;
  show(): void;
}

/** Names and live values; each holds its number in full as the element's value. */
export function values(rows: readonly string[]): { element: HTMLElement; show(name: string, text: string, value: number | null, state?: string): void } {
  const cells = new Map(rows.map((name) => [name, el("data", { "data-name": name }, "–")]));
  const element = el("dl", { class: "readout" }, ...[...cells].flatMap(([name, cell]) => [el("dt", {}, name), el("dd", {}, cell)]));
  const show = (name: string, text: string, value: number | null, state = ""): void => {
    const cell = cells.get(name);
    if (!cell) return;
    say(cell, text);
    cell.value = value === null ? "" : String(value);
    if (cell.className !== state) cell.className = state;
  };
  return { element, show };
}

/** The right side: numbers that can be typed, singularities, matrices, parameters, passive joints. */
export function panel(app: OfflineApp, puppet: Puppet, ...more: HTMLElement[]): Panel {
  const { told } = puppet.doc;
  const few = told.x.length <= WIDEST;
  const parts = [coordinates(puppet), ...(told.closed ? [margins(puppet), ...(few ? [matrices(puppet)] : [])] : [])];
  const titles = ["Where it stands", "Singularities", "Matrices"];
  const sliders = parameters(app),
    passive = joints(puppet);
  const element = el(
    "aside",
    { class: "inspector", "aria-label": "numbers", tabindex: "0" },
    ...parts.map((part, i) => section(titles[i] ?? "", true, part.element)),
    ...more,
    section("Parameters", true, sliders.element),
    ...(told.readouts.length ? [section("Passive joints", false, passive.element)] : []),
  );
  return {
    element,
    show: () => {
      for (const part of [...parts, sliders, passive]) part.show();
    },
  };
}

function coordinates(puppet: Puppet): Panel {
  const { told } = puppet.doc;
  const places = (unit: string): number => (unit === "rad" ? 2 : decimalsFor(told.size));
  const field = (row: { name: string; unit: string }, commit: (value: number) => void) => numberField({ label: row.name, unit: row.unit, decimals: places(row.unit), commit });
  const outputs = told.x.map((row, i) => field(row, (value) => puppet.moveTip(puppet.pose.value.x.map((v, k) => (k === i ? value : v)))));
  const drives = told.q.map((row, i) => field(row, (value) => puppet.moveDrive(i, value)));
  const show = (): void => {
    const { q, x } = puppet.pose.value;
    for (const [fields, at, names] of [
      [outputs, x, told.x],
      [drives, q, told.q],
    ] as const) {
      fields.forEach((one, i) => {
        one.show(at[i] ?? null);
        one.input.dataset.name = names[i]?.name ?? "";
        one.input.dataset.value = String(at[i] ?? "");
      });
    }
  };
  const all = [...outputs, ...drives].map((one) => one.element);
  return { element: el("div", { class: "pair" }, ...all), show };
}

function margins(puppet: Puppet): Panel {
  const rows = values(["det A", "det B", "condition of A", "margin to Type 2", "margin to Type 1"]);
  const warning = el("p", { class: "small warn", "aria-live": "polite" });
  const state = (value: number): string => (value < NEAR ? "bad" : value < CLOSE ? "warn" : "good");
  const show = (): void => {
    const facts = puppet.facts.value;
    if (!facts) return;
    rows.show("det A", tell(facts.det_A, 4), facts.det_A);
    rows.show("det B", facts.det_B === null ? "not square" : tell(facts.det_B, 4), facts.det_B);
    rows.show("condition of A", tell(facts.condition_A ?? Infinity, 4), facts.condition_A);
    rows.show("margin to Type 2", fixed(facts.condition, 4), facts.condition, state(facts.condition));
    rows.show("margin to Type 1", fixed(facts.serial, 4), facts.serial, state(facts.serial));
    say(warning, facts.warnings.join(" "));
  };
  const key = el("p", { class: "small soft" }, "Margins are 1 at best, 0 when singular. Ellipses at the tip: velocity full, force dashed, true in shape.");
  return { element: el("div", { class: "stack" }, rows.element, warning, key), show };
}

function matrices(puppet: Puppet): Panel {
  const A = matrix("A"),
    B = matrix("B"),
    J = matrix("J");
  const show = (): void => {
    const facts = puppet.facts.value;
    A.show(facts?.A.flat() ?? null, facts?.A.length ?? 0);
    B.show(facts?.B.flat() ?? null, facts?.B.length ?? 0);
    J.show(facts?.J?.flat() ?? null, facts?.J?.length ?? 0);
  };
  return { element: el("div", { class: "stack" }, A.element, B.element, J.element), show };
}

function parameters(app: OfflineApp): Panel {
  const made = app.robot.value.told.parameters.map((row) =>
    slider({ label: row.name, unit: row.unit, about: row.about, low: row.low, high: row.high, value: row.value, change: (value) => app.change({ [row.name]: value }) }),
  );
  const reset = button("Reset", () => app.set({}));
  const show = (): void => {
    app.robot.value.told.parameters.forEach((row, i) => {
      const one = made[i];
      if (one && one.input.dataset.value !== String(row.value)) one.show(row.value);
      if (one) one.input.dataset.value = String(row.value);
    });
  };
  return { element: el("div", { class: "stack" }, ...made.map((one) => one.element), el("div", { class: "row" }, reset)), show };
}

function joints(puppet: Puppet): Panel {
  const rows = values(puppet.doc.told.readouts.map((row) => row.name));
  const show = (): void => {
    for (const row of puppet.facts.value?.readouts ?? []) {
      const { unit, factor } = shown(row.unit);
      rows.show(row.name, `${tell(row.value * factor, 4)} ${unit}`, row.value);
    }
  };
  return { element: rows.element, show };
}
