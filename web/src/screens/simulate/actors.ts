import type { App } from "../../core/app";
import { svg } from "../../core/dom";
import type { Linkage } from "../../core/linkage";
import { scenePoints } from "../../core/motion";
import type { SpaceView } from "../../core/space/view";
import type { Stage } from "../../core/stage";
import { type Run, type Shown, sample } from "./run";

type Points = number[][];
type Role = "robot" | "reference" | "other";

/** What moves on the stage: the robot, the reference's ghost, another run; and the lines that they draw. */
export interface Actors {
  show(role: Role, points: Points | null, x: ArrayLike<number>, which?: string): void; // `which` of several others
  lines(trace: number[][], wanted: number[][], others: number[][][]): void;
  only(others: string[]): void; // the others that are left
  dispose(): void;
}

/** In the plane. */
export function actorsOnStage(stage: Stage): Actors {
  const made = new Map<string, Linkage>();
  const lines = { other: svg("path", { class: "mark trace other" }), wanted: svg("path", { class: "mark line" }), trace: svg("path", { class: "mark trace" }) };
  stage.layers.under.append(lines.other, lines.wanted, lines.trace);
  let held: Record<keyof typeof lines, number[][][]> = { trace: [], wanted: [], other: [] };
  const draw = (): void => {
    for (const [name, path] of Object.entries(lines)) path.setAttribute("d", held[name as keyof typeof lines].map((points) => stage.path(points)).join(""));
  };
  const off = stage.onView(draw);
  return {
    show: (role, points, x, which = "") => {
      let linkage = made.get(role + which);
      if (!points) {
        linkage?.hide();
        return;
      }
      if (!linkage) made.set(role + which, (linkage = stage.linkage(role)));
      linkage.show(points, x);
    },
    lines: (trace, wanted, others) => {
      held = { trace: [trace], wanted: [wanted], other: others };
      draw();
    },
    only: (others) => left(made, others).forEach((linkage) => linkage.remove()),
    dispose: off,
  };
}

/** In space. */
export function actorsInSpace(view: SpaceView): Actors {
  let drawn = 0;
  return {
    show: (role, points, _x, which = "") => view.body(role + which, points, role),
    only: (others) =>
      view.only(
        "other",
        others.map((id) => `other${id}`),
      ),
    lines: (trace, wanted, others) => {
      for (let k = 0; k < Math.max(others.length, drawn); k++) view.line(`other ${k}`, others[k] ?? [], "type2");
      drawn = others.length;
      view.line("wanted", wanted, "ghost", true);
      view.line("trace", trace, "path");
    },
    dispose: () => view.dispose(),
  };
}

/** Take out those of the others that are not left. */
function left<T>(made: Map<string, T>, others: string[]): T[] {
  const gone = [...made.keys()].filter((key) => key.startsWith("other") && !others.includes(key.slice("other".length)));
  return gone.map((key) => {
    const one = made.get(key) as T;
    made.delete(key);
    return one;
  });
}

/** Put a run's robot, its reference and other runs' robots where they are at an instant. */
export function place(app: App, actors: Actors, run: Run | null, others: Shown[], at: number): void {
  const doc = app.robot.value;
  const points = (from: Run, q: string, x: string): [Points | null, Float64Array] => {
    const none = new Float64Array(0); // a history without columns is not sent
    const [now, out] = [sample(from, q, at) ?? (doc.told.q.length ? null : none), sample(from, x, at) ?? none];
    return now ? [scenePoints({ ...doc, p: from.p }, now, out), out] : [null, out];
  };
  if (run) {
    const known = run.arrays.q_ref !== undefined && (run.arrays.x_ref !== undefined || !doc.told.x.length);
    actors.show("robot", ...points(run, "q", "x"));
    if (known) actors.show("reference", ...points(run, "q_ref", "x_ref"));
    else actors.show("reference", null, []);
  }
  for (const other of others) actors.show("other", ...points(other.run, "q", "x"), other.id);
}
