import type { MapRequest } from "../../messages";
import type { App } from "../app";
import { type Answer, Latest } from "../connection";
import { afterPause, el } from "../dom";
import { MEASURED, type Measured, quantityName, TITLES } from "../mapping";
import { tell } from "../numbers";
import type { Outline } from "../outlines";
import type { Puppet } from "../puppet";
import { theme } from "../theme";
import { bands, ends, type Layer, type MapImage } from "../underlay";
import { select } from "../widgets";
import { centreOf } from "./gizmo";
import type { Patch, SpaceView } from "./view";

const WIDE = 1.1; // of the robot's size: half of a slice's side
const CELLS = 90; // along a side
const AXES = ["x", "y", "z"];

/** A map in a plane of space through the output: where a quantity is what, and where det A is zero, all other coordinates held. */
export class Slice {
  readonly element: HTMLElement;
  private plane = ""; // "x y"
  private quantity: Measured = "det_A";
  private shown: { image: MapImage; plane: number[]; through: number[] } | null = null;
  private readonly legend = el("div", { class: "legend", hidden: true });
  private readonly asking: Latest<MapRequest, Answer<"map">>;
  private readonly settle = afterPause(200, () => this.want());
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly view: SpaceView,
    private readonly puppet: Puppet,
  ) {
    const { slices } = app.robot.value.told,
      names = ["", ...slices.map((pair) => pair.join(" "))];
    this.plane = names.find((name) => name === app.setting("slice", "")) ?? "";
    this.quantity = MEASURED.find((one) => one === app.setting("sliced", "det_A")) ?? "det_A";
    const planes = select({
      label: "Slice",
      values: names,
      value: this.plane,
      text: (name) => name.replace(" ", "–") || "none",
      choose: (name) => (app.keep("slice", name), (this.plane = name), this.want()),
    });
    const what = select({
      label: "of",
      values: MEASURED,
      value: this.quantity,
      text: quantityName,
      choose: (name: Measured) => (app.keep("sliced", name), (this.quantity = name), this.want()),
    });
    this.element = el("span", { class: "row" }, planes.element, what.element);
    view.corner.append(this.legend);
    this.asking = new Latest(
      (body) => app.ask("map", body),
      (frame) => this.take(frame),
      (error) => app.link.value === "open" && (this.clear(), app.toast(`No slice: ${error.message}`, "error")),
    );
    this.ends = [theme.listen(() => this.paint()), puppet.pose.listen(() => this.plane && this.settle()), app.robot.listen(() => this.settle())];
    this.want();
  }

  dispose(): void {
    this.settle.cancel();
    for (const end of this.ends) end();
  }

  private clear(): void {
    this.shown = null;
    this.legend.hidden = true;
    this.view.areas([]);
  }

  private want(): void {
    const { told, ref } = this.app.robot.value,
      pair = this.plane.split(" "),
      working = this.puppet.facts.value?.working || this.puppet.pose.value.working;
    if (!this.plane) return this.clear();
    if (this.app.link.value !== "open" || working.includes("0")) return;
    const { x } = this.puppet.pose.value,
      centre = pair.map((name) => x[told.x.findIndex((row) => row.name === name)] ?? 0);
    const window = centre.flatMap((c) => [c - WIDE * told.size, c + WIDE * told.size]);
    const point = told.planar_map,
      hold = Object.fromEntries(told.x.flatMap((row, i) => (pair.includes(row.name) || point ? [] : [[row.name, x[i] ?? 0]])));
    this.asking.want({
      robot: ref,
      quantity: this.quantity as MapRequest["quantity"],
      working: working || "+",
      window,
      shape: [CELLS, CELLS],
      orientation: point ? (x[2] ?? 0) : null,
      hold,
    });
  }

  private take(frame: Answer<"map">): void {
    const { values, slack } = frame.arrays;
    if (!values || !slack || !this.plane) return;
    const signed = this.quantity === "det_A" || this.quantity === "det_B",
      [x0 = 0, x1 = 1, y0 = 0, y1 = 1] = frame.meta.window;
    const image: MapImage = {
      values: values.data,
      slack: slack.data,
      rows: values.shape[0] ?? 0,
      columns: values.shape[1] ?? 0,
      window: [x0, x1, y0, y1],
      signed,
      low: signed ? (frame.meta.low ?? 0) : 0,
      high: frame.meta.high ?? 1,
      title: TITLES[this.quantity],
    };
    this.shown = { image, plane: this.plane.split(" ").map((name) => AXES.indexOf(name)), through: centreOf(this.puppet) };
    this.paint();
  }

  private paint(): void {
    if (!this.shown) return;
    const {
        image,
        plane: [a = 0, b = 1],
        through,
      } = this.shown,
      [x0, x1, y0, y1] = image.window;
    const at = (c: number, r: number): number[] =>
      through.map((v, k) => (k === a ? x0 + ((x1 - x0) * c) / (image.columns - 1) : k === b ? y0 + ((y1 - y0) * r) / (image.rows - 1) : v));
    const layers = bands(image);
    this.view.areas(layers.map((layer) => patchOf(layer, at)));
    const bar = el("canvas", { class: "ramp", width: layers.length, height: 1, "aria-hidden": "true" }),
      pen = bar.getContext("2d"),
      { low, middle, high } = ends(image);
    layers.forEach(({ fill }, k) => pen && ((pen.fillStyle = fill), pen.fillRect(k, 0, 1, 1)));
    this.legend.hidden = false;
    this.legend.replaceChildren(el("span", {}, image.title), bar, el("span", { class: "ends" }, ...[low, middle, high].map((v) => el("span", {}, tell(v, 3)))));
  }
}

function patchOf({ fill, stroke, thick, outlines }: Layer, at: (c: number, r: number) => number[]): Patch {
  const ring = ({ points }: Outline): number[][] => Array.from({ length: points.length / 2 }, (_, i) => at(points[2 * i] ?? 0, points[2 * i + 1] ?? 0));
  const lines = outlines.flatMap((outline) => runs(outline, at)).map((points) => ({ points, paint: stroke ?? "", wide: thick ? 2.4 : 0.8 }));
  return { around: outlines.map(ring), fill, lines: stroke ? lines : [] };
}

/** The parts of an outline on which the value passes its level. */
function runs({ points, level }: Outline, at: (c: number, r: number) => number[]): number[][][] {
  const made: number[][][] = [];
  let now: number[][] | null = null;
  for (let i = 0; i <= level.length; i++) {
    const k = i % level.length;
    if (!level[k]) now = null;
    else if (now) now.push(at(points[2 * k] ?? 0, points[2 * k + 1] ?? 0));
    else made.push((now = [at(points[2 * k] ?? 0, points[2 * k + 1] ?? 0)]));
  }
  return made;
}
