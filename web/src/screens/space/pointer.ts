import type { App } from "../../core/app";
import { scenePoints } from "../../core/motion";
import { dragged, grabbed, handlesOf } from "./grab";
import type { Motion } from "./live";
import type { SpaceView } from "./view";

export interface Dragging {
  now(): Motion;
  free(): boolean; // whether joints can be taken hold of
  begin(): void;
  move(to: Motion): void;
  end(): void;
}

/** Joints follow the pointer; elsewhere it turns the view. */
export function listenToPointer(view: SpaceView, app: App, wishes: Dragging): void {
  const handles = handlesOf(app.robot.value);
  const canvas = view.element.querySelector("canvas") as HTMLCanvasElement;
  let held: number | null = null;
  const down = (event: PointerEvent): void => {
    if (event.button !== 0 || !wishes.free()) return;
    const { q, x } = wishes.now();
    held = grabbed(view, scenePoints(app.robot.value, q, x), handles, event);
    if (held === null) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    wishes.begin();
  };
  const move = (event: PointerEvent): void => {
    if (held === null) return;
    event.stopImmediatePropagation();
    const next = dragged(view, app.robot.value, wishes.now(), held, event);
    if (next) wishes.move(next);
  };
  const up = (): void => {
    if (held === null) return;
    held = null;
    wishes.end();
  };
  view.element.addEventListener("pointerdown", down, { capture: true });
  view.element.addEventListener("pointermove", move, { capture: true });
  view.element.addEventListener("pointerup", up, { capture: true });
  view.element.addEventListener("pointercancel", up, { capture: true });
}
