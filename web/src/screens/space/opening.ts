import type { App } from "../../core/app";
import { el } from "../../core/dom";
import { scenePoints } from "../../core/motion";
import { settled } from "./live";
import type { SpaceView } from "./view";
import "./space.css";

/** The box that a robot in space covers when it moves about, [low, high]. */
export function boxOf(app: App): [number[], number[]] {
  const doc = app.robot.value;
  const { q, x } = settled(doc);
  const open = !doc.told.closed;
  const turns = open ? [0, 0.7, 1.4, 2.1, 2.8, 3.5, 4.2, 4.9, 5.6] : [0];
  const clouds = turns.flatMap((a) => turns.map((b) => scenePoints(doc, open ? Array.from(q, (v, i) => v + (i === 0 ? a : b)) : q, x)));
  const all = clouds.flat();
  const bound = (pick: (...v: number[]) => number, empty: number): number[] => [0, 1, 2].map((k) => all.reduce((m, p) => pick(m, p[k] ?? 0), empty));
  return [bound(Math.min, Infinity), bound(Math.max, -Infinity)];
}

/** A drawing in space inside a holder; null, with words in its place, where the browser has no WebGL. */
export async function openSpace(app: App, holder: HTMLElement): Promise<SpaceView | null> {
  const { SpaceView: View, canDraw } = await import("./view"); // brings three.js
  if (!canDraw()) {
    holder.append(el("p", { class: "charts-empty" }, "This browser does not draw in space (no WebGL). Numbers and plots are still there."));
    return null;
  }
  const view = new View(`${app.robot.value.told.name} in space`);
  holder.append(view.element);
  view.frame(...boxOf(app));
  return view;
}
