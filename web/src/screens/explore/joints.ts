import type { App } from "../../core/app";
import { Latest } from "../../core/connection";
import { afterPause, el, put, say, svg } from "../../core/dom";
import { keys } from "../../core/handles";
import { solvesItself } from "../../core/kernels";
import { fixed, letters, shown } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import { coarse, type Piece, withDrives } from "../../core/spaces";
import type { Stage } from "../../core/stage";
import type { LociAnswer, RobotAnswer } from "../../messages";

const SIDE = 228,
  EDGE = 36; // [px] of the pane, of its rim

const LEAP = 24; // [px] between two places of a curve that are not joined
const PATIENCE = 1500; // [ms] before the proven curves are asked for: the map comes first

/** Whether a robot's joint space is a plane: two drives, two outputs, solved in the page. */
export const hasJointPane = (told: RobotAnswer): boolean => told.planar_map && told.q.length === 2 && told.x.length === 2;

/** The joint space beside the work space: the dot (q1, q2) is the robot, drag either; singular curves lie in both, coarse at once, then the proven ones. */
export class JointPane {
  readonly element: HTMLElement;
  private pieces: Piece[] = [];
  private proven = false;
  private mode = "";
  private span: [number, number, number, number] = [-1, 1, -1, 1]; // q1, q2: low and high
  private readonly drawing = svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group" });
  private readonly curves = svg("g");
  private readonly over = svg("g", { class: "loci" });
  private readonly dot = svg(
    "g",
    { class: "handle dot", tabindex: "0", role: "slider", "aria-valuenow": "0" },
    svg("circle", { class: "ring", r: 13 }),
    svg("circle", { class: "seen", r: 7 }),
    svg("circle", { class: "hit", r: 16 }),
  );
  private readonly words = el("p", { class: "small soft", role: "status" });
  private readonly asking: Latest<string, LociAnswer>;
  private readonly settle = afterPause(250, () => this.trace());
  private readonly prove = afterPause(PATIENCE, () => this.app.link.value === "open" && this.asking.want(this.mode));
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly puppet: Puppet,
  ) {
    const { told } = app.robot.value,
      [a, b] = told.q.map((row) => letters(row.name)) as [string, string];
    this.drawing.setAttribute("aria-label", `joint space of ${told.name}`);
    this.dot.setAttribute("aria-label", `drives ${a} and ${b}`);
    const frame = svg("rect", { class: "frame", x: EDGE, y: 6, width: SIDE - EDGE - 6, height: SIDE - EDGE - 6 });
    const name = (at: Record<string, number>, text: string): SVGElement => svg("text", { class: "pane-text", ...at }, text);
    this.drawing.append(frame, this.curves, name({ x: SIDE / 2, y: SIDE - 8 }, a), name({ x: 4, y: SIDE / 2 }, b), this.dot);
    stage.layers.under.append(this.over);
    this.element = el("div", { class: "stack joint-pane" }, this.drawing, this.words);
    this.asking = new Latest(
      (working) => app.ask("loci", { robot: app.robot.value.ref, working, window: app.robot.value.told.window }),
      (answer, working) => this.take(answer, working),
    );
    this.listen();
    this.ends = [stage.onView(() => this.place()), app.robot.listen(() => this.settle())];
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.settle.cancel();
    this.prove.cancel();
    this.asking.drop();
  }

  /** For every frame: the dot is where the drives are; another working mode has other curves. */
  draw(): void {
    const { q, working } = this.puppet.pose.value;
    if (working && !working.includes("0") && working !== this.mode) {
      this.mode = working;
      this.trace();
    }
    const [x, y] = this.toPane(q);
    put(this.dot, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    put(this.dot, "aria-valuenow", (q[0] ?? 0).toFixed(4));
    put(
      this.dot,
      "aria-valuetext",
      this.app.robot.value.told.q.map((row, i) => `${row.name} ${fixed((q[i] ?? 0) * shown(row.unit).factor, 3)} ${shown(row.unit).unit}`).join(", "),
    );
  }

  // The curves ---------------------------------------------------------------------------------

  private trace(): void {
    const doc = this.app.robot.value;
    if (!this.mode || !solvesItself(doc.kernels)) return;
    this.show(coarse(doc, doc.kernels, this.mode), false);
    this.prove();
  }

  private take(answer: LociAnswer, working: string): void {
    const doc = this.app.robot.value;
    if (working !== this.mode || !solvesItself(doc.kernels)) return;
    const { kernels } = doc;
    this.show(
      answer.curves.map((curve) => withDrives(doc, kernels, working, { type: curve.type === 1 ? 1 : 2, x: curve.points })),
      answer.complete,
    );
  }

  private show(pieces: Piece[], proven: boolean): void {
    [this.pieces, this.proven] = [pieces, proven];
    const all = [...pieces.flatMap(({ q }) => q), this.puppet.pose.value.q];
    const ends = (k: number): [number, number] => {
      const values = all.map((q) => q[k] ?? 0),
        low = Math.min(...values),
        high = Math.max(...values),
        room = 0.12 * (high - low) || 1;
      return [low - room, high + room];
    };
    this.span = [...ends(0), ...ends(1)];
    say(this.words, `Type 2 in both spaces${proven ? ", and Type 1: proven" : ", by a grid of the page"}. Drag the dot or the tip.`);
    this.place();
    this.draw();
  }

  private place(): void {
    const leaps = (a: [number, number] | undefined, b: [number, number]): boolean => !a || Math.hypot(a[0] - b[0], a[1] - b[1]) > LEAP; // where a leg at its end turns freely
    const path = (points: [number, number][]): string => points.map(([x, y], i) => `${leaps(points[i - 1], [x, y]) ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const kind = (type: number): string => `mark type${type}${this.proven ? "" : " coarse"}`;
    this.curves.replaceChildren(...this.pieces.map(({ type, q }) => svg("path", { class: kind(type), d: path(q.map((row) => this.toPane(row))) })));
    this.over.replaceChildren(
      ...this.pieces
        .filter(({ type }) => type === 2)
        .flatMap(({ type, x }) => [svg("path", { class: "mark halo", d: this.stage.path(x) }), svg("path", { class: kind(type), d: this.stage.path(x) })]),
    );
  }

  // The dot ------------------------------------------------------------------------------------

  private toPane(q: ArrayLike<number>): [number, number] {
    const [a0, a1, b0, b1] = this.span,
      inner = SIDE - EDGE - 6;
    return [EDGE + ((this.near(q, 0) - a0) / (a1 - a0)) * inner, SIDE - EDGE - ((this.near(q, 1) - b0) / (b1 - b0)) * inner];
  }

  /** An angle by whole turns into the pane. */
  private near(q: ArrayLike<number>, k: 0 | 1): number {
    const v = q[k] ?? 0,
      [low, high] = k ? [this.span[2], this.span[3]] : [this.span[0], this.span[1]];
    if (this.app.robot.value.told.q[k]?.unit !== "rad" || (v >= low && v <= high)) return v;
    return v + 2 * Math.PI * Math.round(((low + high) / 2 - v) / (2 * Math.PI));
  }

  private listen(): void {
    const to = (event: PointerEvent): [number, number] => {
      const box = this.drawing.getBoundingClientRect(),
        inner = SIDE - EDGE - 6,
        [a0, a1, b0, b1] = this.span,
        scale = SIDE / box.width;
      return [a0 + (((event.clientX - box.left) * scale - EDGE) / inner) * (a1 - a0), b0 + ((SIDE - EDGE - (event.clientY - box.top) * scale) / inner) * (b1 - b0)];
    };
    const go = ([a, b]: [number, number]): void => {
      const { q } = this.puppet.pose.value,
        turn = (v: number, k: 0 | 1): number => v + (q[k] ?? 0) - this.near(q, k);
      this.puppet.moveDrives([turn(a, 0), turn(b, 1)]);
    };
    this.dot.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.dot.setPointerCapture(event.pointerId);
      this.dot.focus({ preventScroll: true });
    });
    this.dot.addEventListener("pointermove", (event) => this.dot.hasPointerCapture(event.pointerId) && go(to(event)));
    keys(
      this.dot,
      () => (this.span[1] - this.span[0]) / 100,
      (dx, dy) => {
        const { q } = this.puppet.pose.value;
        this.puppet.moveDrives([(q[0] ?? 0) + dx, (q[1] ?? 0) + dy]);
      },
    );
  }
}
