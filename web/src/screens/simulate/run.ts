import type { RobotDoc } from "../../core/app";
import type { Frame, NamedArray } from "../../core/frames";
import { scenePoints } from "../../core/motion";
import type { SimulateMeta } from "../../messages";
import { tipOf } from "./tip";

/** A run that was simulated: histories over time, what is said about them, and the robot's parameters in it. */
export interface Run {
  meta: SimulateMeta;
  t: Float64Array;
  arrays: Record<string, NamedArray>;
  p: Float64Array;
  trace: number[][]; // of the tip
  wanted: number[][]; // of the reference's tip, empty where there is none
}

/** A run among those that are shown: its letter, and how its lines are broken. */
export interface Shown {
  id: string;
  letter: string;
  dash: number;
  run: Run;
}

/** The run in a frame, drawn with the parameters that it was simulated with. */
export function readRun(doc: RobotDoc, frame: Pick<Frame<SimulateMeta>, "meta" | "arrays">): Run {
  const { meta, arrays } = frame;
  const values = meta.summary.parameters as Record<string, number> | undefined;
  const known = new Set(doc.kernels?.robot.parameters.map((row) => row.name));
  const own = Object.fromEntries(Object.entries(values ?? {}).filter(([name, value]) => known.has(name) && Number.isFinite(value)));
  const p = doc.kernels ? doc.kernels.parameters(own) : doc.p;
  const t = Float64Array.from(arrays.t?.data ?? []);
  const run: Run = { meta, t, arrays, p, trace: [], wanted: [] };
  const steps = spread(t.length, 600);
  run.trace = steps.map((i) => tipAt(doc, run, i, "q", "x"));
  run.wanted = arrays.x_ref ? steps.map((i) => wantedAt(doc, run, i)) : [];
  return run;
}

/** At most `most` of the indices 0 … count − 1, first and last included. */
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, k) => Math.round((k * (count - 1)) / (most - 1)));
}

const rowOf = (array: NamedArray | undefined, i: number): Float64Array => {
  const width = array ? array.shape.slice(1).reduce((a, b) => a * b, 1) : 0;
  return array ? Float64Array.from(array.data.subarray(i * width, (i + 1) * width)) : new Float64Array(0);
};

function tipAt(doc: RobotDoc, run: Run, i: number, q: string, x: string): number[] {
  const [now, out] = [rowOf(run.arrays[q], i), rowOf(run.arrays[x], i)];
  return tipOf(doc, scenePoints({ ...doc, p: run.p }, now, out), out);
}

function wantedAt(doc: RobotDoc, run: Run, i: number): number[] {
  if (run.arrays.q_ref) return tipAt(doc, run, i, "q_ref", "x_ref");
  return Array.from(rowOf(run.arrays.x_ref, i)).slice(0, doc.told.dimension);
}

/** Where an instant lies between samples: the sample before it and the part of the way to the next. */
export function between(t: Float64Array, at: number): [number, number] {
  let low = 0,
    high = t.length - 1;
  if (high < 1 || at <= (t[0] ?? 0)) return [0, 0];
  if (at >= (t[high] ?? 0)) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((t[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  const a = t[low] ?? 0,
    b = t[high] ?? 0;
  return [low, b > a ? (at - a) / (b - a) : 0];
}

/** A history's value at an instant, straight between samples; null where the run has no such history. */
export function sample(run: Run, name: string, at: number): Float64Array | null {
  const array = run.arrays[name];
  if (!array) return null;
  const [i, s] = between(run.t, at);
  const now = rowOf(array, i);
  if (s === 0) return now;
  const next = rowOf(array, i + 1);
  return now.map((value, k) => value + s * ((next[k] ?? value) - value));
}

/** A column of a history, (n,). */
export function columnOf(run: Run, name: string, k: number): Float64Array {
  const array = run.arrays[name];
  const width = array && array.shape.length > 1 ? (array.shape[1] ?? 1) : 1;
  return Float64Array.from(run.t, (_, i) => array?.data[i * width + k] ?? NaN);
}

/** The same column at another run's instants; NaN after its end. */
export function columnAt(run: Run, name: string, k: number, instants: Float64Array): Float64Array {
  const own = columnOf(run, name, k);
  const end = run.t[run.t.length - 1] ?? 0;
  return instants.map((at) => {
    if (at > end * (1 + 1e-9)) return NaN;
    const [i, s] = between(run.t, at);
    const a = own[i] ?? NaN;
    return s ? a + s * ((own[i + 1] ?? a) - a) : a;
  });
}

export const endOf = (run: Run): number => run.t[run.t.length - 1] ?? 0;
export const widthOf = (run: Run, name: string): number => (run.arrays[name] ? (run.arrays[name].shape[1] ?? 1) : 0);

/** Every history as a table: a column for each coordinate, its unit in its name. */
export function csv(run: Run | null): string {
  if (!run) return "";
  const columns = Object.keys(run.arrays)
    .filter((name) => name !== "t")
    .flatMap((name) => {
      const of = name.replace(/_(dot|ref)$/, ""),
        suffix = name.slice(of.length);
      return Array.from({ length: widthOf(run, name) }, (_, k) => {
        const own = run.meta.names[of]?.[k] ?? (widthOf(run, name) > 1 ? `${name}${k + 1}` : name);
        const unit = suffix === "_dot" ? `${run.meta.units[of]?.[k] ?? ""}/s` : (run.meta.units[of]?.[k] ?? "");
        const head = [name === "q" || name === "x" || name === own ? own : `${name}_${own}`, unit.replace(/[^\w]+/g, "_")].filter(Boolean).join("_");
        return { head, values: columnOf(run, name, k) };
      });
    });
  const rows = Array.from(run.t, (t, i) => [t, ...columns.map(({ values }) => values[i] ?? NaN)].map((v) => (Number.isFinite(v) ? String(v) : "")).join(","));
  return `${["t_s", ...columns.map(({ head }) => head)].join(",")}\n${rows.join("\n")}\n`;
}
