import type { App } from "../../core/app";
import { svg } from "../../core/dom";
import type { Linkage } from "../../core/linkage";
import { scenePoints } from "../../core/motion";
import type { Stage } from "../../core/stage";
import type { Body } from "../space/body";
import type { SpaceView } from "../space/view";
import { sample, type Run } from "./run";

type Points = number[][];
type Role = "robot" | "reference" | "other";

/** What moves on the stage: the robot, the reference's ghost, another run; and the lines that they draw. */
export interface Actors {
  show(role: Role, points: Points | null, x: ArrayLike<number>): void;
  lines(trace: number[][], wanted: number[][], other: number[][]): void;
  dispose(): void;
}

/** In the plane. */
export function actorsOnStage(stage: Stage): Actors {
  const made = new Map<Role, Linkage>();
  const lines = { other: svg("path", { class: "mark trace other" }), wanted: svg("path", { class: "mark line" }), trace: svg("path", { class: "mark trace" }) };
  stage.layers.under.append(lines.other, lines.wanted, lines.trace);
  let held: Record<keyof typeof lines, number[][]> = { trace: [], wanted: [], other: [] };
  const draw = (): void => {
    for (const [name, path] of Object.entries(lines)) path.setAttribute("d", stage.path(held[name as keyof typeof lines]));
  };
  const off = stage.onView(draw);
  return {
    show: (role, points, x) => {
      let linkage = made.get(role);
      if (!points) {
        linkage?.hide();
        return;
      }
      if (!linkage) made.set(role, (linkage = stage.linkage(role)));
      linkage.show(points, x);
    },
    lines: (trace, wanted, other) => {
      held = { trace, wanted, other };
      draw();
    },
    dispose: off,
  };
}

/** In space. */
export function actorsInSpace(view: SpaceView, app: App): Actors {
  const made = new Map<Role, Body>();
  const { told } = app.robot.value;
  return {
    show: (role, points) => {
      let body = made.get(role);
      if (!points || !told.scene) {
        body?.hide();
        return;
      }
      if (!body) made.set(role, (body = view.body(told.scene, role, told.size, !told.closed)));
      body.show(points);
    },
    lines: (trace, wanted, other) => {
      view.line("other", other, "type2");
      view.line("wanted", wanted, "ghost", true);
      view.line("trace", trace, "path");
    },
    dispose: () => view.dispose(),
  };
}

/** Put a run's robot and its reference where they are at an instant. */
export function place(app: App, actors: Actors, run: Run | null, other: Run | null, at: number): void {
  const doc = app.robot.value;
  const points = (from: Run, q: string, x: string): [Points | null, Float64Array] => {
    const none = new Float64Array(0); // a history without columns is not sent
    const [now, out] = [sample(from, q, at) ?? (doc.told.q.length ? null : none), sample(from, x, at) ?? none];
    return now ? [scenePoints({ ...doc, p: from.p }, now, out), out] : [null, out];
  };
  if (run) {
    const known = run.arrays["q_ref"] !== undefined && (run.arrays["x_ref"] !== undefined || !doc.told.x.length);
    actors.show("robot", ...points(run, "q", "x"));
    if (known) actors.show("reference", ...points(run, "q_ref", "x_ref"));
    else actors.show("reference", null, []);
  }
  if (other) actors.show("other", ...points(other, "q", "x"));
  else actors.show("other", null, []);
}
