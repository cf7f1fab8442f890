import type { RobotDoc } from "../../core/app";
import { formulaOf } from "../../core/formula";
import type { RobotAnswer } from "../../messages";
import { amount, amounts, type Tables, tidy } from "./recipe";

export type Tool = "line" | "circle" | "points";

/** A place on the stage that shapes the trajectory. */
export interface Grip {
  name: string;
  at: number[]; // the output's coordinates, or a place on a circle's rim
  move(to: number[]): Tables;
}

const SAMPLES = 96;

/** Whether a way of the output can be asked for: it moves in the plane, with a drive for each of its coordinates. */
export const drawable = (told: RobotAnswer): boolean => told.dimension === 2 && led(told);

/** Whether the output can be led: the robot has a drive for each of its coordinates. */
export const led = ({ closed, linkage, q, x }: RobotAnswer): boolean => closed && !linkage && q.length === x.length;

/** The way that a trajectory goes, sampled; null where only the server knows (tables, several parts), or the robot of a formula is not told. */
export function wayOf(trajectory: Tables | null, doc: RobotDoc | null = null): number[][] | null {
  if (!trajectory || trajectory.space === "joint") return null;
  const kind = trajectory.kind;
  if (kind === "formula") return doc && formulaWay(trajectory, doc);
  if (kind === "quintic" || kind === "constant-velocity" || kind === "crossing") {
    const from = amounts(trajectory.from),
      to = amounts(trajectory.to);
    return from && to ? [from, to] : null;
  }
  if (kind === "rest") {
    const at = amounts(trajectory.at);
    return at ? [at] : null;
  }
  if (kind === "spline") return throughOf(trajectory);
  if (kind !== "circle") return null;
  const centre = amounts(trajectory.centre),
    radius = amount(trajectory.radius);
  if (!centre || radius === null) return null;
  const begin = amount(trajectory.angle) ?? 0,
    turns = amount(trajectory.turns) ?? 1;
  return Array.from({ length: SAMPLES + 1 }, (_, k) => rim(centre, radius, begin + (2 * Math.PI * turns * k) / SAMPLES));
}

/** The output's formulas over their time; null for formulas of the drives, and for what is no formula. */
function formulaWay(trajectory: Tables, { told }: RobotDoc): number[][] | null {
  const given = (trajectory.formula ?? {}) as Record<string, unknown>,
    seconds = durationOf(trajectory);
  const texts = Array.isArray(given) ? given : told.x.map(({ name }) => given[name]);
  if (seconds === null || texts.length !== told.x.length || Object.keys(given).length !== texts.length) return null;
  const values = Object.fromEntries(told.parameters.map(({ name, value }) => [name, value]));
  const known = new Set([...Object.keys(values), "t"]);
  const made = texts.map((text) => (typeof text === "string" || typeof text === "number" ? formulaOf(text, known) : null));
  const way = Array.from({ length: SAMPLES + 1 }, (_, k) => made.map((value) => value?.({ ...values, t: (seconds * k) / SAMPLES }) ?? NaN));
  return way.flat().every(Number.isFinite) ? way : null;
}

const rim = (centre: number[], radius: number, angle: number): number[] =>
  centre.map((v, i) => (i === 0 ? v + radius * Math.cos(angle) : i === 1 ? v + radius * Math.sin(angle) : v));

function throughOf(trajectory: Tables): number[][] | null {
  const rows = Array.isArray(trajectory.through) ? (trajectory.through as unknown[]).map(amounts) : [];
  return rows.length && rows.every((r): r is number[] => r !== null) ? rows : null;
}

/** How long a trajectory lasts [s]. */
export function durationOf(trajectory: Tables | null): number | null {
  if (!trajectory) return null;
  const times = amounts(trajectory.times);
  return times ? (times[times.length - 1] ?? null) : amount(trajectory.duration);
}

/** The same trajectory, faster or slower. */
export function lasting(trajectory: Tables, seconds: number): Tables {
  const times = amounts(trajectory.times);
  const end = times?.[times.length - 1];
  if (!times || !end) return { ...trajectory, duration: seconds };
  return { ...trajectory, times: times.map((t) => (t * seconds) / end) };
}

/** Places that can be dragged; `whole` fills the coordinates that the stage does not show. */
export function grips(trajectory: Tables | null): Grip[] {
  if (!trajectory || trajectory.space === "joint") return [];
  const kind = trajectory.kind;
  if (kind === "quintic" || kind === "constant-velocity" || kind === "crossing") {
    return ["from", "to"].flatMap((key) => {
      const at = amounts(trajectory[key]);
      return at ? [{ name: key === "from" ? "beginning" : "end", at, move: (to: number[]) => ({ ...trajectory, [key]: placed(at, to) }) }] : [];
    });
  }
  if (kind === "spline") {
    return (throughOf(trajectory) ?? []).map((at, i, rows) => ({
      name: `point ${i + 1}`,
      at,
      move: (to: number[]) => ({ ...trajectory, through: rows.map((row, k) => (k === i ? placed(row, to) : row)) }),
    }));
  }
  return kind === "circle" ? circleGrips(trajectory) : [];
}

function circleGrips(trajectory: Tables): Grip[] {
  const centre = amounts(trajectory.centre),
    radius = amount(trajectory.radius);
  if (!centre || radius === null) return [];
  const angle = amount(trajectory.angle) ?? 0;
  const reach = (to: number[]): [number, number] => [(to[0] ?? 0) - (centre[0] ?? 0), (to[1] ?? 0) - (centre[1] ?? 0)];
  return [
    { name: "centre", at: centre, move: (to) => ({ ...trajectory, centre: placed(centre, to) }) },
    {
      name: "rim, where it begins",
      at: rim(centre, radius, angle),
      move: (to) => ({ ...trajectory, radius: tidy(Math.max(Math.hypot(...reach(to)), 1e-6)), angle: tidy(Math.atan2(reach(to)[1], reach(to)[0])) }),
    },
  ];
}

const placed = (before: number[], to: number[]): number[] => before.map((v, i) => (i < 2 ? tidy(to[i] ?? v) : v));

/** A trajectory from what was drawn; null while that is too little. `rest` holds the coordinates that are not drawn. */
export function drawn(tool: Tool, points: number[][], rest: number[], before: Tables | null): Tables | null {
  const [first, last] = [points[0], points[points.length - 1]];
  if (!first || !last || points.length < 2) return null;
  const common: Tables = before?.working ? { working: before.working } : {};
  const seconds = durationOf(before) ?? 3;
  if (tool === "line") return { kind: "quintic", from: placed(rest, first), to: placed(rest, last), duration: seconds, ...common };
  if (tool === "circle") {
    const reach: [number, number] = [(last[0] ?? 0) - (first[0] ?? 0), (last[1] ?? 0) - (first[1] ?? 0)];
    return {
      kind: "circle",
      centre: placed(rest, first),
      radius: tidy(Math.max(Math.hypot(...reach), 1e-6)),
      angle: tidy(Math.atan2(reach[1], reach[0])),
      duration: seconds,
      ...common,
    };
  }
  const far = points.map((p, i) => (i ? Math.hypot((p[0] ?? 0) - (points[i - 1]?.[0] ?? 0), (p[1] ?? 0) - (points[i - 1]?.[1] ?? 0)) : 0));
  const all = far.reduce((a, b) => a + b, 0);
  if (!(all > 0)) return null;
  let sum = 0;
  const times = far.map((d) => tidy((seconds * (sum += d)) / all));
  return { kind: "spline", through: points.map((p) => placed(rest, p)), times, ends: "clamped", ...common };
}
