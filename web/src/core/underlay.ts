import { AREAS, bytes, mixed, ramp } from "./colours";
import { el, svg } from "./dom";
import { tell } from "./numbers";
import { type Outline, outlines, passing, turning } from "./outlines";
import type { Stage, Window } from "./stage";
import { colour, theme } from "./theme";

/** Values on a grid of the plane: a quantity in bands, or the areas where a quantity keeps its sign. */
export interface MapImage {
  values: ArrayLike<number>; // (rows, columns), the first row is the lowest y
  slack: ArrayLike<number>; // of each; below 0 it is out of reach
  rows: number;
  columns: number;
  window: Window; // the first and last samples lie on its edges
  signed: boolean;
  low: number;
  high: number;
  title: string;
  labels?: ArrayLike<number>; // the area of each, below 0 for none
}

export interface Layer {
  fill: string;
  stroke: string | null; // of the line where it begins
  thick: boolean;
  outlines: Outline[];
}

const BANDS = 16;
const AREA_ALPHA = 0.5,
  SIGNED_ALPHA = 0.9,
  EVEN_ALPHA = 0.8; // of the map's colours over the stage's

/** The map under the robot: filled contours with their lines on the stage's canvas, a legend, and the same as a figure. */
export class Underlay {
  private image: MapImage | null = null;
  private layers: Layer[] = [];
  private readonly legend = el("div", { class: "legend", hidden: true });
  private readonly stops: (() => void)[];

  constructor(private readonly stage: Stage) {
    stage.corner.append(this.legend);
    stage.figure = () => this.figure();
    this.stops = [stage.onView(() => this.paint()), theme.listen(() => this.show(this.image))];
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.stage.figure = () => [];
  }

  show(image: MapImage | null): void {
    this.image = image;
    this.stage.element.classList.toggle("mapped", image !== null);
    this.legend.hidden = image === null;
    this.layers = !image ? [] : image.labels ? areas(image, image.labels) : bands(image);
    if (image) this.tellLegend(image);
    this.paint();
  }

  private tellLegend(image: MapImage): void {
    if (image.labels) {
      this.legend.replaceChildren(image.title);
      return;
    }
    const bar = el("canvas", { class: "ramp", width: BANDS, height: 1, "aria-hidden": "true" });
    const pen = bar.getContext("2d");
    this.layers.forEach(({ fill }, k) => pen && ((pen.fillStyle = fill), pen.fillRect(k, 0, 1, 1)));
    const { low, high, middle } = ends(image);
    this.legend.replaceChildren(
      el("span", {}, image.title),
      bar,
      el("span", { class: "ends" }, el("span", {}, tell(low, 3)), el("span", {}, tell(middle, 3)), el("span", {}, tell(high, 3))),
    );
  }

  private paint(): void {
    const { canvas, width, height } = this.stage;
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const at = this.placed();
    if (!at) return;
    pen.lineJoin = "round";
    for (const layer of this.layers) {
      pen.fillStyle = layer.fill;
      pen.fill(new Path2D(closed(layer.outlines, at)), "evenodd");
    }
    for (const { stroke, thick, outlines: around } of this.layers) {
      if (!stroke) continue;
      pen.strokeStyle = stroke;
      pen.lineWidth = thick ? 2.4 : 1;
      pen.stroke(new Path2D(lines(around, at)));
    }
  }

  /** From cells of the grid to pixels of the stage. */
  private placed(): ((x: number, y: number) => string) | null {
    if (!this.image) return null;
    const { window: w, rows, columns } = this.image;
    const [left, bottom] = this.stage.toScreen([w[0], w[2]]),
      [right, top] = this.stage.toScreen([w[1], w[3]]);
    const dx = (right - left) / (columns - 1),
      dy = (top - bottom) / (rows - 1);
    return (x, y) => `${(left + x * dx).toFixed(1)} ${(bottom + y * dy).toFixed(1)}`;
  }

  /** The map as shapes, with its bar of colours. */
  private figure(): SVGElement[] {
    const at = this.placed();
    if (!at || !this.image) return [];
    const shapes = this.layers.map(({ fill, outlines: around }) => svg("path", { d: closed(around, at), fill, "fill-rule": "evenodd" }));
    const strokes = this.layers
      .filter(({ stroke }) => stroke)
      .map(({ stroke, thick, outlines: around }) => svg("path", { d: lines(around, at), fill: "none", stroke: stroke ?? "none", "stroke-width": thick ? 2.4 : 1 }));
    return [...shapes, ...strokes, this.bar(this.image)];
  }

