import type { SceneRow } from "../messages";
import { afterPause, put, svg } from "./dom";
import type { Puppet } from "./puppet";
import { Eye, type Vector } from "./space/eye";

const WIDE = 34,
  TALL = 22,
  ROOM = 3; // [px]
const RESTED = 150; // [ms] without a move: then they are drawn anew

/** The robot so small that only the shape of a branch is seen; all of a group have one scale and one place. */
export class Thumbnails {
  private readonly pictures = new Map<string, { element: SVGSVGElement; line: SVGPathElement; drive: SVGPathElement }>();

  constructor(
    private readonly scene: SceneRow,
    private readonly flat: boolean,
  ) {}

  /** The picture of a branch, to be put on its button. */
  of(name: string): SVGSVGElement {
    const known = this.pictures.get(name);
    if (known) return known.element;
    const [line, drive] = [svg("path", { class: "thumb-line" }), svg("path", { class: "thumb-drive" })];
    const element = svg("svg", { class: "thumb", width: WIDE, height: TALL, viewBox: `0 0 ${WIDE} ${TALL}`, "aria-hidden": "true" }, line, drive);
    this.pictures.set(name, { element, line, drive });
    return element;
  }

  /** Draw branches from the places of their points [m]; one that is not there is empty. */
  draw(places: Map<string, number[][]>): void {
    const seen = this.onPaper(places);
    for (const [name, { line, drive }] of this.pictures) {
      const at = seen.get(name);
      put(line, "d", at ? this.path(at, ["bar", "plate", "telescope"]) : "");
      put(drive, "d", at ? this.path(at, ["crank"]) : "");
    }
  }

  private path(at: [number, number][], kinds: string[]): string {
    const text = (i: number): string => at[i]?.map((v) => v.toFixed(1)).join(" ") ?? "0 0";
    return this.scene.parts
      .filter((part) => kinds.includes(part.kind) && part.points.length > 1)
      .map((part) => `M${part.points.map(text).join("L")}${part.kind === "plate" ? "Z" : ""}`)
      .join("");
  }

  /** Every point of every branch on a paper of one size. */
  private onPaper(places: Map<string, number[][]>): Map<string, [number, number][]> {
    const all = [...places.values()].flat(),
      bound = (pick: (...v: number[]) => number, k: number): number => all.reduce((m, p) => pick(m, p[k] ?? 0), all[0]?.[k] ?? 0);
    const low = [0, 1, 2].map((k) => bound(Math.min, k)),
      high = [0, 1, 2].map((k) => bound(Math.max, k));
    const middle = low.map((v, k) => (v + (high[k] ?? 0)) / 2) as Vector,
      span = high.map((v, k) => v - (low[k] ?? 0));
    const eye = new Eye();
    [eye.width, eye.tall] = [WIDE, TALL];
    eye.frame(middle, Math.max(0.8 * Math.hypot(...span), 1e-9));
    const scale = Math.min((WIDE - 2 * ROOM) / (span[0] || 1e-9), (TALL - 2 * ROOM) / (span[1] || 1e-9));
    const put = (p: number[]): [number, number] => {
      if (!this.flat) return eye.seen(p).slice(0, 2) as [number, number];
      return [WIDE / 2 + ((p[0] ?? 0) - middle[0]) * scale, TALL / 2 - ((p[1] ?? 0) - middle[1]) * scale];
    };
    return new Map([...places].map(([name, points]) => [name, points.map(put)]));
  }
}

/** Pictures of a robot's branches, for their buttons; `show` lets them follow when the robot rests. */
export function branchPictures(puppet: Puppet): { of(kind: "working" | "assembly", name: string): SVGSVGElement | null; show(): void } {
  const { scene, dimension } = puppet.doc.told;
  if (!scene) return { of: () => null, show: () => undefined };
  const made = { working: new Thumbnails(scene, dimension !== 3), assembly: new Thumbnails(scene, dimension !== 3) };
  const draw = afterPause(RESTED, () => {
    for (const kind of ["working", "assembly"] as const) {
      const here: [string, number[][]] = [puppet.nameOf(kind), puppet.points()];
      const others = puppet.others().filter((other) => other.kind === kind);
      made[kind].draw(new Map([here, ...others.map(({ pose, points }): [string, number[][]] => [pose[kind], points])]));
    }
  });
  return { of: (kind, name) => made[kind].of(name), show: draw };
}
