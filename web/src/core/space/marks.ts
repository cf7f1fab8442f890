import type { AtAnswer, Ellipse } from "../../messages";
import { put, say, svg } from "../dom";
import type { Puppet } from "../puppet";
import { centreOf } from "./gizmo";
import { placeOf } from "./hand";
import type { SpaceView } from "./view";

const MEAN = 44,
  LONGEST = 110; // [px] of an ellipsoid's half axes
const ARROW = 84;

/** What is shown at the output: outlines of the ellipsoids of velocity and force, its free motion near Type 2, the target out of reach. */
export class SpaceMarks {
  ellipses = true;
  private readonly velocity = svg("path", { class: "mark velocity" });
  private readonly force = svg("path", { class: "mark force" });
  private readonly free = svg("path", { class: "mark free" });
  private readonly word = svg("text", { class: "stage-label" });
  private readonly target = svg("path", { class: "mark target" });
  private readonly rope = svg("path", { class: "mark reach" });

  constructor(
    private readonly view: SpaceView,
    private readonly puppet: Puppet,
  ) {
    view.marks.append(this.velocity, this.force, this.rope, this.target, this.free, this.word);
  }

  draw(): void {
    const facts = this.puppet.facts.value,
      place = placeOf(this.puppet),
      at = this.view.toScreen(centreOf(this.puppet));
    const given = this.ellipses && place ? (facts?.velocity_ellipse ?? null) : null;
    const spread = given && place ? spreadOf(given, place) : null,
      inverse = spread && inverted(spread);
    put(this.velocity, "d", spread ? this.outline(at, spread) : "");
    put(this.force, "d", inverse ? this.outline(at, inverse) : "");
    this.drawFree(at, facts, place);
    const target = this.puppet.stop.value?.target,
      aim = target && place ? this.view.toScreen(place.map((i) => target[i] ?? 0)) : null;
    put(this.target, "d", aim ? `M${aim[0] - 7} ${aim[1] - 7}l14 14m0 -14l-14 14` : "");
    put(this.rope, "d", aim ? `M${at[0]} ${at[1]}L${aim[0]} ${aim[1]}` : "");
  }

  /** What an ellipsoid {p : pᵀ S⁻¹ p ≤ 1} covers on the screen is the ellipse of P S Pᵀ; its size is set so that its shape is seen. */
  private outline(at: [number, number], spread: number[][]): string {
    const [right, up] = this.view.eye.axes(),
      of = (a: ArrayLike<number>, b: ArrayLike<number>): number => spread.reduce((sum, row, i) => sum + (a[i] ?? 0) * row.reduce((s, v, j) => s + v * (b[j] ?? 0), 0), 0);
    const [xx, xy, yy] = [of(right, right), -of(right, up), of(up, up)];
    const half = (xx + yy) / 2,
      apart = Math.hypot((xx - yy) / 2, xy),
      turn = 0.5 * Math.atan2(2 * xy, xx - yy);
    const scale = MEAN / Math.max(Math.cbrt(Math.sqrt(Math.max(determinant(spread), 0))), 1e-12);
    const [a, b] = [half + apart, half - apart].map((v) => Math.min(LONGEST, Math.max(1.5, scale * Math.sqrt(Math.max(v, 0))))) as [number, number];
    const end = (s: number): string => `${(at[0] + s * a * Math.cos(turn)).toFixed(1)} ${(at[1] + s * a * Math.sin(turn)).toFixed(1)}`;
    const arc = `A${a.toFixed(1)} ${b.toFixed(1)} ${((turn * 180) / Math.PI).toFixed(2)} 0 1 `;
    return Number.isFinite(a + b) ? `M${end(-1)}${arc}${end(1)}${arc}${end(-1)}Z` : "";
  }

  private drawFree(at: [number, number], facts: AtAnswer | null, place: number[] | null): void {
    const motion = facts?.free_motion,
      way = place?.map((i) => motion?.[i] ?? 0) ?? [],
      size = Math.hypot(...way);
    say(this.word, "");
    if (!motion) return put(this.free, "d", "");
    const each = 1 / this.view.eye.pixels(),
      centre = centreOf(this.puppet);
    const end = (s: number): [number, number] => this.view.toScreen(centre.map((v, k) => v + (s * ARROW * each * (way[k] ?? 0)) / (size || 1)));
    put(this.free, "d", size > 1e-6 ? `M${end(-1).join(" ")}L${end(1).join(" ")}` : "");
    const [x, y] = size > 1e-6 ? end(1) : [at[0] + 34, at[1] - 34];
    say(this.word, size > 1e-6 ? "free to move" : "free to turn");
    put(this.word, "x", (x + 8).toFixed(1));
    put(this.word, "y", (y - 8).toFixed(1));
  }
}

/** J Jᵀ of the output's place: the sum over the ellipsoid's axes of r² a aᵀ; null where one is infinite. */
function spreadOf({ radii, axes }: Ellipse, place: number[]): number[][] | null {
  if (radii.some((r) => r === null)) return null;
  return place.map((i) => place.map((j) => axes.reduce((sum, axis, k) => sum + (radii[k] ?? 0) ** 2 * (axis[i] ?? 0) * (axis[j] ?? 0), 0)));
}

const determinant = ([a = [], b = [], c = []]: number[][]): number =>
  a.reduce((sum, v, k) => sum + v * ((b[(k + 1) % 3] ?? 0) * (c[(k + 2) % 3] ?? 0) - (b[(k + 2) % 3] ?? 0) * (c[(k + 1) % 3] ?? 0)), 0);

function inverted(m: number[][]): number[][] | null {
  const det = determinant(m),
    at = (i: number, j: number): number => m[i % 3]?.[j % 3] ?? 0;
  if (!(Math.abs(det) > 1e-30)) return null;
  return [0, 1, 2].map((i) => [0, 1, 2].map((j) => (at(j + 1, i + 1) * at(j + 2, i + 2) - at(j + 1, i + 2) * at(j + 2, i + 1)) / det));
}
