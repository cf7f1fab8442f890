import type { RobotDoc } from "../core/app";
import { el, say } from "../core/dom";
import type { Stage, Window } from "../core/stage";
import { type MapImage, Underlay } from "../core/underlay";
import { frameOf, type Told } from "./told";

export const QUANTITIES = ["none", "condition", "det_A", "det_B", "reach"] as const;
export type Quantity = (typeof QUANTITIES)[number];
export const NAMES: Record<Quantity, string> = { none: "none", condition: "conditioning", det_A: "det A", det_B: "det B", reach: "reach" };
const TITLES: Record<Quantity, string> = {
  none: "",
  condition: "conditioning 1/κ: 0 singular, 1 even",
  det_A: "det A: 0 is Type 2 (parallel)",
  det_B: "det B: 0 is Type 1 (serial)",
  reach: "room to the edge of the reach [m]",
};
const ORDER = ["det_A", "det_B", "condition"]; // as the kernel gives them, after the slack
const CELLS = [14, 6, 3]; // [px] per sample: at once, then finer
const SLICE = 7; // [ms] of work between two frames

type Raw = (...given: unknown[]) => void;

/** The place in the map kernel's output of a quantity in a working mode; the slack is first. */
export const planeOf = (told: Told, quantity: Quantity, working: string): number =>
  quantity === "reach" ? 0 : 1 + ORDER.indexOf(quantity) * told.modes.length + told.modes.indexOf(working);

/** The value and the slack at points of the output's plane; the value is NaN out of reach. */
export function sampler(told: Told, doc: RobotDoc, quantity: Quantity, working: string, third: number): (x: number, y: number) => [number, number] {
  const kernel = doc.kernels?.kernels.map as unknown as { raw: Raw; size: number; inputs: { name: string }[] };
  const out = new Float64Array(kernel.size),
    plane = planeOf(told, quantity, working);
  const fixed: Record<string, unknown> = { third, lever: frameOf(doc.kernels!, doc.p).lever, p: doc.p };
  const rest = kernel.inputs.slice(2).map((o) => fixed[o.name]);
  return (x, y) => {
    kernel.raw(x, y, ...rest, out);
    const slack = out[0] ?? -1;
    return [slack >= 0 ? (out[plane] ?? NaN) : NaN, slack];
  };
}

/** The map under the robot, computed here: coarse at once, then finer in slices that leave the page alive. */
export class LocalMap {
  quantity: Quantity = "none";
  readonly busy = el("span", { class: "unseen", role: "status" });
  private readonly underlay: Underlay;
  image: MapImage | null = null; // what is painted
  finest = false;
  private turn = 0;
  private shown = "";

  constructor(
    private readonly told: Told,
    private readonly stage: Stage,
    private readonly doc: () => RobotDoc,
    private readonly about: () => { working: string; third: number },
  ) {
    this.underlay = new Underlay(stage);
    stage.onView(() => this.want());
  }

  choose(quantity: Quantity): void {
    this.quantity = quantity;
    this.want();
  }

  /** The map that fits what is shown now; nothing where it is there already. */
  want(): void {
    const { working, third } = this.about();
    const { stage } = this;
    if (this.quantity === "none") {
      this.turn++;
      this.shown = "";
      this.image = null;
      this.underlay.show(null);
      return;
    }
    if (!this.told.modes.includes(working) || !stage.width) return;
    const key = [this.quantity, working, third.toFixed(4), ...this.doc().p, ...stage.window].join(" ");
    if (key === this.shown) return;
    this.shown = key;
    this.finest = false;
    this.start(++this.turn, 0, sampler(this.told, this.doc(), this.quantity, working, third));
  }

  private start(turn: number, level: number, at: (x: number, y: number) => [number, number]): void {
    const { stage, quantity } = this;
    const cell = CELLS[level] ?? 4;
    const rows = Math.max(2, Math.ceil(stage.height / cell)),
      columns = Math.max(2, Math.ceil(stage.width / cell));
    const window = stage.window,
      values = new Float64Array(rows * columns),
      slack = new Float64Array(rows * columns);
    let row = 0;
    const work = (): void => {
      if (turn !== this.turn) return;
      for (const end = performance.now() + SLICE; row < rows && (level === 0 || performance.now() < end); row++) {
        const y = window[2] + ((window[3] - window[2]) * row) / (rows - 1);
        for (let c = 0, i = row * columns; c < columns; c++, i++) [values[i], slack[i]] = at(window[0] + ((window[1] - window[0]) * c) / (columns - 1), y) as [number, number];
      }
      if (row < rows) {
        setTimeout(work, 0);
        return;
      }
      this.paint(values, slack, rows, columns, window, quantity);
      if (level + 1 < CELLS.length) setTimeout(() => turn === this.turn && this.start(turn, level + 1, at), level ? 0 : 60);
      else {
        this.finest = true;
        say(this.busy, `map of ${NAMES[quantity]} drawn`);
      }
    };
    work();
  }

  private paint(values: Float64Array, slack: Float64Array, rows: number, columns: number, window: Window, quantity: Quantity): void {
    const signed = quantity === "det_A" || quantity === "det_B";
    const sizes = values.filter(Number.isFinite).map(Math.abs).sort();
    const high = sizes[Math.floor(0.995 * (sizes.length - 1))] || 1; // a few far corners do not set the colours
    this.image = { values, slack, rows, columns, window, signed, low: signed ? -high : 0, high, title: TITLES[quantity] };
    this.underlay.show(this.image);
  }
}
