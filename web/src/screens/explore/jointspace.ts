import type { App } from "../../core/app";
import { Latest } from "../../core/connection";
import { afterPause, el, svg } from "../../core/dom";
import { solvesItself } from "../../core/kernels";
import { letters } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import { withDrives } from "../../core/spaces";
import type { Stage } from "../../core/stage";
import { select } from "../../core/widgets";
import type { CuspsAnswer, CuspsRequest, RobotAnswer } from "../../messages";
import type { Curves } from "./curves";
import { JointPane } from "./joints";

const RESTS = 400; // [ms] of the held drive before its slice is asked for

export interface JointSpace {
  element: HTMLElement;
  draw(): void;
  dispose(): void;
}

/** The joint space of a robot, where it or a slice of it is a plane; null where there is none. */
export function jointSpace(app: App, stage: Stage, puppet: Puppet, curves: Curves | null): JointSpace | null {
  const { told } = app.robot.value;
  if (!puppet.mover?.complete) return null;
  if (curves && told.q.length === 2 && told.x.length === 2) return whole(app, puppet, curves);
  return onTelescopes(told) ? new Slice(app, stage, puppet) : null;
}

/** Whether it is a plate on three telescopes, whose slices have cusps. */
const onTelescopes = ({ scene, q }: RobotAnswer): boolean =>
  scene?.plate === true && q.length === 3 && scene.drives.length === 3 && scene.drives.every(({ kind }) => kind === "telescope");

/** Two drives, two outputs: the curves of the stage, in the drives. */
function whole(app: App, puppet: Puppet, curves: Curves): JointSpace {
  const pane = new JointPane(app, puppet, [0, 1]);
  const end = curves.found.follow(({ curves: found, proven }) => {
    const doc = app.robot.value,
      { kernels } = doc,
      { working } = puppet.pose.value;
    if (!solvesItself(kernels)) return;
    const words = `Type 2 in both spaces${proven ? ", and Type 1: proven" : ", by a grid of the page"}. Drag the dot or the tip.`;
    pane.show({ pieces: found.map((curve) => withDrives(doc, kernels, working, curve)), cusps: [], proven, words });
  });
  return { element: pane.element, draw: () => pane.draw(), dispose: end };
}

/** Three telescopes: the plane of two while one is held, with its singular curves and their cusps, as the server proves them. */
class Slice implements JointSpace {
  readonly element: HTMLElement;
  private held = 0;
  private asked = "";
  private found: CuspsAnswer | null = null;
  private readonly pane: JointPane;
  private readonly marks = svg("g", { class: "cusps" });
  private readonly asking: Latest<CuspsRequest, CuspsAnswer>;
  private readonly settle = afterPause(RESTS, () => this.app.link.value === "open" && this.asking.want(this.request()));
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly stage: Stage,
    private readonly puppet: Puppet,
  ) {
    const { told } = app.robot.value,
      names = told.q.map(({ name }) => name);
    this.held = Math.max(0, names.indexOf(app.setting("held", names[0] ?? "")));
    this.pane = new JointPane(app, puppet, this.axes());
    stage.layers.marks.append(this.marks);
    const choose = (name: string): void => {
      this.held = names.indexOf(name);
      app.keep("held", name);
      this.pane.turnTo(this.axes());
      this.asked = "";
      this.draw();
    };
    const which = select({ label: "Held", values: names, value: names[this.held] ?? "", text: letters, choose });
    this.element = el("div", { class: "stack" }, which.element, this.pane.element);
    this.asking = new Latest(
      (body) => app.ask("cusps", body),
      (answer, body) => JSON.stringify(body) === this.asked && this.take(answer),
      (error) => this.tell(null, error.message),
    );
    this.ends = [stage.onView(() => this.place()), app.link.listen(() => this.settle())];
    this.tell(null, "Tracing the singular curves of this slice…");
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.settle.cancel();
    this.asking.drop();
  }

  /** For every frame: another length of the held drive is another slice. */
  draw(): void {
    const now = JSON.stringify(this.request());
    if (now !== this.asked) {
      if (this.asked) this.tell(null, "Tracing the singular curves of this slice…");
      this.asked = now;
      this.settle();
    }
    this.pane.draw();
  }

  private axes(): readonly [number, number] {
    const [a = 0, b = 1] = [0, 1, 2].filter((i) => i !== this.held);
    return [a, b];
  }

  private request(): CuspsRequest {
    const { ref, told } = this.app.robot.value;
    return { robot: ref, drive: told.q[this.held]?.name ?? "", value: Number((this.puppet.pose.value.q[this.held] ?? 0).toPrecision(9)) };
  }

  private take(answer: CuspsAnswer): void {
    const count = answer.cusps.length;
    this.tell(
      answer,
      `Type 2 in this slice${answer.complete ? ": proven" : ""}. ${count} ${count === 1 ? "cusp" : "cusps"}: drag the dot once around one, and the robot is in another assembly mode, with det A never zero.`,
    );
  }

  private tell(answer: CuspsAnswer | null, words: string): void {
    this.found = answer;
    const pieces = (answer?.curves ?? []).map(({ q }) => ({ type: 2 as const, q }));
    this.pane.show({ pieces, cusps: (answer?.cusps ?? []).map(({ q }) => q), proven: true, words });
    this.place();
  }

  private place(): void {
    this.marks.replaceChildren(
      ...(this.found?.cusps ?? []).map(({ x }) => {
        const [cx, cy] = this.stage.toScreen(x);
        return svg("circle", { class: "mark cusp", cx: cx.toFixed(1), cy: cy.toFixed(1), r: 5 });
      }),
    );
  }
}