  private bar(image: MapImage): SVGElement {
    const text = (x: number, y: number, words: string, anchor = "start"): SVGElement =>
      svg("text", { x, y, fill: colour("ink"), "font-size": 12, "font-family": "sans-serif", "text-anchor": anchor }, words);
    const long = 200,
      each = long / this.layers.length,
      { low, middle, high } = ends(image);
    const back = svg("rect", { x: 12, y: 12, width: long + 24, height: image.labels ? 28 : 58, rx: 6, fill: colour("panel"), "fill-opacity": 0.92, stroke: colour("line") });
    const cells = image.labels ? [] : this.layers.map(({ fill }, k) => svg("rect", { x: 24 + k * each, y: 38, width: each + 0.5, height: 10, fill }));
    const numbers = image.labels ? [] : [text(24, 63, tell(low, 3)), text(24 + long / 2, 63, tell(middle, 3), "middle"), text(24 + long, 63, tell(high, 3), "end")];
    return svg("g", {}, back, text(24, 31, image.title), ...cells, ...numbers);
  }
}

const closed = (around: Outline[], at: (x: number, y: number) => string): string =>
  around.map(({ points }) => `M${Array.from({ length: points.length / 2 }, (_, i) => at(points[2 * i] ?? 0, points[2 * i + 1] ?? 0)).join("L")}Z`).join("");

/** The parts of outlines on which the value passes its level. */
function lines(around: Outline[], at: (x: number, y: number) => string): string {
  let d = "";
  for (const { points, level } of around) {
    const count = level.length;
    let drawing = false;
    for (let i = 0; i <= count; i++) {
      const k = i % count,
        on = level[k] ?? false;
      if (on) d += `${drawing ? "L" : "M"}${at(points[2 * k] ?? 0, points[2 * k + 1] ?? 0)}`;
      drawing = on;
    }
  }
  return d;
}

export function ends(image: MapImage): { low: number; high: number; middle: number } {
  if (!image.signed) return { low: image.low, high: image.high, middle: (image.low + image.high) / 2 };
  const most = Math.max(Math.abs(image.low), Math.abs(image.high)) || 1;
  return { low: -most, high: most, middle: 0 };
}

/** Each band from its lower level upwards: the next one is painted over it, so that no seam shows. */
export function bands(image: MapImage): Layer[] {
  const { values, slack, rows, columns, signed } = image,
    { low, high } = ends(image);
  const colours = ramp(signed, theme.value === "dark");
  return Array.from({ length: BANDS }, (_, k) => {
    const level = k === 0 ? -Infinity : signed && 2 * k === BANDS ? 0 : low + ((high - low) * k) / BANDS;
    const at = 3 * Math.round((255 * (k + 0.5)) / BANDS),
      rgb = [0, 1, 2].map((c) => colours[at + c] ?? 0);
    const fill = mixed(rgb, colour("stage"), signed ? SIGNED_ALPHA : EVEN_ALPHA),
      zero = signed && level === 0;
    const stroke = k === 0 ? null : zero ? colour("type2") : signed ? faint("ink", 0.22) : "#ffffff66";
    const within = (i: number): boolean => (slack[i] ?? -1) >= 0 && (values[i] ?? NaN) >= level;
    return { fill, stroke, thick: zero, outlines: outlines(rows, columns, within, passing(values, slack, level)) };
  });
}

const faint = (name: string, alpha: number): string => `color-mix(in srgb, ${colour(name)} ${100 * alpha}%, transparent)`;

/** The areas by their numbers, each in its colour. */
function areas(image: MapImage, labels: ArrayLike<number>): Layer[] {
  const { values, slack, rows, columns } = image;
  const numbers = [...new Set(Array.from(labels))].filter((k) => k >= 0).sort((a, b) => a - b);
  return numbers.map((k) => ({
    fill: mixed(bytes(areaColour(k)), colour("stage"), AREA_ALPHA),
    stroke: null,
    thick: false,
    outlines: outlines(rows, columns, (i) => labels[i] === k, turning(values, slack)),
  }));
}

/** The colour of area `k`. */
export const areaColour = (k: number): string => AREAS[k % AREAS.length] ?? "#999999";
