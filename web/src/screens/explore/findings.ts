import { el, svg } from "../../core/dom";
import { decimalsFor, fixed, length, signs } from "../../core/numbers";
import type { Point, Stage } from "../../core/stage";
import type { PathAnswer } from "../../messages";
import { type Path, Way } from "./way";

const NEARBY = 16; // [px] of the path on both sides of a singular point that are drawn as bad

/** One thing that a path meets, in the order in which it meets them. */
export interface Finding {
  s: number;
  at: number[]; // where its number stands on the stage
  words: string;
  type: 0 | 1 | 2; // of a singular point; 0: out of reach, or not decided
}

/** What an answer says, in words; `size` is a length of the robot's own. */
export function findings(answer: PathAnswer, size: number): Finding[] {
  const decimals = Math.max(0, decimalsFor(size) - 1);
  const place = (x: number[]): string => `(${fixed(x[0], decimals)}, ${fixed(x[1], decimals)})`;
  const gaps = answer.out_of_reach.map(({ low, start, end, legs }) => {
    const by = legs.map(({ leg, by: miss, side }) => `leg ${leg} cannot reach: up to ${length(miss)} too ${side}`).join("; ");
    return { s: low, at: legs[0]?.x ?? start, words: `${capital(by)}, from ${place(start)} to ${place(end)}.`, type: 0 as const };
  });
  const points = answer.points.map((p) => ({
    s: p.s,
    at: p.x,
    words: p.type === 2 ? `Type 2 at ${place(p.x)}: the output moves with locked drives, efforts have no bound.` : `Type 1 at ${place(p.x)}: leg ${p.leg} is at its end.`,
    type: p.type as 1 | 2,
  }));
  const open = answer.unresolved.map((u) => ({ s: u.low, at: u.x, words: `Not decided near ${place(u.x)}: ${u.why}.`, type: 0 as const }));
  return [...gaps, ...points, ...open].sort((a, b) => a.s - b.s || a.type - b.type);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The whole in one line, and whether it is good. */
export function verdict(answer: PathAnswer): { words: string; state: "good" | "bad" | "warn" } {
  const parts = answer.out_of_reach.length,
    points = answer.points.length,
    open = answer.unresolved.length;
  const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;
  const said = [parts && `${count(parts, "part")} out of reach`, points && count(points, "singular point"), open && `${count(open, "part")} not decided`].filter(Boolean);
  if (said.length) return { words: `${parts || points ? "✗" : "?"} Mode ${signs(answer.working)}: ${said.join(", ")}.`, state: parts || points ? "bad" : "warn" };
  return { words: `✓ Mode ${signs(answer.working)}: in reach and never singular (proven).`, state: "good" };
}

/** What was searched, and what it does not say. */
export function searched(path: Path, answer: PathAnswer): string {
  const what = path.kind === "circle" ? "the whole circle" : path.kind === "quintic" ? "the whole line" : `the ${path.through.length - 1} straight pieces between its points`;
  const proof = !answer.complete
    ? "Other singular points may lie on the parts that are not decided."
    : `It is proven that there are no ${answer.points.length ? "other " : ""}singular points on it.`;
  return `Searched: ${what}. ${proof}${path.kind === "spline" ? " Simulate runs a smooth curve through the same points." : ""}`;
}

/** The path on the stage: good parts whole, bad ones dashed, a number where something is met. */
export class Drawing {
  private readonly halo = svg("path", { class: "mark halo" });
  private readonly unknown = svg("path", { class: "mark walk unknown" });
  private readonly good = svg("path", { class: "mark walk good" });
  private readonly bad = svg("path", { class: "mark walk bad" });
  private readonly numbers = svg("g", { class: "findings", "aria-hidden": "true" }); // the list beside the stage says it

  constructor(private readonly stage: Stage) {
    stage.layers.under.append(this.halo, this.unknown, this.good, this.bad);
    stage.layers.marks.append(this.numbers);
  }

  draw(path: Path | null, answer: PathAnswer | null, found: Finding[]): void {
    const way = path ? new Way(path) : null;
    const line = (parts: [number, number][]): string => (way ? parts.map(([a, b]) => this.stage.path(way.between(a, b))).join("") : "");
    const whole: [number, number][] = way ? [[0, way.end]] : [];
    const bad = way && answer ? this.badParts(way, answer) : [];
    this.halo.setAttribute("d", line(whole));
    this.unknown.setAttribute("d", answer ? "" : line(whole));
    this.good.setAttribute("d", answer && way ? line(rest(bad, way.end)) : "");
    this.bad.setAttribute("d", line(bad));
    this.numbers.replaceChildren(...found.flatMap((one, i) => this.number(one, i + 1)));
  }

  private badParts(way: Way, answer: PathAnswer): [number, number][] {
    const near = NEARBY / this.stage.pixelsPerMetre;
    const about = (low: number, high: number): [number, number] => [way.s(way.length(low) - near), way.s(way.length(high) + near)];
    const gaps = answer.out_of_reach.map(({ low, high }): [number, number] => [low, high]);
    return merged([...gaps, ...answer.points.map(({ s }) => about(s, s)), ...answer.unresolved.map(({ low, high }) => about(low, high))]);
  }

  private number(one: Finding, n: number): SVGElement[] {
    const [x, y] = this.stage.toScreen(one.at) as Point;
    const text = svg("text", { class: "stage-label", x: fixed(x + 9, 1).replace("−", "-"), y: fixed(y - 7, 1).replace("−", "-") }, String(n));
    if (!one.type) return [text];
    return [svg("circle", { class: `mark type${one.type} met`, cx: x.toFixed(1), cy: y.toFixed(1), r: 6 }), text];
  }
}

/** Parts that overlap or touch as one, in order. */
export function merged(parts: [number, number][]): [number, number][] {
  const made: [number, number][] = [];
  for (const [low, high] of [...parts].sort((a, b) => a[0] - b[0])) {
    const last = made[made.length - 1];
    if (last && low <= last[1]) last[1] = Math.max(last[1], high);
    else made.push([low, high]);
  }
  return made;
}

/** What is left of 0 … end. */
function rest(parts: [number, number][], end: number): [number, number][] {
  const edges = [0, ...parts.flat(), end];
  return parts
    .map((_, i): [number, number] => [edges[2 * i] ?? 0, edges[2 * i + 1] ?? 0])
    .concat([[edges[2 * parts.length] ?? 0, end]])
    .filter(([a, b]) => b > a);
}

/** The list beside the stage. */
export const list = (found: Finding[]): HTMLElement[] => found.slice(0, 24).map((one) => el("li", { class: one.type ? `type${one.type}` : "" }, one.words));
