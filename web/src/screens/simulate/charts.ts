import { el } from "../../core/dom";
import type { Sheet as FigureSheet } from "../../core/figure";
import { letters, shown } from "../../core/numbers";
import { Cursor, type Curve, type Plot, plot } from "../../core/plot";
import { columnAt, columnOf, type Run, type Shown, widthOf } from "./run";

const HEIGHT = 132; // [px] of a plot
const MOST = 4000; // points of a curve on the screen
const PREFIXES: [number, string][] = [
  [1, "m"],
  [1e3, "mm"],
  [1e6, "µm"],
  [1e9, "nm"],
  [1e12, "pm"],
  [1e15, "fm"],
];

export interface Charts {
  element: HTMLElement;
  /** The run that is played, by its letter where there are others. */
  show(run: Run, letter: string, others: Shown[]): void;
  /** What is drawn, for a figure. */
  sheets(): FigureSheet[];
  point(at: number): void;
  dispose(): void;
}

interface Sheet {
  title: string;
  array: string;
  fine?: boolean; // small lengths in a unit that suits them
}

const SHEETS: Sheet[] = [
  { title: "Error", array: "error", fine: true },
  { title: "Command", array: "tau" },
  { title: "Drives", array: "q" },
  { title: "Output", array: "x" },
  { title: "Energy", array: "energy" },
  { title: "Energy balance", array: "balance" },
  { title: "Closure", array: "closure", fine: true },
];

/** The plots of a run, all with one cursor and one span; other runs are drawn over it, each broken in its own way. */
export function charts(scrub: (at: number) => void): Charts {
  const cursor = new Cursor(scrub);
  const element = el("div", { class: "charts", role: "group", "aria-label": "plots over time" });
  let plots: Plot[] = [];
  let titles = "";
  let drawn: FigureSheet[] = [];

  const show = (run: Run, letter: string, others: Shown[]): void => {
    const sheets = SHEETS.flatMap((sheet) => {
      const curves = curvesOf(run, others, sheet);
      return curves.length ? [{ sheet, curves }] : [];
    });
    const heads = sheets.map(({ sheet, curves }) => `${title(run, sheet)}|${units(curves)}`).join();
    if (heads !== titles) {
      for (const made of plots) made.dispose();
      plots = sheets.map(({ sheet, curves }) => plot({ title: title(run, sheet), unit: units(curves), height: HEIGHT, cursor }));
      element.replaceChildren(...plots.map((made) => made.element));
      titles = heads;
    }
    const every = Math.max(1, Math.ceil(run.t.length / MOST));
    const thin = (values: ArrayLike<number>): Float64Array => Float64Array.from({ length: Math.ceil(values.length / every) }, (_, i) => values[i * every] ?? NaN);
    const t = thin(run.t);
    drawn = sheets.map(({ sheet, curves }) => ({
      title: title(run, sheet),
      unit: units(curves),
      t,
      curves: curves.map((curve) => ({ ...curve, name: others.length && !curve.dash ? `${curve.name} ${letter}` : curve.name, unit: undefined, values: thin(curve.values) })),
    }));
    drawn.forEach(({ curves }, i) => plots[i]?.show(t, curves));
  };
  return {
    element,
    show,
    sheets: () => drawn,
    point: (at) => cursor.set(at),
    dispose: () => {
      for (const made of plots) made.dispose();
    },
  };
}

const units = (curves: Curve[]): string => [...new Set(curves.map((curve) => curve.unit ?? ""))].filter(Boolean).join(", ");

function title(run: Run, sheet: Sheet): string {
  if (sheet.array !== "tau") return sheet.title;
  return { tau: "Efforts τ", voltage: "Voltage", velocity: "Velocity commands" }[run.meta.output] ?? sheet.title;
}

function curvesOf(run: Run, others: Shown[], sheet: Sheet): Curve[] {
  if (sheet.array === "energy") return energies(run, others);
  if (!widthOf(run, sheet.array)) return [];
  const joined = sheet.array === "closure" || sheet.array === "balance";
  const own = joined ? [largest(run, sheet.array)] : Array.from({ length: widthOf(run, sheet.array) }, (_, k) => columnOf(run, sheet.array, k));
  const named = run.meta.names[sheet.array] ?? [],
    given = run.meta.units[sheet.array] ?? [];
  const plainUnit = sheet.array === "closure" ? "m" : sheet.array === "balance" ? "J" : "";
  const fine = sheet.fine ? prefix(own.filter((_, k) => (given[k] ?? plainUnit) === "m")) : null;
  return own.flatMap((values, k) => {
    const unit = given[k] ?? plainUnit;
    const { factor, unit: told } = unit === "m" && fine ? fine : shown(unit);
    const name = joined ? sheet.title.toLowerCase() : letters(named[k] ?? `${sheet.array}${k + 1}`);
    const scaled = (v: Float64Array): Float64Array => v.map((value) => value * factor);
    const curve: Curve = { name, unit: told, values: scaled(values), line: k };
    const reference = referenceOf(run, sheet.array, k);
    const of = (other: Run): Float64Array => (joined ? largestAt(other, sheet.array, run.t) : columnAt(other, sheet.array, k, run.t));
    const beside = others
      .filter(({ run: other }) => widthOf(other, sheet.array) > k)
      .map(({ letter, dash, run: other }) => ({ ...curve, name: `${name} ${letter}`, values: scaled(of(other)), dash }));
    const wanted = reference && !others.length ? [{ ...curve, name: `${name} wanted`, values: scaled(reference), dash: 1 }] : [];
    return [curve, ...beside, ...wanted];
  });
}

/** What a drive or the output should do; null where that is not known. */
function referenceOf(run: Run, array: string, k: number): Float64Array | null {
  const name = array === "q" ? "q_ref" : array === "x" ? "x_ref" : "";
  return name && widthOf(run, name) > k ? columnOf(run, name, k) : null;
}

function energies(run: Run, others: Shown[]): Curve[] {
  return ["kinetic", "potential"].flatMap((name, k) => {
    if (!run.arrays[name] || columnOf(run, name, 0).every((v) => v === 0)) return [];
    const curve: Curve = { name, unit: "J", values: columnOf(run, name, 0), line: k };
    return [
      curve,
      ...others
        .filter(({ run: other }) => other.arrays[name])
        .map(({ letter, dash, run: other }) => ({ ...curve, name: `${name} ${letter}`, values: columnAt(other, name, 0, run.t), dash })),
    ];
  });
}

/** The largest size among another run's columns, at this run's instants. */
function largestAt(run: Run, name: string, instants: Float64Array): Float64Array {
  const columns = Array.from({ length: widthOf(run, name) }, (_, k) => columnAt(run, name, k, instants));
  return instants.map((_, i) => Math.max(...columns.map((values) => Math.abs(values[i] ?? 0))));
}

/** The largest size among the columns, at each instant. */
function largest(run: Run, name: string): Float64Array {
  const columns = Array.from({ length: widthOf(run, name) }, (_, k) => columnOf(run, name, k));
  return run.t.map((_, i) => Math.max(...columns.map((values) => Math.abs(values[i] ?? 0))));
}

/** A unit in which the largest of some lengths is at least 1, or nearly. */
function prefix(columns: Float64Array[]): { factor: number; unit: string } {
  const most = columns.reduce((m, values) => values.reduce((a, v) => (Number.isFinite(v) ? Math.max(a, Math.abs(v)) : a), m), 0);
  const [factor, unit] = PREFIXES.find(([f]) => most * f >= 0.5) ?? PREFIXES[most === 0 ? 0 : PREFIXES.length - 1] ?? [1, "m"];
  return { factor, unit };
}
