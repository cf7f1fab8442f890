import type { RobotDoc } from "../../core/app";
import { solvesItself } from "../../core/kernels";
import { apart } from "../../core/motion";
import type { Window } from "../../core/stage";
import type { Station } from "../../core/standing";
import { amounts, read, type Tables } from "./recipe";
import type { Draft } from "./setup";
import { wayOf } from "./trajectory";

const MOST = 9; // configurations along a trajectory that are looked at

/** Configurations that a motion goes through, its beginning first, as far as the kernels know them. */
export function stations(doc: RobotDoc, draft: Draft, here: Station): Station[] {
  const start = begun(doc, draft);
  const given = read(draft.base, draft.changes, "trajectory");
  const one = given && !Array.isArray(given) ? (given as Tables) : null;
  const way = one && one.space !== "joint" && doc.told.closed ? wayOf(one, doc) : null;
  if (!way || way.some((x) => x.length !== doc.told.x.length) || !solvesItself(doc.kernels)) return [start ?? here];
  const every = Math.max(1, Math.floor(way.length / MOST));
  let before = here.q,
    mode = typeof one?.working === "string" ? one.working : "";
  const made: Station[] = [];
  for (const x of way.filter((_, i) => i % every === 0 || i === way.length - 1)) {
    const { solutions } = doc.kernels.inverse(x, doc.p);
    const same = solutions.filter((s) => s.mode === mode);
    const [first, ...rest] = same.length ? same : solutions;
    if (!first) continue;
    const best = rest.reduce((a, b) => (apart(doc, "q", b.q, before) < apart(doc, "q", a.q, before) ? b : a), first);
    made.push({ q: Array.from(best.q), x });
    before = Array.from(best.q);
    mode ||= best.mode;
  }
  return start ? [start, ...made] : made.length ? made : [here];
}

/** Where a scenario says that the robot starts; null where it does not. */
function begun(doc: RobotDoc, draft: Draft): Station | null {
  const start = read(draft.base, draft.changes, "start") as Tables | undefined;
  const q = amounts(start?.q);
  if (!q || q.length !== doc.told.q.length) return null;
  if (!doc.told.closed) return { q, x: [] };
  if (!solvesItself(doc.kernels)) return null;
  const { solutions } = doc.kernels.direct(q, doc.p);
  const found = solutions.find((s) => s.mode === start?.assembly) ?? solutions[0];
  return found ? { q, x: Array.from(found.x) } : null;
}

/** A window around points of configurations and a line. */
export function around(doc: RobotDoc, clouds: number[][][], line: number[][]): Window {
  const all = [...clouds.flat(), ...line];
  const [xs, ys] = [all.map((p) => p[0] ?? 0), all.map((p) => p[1] ?? 0)];
  const more = 0.22 * doc.told.size;
  return [Math.min(...xs) - more, Math.max(...xs) + more, Math.min(...ys) - more, Math.max(...ys) + more];
}
