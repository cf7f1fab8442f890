import type { RobotDoc } from "../core/app";
import { el, say, svg } from "../core/dom";
import type { Pose } from "../core/motion";
import { length, tell } from "../core/numbers";
import type { Puppet } from "../core/puppet";
import { centreOf } from "../core/space/gizmo";
import { section } from "../core/widgets";

/** What is to be done: bring the output somewhere without crossing Type 2, or find values for which a rectangle lies in one aspect. */
export type Exercise = { kind: "reach"; to: number[] } | { kind: "rectangle"; window: [number, number, number, number] };

const NEAR = 0.01; // of the robot's size: the output is there
const LEAP = 0.12; // of the robot's size, between two frames: a leap is no way
const GRID = 21; // samples along a side

/** The exercise that a fragment tells: exercise=reach:0.1,0.2 or exercise=rectangle:x0,x1,y0,y1; null where there is none, or it does not fit the robot. */
export function readExercise(fragment: string, doc: RobotDoc): Exercise | null {
  const [kind = "", rest = ""] = (new URLSearchParams(fragment.replace(/^#/, "")).get("exercise") ?? "").split(":");
  const numbers = rest.split(",").map(Number),
    dimension = doc.told.dimension;
  if (!rest || !numbers.every(Number.isFinite) || !doc.told.closed) return null;
  if (kind === "reach" && numbers.length === dimension) return { kind, to: numbers };
  const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = numbers;
  return kind === "rectangle" && numbers.length === 4 && dimension === 2 && x0 < x1 && y0 < y1 ? { kind, window: [x0, x1, y0, y1] } : null;
}

/** Whether a way goes on: how it was left, told once. */
interface Way {
  start: number; // sign of det A where it began
  broken: string;
}

/** The exercise beside the robot: what is asked, how far it is, and whether it is done; the page decides it by itself. */
export class Task {
  readonly element: HTMLElement;
  readonly mark = svg("path", { class: "mark goal" });
  done = false;
  private way: Way;
  private before: Pose;
  private readonly words = el("p", { class: "small" });
  private readonly verdict = el("p", { class: "verdict small", role: "status" });

  constructor(
    readonly exercise: Exercise,
    private readonly puppet: Puppet,
  ) {
    this.before = puppet.pose.value;
    this.way = this.begin();
    const again = el("button", { type: "button", onclick: () => ((this.way = this.begin()), (this.done = false), this.judge()) }, "Begin the way here");
    this.element = section("Exercise", true, this.words, this.verdict, ...(exercise.kind === "reach" ? [el("div", { class: "row" }, again)] : []));
    const names = puppet.doc.told.dimension === 3 ? ["x", "y", "z"] : ["x", "y"];
    say(
      this.words,
      exercise.kind === "reach"
        ? `Bring the tip to B (${exercise.to.map((v, i) => `${names[i]} ${tell(v, 3)}`).join(", ")} m), on one way, without crossing a Type 2 singularity: det A must keep its sign.`
        : `Find parameters for which the rectangle x ${exercise.window
            .slice(0, 2)
            .map((v) => tell(v, 3))
            .join(" … ")} m, y ${exercise.window
            .slice(2)
            .map((v) => tell(v, 3))
            .join(" … ")} m lies in one aspect of the working mode at hand.`,
    );
    this.judge();
  }

  private begin(): Way {
    return { start: Math.sign(this.det(this.puppet.pose.value)), broken: "" };
  }

  private det({ q, x }: Pose): number {
    const { doc } = this.puppet;
    return doc.kernels?.configuration(q, x, doc.p).det ?? NaN;
  }

  /** For every frame: follow the way, and say how things stand. */
  judge(): void {
    if (this.exercise.kind === "reach") this.judgeWay(this.exercise.to);
    else this.judgeRectangle(this.exercise.window);
    this.verdict.className = `verdict small ${this.done ? "good" : this.way.broken ? "bad" : ""}`;
  }

  private judgeWay(to: number[]): void {
    const pose = this.puppet.pose.value,
      { size } = this.puppet.doc.told;
    const moved = Math.max(...pose.x.map((v, i) => Math.abs(v - (this.before.x[i] ?? v)) / (this.puppet.doc.told.x[i]?.unit === "rad" ? 1 : size)), 0);
    const det = this.det(pose);
    if (!this.done && !this.way.broken) {
      if (Math.sign(det) !== this.way.start) this.way.broken = "det A changed its sign: the way crossed a Type 2 singularity.";
      else if (moved > LEAP) this.way.broken = "The robot was put elsewhere: that is no way.";
    }
    this.before = pose;
    const at = this.puppet.doc.told.dimension === 3 ? centreOf(this.puppet) : (this.puppet.points()[this.puppet.doc.told.scene?.tip ?? -1] ?? pose.x);
    const left = Math.hypot(...to.map((v, i) => v - (at[i] ?? 0)));
    if (!this.way.broken && left < NEAR * size) this.done = true;
    say(
      this.verdict,
      this.done ? "✓ Reached, and det A kept its sign all the way." : this.way.broken ? `✗ ${this.way.broken} Go back and begin the way anew.` : `${length(left)} to go.`,
    );
  }

  /** Samples of the rectangle, in the working mode at hand and with the angle that a plate has. */
  private judgeRectangle([x0, x1, y0, y1]: [number, number, number, number]): void {
    const { doc } = this.puppet,
      { working, x } = this.puppet.pose.value,
      signs = [0, 0, 0];
    for (let i = 0; i < GRID * GRID; i++) {
      const at = x.map((v, k) => (k === 0 ? x0 + ((x1 - x0) * (i % GRID)) / (GRID - 1) : k === 1 ? y0 + ((y1 - y0) * Math.floor(i / GRID)) / (GRID - 1) : v));
      const found = doc.kernels?.inverse(at, doc.p).solutions.find((s) => s.mode === working);
      const sign = found ? Math.sign(found.det) : 0;
      signs[sign + 1] = (signs[sign + 1] ?? 0) + 1;
    }
    const all = GRID * GRID,
      [minus = 0, none = 0, plus = 0] = signs;
    this.done = plus === all || minus === all;
    say(
      this.verdict,
      this.done
        ? `✓ All ${all} samples are reached, with det A of one sign.`
        : none
          ? `✗ ${none} of ${all} samples are out of reach.`
          : `✗ det A is positive at ${plus} samples and negative at ${minus}: a Type 2 curve passes through.`,
    );
  }

  /** The mark on a drawing: a cross with a ring, or the rectangle. */
  draw(toScreen: (p: number[]) => [number, number]): void {
    if (this.exercise.kind === "reach") {
      const [x, y] = toScreen(this.exercise.to).map((v) => Number(v.toFixed(1))) as [number, number];
      this.mark.setAttribute("d", `M${x - 12} ${y}h24M${x} ${y - 12}v24M${x + 8} ${y}a8 8 0 1 0 -16 0a8 8 0 1 0 16 0`);
    } else {
      const [x0, x1, y0, y1] = this.exercise.window;
      this.mark.setAttribute(
        "d",
        `M${[
          [x0, y0],
          [x1, y0],
          [x1, y1],
          [x0, y1],
        ]
          .map((p) =>
            toScreen(p)
              .map((v) => v.toFixed(1))
              .join(" "),
          )
          .join("L")}Z`,
      );
    }
    this.mark.classList.toggle("done", this.done);
  }
}
