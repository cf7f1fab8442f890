import type { Puppet } from "../puppet";
import { centreOf } from "./gizmo";
import type { SpaceView } from "./view";

const NEAR = 22; // [px] from a point where a pointer takes hold of it
const OUTPUT = -1; // the output itself, where no point of the robot is it

export interface Held {
  free(): boolean; // whether the robot can be taken in hand now
  begin(point: number): void;
  move(point: number, to: number[]): void; // in the plane through the point that faces the eye
  end(): void;
}

/** Where the output's coordinates x, y, z are among its coordinates; null where it has none that are a place. */
export function placeOf(puppet: Puppet): number[] | null {
  const own = ["x", "y", "z"].map((name) => puppet.doc.told.x.findIndex((row) => row.name === name && row.unit === "m"));
  return own.every((i) => i >= 0) ? own : null;
}

/** The pointer on the robot: on a point that can be led it takes hold of it; elsewhere it turns the view. */
export function takeHold(view: SpaceView, puppet: Puppet, held: Held): void {
  let point: number | null = null;
  const at = (i: number): ArrayLike<number> => (i === OUTPUT ? centreOf(puppet) : (puppet.points()[i] ?? []));
  const listen = (kind: "pointerdown" | "pointermove" | "pointerup" | "pointercancel", act: (event: PointerEvent) => void): void =>
    view.canvas.addEventListener(kind, act, { capture: true });
  listen("pointerdown", (event) => {
    if (event.button !== 0 || !held.free()) return;
    const [x, y] = view.at(event),
      far = (i: number): number => Math.hypot(view.toScreen(at(i))[0] - x, view.toScreen(at(i))[1] - y);
    point =
      grips(puppet)
        .filter((i) => far(i) < NEAR)
        .sort((a, b) => far(a) - far(b))[0] ?? null;
    if (point === null) return;
    event.stopImmediatePropagation();
    view.canvas.setPointerCapture(event.pointerId);
    held.begin(point);
  });
  listen("pointermove", (event) => {
    if (point === null) return;
    event.stopImmediatePropagation();
    held.move(point, view.facing(event, at(point)));
  });
  for (const kind of ["pointerup", "pointercancel"] as const)
    listen(kind, () => {
      if (point === null) return;
      point = null;
      held.end();
    });
}

/** The points to take hold of: the output first, where it is a place; then every point that moves. */
function grips(puppet: Puppet): number[] {
  const { scene } = puppet.doc.told,
    tip = scene?.tip ?? null;
  const output = tip !== null ? [tip] : placeOf(puppet) ? [OUTPUT] : [];
  return [...output, ...puppet.movable().filter((i) => i !== tip)];
}

/** Move the robot by one of its points: the output as a whole where its place can be asked for, another point along the screen. */
export function lead(view: SpaceView, puppet: Puppet, point: number, to: number[]): void {
  const { told } = puppet.doc,
    place = placeOf(puppet),
    pose = puppet.pose.value;
  const output = point === OUTPUT || point === told.scene?.tip;
  if (output && place && puppet.mover && !told.linkage) {
    const here = centreOf(puppet);
    puppet.moveTip(pose.x.map((v, i) => (place.includes(i) ? v + (to[place.indexOf(i)] ?? 0) - (here[place.indexOf(i)] ?? 0) : v)));
  } else if (point !== OUTPUT) puppet.lead(point, to, view.eye.axes().slice(0, 2));
}
