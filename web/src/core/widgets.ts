import { el, say } from "./dom";
import { shown, tell } from "./numbers";
import { toast } from "./toast";

let count = 0;
const fresh = (): string => `w${++count}`;

export interface NumberField {
  element: HTMLElement;
  input: HTMLInputElement;
  /** Show a value in SI; a field that is being typed into keeps its text. */
  show(value: number | null): void;
}

/** A number with its unit; values in SI outside, angles in degrees inside. Enter or leaving the field commits. */
export function numberField(options: {
  label: string;
  unit?: string;
  value?: number | null;
  decimals?: number;
  min?: number; // SI
  max?: number;
  hint?: string;
  commit(value: number): void;
}): NumberField {
  const { unit, factor } = shown(options.unit ?? "");
  const id = fresh();
  const input = el("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", title: options.hint });
  let held: number | null = options.value ?? null;
  const text = (value: number | null): string => {
    if (value === null || !Number.isFinite(value)) return "";
    const told = Number((value * factor).toPrecision(7));
    const written = options.decimals !== undefined ? (value * factor).toFixed(options.decimals) : told !== 0 && Math.abs(told) < 1e-4 ? told.toExponential() : String(told);
    return Number(written) === 0 ? written.replace("-", "") : written;
  };
  const show = (value: number | null): void => {
    held = value;
    if (document.activeElement === input && input.classList.contains("typed")) return;
    const written = text(value);
    if (input.value !== written) input.value = written;
  };
  const refusal = (typed: string, value: number): string => {
    const number = typed !== "" && Number.isFinite(value),
      of = (limit?: number): string => `${Number(((limit ?? 0) * factor).toPrecision(4))} ${unit}`.trim();
    const range =
      options.min === undefined ? `at most ${of(options.max)}` : options.max === undefined ? `at least ${of(options.min)}` : `from ${of(options.min)} to ${of(options.max)}`;
    return `${options.label}: ${number ? `${typed} is out of range; it is ${range}` : `“${typed.slice(0, 30)}” is not a number`}. It stays as it was.`;
  };
  const commit = (): void => {
    if (!input.classList.contains("typed")) return;
    input.classList.remove("typed");
    const value = Number(input.value.trim().replace(",", ".").replace("−", "-")) / factor;
    const low = options.min ?? -Infinity,
      high = options.max ?? Infinity;
    const bad = input.value.trim() === "" || !Number.isFinite(value) || value < low || value > high;
    input.setAttribute("aria-invalid", String(bad));
    if (!bad) return options.commit(value);
    toast(refusal(input.value.trim(), value * factor), "error");
    input.value = text(held);
  };
  input.addEventListener("input", () => {
    input.classList.add("typed");
    input.removeAttribute("aria-invalid");
  });
  input.addEventListener("change", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") {
      input.classList.remove("typed");
      input.value = text(held);
    }
  });
  input.addEventListener("blur", () => (input.value = text(held)));
  show(held);
  const element = el("div", { class: "field" }, el("label", { for: id }, options.label), el("span", { class: "entry" }, input, el("span", { class: "unit" }, unit)));
  return { element, input, show };
}

export interface Slider {
  element: HTMLElement;
  input: HTMLInputElement;
  show(value: number): void;
}

/** A slider with a number beside it that can be typed; values in SI outside. */
export function slider(options: {
  label: string;
  unit?: string;
  about?: string;
  low: number;
  high: number;
  value: number;
  step?: number;
  change(value: number): void; // while it moves
}): Slider {
  const { unit, factor } = shown(options.unit ?? "");
  const id = fresh();
  const input = el("input", { id, type: "range", min: 0, max: 1000, step: 1, title: options.about });
  const span = options.high - options.low;
  const spoken = (value: number): string => `${tell(value * factor)} ${unit}`.trim();
  const box = numberField({
    label: `${options.label} value`,
    unit: options.unit,
    value: options.value,
    commit: (value) => {
      show(value);
      options.change(value);
    },
  });
  box.element.classList.add("bare");
  const show = (value: number): void => {
    input.value = String(Math.round(((value - options.low) / span) * 1000));
    input.setAttribute("aria-valuetext", spoken(value));
    box.show(value);
  };
  input.addEventListener("input", () => {
    const exact = options.low + (span * Number(input.value)) / 1000;
    const value = options.step ? Math.round(exact / options.step) * options.step : Number(exact.toPrecision(4));
    box.show(value);
    input.setAttribute("aria-valuetext", spoken(value));
    options.change(value);
  });
  show(options.value);
  const element = el("div", { class: "slider" }, el("label", { for: id, title: options.about }, options.label), input, box.element);
  return { element, input, show };
}

export interface Choice<T extends string> {
  element: HTMLElement;
  show(value: T | null): void;
  offer(values: readonly T[], enabled?: (value: T) => boolean): void;
}

/** Buttons of which one is chosen: real radio buttons, so arrow keys and screen readers know them. */
export function segmented<T extends string>(options: {
  label: string;
  values: readonly T[];
  value: T | null;
  text?(value: T): string;
  title?(value: T): string;
  picture?(value: T): Element | null;
  hideLabel?: boolean;
  choose(value: T): void;
}): Choice<T> {
  const name = fresh();
  const row = el("span", { class: "segments" });
  const element = el("fieldset", { class: "segmented" }, el("legend", { class: options.hideLabel ? "unseen" : null }, options.label), row);
  const inputs = new Map<T, HTMLInputElement>();
  let held = options.value;
  let offered = "";
  const show = (value: T | null): void => {
    held = value;
    for (const [key, input] of inputs) if (input.checked !== (key === value)) input.checked = key === value;
  };
  const offer = (values: readonly T[], enabled: (value: T) => boolean = () => true): void => {
    if (values.join("\n") !== offered) {
      offered = values.join("\n");
      row.replaceChildren();
      inputs.clear();
      for (const value of values) {
        const input = el("input", { type: "radio", name, value, onchange: () => options.choose(value) });
        inputs.set(value, input);
        row.append(el("label", { title: options.title?.(value) }, input, el("span", {}, options.picture?.(value), options.text?.(value) ?? value)));
      }
      show(held);
    }
    for (const [key, input] of inputs) if (input.disabled === enabled(key)) input.disabled = !enabled(key);
  };
  offer(options.values);
  return { element, show, offer };
}

