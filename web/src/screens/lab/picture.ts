import { type App, type RobotDoc, robotDoc } from "../../core/app";
import { el, svg } from "../../core/dom";
import type { Linkage } from "../../core/linkage";
import { scenePoints } from "../../core/motion";
import { Stage, type Window } from "../../core/stage";
import { Store } from "../../core/store";
import type { Departure } from "./departure";

const LONGEST = 0.28; // of the window: the longest arrow

/** The lab's robot on a stage of its own, with what a group's model says of it. */
export class Picture {
  readonly element: HTMLElement;
  private readonly robot: Linkage;
  private readonly other: Linkage;
  private readonly marks = svg("g");
  private drawn: Departure | null = null;
  private readonly off: () => void;

  private constructor(
    readonly doc: RobotDoc,
    private readonly stage: Stage,
  ) {
    this.robot = stage.linkage("robot");
    this.other = stage.linkage("other");
    stage.layers.marks.append(this.marks);
    this.element = stage.element;
    stage.corner.append(el("div", { class: "legend" }, key("right", "right"), key("got", "the group's")));
    const { q, x } = doc.told.start;
    this.robot.show(scenePoints(doc, q, x), x);
    this.other.hide();
    this.off = stage.onView(() => this.mark());
  }

  /** The robot that a file is about, with the file's own lengths. */
  static async open(app: App, name: string, parameters: Record<string, number>): Promise<Picture> {
    const source = name === "biglide" ? "biglide:lab" : name;
    const plain = await app.ask("robot", { robot: { source, toml: null, values: {} } });
    const known = new Set(plain.parameters.map((row) => row.name));
    const values = Object.fromEntries(Object.entries(parameters).filter(([key]) => known.has(key)));
    const ref = { source, toml: null, values };
    const doc = await robotDoc(ref, await app.ask("robot", { robot: ref }));
    const own = Object.create(app, { robot: { value: new Store(doc) } }) as App;
    const stage = new Stage(own, { label: `${name}: where the model departs` });
    stage.fit(doc.told.window as Window);
    return new Picture(doc, stage);
  }

  show(found: Departure | null): void {
    this.drawn = found;
    const { q, x } = found ?? this.doc.told.start;
    this.robot.show(scenePoints(this.doc, q, x), x);
    if (found?.other) this.other.show(scenePoints(this.doc, found.other.q, found.other.x), found.other.x);
    else this.other.hide();
    this.stage.fit(this.window(found));
    this.mark();
  }

  dispose(): void {
    this.off();
    this.stage.dispose();
  }

  /** Everything that is drawn, with room around it. */
  private window(found: Departure | null): Window {
    const { q, x } = found ?? this.doc.told.start;
    const others = found?.other ? scenePoints(this.doc, found.other.q, found.other.x) : [];
    const all = [...scenePoints(this.doc, q, x), ...others];
    const [xs, ys] = [all.map((p) => p[0] ?? 0), all.map((p) => p[1] ?? 0)];
    const more = 0.5 * this.doc.told.size;
    return [Math.min(...xs) - more, Math.max(...xs) + more, Math.min(...ys) - more, Math.max(...ys) + more];
  }

  private mark(): void {
    const found = this.drawn;
    const made: SVGElement[] = [];
    const most = Math.max(...(found?.arrows ?? []).flatMap((a) => [Math.hypot(...a.right), Math.hypot(...a.got)]), 1e-12);
    const scale = (LONGEST * Math.min(this.stage.width, this.stage.height)) / most;
    for (const { at, right, got } of found?.arrows ?? []) made.push(...this.arrow(at, right, scale, "right"), ...this.arrow(at, got, scale, "got"));
    for (const { at, right, got, long } of found?.rays ?? []) {
      for (const [angle, name] of [
        [right, "right"],
        [got, "got"],
      ] as const) {
        const end = [(at[0] ?? 0) + long * Math.cos(angle), (at[1] ?? 0) + long * Math.sin(angle)];
        made.push(svg("path", { class: `mark ray ${name}`, d: this.stage.path([at, end]) }));
      }
    }
    this.marks.replaceChildren(...made);
  }

  /** An arrow with a head, in pixels for each unit. */
  private arrow(at: number[], way: number[], scale: number, name: string): SVGElement[] {
    const [x, y] = this.stage.toScreen(at);
    const end = [x + (way[0] ?? 0) * scale, y - (way[1] ?? 0) * scale] as const;
    const angle = Math.atan2(end[1] - y, end[0] - x),
      wing = 9;
    const side = (by: number): string => `${(end[0] - wing * Math.cos(angle + by)).toFixed(1)} ${(end[1] - wing * Math.sin(angle + by)).toFixed(1)}`;
    const d = `M${x.toFixed(1)} ${y.toFixed(1)}L${end[0].toFixed(1)} ${end[1].toFixed(1)}M${side(0.45)}L${end[0].toFixed(1)} ${end[1].toFixed(1)}L${side(-0.45)}`;
    return [svg("path", { class: `mark arrow ${name}`, d })];
  }
}

const key = (name: string, text: string): HTMLElement => {
  const sign = svg("svg", { class: "key-line", width: 26, height: 8, "aria-hidden": "true" }, svg("path", { class: `mark arrow ${name}`, d: "M1 4H25" }));
  const line = el("span", { class: "key-row" }, text);
  line.prepend(sign);
  return line;
};
