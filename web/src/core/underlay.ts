import { AREAS, ramp } from "./colours";
import { contour } from "./contours";
import { el } from "./dom";
import { tell } from "./numbers";
import type { Stage, Window } from "./stage";
import { colour, theme } from "./theme";

export interface MapImage {
  values: ArrayLike<number>; // (rows, columns), the first row is the lowest y; NaN out of reach
  rows: number;
  columns: number;
  window: Window;
  signed: boolean;
  low: number;
  high: number;
  title: string;
  unit?: string;
  labels?: boolean; // values are numbers of areas
}

const LINES = 8; // contour lines between the ends

/** The map under the robot: colours and contour lines on the stage's canvas, with a legend. */
export class Underlay {
  private image: MapImage | null = null;
  private bitmap: HTMLCanvasElement | null = null;
  private segments: { level: number; lines: number[] }[] = [];
  private readonly legend = el("div", { class: "legend", hidden: true });
  private readonly stops: (() => void)[];

  constructor(private readonly stage: Stage) {
    stage.corner.append(this.legend);
    this.stops = [stage.onView(() => this.paint()), theme.listen(() => this.show(this.image))];
  }

  dispose(): void {
    for (const stop of this.stops) stop();
  }

  show(image: MapImage | null): void {
    this.image = image;
    this.stage.element.classList.toggle("mapped", image !== null);
    this.legend.hidden = image === null;
    if (image) {
      this.bitmap = coloured(image);
      this.segments = levels(image).map((level) => ({ level, lines: contour(image.values, image.rows, image.columns, level) }));
      this.tellLegend(image);
    }
    this.paint();
  }

  private tellLegend(image: MapImage): void {
    if (image.labels) {
      this.legend.replaceChildren(image.title);
      return;
    }
    const bar = el("canvas", { class: "ramp", width: 256, height: 1, "aria-hidden": "true" });
    const pen = bar.getContext("2d");
    const colours = ramp(image.signed, theme.value === "dark");
    const pixels = pen?.createImageData(256, 1);
    for (let i = 0; pixels && i < 256; i++) pixels.data.set([...colours.subarray(3 * i, 3 * i + 3), 255], 4 * i);
    if (pixels) pen?.putImageData(pixels, 0, 0);
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
    if (!this.image || !this.bitmap) return;
    const { window: w, rows, columns } = this.image;
    const [left, bottom] = this.stage.toScreen([w[0], w[2]]), [right, top] = this.stage.toScreen([w[1], w[3]]);
    const dx = (right - left) / (columns - 1), dy = (top - bottom) / (rows - 1); // samples at nodes, first and last on the window's edge
    pen.imageSmoothingEnabled = !this.image.labels;
    pen.drawImage(this.bitmap, left - dx / 2, top + dy / 2, right - left + dx, bottom - top - dy);
    const signed = this.image.signed;
    for (const { level, lines } of this.segments) {
      const zero = signed && level === 0;
      pen.strokeStyle = zero ? colour("type2") : signed ? colour("ink") : "#ffffff";
      pen.globalAlpha = zero ? 1 : signed ? 0.22 : 0.4;
      pen.lineWidth = zero ? 2.4 : 1;
      pen.beginPath();
      for (let i = 0; i < lines.length; i += 4) {
        pen.moveTo(left + (lines[i] ?? 0) * dx, bottom + (lines[i + 1] ?? 0) * dy);
        pen.lineTo(left + (lines[i + 2] ?? 0) * dx, bottom + (lines[i + 3] ?? 0) * dy);
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }
}

function ends(image: MapImage): { low: number; high: number; middle: number } {
  if (!image.signed) return { low: image.low, high: image.high, middle: (image.low + image.high) / 2 };
  const most = Math.max(Math.abs(image.low), Math.abs(image.high)) || 1;
  return { low: -most, high: most, middle: 0 };
}

function levels(image: MapImage): number[] {
  if (image.labels) return [];
  const { low, high } = ends(image);
  const inner = Array.from({ length: LINES - 1 }, (_, k) => low + ((high - low) * (k + 1)) / LINES);
  return image.signed ? inner.map((v) => (Math.abs(v) < 1e-12 * high ? 0 : v)) : inner;
}

/** One pixel per sample, top row first. */
function coloured(image: MapImage): HTMLCanvasElement {
  const { rows, columns, values } = image;
  const canvas = el("canvas", { width: columns, height: rows });
  const pen = canvas.getContext("2d");
  const pixels = pen?.createImageData(columns, rows);
  if (!pen || !pixels) return canvas;
  const colours = ramp(image.signed, theme.value === "dark"), { low, high } = ends(image);
  const alpha = theme.value === "dark" ? 205 : image.signed ? 225 : 200;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const v = values[r * columns + c] ?? NaN, at = 4 * ((rows - 1 - r) * columns + c);
      if (Number.isNaN(v) || (image.labels && v < 0)) continue;
      if (image.labels) pixels.data.set([...areaColour(v), theme.value === "dark" ? 110 : 130], at);
      else {
        const k = 3 * Math.max(0, Math.min(255, Math.round((255 * (v - low)) / (high - low || 1))));
        pixels.data.set([colours[k] ?? 0, colours[k + 1] ?? 0, colours[k + 2] ?? 0, alpha], at);
      }
    }
  }
  pen.putImageData(pixels, 0, 0);
  return canvas;
}

/** The colour of area `k`, as bytes. */
export function areaColour(k: number): [number, number, number] {
  const hex = AREAS[k % AREAS.length] ?? "#999999";
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as [number, number, number];
}
