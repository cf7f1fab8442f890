import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { el } from "./dom";
import { tell } from "./numbers";
import { colour, theme } from "./theme";

/** Colours that colour-blind eyes tell apart (Okabe and Ito), by theme: names of CSS variables. */
export const LINES = ["line-1", "line-2", "line-3", "line-4", "line-5", "line-6"];

/** How lines of other runs, or of a reference, are broken; the first is whole. */
export const DASHES: number[][] = [[], [6, 4], [2, 3], [10, 3, 2, 3], [14, 5], [1, 6]];

const NAMED = 14; // [px] for the name of the abscissa

export interface Curve {
  name: string;
  unit?: string;
  values: ArrayLike<number>;
  dash?: number; // which of DASHES
  line?: number; // which of LINES
}

export interface Plot {
  element: HTMLElement;
  /** New curves over the abscissa `t`. */
  show(t: ArrayLike<number>, curves: Curve[]): void;
  /** Put the cursor at an abscissa. */
  point(t: number | null): void;
  /** Vertical marks at abscissae, such as singular instants. */
  mark(at: number[]): void;
  dispose(): void;
}

/** Plots that share one cursor and one span: where the pointer is in one, the line stands in all, and `moved` hears it; what is zoomed in one is zoomed in all. */
export class Cursor {
  readonly plots = new Set<uPlot>();
  readonly unseen = new Set<uPlot>(); // scrolled away: they follow when they are seen
  at: number | null = null;
  private busy = false;

  constructor(readonly moved: (t: number) => void = () => undefined) {}

  set(t: number | null, from?: uPlot): void {
    if (this.busy) return;
    this.busy = true;
    this.at = t;
    for (const plot of this.plots) {
      if (plot !== from && !this.unseen.has(plot)) this.put(plot);
    }
    this.busy = false;
  }

  /** The span of one plot for the others. */
  span(from: uPlot): void {
    const { min, max } = from.scales.x ?? {};
    if (this.busy || min === undefined || max === undefined || min === null || max === null) return;
    this.busy = true;
    for (const plot of this.plots) {
      const x = plot.scales.x;
      if (plot !== from && (x?.min !== min || x?.max !== max)) plot.setScale("x", { min, max });
    }
    this.busy = false;
  }

  /** Whether a plot is in view; one that comes into view gets the cursor's place. */
  seen(plot: uPlot, now: boolean): void {
    if (now === !this.unseen.has(plot)) return;
    if (now) this.unseen.delete(plot);
    else this.unseen.add(plot);
    if (now) this.put(plot);
  }

  drop(plot: uPlot): void {
    this.plots.delete(plot);
    this.unseen.delete(plot);
  }

  /** The line of one plot; its height is uPlot's own number, as asking the page would lay it out for each plot. */
  private put(plot: uPlot): void {
    const t = this.at;
    const left = t === null ? -10 : plot.valToPos(t, "x");
    plot.setCursor({ left, top: t === null ? -10 : plot.bbox.height / devicePixelRatio / 2 }, false);
  }
}

/** The ordinates to show: a tenth more than the values; about a value that never changes, a tenth of it or ±1. */
function around(_u: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (low !== high) return uPlot.rangeNum(low, high, 0.1, true) as [number, number];
  const room = Math.abs(low) / 10 || 1;
  return [low - room, high + room];
}

