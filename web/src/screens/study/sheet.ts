import type { App } from "../../core/app";
import type { Job } from "../../core/connection";
import { el, say, svg } from "../../core/dom";
import { tell } from "../../core/numbers";
import type { Outline } from "../../core/outlines";
import type { Puppet } from "../../core/puppet";
import { theme } from "../../core/theme";
import { bands, type MapImage } from "../../core/underlay";
import { button, progress, section, select } from "../../core/widgets";
import type { AxisRow, SweepMeta } from "../../messages";
import { Frame } from "./frame";
import { axisForm, MEASURES, standsIn } from "./measures";

const COUNT = 31; // values along each axis

interface Swept {
  axes: [AxisRow, AxisRow];
  values: Float32Array | Float64Array;
  meta: SweepMeta;
}

/** A measure over two parameters, as filled contours; a press gives the robot the values there. */
export class Sheet {
  readonly element: HTMLElement;
  readonly form: HTMLElement[];
  private readonly frame = new Frame("map of a measure over two parameters");
  private readonly areas = svg("g");
  private readonly mark = svg("path", { class: "mark goal" });
  private readonly words = el("p", { class: "small soft", role: "status" });
  private readonly progress = progress();
  private readonly first: ReturnType<typeof axisForm>;
  private readonly second: ReturnType<typeof axisForm>;
  private readonly run = button("▶ Sweep", () => void this.go(), "primary");
  private compute: string;
  private swept: Swept | null = null;
  private job: Job<"sweep"> | null = null;
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly puppet: Puppet,
  ) {
    this.compute = app.setting("compute", "workspace_area");
    this.first = axisForm(app, "Across", "first", 0);
    this.second = axisForm(app, "Up", "second", 1);
    const what = select({
      label: "Measure",
      values: Object.keys(MEASURES),
      value: this.compute,
      text: (name) => MEASURES[name] ?? name,
      choose: (name) => app.keep("compute", (this.compute = name)),
    });
    this.form = [section("Sweep", true, what.element, this.first.element, this.second.element, el("div", { class: "row" }, this.run), this.progress.element, this.words)];
    this.frame.inside.append(this.areas, this.mark);
    this.element = this.frame.element;
    say(this.words, "Choose two parameters and a measure. Press into the map, and the robot takes the values there.");
    this.frame.onPress((x, y) => this.take(x, y));
    this.ends = [theme.listen(() => this.draw()), this.frame.onSize(() => this.draw())];
  }

  dispose(): void {
    this.job?.cancel();
    this.frame.dispose();
    for (const end of this.ends) end();
  }

  private async go(): Promise<void> {
    const axes = [this.first, this.second].map((one) => ({ ...one.axis(), count: COUNT })) as [AxisRow, AxisRow];
    const job = this.app.job("sweep", { robot: this.app.state.value.robot, axes, compute: this.compute, ...standsIn(this.puppet) }, (part, note) => this.progress.told(part, note));
    this.job = job;
    this.run.disabled = true;
    this.progress.start(() => job.cancel());
    try {
      const frame = await job.done,
        values = frame.arrays.values;
      if (values) this.swept = { axes, values: values.data, meta: frame.meta };
      this.draw();
    } catch (error) {
      say(this.words, (error as Error).message);
    } finally {
      this.job = null;
      this.run.disabled = false;
      this.progress.end();
    }
  }

  private take(across: number, up: number): void {
    if (!this.swept) return;
    const [a, b] = this.swept.axes,
      round = (v: number): number => Number(v.toPrecision(4));
    this.app.change({ [a.name]: round(a.low + across * (a.high - a.low)), [b.name]: round(b.low + up * (b.high - b.low)) });
  }

  draw(): void {
    if (!this.swept) return this.frame.axes(this.first.axis(), this.second.axis(), this.units());
    const {
        axes: [a, b],
        values,
        meta,
      } = this.swept,
      slack = Array.from(values, (v) => (Number.isFinite(v) ? 1 : -1));
    const image: MapImage = {
      values,
      slack,
      rows: COUNT,
      columns: COUNT,
      window: [a.low, a.high, b.low, b.high],
      signed: false,
      low: meta.low ?? 0,
      high: meta.high ?? 1,
      title: "",
    };
    const flat = meta.low === meta.high;
    const at = (c: number, r: number): string =>
      this.frame
        .at(c / (COUNT - 1), r / (COUNT - 1))
        .map((v) => v.toFixed(1))
        .join(" ");
    const closed = (around: Outline[]): string =>
      around.map(({ points }) => `M${Array.from({ length: points.length / 2 }, (_, i) => at(points[2 * i] ?? 0, points[2 * i + 1] ?? 0)).join("L")}Z`).join("");
    this.areas.replaceChildren(...(flat ? [] : bands(image)).map(({ fill, outlines }) => svg("path", { d: closed(outlines), fill, "fill-rule": "evenodd", stroke: "#ffffff44" })));
    const now = (axis: AxisRow): number => ((this.app.robot.value.told.parameters.find(({ name }) => name === axis.name)?.value ?? axis.low) - axis.low) / (axis.high - axis.low);
    const [x, y] = this.frame.at(now(a), now(b));
    this.mark.setAttribute("d", [now(a), now(b)].every((v) => v >= 0 && v <= 1) ? `M${x - 9} ${y}h18M${x} ${y - 9}v18` : "");
    this.frame.axes(a, b, this.units());
    const why = Object.entries(meta.reasons)
      .map(([reason, count]) => ` ${count} points have none: ${reason}.`)
      .join("");
    say(
      this.words,
      `${MEASURES[meta.compute] ?? meta.compute}: from ${tell(meta.low, 4)} to ${tell(meta.high, 4)} ${meta.unit}${flat ? ", the same everywhere" : ""}.${why} The cross is the robot that is open.`,
    );
  }

  private units(): (name: string) => string {
    return (name) => this.app.robot.value.told.parameters.find((row) => row.name === name)?.unit ?? "";
  }
}
