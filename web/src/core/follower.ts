import type { RobotDoc } from "./app";
import type { Kernels } from "./kernels";
import { leastNorm } from "./leastnorm";
import { type Moved, Moving, type Pose, scenePoints } from "./motion";

/** Something that a configuration shall have: its value there, how that changes with each coordinate, and the value wished for. */
interface Wish {
  value(z: number[]): number;
  slope(z: number[]): number[];
  goal: number;
  unit: number; // what the value is measured by
  held: boolean; // where not all can be had, this is
}

const ROUNDS = 14; // of Newton's method
const LEAP = 0.35; // of the robot's size, or [rad]: a step that changes a coordinate by more may be on another branch
const SMALLEST = 1 / 128; // of the way to a wish
const NUDGE = 1e-6;
const IMPLIED = 1e-6; // of a closure's row that is left by the others: less, and they imply it
const STILL = 1e-13; // a step so short changes nothing any more
const MOST = 40; // coordinates: with more, the server is quicker

const differ = (a: number[] | undefined, b: number[] | undefined): boolean => (a ?? []).some((v, k) => Math.abs(v - (b?.[k] ?? 0)) > 1e-9);

/** Whether the page moves a robot by following its closures from where it is. */
export const follows = (doc: RobotDoc): boolean => doc.kernels !== null && ("closures" in doc.kernels.kernels || !doc.told.closed) && doc.told.q.length + doc.told.x.length <= MOST;

/** Moves a robot or a linkage by Newton's method on its closures, from where it is: it stays on its branch, and knows no other. */
export class Follower extends Moving {
  readonly complete = false;
  private readonly size: number[]; // what a coordinate is measured by
  private readonly pattern: { rows: Float64Array; columns: Float64Array } | null;

  constructor(doc: RobotDoc, kernels: Kernels) {
    super(doc, kernels);
    this.size = [...doc.told.q, ...doc.told.x].map(({ unit }) => (unit === "rad" ? 1 : doc.told.size));
    const told = "pattern" in kernels.kernels ? kernels.evaluate("pattern", {}) : null;
    this.pattern = told ? { rows: told.Phi_rows as Float64Array, columns: told.Phi_columns as Float64Array } : null;
  }

  override settle(before: Pose): Pose | null {
    const z = [...before.q, ...before.x],
      drives = before.q.map((v, i) => this.coordinate(i, v));
    const found = this.newton(z, drives, before.q, 0) ?? this.newton(z, [], [], 0);
    return found && this.far(found, z) < LEAP ? { ...before, q: found.slice(0, before.q.length), x: found.slice(before.q.length) } : null;
  }

  override named(q: number[], x: number[]): Pose {
    return { q, x, working: "", assembly: "" };
  }

  override others(): [] {
    return [];
  }

  /** The output at x; of an output that has more coordinates than the robot has freedoms, those that differ from where it is. */
  override moveTip(pose: Pose, target: number[]): Moved {
    const square = this.doc.told.q.length === this.doc.told.x.length && !this.doc.told.linkage,
      n = pose.q.length;
    const asked = target.map((_, i) => i).filter((i) => square || target[i] !== pose.x[i]);
    const held = this.doc.told.linkage ? pose.q.map((v, i) => this.coordinate(i, v, true)) : [];
    return this.toward(pose, [...held, ...asked.map((i) => this.coordinate(n + i, target[i] ?? 0))], "tip");
  }

  override pull(pose: Pose, target: number[]): Moved {
    return { ...this.moveTip(pose, target), why: null }; // it comes as near as it can: the hand sees that
  }

  override moveDrive(pose: Pose, i: number, value: number): Moved {
    return this.moveDrives(
      pose,
      pose.q.map((v, k) => (k === i ? value : v)),
    );
  }

  override moveDrives(pose: Pose, q: number[]): Moved {
    return this.toward(
      pose,
      q.map((v, i) => this.coordinate(i, v)),
      "drive",
    );
  }

