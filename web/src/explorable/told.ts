import type { RobotDoc } from "../core/app";
import type { Kernels } from "../core/kernels";
import type { DriveRow, PartRow, RailRow, RobotAnswer, SceneRow } from "../messages";

/** What the page carries beside the kernels; places of vectors are indices into the kernel `frame`'s values. */
export interface Told {
  schema: string;
  version: string;
  dimension: number;
  scene: {
    names: string[];
    constants: number[];
    parts: PartRow[];
    rails: (Omit<RailRow, "through" | "along" | "reach"> & { through: number | null; along: number })[];
    drives: (Omit<DriveRow, "at" | "along" | "radius" | "axis"> & { at: number | null; along: number | null })[];
    formulas: number[]; // parameters that follow from others unless they are given
    tip: number | null;
    plate: boolean;
  };
  modes: string[]; // working modes of the map's kernel; none where there is no map
  given: string[];
  sliders: [number, number][];
  start: { q: number[]; x: number[] };
  window: number[];
  run: EmbeddedRun | null;
}

export interface EmbeddedRun {
  title: string;
  ended: string;
  t: number[];
  q: number[][];
  x: number[][];
}

/** The kernels' numbers that depend on the parameters alone. */
export interface Frame {
  values: Float64Array;
  by_q: Float64Array; // [m] per unit of q
  by_x: Float64Array; // [m] per unit of x
  rows: Float64Array; // [m] length of each closure's bar, 0 for a telescope
  lever: number;
  formulas: Float64Array;
}

export const frameOf = (kernels: Kernels, p: Float64Array): Frame => {
  const empty = new Float64Array(0);
  return { values: empty, by_q: empty, by_x: empty, rows: empty, lever: 1, formulas: empty, ...(kernels.evaluate("frame", { p }) as unknown as Partial<Frame>) };
};

/** Values of the parameters: those changed, and formulas that follow them. */
export function valuesOf(told: Told, kernels: Kernels, changed: Record<string, number>): Float64Array {
  const p = kernels.parameters(changed);
  const free = told.scene.formulas.filter((i) => {
    const name = kernels.robot.parameters[i]?.name ?? "";
    return !(name in changed) && !told.given.includes(name);
  });
  for (const _ of free) {
    const { formulas } = frameOf(kernels, p); // a formula may stand on another: as often as there are any
    for (const i of free) p[i] = formulas[i] ?? NaN;
  }
  return p;
}

/** The robot as the studio's parts know it, with these values of its parameters. */
export function docOf(told: Told, kernels: Kernels, changed: Record<string, number>): RobotDoc {
  const p = valuesOf(told, kernels, changed);
  const { robot } = kernels;
  const size = "scale" in kernels.kernels ? Number(kernels.evaluate("scale", { p }).scale) : span(told.window) / 2.6;
  const answer: RobotAnswer = {
    name: robot.name,
    about: (robot as unknown as { about: string }).about,
    dimension: told.dimension,
    closed: robot.x.length > 0,
    linkage: false,
    planar_map: told.modes.length > 0 && told.dimension === 2,
    slices: [],
    no_crossing: "",
    parameters: robot.parameters.map((row, i) => ({ ...row, value: p[i] ?? 0, low: told.sliders[i]?.[0] ?? 0, high: told.sliders[i]?.[1] ?? 1 })),
    presets: [],
    q: robot.q.map((row, i) => ({ ...row, driven: robot.driven.includes(i) })),
    x: robot.x,
    readouts: (robot as unknown as { readouts: { name: string; unit: string }[] }).readouts,
    motors: [],
    working: [],
    assembly: [],
    scene: sceneOf(told, frameOf(kernels, p)),
    kernels: null,
    start: { ...told.start, working: "", assembly: "", points: [] },
    window: told.window,
    size,
    toml: "",
  };
  return { ref: { source: robot.name, toml: null, values: changed }, told: answer, kernels, p };
}

const span = (w: number[]): number => (w[1] ?? 1) - (w[0] ?? 0);

function sceneOf(told: Told, frame: Frame): SceneRow {
  const { scene, dimension, window } = told;
  const vector = (place: number): number[] => Array.from(frame.values.subarray(place, place + dimension));
  const optional = (place: number | null): number[] | null => (place === null ? null : vector(place));
  return {
    ...scene,
    constants: scene.constants.map(vector),
    rails: scene.rails.map((rail) => {
      const through = optional(rail.through),
        along = vector(rail.along);
      return { ...rail, through, along, reach: reachOf(through, along, window) };
    }),
    drives: scene.drives.map((drive) => ({ ...drive, at: optional(drive.at), along: optional(drive.along), radius: null, axis: null })),
  };
}

/** From where to where a line lies in the window, [m] along it. */
function reachOf(through: number[] | null, along: number[], w: number[]): number[] {
  if (through?.length !== 2) return [-span(w) / 3, span(w) / 3];
  const where = [
    [w[0], w[2]],
    [w[0], w[3]],
    [w[1], w[2]],
    [w[1], w[3]],
  ].map((c) => ((c[0] ?? 0) - (through[0] ?? 0)) * (along[0] ?? 0) + ((c[1] ?? 0) - (through[1] ?? 0)) * (along[1] ?? 0));
  const low = Math.min(...where),
    high = Math.max(...where),
    more = 0.04 * (high - low);
  return [low - more, high + more];
}
