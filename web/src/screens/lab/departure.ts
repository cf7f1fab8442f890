import type { RobotDoc } from "../../core/app";
import { scenePoints } from "../../core/motion";
import type { Failure, FunctionGrade } from "./grades";

/** What can be drawn of a wrong answer. */
export interface Departure {
  q: number[];
  x: number[];
  other: { q: number[]; x: number[] } | null; // where the group's model puts the robot
  arrows: Arrow[];
  rays: Ray[];
}

/** A vector at a place: what is right, what was answered. */
export interface Arrow {
  at: number[];
  right: number[];
  got: number[];
}

/** A bar's direction: from a place, at an angle that is right and one that was answered [rad]. */
export interface Ray {
  at: number[];
  right: number;
  got: number;
  long: number; // [m]
}

const turn = (angle: number): number => Math.abs(Math.atan2(Math.sin(angle), Math.cos(angle)));

/** The state of a failure and how the group's answer differs there; null where no configuration can be drawn. */
export function departure(doc: RobotDoc, grade: FunctionGrade): Departure | null {
  const failure = grade.failure;
  if (!failure) return null;
  const place = configuration(doc, failure);
  if (!place) return null;
  const made: Departure = { ...place, other: null, arrows: [], rays: [] };
  const { expected, got } = failure;
  if (!expected || !got || !Object.values(got).every(Number.isFinite)) return made;
  const pair = (from: Record<string, number>, a: string, b: string): number[] => [from[a] ?? 0, from[b] ?? 0];
  if ("x" in expected) made.other = { q: place.q, x: pair(got, "x", "y") };
  else if ("q11" in expected) made.other = { q: pair(got, "q11", "q21"), x: place.x };
  else if ("q12" in expected) made.rays = rays(doc, place, expected, got);
  else
    for (const [a, b] of [
      ["xD", "yD"],
      ["xDD", "yDD"],
    ] as const)
      if (a in expected) made.arrows.push({ at: place.x, right: pair(expected, a, b), got: pair(got, a, b) });
  for (const mark of ["D", "DD"]) if (`q11${mark}` in expected) made.arrows.push(...driveArrows(doc, place, expected, got, mark));
  return made;
}

/** q and x of a failure's inputs, or of its right answer. */
function configuration(doc: RobotDoc, { inputs, expected }: Failure): { q: number[]; x: number[] } | null {
  const all = { ...expected, ...inputs };
  const number = (name: string): number | null => (Number.isFinite(all[name]) ? (all[name] as number) : null);
  const q = [number("q11"), number("q21")];
  if (q[0] === null || q[1] === null || !doc.kernels) return null;
  const drives = [q[0] as number, q[1] as number];
  const x = [number("x"), number("y")];
  if (x[0] !== null && x[1] !== null) return { q: drives, x: [x[0] as number, x[1] as number] };
  const passive = number("q12");
  const { solutions } = doc.kernels.direct(drives, doc.p);
  const far = (pose: ArrayLike<number>): number => (passive === null ? 0 : turn(barAngle(doc, drives, pose, 0) - passive));
  const best = solutions.reduce<(typeof solutions)[number] | null>((a, b) => (a === null || far(b.x) < far(a.x) ? b : a), null);
  return best ? { q: drives, x: Array.from(best.x) } : null;
}

/** The angle that the lab calls passive: the bar's from the x axis, less the crank's where there is one. */
function barAngle(doc: RobotDoc, q: number[], x: ArrayLike<number>, leg: number): number {
  const drive = doc.told.scene?.drives[leg];
  const from = scenePoints(doc, q, x)[drive?.point ?? 0] ?? [];
  const angle = Math.atan2((x[1] ?? 0) - (from[1] ?? 0), (x[0] ?? 0) - (from[0] ?? 0));
  return drive?.kind === "crank" ? angle - (q[leg] ?? 0) : angle;
}

function rays(doc: RobotDoc, { q, x }: { q: number[]; x: number[] }, expected: Record<string, number>, got: Record<string, number>): Ray[] {
  const points = scenePoints(doc, q, x);
  return (doc.told.scene?.drives ?? []).map((drive, leg) => {
    const at = points[drive.point] ?? [];
    const from = drive.kind === "crank" ? (q[leg] ?? 0) : 0;
    const name = `q${leg + 1}2`;
    const long = Math.hypot((x[0] ?? 0) - (at[0] ?? 0), (x[1] ?? 0) - (at[1] ?? 0));
    return { at, right: (expected[name] ?? 0) + from, got: (got[name] ?? 0) + from, long };
  });
}

/** How each drive moves: along its rail, or across its crank. */
function driveArrows(doc: RobotDoc, { q, x }: { q: number[]; x: number[] }, expected: Record<string, number>, got: Record<string, number>, mark: string): Arrow[] {
  const points = scenePoints(doc, q, x);
  return (doc.told.scene?.drives ?? []).map((drive, leg) => {
    const at = points[drive.point] ?? [];
    const reach = drive.radius ?? 1;
    const angle = q[leg] ?? 0;
    const way = drive.kind === "crank" ? [-reach * Math.sin(angle), reach * Math.cos(angle)] : (drive.along ?? [0, 1]);
    const along = (rate: number): number[] => way.map((v) => v * rate);
    const name = `q${leg + 1}1${mark}`;
    return { at, right: along(expected[name] ?? 0), got: along(got[name] ?? 0) };
  });
}