  /** Bring a point of the robot towards a place, counted along some directions; the drives of a linkage are held. */
  lead(pose: Pose, point: number, target: ArrayLike<number>, along: ArrayLike<number>[]): Moved {
    const own = this.doc.told.closed ? null : this.ownCoordinate(point);
    const held = this.doc.told.linkage || own !== null ? pose.q.flatMap((v, i) => (i === own ? [] : [this.coordinate(i, v, true)])) : [];
    const moved = this.toward(pose, [...held, ...along.map((axis) => this.placed(point, target, axis))], "tip");
    return { ...moved, why: null };
  }

  /** The points that can be led: of a robot without loops those that a coordinate moves, else all that move. */
  movable(): number[] {
    const points = this.doc.told.scene?.names.map((_, i) => i) ?? [];
    if (!this.doc.told.closed) return points.filter((i) => this.ownCoordinate(i) !== null);
    const { q, x } = this.doc.told.start,
      here = scenePoints(this.doc, q, x);
    const moved = [...q, ...x].map((_, k) =>
      scenePoints(
        this.doc,
        q.map((v, i) => (i === k ? v + 0.1 : v)),
        x.map((v, i) => (i + q.length === k ? v + 0.1 : v)),
      ),
    );
    return points.filter((i) => moved.some((other) => differ(here[i], other[i])));
  }

  /** The coordinate of an open robot that moves a point and the fewest others: an arm's for its end, a pendulum's for its tip. */
  private ownCoordinate(point: number): number | null {
    const { q } = this.doc.told.start,
      rest = scenePoints(this.doc, q, []);
    const moved = q.map((_, j) => {
      const other = scenePoints(
        this.doc,
        q.map((v, k) => (k === j ? v + 0.7 : v)),
        [],
      );
      return rest.map((p, i) => differ(p, other[i]));
    });
    const fitting = q.map((_, j) => j).filter((j) => moved[j]?.[point]),
      count = (j: number): number => moved[j]?.filter(Boolean).length ?? 0;
    return fitting.length ? fitting.reduce((best, j) => (count(j) < count(best) ? j : best)) : null;
  }

  private coordinate(i: number, goal: number, held = false): Wish {
    const row = this.size.map((_, k) => (k === i ? 1 : 0));
    return { value: (z) => z[i] ?? 0, slope: () => row, goal, unit: this.size[i] ?? 1, held };
  }

  private placed(point: number, target: ArrayLike<number>, axis: ArrayLike<number>): Wish {
    const n = this.doc.told.q.length;
    const value = (z: number[]): number => {
      const p = scenePoints(this.doc, z.slice(0, n), z.slice(n))[point] ?? [];
      return [0, 1, 2].reduce((sum, k) => sum + (p[k] ?? 0) * (axis[k] ?? 0), 0);
    };
    const slope = (z: number[]): number[] => {
      const here = value(z);
      return z.map((_, i) => (value(z.map((v, k) => (k === i ? v + NUDGE * (this.size[i] ?? 1) : v))) - here) / (NUDGE * (this.size[i] ?? 1)));
    };
    const goal = [0, 1, 2].reduce((sum, k) => sum + (target[k] ?? 0) * (axis[k] ?? 0), 0);
    return { value, slope, goal, unit: this.doc.told.size, held: false };
  }

  /** On the straight way of the wishes as far as the closures let it, then, for an output or a point in hand, as near as it comes. */
  private toward(pose: Pose, wishes: Wish[], what: "tip" | "drive"): Moved {
    let z = [...pose.q, ...pose.x],
      done = 0,
      step = 1;
    const first = wishes.map((wish) => wish.value(z));
    while (done < 1 && step >= SMALLEST) {
      const part = Math.min(1, done + step);
      const goals = wishes.map(({ goal }, i) => (first[i] ?? 0) + part * (goal - (first[i] ?? 0)));
      const next = this.newton(z, wishes, goals, 0);
      if (next && this.far(next, z) < LEAP) {
        [z, done] = [next, part];
        step *= 2;
      } else step /= 2;
    }
    if (done < 1 && what === "tip") z = this.nearest(z, wishes);
    const n = pose.q.length,
      made = { ...pose, q: z.slice(0, n), x: z.slice(n) };
    return { pose: made, why: done < 1 ? { leg: "", by: null, what } : null };
  }

