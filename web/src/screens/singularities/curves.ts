import type { App } from "../../core/app";
import { type Answer, Latest } from "../../core/connection";
import { afterPause, el, say, svg } from "../../core/dom";
import { signs, tell } from "../../core/numbers";
import type { Stage, Window } from "../../core/stage";
import { areaColour, Underlay } from "../../core/underlay";
import type { AspectsMeta, LociAnswer } from "../../messages";

interface Wish {
  working: string;
  orientation: number | null;
}

const CELL = 3; // [px] per sample of the aspects

/** Singular curves and aspects of what the stage shows. */
export class Curves {
  loci = true;
  aspects = true;
  readonly element: HTMLElement;
  private found: LociAnswer | null = null;
  private readonly group = svg("g", { class: "loci" });
  private readonly underlay: Underlay;
  private readonly words = el("p", { class: "small soft" }, "Tracing the singular curves…");
  private readonly list = el("ul", { class: "areas" });
  private readonly askLoci: Latest<Wish, LociAnswer>;
  private readonly askAspects: Latest<Wish, Answer<"aspects">>;
  private readonly settle = afterPause(250, () => this.want());
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly wish: () => Wish,
  ) {
    stage.layers.under.append(this.group);
    this.underlay = new Underlay(stage);
    const failed = (error: Error): void => void (app.link.value === "open" && app.toast(error.message, "error"));
    const body = (w: Wish) => ({ robot: app.robot.value.ref, window: stage.window as number[], ...w });
    this.askLoci = new Latest(
      (w) => {
        const tell = (part: number | null, note: string): void => say(this.words, `Tracing the singular curves… ${part === null ? "" : `${Math.round(100 * part)} %, `}${note}`);
        tell(0, "");
        return app.job("loci", body(w), tell).done;
      },
      (answer) => this.takeLoci(answer),
      failed,
    );
    const shape = (): number[] => [Math.ceil(stage.height / CELL), Math.ceil(stage.width / CELL)];
    this.askAspects = new Latest(
      (w) => app.ask("aspects", { ...body(w), shape: shape() }),
      (frame) => this.takeAspects(frame),
      failed,
    );
    const key = el(
      "p",
      { class: "small curve-key" },
      el("span", { class: "swatch type2" }),
      "Type 2: the tip moves freely, efforts grow",
      el("br"),
      el("span", { class: "swatch type1" }),
      "Type 1: a leg is at its end",
    );
    this.element = el("div", { class: "stack" }, key, this.words, this.list);
    this.ends = [
      stage.onView(() => (this.draw(), this.settle())),
      app.robot.listen((next, before) => next.ref !== before.ref && this.want()),
      app.link.listen((link) => link === "open" && this.want()),
    ];
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.settle.cancel();
    this.underlay.dispose();
  }

  want(): void {
    if (this.app.link.value !== "open" || !this.stage.width) return;
    if (this.loci) this.askLoci.want(this.wish());
    if (this.aspects) this.askAspects.want(this.wish());
    if (!this.aspects) {
      this.underlay.show(null);
      this.list.replaceChildren();
    }
    if (!this.loci) say(this.words, "");
    this.draw();
  }

  private takeLoci(answer: LociAnswer): void {
    this.found = answer;
    if (!this.loci) return;
    const count = (type: number): number => answer.curves.filter((c) => c.type === type).length;
    const proof = answer.complete ? "Every curve that meets a line of the search grid is here." : "Some curves may be missing: the search was not complete.";
    say(this.words, `${count(2)} pieces of Type 2, ${count(1)} of Type 1 in view. ${proof}`);
    this.draw();
  }

  private takeAspects(frame: Answer<"aspects">): void {
    const { labels, det_A: values, slack } = frame.arrays;
    if (!labels || !values || !slack || !this.aspects) return;
    const meta: AspectsMeta = frame.meta;
    const [rows = 0, columns = 0] = labels.shape;
    const title = `${meta.count} ${meta.count === 1 ? "aspect" : "aspects"} of working mode ${signs(this.wish().working)}`;
    this.underlay.show({ values: values.data, slack: slack.data, labels: labels.data, rows, columns, window: meta.window as Window, signed: false, low: 0, high: 1, title });
    this.list.replaceChildren(
      ...meta.aspects.map((aspect, i) => {
        const swatch = el("span", { class: "area" });
        swatch.style.backgroundColor = areaColour(i);
        const sure = aspect.decided ? "" : ", edge not decided";
        return el("li", {}, swatch, `aspect ${i + 1}: det A ${aspect.sign > 0 ? "> 0" : "< 0"}, ${aspect.area === null ? "without an end" : `${tell(aspect.area, 3)} m²`}${sure}`);
      }),
    );
  }

  private draw(): void {
    if (!this.loci || !this.found) {
      this.group.replaceChildren();
      return;
    }
    const paths = [1, 2].flatMap((type) => {
      const d = (this.found?.curves ?? [])
        .filter((c) => c.type === type)
        .map((c) => this.stage.path(c.points, c.closed))
        .join("");
      return [svg("path", { class: "mark halo", d }), svg("path", { class: `mark type${type}`, d })];
    });
    this.group.replaceChildren(...paths);
  }
}
