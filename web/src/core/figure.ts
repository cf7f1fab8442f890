import { svg } from "./dom";
import { roundStep, tell } from "./numbers";
import { type Curve, DASHES, LINES } from "./plot";
import { colour } from "./theme";

export interface Sheet {
  title: string;
  unit: string;
  t: ArrayLike<number>;
  curves: Curve[];
}

const WIDE = 720,
  HIGH = 190,
  LEFT = 74,
  RIGHT = 14,
  TOP = 24,
  LOW = 40; // [px]

/** Plots under each other as one SVG file, from the numbers that are on the screen. */
export function figure(title: string, sheets: Sheet[]): string {
  const back = svg("rect", { width: WIDE, height: HIGH * sheets.length, fill: colour("stage") });
  const made = svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width: WIDE,
      height: HIGH * sheets.length,
      viewBox: `0 0 ${WIDE} ${HIGH * sheets.length}`,
      "font-family": "sans-serif",
      "font-size": 11,
      fill: colour("ink"),
    },
    svg("title", {}, title),
    back,
  );
  sheets.forEach((sheet, k) => made.append(svg("g", { transform: `translate(0 ${k * HIGH})` }, ...drawn(sheet))));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(made)}\n`;
}

function drawn({ title, unit, t, curves }: Sheet): SVGElement[] {
  const [t0, t1] = ends([t]),
    [low, high] = ends(curves.map((curve) => curve.values));
  const x = (v: number): number => LEFT + ((v - t0) / (t1 - t0 || 1)) * (WIDE - LEFT - RIGHT);
  const y = (v: number): number => HIGH - LOW - ((v - low) / (high - low || 1)) * (HIGH - LOW - TOP);
  const ink = { stroke: colour("ink"), fill: "none" };
  const parts: SVGElement[] = [svg("text", { x: LEFT, y: 15, "font-weight": "bold" }, unit ? `${title} [${unit}]` : title)];
  for (const v of ticks(t0, t1, 8))
    parts.push(svg("path", { d: `M${x(v).toFixed(1)} ${HIGH - LOW}v4`, ...ink }), svg("text", { x: x(v).toFixed(1), y: HIGH - LOW + 16, "text-anchor": "middle" }, short(v)));
  for (const v of ticks(low, high, 4))
    parts.push(
      svg("path", { d: `M${LEFT} ${y(v).toFixed(1)}h${WIDE - LEFT - RIGHT}`, fill: "none", stroke: colour("grid") }),
      svg("text", { x: LEFT - 6, y: (y(v) + 4).toFixed(1), "text-anchor": "end" }, short(v)),
    );
  parts.push(svg("path", { d: `M${LEFT} ${TOP}V${HIGH - LOW}H${WIDE - RIGHT}`, ...ink }), svg("text", { x: WIDE - RIGHT, y: 15, "text-anchor": "end" }, "over t [s]"));
  curves.forEach((curve, i) => {
    let d = "",
      pen = false;
    for (let k = 0; k < t.length; k++) {
      const v = curve.values[k] ?? NaN;
      if (Number.isFinite(v)) d += `${pen ? "L" : "M"}${x(t[k] ?? 0).toFixed(1)} ${y(v).toFixed(1)}`;
      pen = Number.isFinite(v);
    }
    const stroke = colour(LINES[(curve.line ?? i) % LINES.length] ?? "ink"),
      dash = DASHES[(curve.dash ?? 0) % DASHES.length] ?? [];
    const at = LEFT + 10 + i * Math.min(120, (WIDE - LEFT - RIGHT - 10) / curves.length);
    parts.push(svg("path", { d, fill: "none", stroke, "stroke-width": 1.5, "stroke-dasharray": dash.join(" ") || null }));
    parts.push(
      svg("path", { d: `M${at} ${HIGH - 8}h22`, stroke, "stroke-width": 2, "stroke-dasharray": dash.join(" ") || null }),
      svg("text", { x: at + 27, y: HIGH - 4 }, curve.name),
    );
  });
  return parts;
}

const short = (v: number): string =>
  tell(v, 3)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

function ends(rows: ArrayLike<number>[]): [number, number] {
  let low = Infinity,
    high = -Infinity;
  for (const row of rows)
    for (let i = 0; i < row.length; i++) {
      const v = row[i] ?? NaN;
      if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    }
  return low > high ? [0, 1] : low === high ? [low - (Math.abs(low) / 10 || 1), high + (Math.abs(high) / 10 || 1)] : [low, high];
}

function ticks(low: number, high: number, most: number): number[] {
  const span = (high - low) / most,
    rounded = roundStep(span),
    step = rounded < span ? (rounded * 2 >= span ? rounded * 2 : rounded * 5) : rounded,
    made: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) made.push(k * step);
  return made;
}