  /** Damped steps towards the wishes, each put back onto the closures: where the wish is out of reach it slides along the boundary. */
  private nearest(z: number[], wishes: Wish[]): number[] {
    const miss = (at: number[]): number => Math.hypot(...wishes.map((wish) => (wish.goal - wish.value(at)) / wish.unit));
    const held = wishes.filter((wish) => wish.held),
      goals = held.map(({ goal }) => goal);
    let best = z,
      damping = 1e-3;
    for (let k = 0; k < 12; k++) {
      const next = this.newton(
        best,
        wishes,
        wishes.map(({ goal }) => goal),
        damping,
      );
      const back = next && this.far(next, best) < LEAP ? this.newton(next, held, goals, 0) : null;
      if (back && this.far(back, best) < LEAP && miss(back) < miss(best)) best = back;
      else damping *= 10;
    }
    return best;
  }

  private far(a: number[], b: number[]): number {
    return Math.max(0, ...a.map((v, i) => Math.abs(v - (b[i] ?? 0)) / (this.size[i] ?? 1)));
  }

  /**
   * The configuration nearest to z that closes the loops and has the wishes' values; with damping, one step in that direction. Closures that
   * others imply are chosen once, where the loops are closed: beside that place they would contradict the others by a little, and their
   * rows, nearly dependent, make much of it. Every closure is asked at the end.
   */
  private newton(start: number[], wishes: Wish[], goals: number[], damping: number): number[] | null {
    const { size } = this.doc.told;
    let z = start,
      firm: number[] | null = null,
      rank = IMPLIED;
    for (let round = 0; round < ROUNDS; round++) {
      const { phi, rows, gap } = this.closures(z);
      const off = wishes.map((wish, i) => (goals[i] ?? 0) - wish.value(z));
      if (!damping && gap < 1e-11 * size && off.every((d) => Math.abs(d) < 1e-11 * Math.max(1, size))) return z;
      if (!firm) rank = Math.max(IMPLIED, gap / size); // how open it is: no more can be told of its rows
      const own: number[] = firm ?? phi.map((_, i) => i);
      const all = [...own.map((i) => rows[i] ?? []), ...wishes.map((wish) => wish.slope(z).map((v) => v / wish.unit))];
      const right = [...own.map((i) => -(phi[i] ?? 0)), ...wishes.map(({ unit }, i) => (off[i] ?? 0) / unit)];
      const damped = [...own.map(() => 0), ...wishes.map(({ held }) => (held ? 0 : damping))];
      const made = leastNorm(
        all.map((row) => row.map((v, i) => v * (this.size[i] ?? 1))),
        right,
        damped,
        own.length,
        firm ? undefined : rank,
      );
      if (!made) return null;
      const long = Math.max(0, ...made.step.map(Math.abs)),
        cut = damping ? Math.min(1, 0.1 / long) : 1;
      z = z.map((v, i) => v + cut * (made.step[i] ?? 0) * (this.size[i] ?? 1));
      if (damping) return z;
      if (long > 10 * LEAP || (long < STILL && rank === IMPLIED)) return null;
      firm = long < STILL ? null : (firm ?? made.taken.flatMap((k) => own[k] ?? []));
    }
    return null;
  }

  private closures(z: number[]): { phi: number[]; rows: number[][]; gap: number } {
    const { kernels, doc, pattern } = this,
      n = doc.told.q.length;
    if (!doc.told.x.length) return { phi: [], rows: [], gap: 0 };
    const made = kernels.evaluate("closures", { q: z.slice(0, n), x: z.slice(n), p: doc.p });
    const phi = Array.from(made.phi ?? []),
      gap = Math.max(0, ...Array.from(made.gap ?? [], Math.abs));
    const rows = phi.map(() => new Array<number>(z.length).fill(0));
    if (pattern) Array.from(made.Phi ?? []).forEach((v, k) => ((rows[pattern.rows[k] ?? 0] ?? [])[pattern.columns[k] ?? 0] = v));
    else {
      const { A, B } = made,
        m = z.length - n;
      rows.forEach((row, i) => row.forEach((_, j) => (row[j] = (j < n ? B?.[i * n + j] : A?.[i * m + j - n]) ?? 0)));
    }
    return { phi, rows, gap };
  }
}
