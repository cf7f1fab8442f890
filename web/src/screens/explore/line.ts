import type { App } from "../../core/app";
import { type Answer, Latest } from "../../core/connection";
import { el, say, svg } from "../../core/dom";
import { fixed, length, signs } from "../../core/numbers";
import { plot } from "../../core/plot";
import type { Stage } from "../../core/stage";
import type { AlongMeta, AlongRequest } from "../../messages";
import type { Ends } from "./ends";

/** det A and det B on the straight way from S to E, with its proven singular points. */
export class Line {
  readonly element: HTMLElement;
  private readonly group = svg("g", { class: "singular-points" });
  private readonly words = el("p", { class: "small", role: "status" });
  private readonly list = el("ol", { class: "points" });
  private readonly detA = plot({ title: "det A along S → E", xLabel: "s", height: 128 });
  private readonly detB = plot({ title: "det B along S → E", xLabel: "s", height: 128 });
  private meta: AlongMeta | null = null;
  private readonly asking: Latest<AlongRequest, Answer<"along">>;

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly ends: Ends,
    private readonly working: () => string,
  ) {
    stage.layers.marks.append(this.group);
    this.asking = new Latest(
      (body) => app.ask("along", body),
      (frame) => this.take(frame),
      (error) => say(this.words, error.message),
    );
    this.element = el("div", { class: "stack" }, this.words, this.list, this.detA.element, this.detB.element);
  }

  dispose(): void {
    this.group.remove();
    this.asking.drop();
    this.detA.dispose();
    this.detB.dispose();
  }

  want(): void {
    const { start, end } = this.ends.way.value;
    if (this.app.link.value === "open") this.asking.want({ robot: this.app.robot.value.ref, start, end, working: this.working() || null });
  }

  private take(frame: Answer<"along">): void {
    const { s, det_A, det_B } = frame.arrays;
    if (!s || !det_A || !det_B) return;
    this.meta = frame.meta;
    const n = s.data.length,
      mode = signs(frame.meta.working[0] ?? "");
    this.detA.show(s.data, [{ name: `det A ${mode}`, values: det_A.data.subarray(0, n), line: 0 }]);
    this.detB.show(s.data, [{ name: `det B ${mode}`, values: det_B.data.subarray(0, n), line: 1 }]);
    const own = frame.meta.points;
    this.detA.mark(own.filter((p) => p.type === 2).map((p) => p.s));
    this.detB.mark(own.filter((p) => p.type === 1).map((p) => p.s));
    this.tell();
    this.draw();
  }

  private tell(): void {
    if (!this.meta) return;
    const { points, complete, out_of_reach } = this.meta;
    const out = out_of_reach.length ? ` Out of reach between s = ${out_of_reach.map((o) => `${fixed(o.low, 3)} and ${fixed(o.high, 3)} (${o.legs.join(", ")})`).join("; ")}.` : "";
    const sure = complete ? "proven complete" : "not proven complete";
    say(this.words, `${points.length || "No"} singular ${points.length === 1 ? "point" : "points"} on the line (${sure}).${out}`);
    const { start, end } = this.ends.way.value;
    const long = Math.hypot((end[0] ?? 0) - (start[0] ?? 0), (end[1] ?? 0) - (start[1] ?? 0));
    this.list.replaceChildren(
      ...points.slice(0, 8).map((p) => el("li", {}, `Type ${p.type} at s = ${fixed(p.s, 4)}, ${length(p.s * long)} from S${p.leg ? `, leg ${p.leg}` : ""}`)),
    );
  }

  draw(): void {
    this.group.replaceChildren(
      ...(this.meta?.points ?? []).map((p) => {
        const [x, y] = this.stage.toScreen(p.x);
        return svg("circle", { class: `mark type${p.type} dot`, cx: x.toFixed(1), cy: y.toFixed(1), r: 6 });
      }),
    );
  }
}
