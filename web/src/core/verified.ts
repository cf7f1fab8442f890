import type { RobotDoc } from "./app";
import { Store } from "./store";

/** What comparing with one engine found, for exactly one robot with exactly these values. */
export interface Verdict {
  engine: string; // as people write it
  compared: number; // rows of the table
  broken: number; // of them, beyond their limit
  relative: number | null; // the largest difference by the size of its quantity, of the engine's own pieces
  quantity: string; // the one that took most of its limit
  share: number; // how much of its limit
  states: number; // random states that were asked for
}

export type Verdicts = Record<string, Verdict>; // by the engine's name

const KEY = "closedchain.verified",
  MOST = 40; // robots that are remembered while the tab is open

/** One text for one robot: its equations, every parameter's value, and the program that would compare it. */
export function digest(doc: RobotDoc, version: string): string {
  const values = doc.told.parameters.map((row) => `${row.name}=${row.value}`).sort();
  return JSON.stringify([version, doc.ref.source ?? null, doc.ref.toml ?? null, values]);
}

/** Every comparison that this tab has run, also before the page was loaded anew. */
export const verified = new Store<Record<string, Verdicts>>(recalled());

/** Keep what an engine said of a robot, in place of what it said before. */
export function remember(of: string, engine: string, verdict: Verdict): void {
  const others = Object.entries(verified.value).filter(([key]) => key !== of);
  const mine = { ...verified.value[of], [engine]: verdict };
  verified.set(Object.fromEntries([...others.slice(-MOST + 1), [of, mine]]));
  try {
    sessionStorage.setItem(KEY, JSON.stringify(verified.value));
  } catch {
    // no room, or not allowed: it is remembered until the page is left
  }
}

function recalled(): Record<string, Verdicts> {
  try {
    const held: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    const rows = held && typeof held === "object" && !Array.isArray(held) ? Object.entries(held as Record<string, Verdicts>) : [];
    return Object.fromEntries(rows.filter(([, verdicts]) => Object.values(verdicts).every(whole)));
  } catch {
    return {};
  }
}

function whole(v: Verdict): boolean {
  const numbers = [v.compared, v.broken, v.share, v.states].every(Number.isFinite) && (v.relative === null || Number.isFinite(v.relative));
  return numbers && typeof v.engine === "string" && typeof v.quantity === "string";
}