/** A plot of curves over one abscissa: uPlot with our colours, the shared cursor, and a table for screen readers' names. */
export function plot(options: { title: string; unit?: string; xLabel?: string; height?: number; cursor?: Cursor }): Plot {
  const holder = el("div", { class: "plot-area" });
  const element = el("figure", { class: "plot" }, el("figcaption", {}, options.title, options.unit ? el("span", { class: "unit" }, ` [${options.unit}]`) : null), holder);
  const cursor = options.cursor ?? new Cursor();
  const xLabel = options.xLabel ?? "t [s]";
  const height = (options.height ?? 150) + NAMED;
  holder.style.minHeight = `${height + 28}px`; // with its legend: nothing moves when the curves come
  let made: uPlot | null = null;
  let given: { t: ArrayLike<number>; curves: Curve[] } | null = null;
  let marks: number[] = [];
  let over = false; // disposed: an answer that comes late draws nothing

  const drawMarks = (u: uPlot): void => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = colour("type2");
    ctx.setLineDash([6, 4]);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    for (const at of marks) {
      const x = u.valToPos(at, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  };
  const axis = (side: number): uPlot.Axis => ({
    side,
    stroke: colour("soft"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: colour("grid"), width: 1 },
    ticks: { stroke: colour("grid"), width: 1, size: 4 },
    size: side === 3 ? 58 : 26,
    gap: 3,
    ...(side === 2 ? { label: xLabel, labelSize: NAMED, labelGap: -2, labelFont: "11px system-ui, sans-serif" } : {}),
    values: (_u, ticks) =>
      ticks.map((v) =>
        tell(v, 3)
          .replace(/(\.\d*?)0+$/, "$1")
          .replace(/\.$/, ""),
      ),
  });
  const build = (): void => {
    made?.destroy();
    if (made) cursor.drop(made);
    made = null;
    if (!given || over) return;
    const series: uPlot.Series[] = given.curves.map((curve, i) => ({
      label: curve.unit ? `${curve.name} [${curve.unit}]` : curve.name,
      stroke: colour(LINES[(curve.line ?? i) % LINES.length] ?? "ink"),
      width: 1.6,
      ...(curve.dash ? { dash: DASHES[curve.dash % DASHES.length] ?? [6, 4] } : {}),
      points: { show: false },
      value: (_u, v) => tell(v, 4),
    }));
    const data = [Array.from(given.t), ...given.curves.map((curve) => Array.from(curve.values, (v) => (Number.isFinite(v) ? v : null)))];
    made = new uPlot(
      {
        width: Math.max(holder.clientWidth, 120),
        height,
        series: [{ label: xLabel, value: (_u, v) => tell(v, 4) }, ...series],
        axes: [axis(2), axis(3)],
        scales: { x: { time: false }, y: { range: around } },
        legend: { show: true, live: true, markers: { width: 3, dash: (_u, i) => (given?.curves[i - 1]?.dash ? "dashed" : "solid") } },
        cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
        hooks: {
          draw: [drawMarks],
          setScale: [(u, key) => key === "x" && cursor.plots.has(u) && cursor.span(u)],
          setCursor: [
            (u) => {
              const left = u.cursor.left;
              if (left === undefined || left === null || left < 0 || !u.over.matches(":hover")) return;
              const t = u.posToVal(left, "x");
              if (t !== cursor.at) {
                cursor.set(t, u);
                cursor.moved(t);
              }
            },
          ],
        },
      },
      data as uPlot.AlignedData,
      holder,
    );
    cursor.plots.add(made);
    Object.assign(holder, { plot: made }); // for the console and for tests
  };
  const resized = new ResizeObserver(() => made?.setSize({ width: Math.max(holder.clientWidth, 120), height }));
  resized.observe(holder);
  const seeing = new IntersectionObserver((rows) => made && cursor.seen(made, rows.at(-1)?.isIntersecting ?? true));
  seeing.observe(holder);
  const recolour = theme.listen(build);
  return {
    element,
    show: (t, curves) => {
      const same = given !== null && made !== null && given.curves.map((c) => c.name).join() === curves.map((c) => c.name).join();
      given = { t, curves };
      if (same) made?.setData([Array.from(t), ...curves.map((c) => Array.from(c.values, (v) => (Number.isFinite(v) ? v : null)))] as uPlot.AlignedData);
      else build();
    },
    point: (t) => cursor.set(t),
    mark: (at) => {
      marks = at;
      made?.redraw(false, false); // the scales are not touched: they may not be settled yet
    },
    dispose: () => {
      over = true;
      resized.disconnect();
      recolour();
      seeing.disconnect();
      if (made) cursor.drop(made);
      made?.destroy();
      made = null;
    },
  };
}