/** A labelled list to choose from. */
export function select<T extends string>(options: {
  label: string;
  values: readonly T[];
  value: T;
  text?(value: T): string;
  choose(value: T): void;
}): { element: HTMLElement; input: HTMLSelectElement; show(value: T): void; offer(values: readonly T[]): void } {
  const id = fresh();
  const input = el("select", { id, onchange: () => options.choose(input.value as T) });
  const offer = (values: readonly T[]): void => input.replaceChildren(...values.map((value) => el("option", { value }, options.text?.(value) ?? value)));
  offer(options.values);
  input.value = options.value;
  const element = el("div", { class: "field" }, el("label", { for: id }, options.label), input);
  return { element, input, offer, show: (value) => (input.value = value) };
}

/** A tick box. */
export function tick(label: string, on: boolean, change: (on: boolean) => void): { element: HTMLElement; input: HTMLInputElement } {
  const input = el("input", { type: "checkbox", onchange: () => change(input.checked) });
  input.checked = on;
  return { element: el("label", { class: "tick" }, input, el("span", {}, label)), input };
}

export function button(text: string, press: () => void, kind: "primary" | "plain" | "quiet" = "plain", title?: string): HTMLButtonElement {
  return el("button", { type: "button", class: kind, title, onclick: press }, text);
}

/** Something with a button beside it. */
export const beside = (element: HTMLElement, ...more: HTMLElement[]): HTMLElement => el("div", { class: "beside" }, element, ...more);

/** A heading with content that can be folded away. */
export function section(title: string, open: boolean, ...content: (Node | string)[]): HTMLDetailsElement {
  return el("details", { class: "section", open }, el("summary", {}, title), el("div", { class: "inside" }, ...content));
}

export interface Table {
  element: HTMLElement;
  body: HTMLTableSectionElement;
  rows(rows: (string | Node)[][]): void;
}

/** A table; the first column names its rows. */
export function table(caption: string, heads: string[], options: { hideCaption?: boolean } = {}): Table {
  const body = el("tbody");
  const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
  const element = el(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: options.hideCaption ? "unseen" : null }, caption), el("thead", {}, head), body),
  );
  const rows = (given: (string | Node)[][]): void =>
    body.replaceChildren(...given.map((cells) => el("tr", {}, ...cells.map((cell, i) => (i ? el("td", {}, cell) : el("th", { scope: "row" }, cell))))));
  return { element, body, rows };
}

/** A list of names and live values: labels never move, values change in place. */
export function readout(names: readonly string[]): { element: HTMLElement; show(name: string, value: string, state?: string): void } {
  const cells = new Map(names.map((name) => [name, el("dd", {}, "–")]));
  const element = el("dl", { class: "readout" }, ...[...cells].flatMap(([name, cell]) => [el("dt", {}, name), cell]));
  return {
    element,
    show: (name, value, state = "") => {
      const cell = cells.get(name);
      if (!cell) return;
      say(cell, value);
      if (cell.className !== state) cell.className = state;
    },
  };
}

const WIDE = 4; // columns that fit beside the stage

/** A matrix, row by row, columns aligned. */
export function matrix(name: string): { element: HTMLElement; show(values: ArrayLike<number> | null, rows: number): void } {
  const body = el("tbody");
  const element = el("div", { class: "matrix" }, el("span", { class: "name" }, name), el("table", { "aria-label": `matrix ${name}` }, body));
  let cells: HTMLTableCellElement[] = [];
  const show = (values: ArrayLike<number> | null, rows: number): void => {
    const size = values?.length ?? 0;
    element.classList.toggle("absent", size === 0);
    if (cells.length !== size) {
      cells = Array.from({ length: size }, () => el("td"));
      const columns = rows ? size / rows : 0,
        wide = columns > WIDE;
      element.classList.toggle("wide", wide); // scrolled sideways, by keys too
      for (const [key, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": `matrix ${name}` })) if (wide) element.setAttribute(key, value);
      body.replaceChildren(...Array.from({ length: size ? rows : 0 }, (_, i) => el("tr", {}, ...cells.slice(i * columns, (i + 1) * columns))));
    }
    cells.forEach((cell, i) => say(cell, tell(values?.[i], 4)));
  };
  return { element, show };
}

/** Progress of a job with its cancel button; it keeps its place when idle. */
export function progress(): { element: HTMLElement; start(cancel: () => void): void; told(part: number | null, note: string): void; end(): void } {
  const bar = el("progress", { max: 1, "aria-label": "progress of the job" });
  const note = el("span", { class: "note" });
  let stop = (): void => undefined;
  const cancel = button("Cancel", () => stop());
  const element = el("div", { class: "progress idle" }, bar, note, cancel);
  cancel.disabled = true;
  return {
    element,
    start: (how) => {
      stop = how;
      cancel.disabled = false;
      bar.removeAttribute("value");
      say(note, "");
      element.classList.remove("idle");
    },
    told: (part, text) => {
      if (part === null) bar.removeAttribute("value");
      else bar.value = part;
      say(note, part === null ? text : `${Math.round(part * 100)} % ${text}`.trim());
    },
    end: () => {
      cancel.disabled = true;
      element.classList.add("idle");
    },
  };
}
