import type { SceneRow } from "../../messages";
import type { App, RobotDoc } from "../app";
import { scenePoints } from "../motion";
import { SpaceView } from "./view";

/** The box that a robot in space covers when it moves about, [low, high]. */
function boxOf(doc: RobotDoc): [number[], number[]] {
  const { q, x } = doc.told.start,
    open = !doc.told.closed;
  const turns = open ? [0, 0.7, 1.4, 2.1, 2.8, 3.5, 4.2, 4.9, 5.6] : [0];
  const clouds = turns.flatMap((a) => turns.map((b) => scenePoints(doc, open ? Array.from(q, (v, i) => v + (i === 0 ? a : b)) : q, x)));
  const bound = (pick: (...v: number[]) => number, empty: number): number[] => [0, 1, 2].map((k) => clouds.flat().reduce((m, p) => pick(m, p[k] ?? 0), empty));
  return [bound(Math.min, Infinity), bound(Math.max, -Infinity)];
}

/** The robot's own drawing in space, looking at all of it; null where nothing of it is drawn. */
export function openSpace(app: Pick<App, "robot">, scene: SceneRow): SpaceView {
  const doc = app.robot.value;
  const view = new SpaceView(`${doc.told.name} in space`, scene, doc.told.size, !doc.told.closed);
  view.frame(...boxOf(doc));
  return view;
}
