import type { RobotDoc } from "../../core/app";
import { scenePoints } from "../../core/motion";
import type { Motion } from "./live";
import { atRest } from "./live";
import type { SpaceView } from "./view";

const NEAR = 26; // [px] from a joint where a pointer takes hold of it
const TRIES = 12;

/** Which of some points of the robot is under the pointer; null where there is none. */
export function grabbed(view: SpaceView, points: ArrayLike<number>[], handles: number[], event: PointerEvent): number | null {
  const box = view.element.getBoundingClientRect();
  const far = (i: number): number => {
    const [x, y] = view.toScreen(points[i] ?? []);
    return Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y);
  };
  const nearest = handles.reduce<number | null>((best, i) => (best === null || far(i) < far(best) ? i : best), null);
  return nearest !== null && far(nearest) < NEAR ? nearest : null;
}

/** Points that can be dragged: the output of a closed robot; every moving point of an open one. */
export function handlesOf(doc: RobotDoc): number[] {
  const scene = doc.told.scene;
  if (!scene) return [];
  if (doc.told.closed) return scene.tip === null ? [] : [scene.tip];
  return scene.names.map((_, i) => i).filter((i) => ownCoordinate(doc, i) !== null);
}

/** The coordinate of an open robot that moves a point and the fewest others: an arm's for its end, a pendulum's for its tip. */
export function ownCoordinate(doc: RobotDoc, point: number): number | null {
  const { q } = doc.told.start;
  const rest = scenePoints(doc, q, []);
  const moved = q.map((_, j) => {
    const other = scenePoints(doc, q.map((v, k) => (k === j ? v + 0.7 : v)), []);
    return rest.map((p, i) => Array.from(p).some((v, k) => Math.abs(v - (other[i]?.[k] ?? 0)) > 1e-9));
  });
  const fitting = q.map((_, j) => j).filter((j) => moved[j]?.[point]);
  const count = (j: number): number => moved[j]?.filter(Boolean).length ?? 0;
  return fitting.length ? fitting.reduce((best, j) => (count(j) < count(best) ? j : best)) : null;
}

/** The configuration with a joint under the pointer, as near as the robot can; null where it has none. */
export function dragged(view: SpaceView, doc: RobotDoc, now: Motion, point: number, event: PointerEvent): Motion | null {
  return doc.told.closed ? draggedOutput(view, doc, now, point, event) : draggedJoint(view, doc, now, point, event);
}

function draggedOutput(view: SpaceView, doc: RobotDoc, now: Motion, point: number, event: PointerEvent): Motion | null {
  const before = scenePoints(doc, now.q, now.x)[point] ?? [];
  const to = view.facing(event, before);
  const x = now.x.map((v, k) => (k < 3 ? v + ((to[k] ?? 0) - (before[k] ?? 0)) : v));
  const solutions = doc.kernels?.inverse(x, doc.p).solutions ?? [];
  const far = (q: Float64Array): number => Math.hypot(...q.map((v, k) => turn(v - (now.q[k] ?? 0))));
  const [first, ...others] = solutions;
  if (!first) return null;
  const best = others.reduce((a, b) => (far(b.q) < far(a.q) ? b : a), first);
  return atRest(best.q, x);
}

const turn = (angle: number): number => Math.atan2(Math.sin(angle), Math.cos(angle));

/** One coordinate moved until its point is as near to the pointer as it gets on the screen: Gauss and Newton. */
function draggedJoint(view: SpaceView, doc: RobotDoc, now: Motion, point: number, event: PointerEvent): Motion | null {
  const j = ownCoordinate(doc, point);
  if (j === null) return null;
  const box = view.element.getBoundingClientRect();
  const goal = [event.clientX - box.left, event.clientY - box.top];
  const q = Float64Array.from(now.q);
  const miss = (value: number): [number, number] => {
    q[j] = value;
    const [x, y] = view.toScreen(scenePoints(doc, q, now.x)[point] ?? []);
    return [x - (goal[0] ?? 0), y - (goal[1] ?? 0)];
  };
  let at = now.q[j] ?? 0;
  for (let k = 0; k < TRIES; k++) {
    const r = miss(at), s = miss(at + 1e-5);
    const d = [(s[0] - r[0]) / 1e-5, (s[1] - r[1]) / 1e-5];
    const square = (d[0] ?? 0) ** 2 + (d[1] ?? 0) ** 2;
    if (square < 1e-6) break;
    const step = -((d[0] ?? 0) * r[0] + (d[1] ?? 0) * r[1]) / square;
    at += Math.max(-0.3, Math.min(0.3, step));
    if (Math.abs(step) < 1e-5) break;
  }
  q[j] = at;
  return atRest(q, now.x);
}
