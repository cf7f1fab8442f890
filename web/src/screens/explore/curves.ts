import type { App } from "../../core/app";
import { Latest } from "../../core/connection";
import { afterPause, el, say, svg } from "../../core/dom";
import { solvesItself } from "../../core/kernels";
import type { Puppet } from "../../core/puppet";
import { type Curve, coarse } from "../../core/spaces";
import type { Stage } from "../../core/stage";
import { Store } from "../../core/store";
import { tick } from "../../core/widgets";
import type { LociAnswer } from "../../messages";

const PATIENCE = 1200; // [ms] at rest before the proven curves are asked for: the map comes first

interface Wish {
  working: string;
  orientation: number | null;
}

/** The singular curves of the working mode over what the stage shows: coarse at once, from the kernels in the page; then those that the server proves. */
export class Curves {
  readonly element: HTMLElement;
  readonly found = new Store<{ curves: Curve[]; proven: boolean }>({ curves: [], proven: false });
  private shown: boolean;
  private key = "";
  private readonly group = svg("g", { class: "loci" });
  private readonly words = el("p", { class: "small soft", role: "status" });
  private readonly asking: Latest<Wish, LociAnswer>;
  private readonly settle = afterPause(250, () => this.trace());
  private readonly prove = afterPause(PATIENCE, () => this.app.link.value === "open" && this.asking.want(this.wish()));
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly puppet: Puppet,
  ) {
    stage.layers.under.append(this.group);
    this.asking = new Latest(
      (wish) => app.job("loci", { robot: app.robot.value.ref, window: [...stage.window], ...wish }, (part, note) => this.tracing(part, note)).done,
      (answer, wish) => JSON.stringify(wish) === this.key && this.take(answer),
      (error) => app.link.value === "open" && say(this.words, error.message),
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
    this.shown = app.setting("loci", true);
    const loci = tick("Singular curves", this.shown, (on) => (app.keep("loci", on), this.show(on)));
    this.element = el("div", { class: "stack" }, loci.element, key, this.words);
    this.ends = [
      stage.onView(() => (this.place(), this.settle())),
      app.robot.listen((next, before) => next.ref !== before.ref && this.settle()),
      app.link.listen((link) => link === "open" && this.settle()),
    ];
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.settle.cancel();
    this.prove.cancel();
    this.asking.drop();
  }

  private show(on: boolean): void {
    this.shown = on;
    this.place();
    this.trace();
  }

  /** For every frame: another working mode, or another angle of a plate, has other curves. */
  draw(): void {
    const { working } = this.wish();
    if (!working || working.includes("0")) return;
    const key = JSON.stringify(this.wish());
    if (key === this.key) return;
    this.key = key;
    this.trace();
  }

  private wish(): Wish {
    const { working, x } = this.puppet.pose.value,
      turned = x[2];
    return { working, orientation: turned === undefined ? null : Number(turned.toFixed(3)) };
  }

  private trace(): void {
    const doc = this.app.robot.value,
      { working, orientation } = this.wish();
    if (!this.shown || !this.key || !this.stage.width) return;
    if (solvesItself(doc.kernels)) {
      const made = coarse(doc, doc.kernels, working, [...this.stage.window], orientation === null ? [] : [orientation]);
      this.put(made, false);
    }
    this.tracing(null, "by a grid of the page, so far");
    this.prove();
  }

  private tracing(part: number | null, note: string): void {
    say(this.words, `Tracing the singular curves… ${part === null ? "" : `${Math.round(100 * part)} %, `}${note}`);
  }

  private take({ curves, complete }: LociAnswer): void {
    if (!this.shown) return;
    const count = (type: number): number => curves.filter((c) => c.type === type).length;
    const proof = complete ? "Every curve that meets a line of the search grid is here: proven." : "Some curves may be missing: the search was not complete.";
    say(this.words, `${count(2)} pieces of Type 2, ${count(1)} of Type 1 in view. ${proof}`);
    this.put(
      curves.map(({ type, points, closed }) => ({ type: type === 1 ? 1 : 2, x: points, closed })),
      complete,
    );
  }

  private put(curves: Curve[], proven: boolean): void {
    this.found.set({ curves, proven });
    this.place();
  }

  private place(): void {
    const { curves, proven } = this.found.value;
    const paths = [1, 2].flatMap((type) => {
      const own = curves.filter((c) => c.type === type);
      if (!this.shown || !own.length) return [];
      const d = own.map((c) => this.stage.path(c.x, c.closed)).join("");
      return [svg("path", { class: "mark halo", d }), svg("path", { class: `mark type${type}${proven ? "" : " coarse"}`, d })];
    });
    this.group.replaceChildren(...paths);
  }
}
