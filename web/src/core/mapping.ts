import type { AspectsMeta, AspectsRequest, MapRequest } from "../messages";
import type { App } from "./app";
import { type Answer, Latest } from "./connection";
import { afterPause, el, say } from "./dom";
import { signs, tell } from "./numbers";
import type { Stage, Window } from "./stage";
import { areaColour, Underlay } from "./underlay";

export type Measured = "condition" | "det_A" | "det_B" | "reach";
export type Quantity = "none" | Measured | "aspects";
export const MEASURED: readonly Measured[] = ["condition", "det_A", "det_B", "reach"];
export const QUANTITIES: readonly Quantity[] = ["none", ...MEASURED, "aspects"];
export const quantityName = (quantity: Quantity): string =>
  ({ none: "none", condition: "conditioning", det_A: "det A", det_B: "det B", reach: "reach", aspects: "aspects" })[quantity];

export const TITLES: Record<Measured, string> = {
  condition: "conditioning 1/κ: 0 singular, 1 even",
  det_A: "det A: 0 is Type 2 (parallel)",
  det_B: "det B: 0 is Type 1 (serial)",
  reach: "room to the edge of the reach [m]",
};
const CELL = 3; // [px] per sample of a map at rest

/** Asks for the map of what the stage shows, newest wish first, and paints it. */
export class Mapping {
  quantity: Quantity = "none";
  private readonly words = el("p", { class: "small soft", role: "status" });
  private readonly list = el("ul", { class: "areas" });
  readonly areas = el("div", {}, this.words, this.list); // of the aspects, while they are the map
  private readonly underlay: Underlay;
  private readonly asking: Latest<MapRequest, Answer<"map">>;
  private readonly askAspects: Latest<AspectsRequest, Answer<"aspects">>;
  private readonly settle = afterPause(140, () => this.want());
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly about: () => { working: string; orientation: number | null },
  ) {
    this.underlay = new Underlay(stage);
    const failed = (error: Error): void => void (app.link.value === "open" && app.toast(`No map: ${error.message}`, "error"));
    this.asking = new Latest(
      (body) => app.ask("map", body),
      (frame, body) => this.take(frame, body),
      failed,
    );
    this.askAspects = new Latest(
      (body) => app.ask("aspects", body),
      (frame, body) => this.takeAspects(frame, body),
      failed,
    );
    this.ends = [
      stage.onView(() => this.settle()),
      app.robot.listen((next, before) => next.ref !== before.ref && this.want()),
      app.link.listen((link) => link === "open" && this.want()),
    ];
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.settle.cancel();
    this.underlay.dispose();
  }

  choose(quantity: Quantity): void {
    this.quantity = quantity;
    this.list.replaceChildren();
    say(this.words, quantity === "aspects" ? "Finding the aspects of the whole reach…" : "");
    this.want();
  }

  /** Ask for the map that fits what is shown now. */
  want(): void {
    const { told, ref } = this.app.robot.value;
    const { working, orientation } = this.about();
    if (this.quantity === "none" || !told.planar_map || !working || working.includes("0") || !this.stage.width) {
      if (this.quantity === "none" || !told.planar_map) this.underlay.show(null);
      return;
    }
    const shape = [Math.ceil(this.stage.height / CELL), Math.ceil(this.stage.width / CELL)];
    const third = told.x.length > 2 ? orientation : null;
    if (this.app.link.value !== "open") return;
    const asked = { robot: ref, working, window: [...this.stage.window], shape, orientation: third };
    if (this.quantity === "aspects") this.askAspects.want(asked);
    else this.asking.want({ ...asked, quantity: this.quantity });
  }

  private take(frame: Answer<"map">, body: MapRequest): void {
    const { values, slack } = frame.arrays;
    if (!values || !slack || this.quantity === "none" || this.quantity === "aspects" || this.quantity !== body.quantity) return;
    const signed = this.quantity === "det_A" || this.quantity === "det_B";
    this.underlay.show({
      values: values.data,
      slack: slack.data,
      rows: values.shape[0] ?? 0,
      columns: values.shape[1] ?? 0,
      window: frame.meta.window as Window,
      signed,
      low: signed || this.quantity === "det_A" ? (frame.meta.low ?? 0) : 0,
      high: this.quantity === "condition" ? Math.max(frame.meta.high ?? 1, 1e-9) : (frame.meta.high ?? 1),
      title: TITLES[this.quantity],
    });
  }

  private takeAspects(frame: Answer<"aspects">, { working }: AspectsRequest): void {
    const { labels, det_A: values, slack } = frame.arrays;
    if (!labels || !values || !slack || this.quantity !== "aspects") return;
    const meta: AspectsMeta = frame.meta;
    const [rows = 0, columns = 0] = labels.shape;
    const title = `${meta.count} ${meta.count === 1 ? "aspect" : "aspects"} of working mode ${signs(working)}`;
    this.underlay.show({ values: values.data, slack: slack.data, labels: labels.data, rows, columns, window: meta.window as Window, signed: false, low: 0, high: 1, title });
    say(this.words, "");
    this.list.replaceChildren(
      ...meta.aspects.map((aspect, i) => {
        const swatch = el("span", { class: "area" });
        swatch.style.backgroundColor = areaColour(i);
        const sure = aspect.decided ? "" : ", edge not decided";
        return el("li", {}, swatch, `aspect ${i + 1}: det A ${aspect.sign > 0 ? "> 0" : "< 0"}, ${aspect.area === null ? "without an end" : `${tell(aspect.area, 3)} m²`}${sure}`);
      }),
    );
  }
}
