import type { RobotDoc } from "../core/app";
import { el, oncePerFrame, say } from "../core/dom";
import { scenePoints } from "../core/motion";
import { Puppet } from "../core/puppet";
import { button, tick } from "../core/widgets";
import { embeddedRun, liveMotion } from "./motion";
import type { OfflineApp } from "./offline";
import { OrbitView } from "./orbit";
import { panel } from "./panel";
import { branchTools } from "./plane";

const NEAR = 26; // [px] from a joint where a pointer takes hold of it

/** A robot of space: turned by the pointer, its output or joints dragged, switched, let go. */
export function space(root: HTMLElement, app: OfflineApp): { puppet: Puppet; view: OrbitView } {
  const { told } = app.robot.value;
  const puppet = new Puppet(app);
  if (!told.scene) throw new Error("this robot has nothing to draw");
  const view = new OrbitView(`${told.name} in space`, told.scene);
  const note = el("div", { class: "note-box", role: "status" });
  view.corner.append(note);
  let ghosts = true;
  const tools = branchTools(app, puppet, () => draw());
  const played = embeddedRun(app, puppet, () => undefined);
  const side = panel(app, puppet, ...(played ? [played] : []), liveMotion(app, puppet));
  const draw = oncePerFrame(() => {
    view.show(puppet.points(), ghosts && puppet.mover ? puppet.others().map((other) => other.points) : []);
    tools.show();
    side.show();
    say(note, puppet.stop.value?.why ?? "");
    note.hidden = puppet.stop.value === null;
  });
  const shows = [puppet.mover && tick("Branches", true, (on) => ((ghosts = on), draw())).element, button("⤢", () => aim(), "quiet", "The first view again")];
  root.append(el("div", { class: "workbench" }, el("div", { class: "tools" }, ...tools.elements, el("span", { class: "spacer" }), ...shows), view.element, side.element));
  const aim = (): void => {
    const points = puppet.points(), low = [0, 1, 2].map((k) => Math.min(...points.map((p) => p[k] ?? 0))), high = [0, 1, 2].map((k) => Math.max(...points.map((p) => p[k] ?? 0)));
    const wide = Math.max(...high.map((h, k) => h - (low[k] ?? 0)));
    const span = told.closed ? 1.5 * wide : 2.4 * wide; // an open robot swings about
    const middle = high.map((h, k) => (told.closed ? (h + (low[k] ?? 0)) / 2 : (k === 2 ? (low[k] ?? 0) : 0))) as [number, number, number];
    view.frame(middle, span, (told.closed ? (low[2] ?? 0) : (low[2] ?? 0) - 1.05 * wide) - 0.05 * span);
  };
  puppet.pose.listen(draw);
  puppet.stop.listen(draw);
  puppet.facts.listen(() => side.show());
  app.robot.listen(() => (aim(), draw()));
  listen(view, puppet);
  aim();
  draw();
  return { puppet, view };
}

/** The pointer: on a joint it drags it, elsewhere it turns the view. */
function listen(view: OrbitView, puppet: Puppet): void {
  let held: number | null = null, last: { x: number; y: number } | null = null;
  view.canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    view.canvas.setPointerCapture(event.pointerId);
    const box = view.element.getBoundingClientRect(), points = puppet.points();
    const far = (i: number): number => {
      const [x, y] = view.toScreen(points[i] ?? []);
      return Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y);
    };
    held = movable(puppet.doc).filter((i) => far(i) < NEAR).sort((a, b) => far(a) - far(b))[0] ?? null;
    last = { x: event.clientX, y: event.clientY };
  });
  view.canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    if (held !== null) dragJoint(view, puppet, held, event);
    else view.turn((event.clientX - last.x) * 0.008, (event.clientY - last.y) * 0.008);
    last = { x: event.clientX, y: event.clientY };
  });
  for (const kind of ["pointerup", "pointercancel"] as const) view.canvas.addEventListener(kind, () => ([held, last] = [null, null]));
}

/** The points that can be dragged: a closed robot's output, an open robot's joints that a coordinate moves. */
const movable = (doc: RobotDoc): number[] =>
  doc.told.closed ? (doc.told.scene?.tip === null || doc.told.scene === null ? [] : [doc.told.scene.tip]) : (doc.told.scene?.names ?? []).map((_, i) => i).filter((i) => mover(doc, i) !== null);

function dragJoint(view: OrbitView, puppet: Puppet, point: number, event: PointerEvent): void {
  const { doc } = puppet, pose = puppet.pose.value, here = puppet.points()[point] ?? [];
  const to = view.facing(event, here);
  if (doc.told.closed) {
    puppet.moveTip(pose.x.map((v, k) => (k < 3 ? v + (to[k] ?? 0) - (here[k] ?? 0) : v)));
    return;
  }
  const j = mover(doc, point);
  if (j === null) return;
  const box = view.element.getBoundingClientRect();
  const miss = (value: number): number => {
    const [x, y] = view.toScreen(scenePoints(doc, pose.q.map((v, k) => (k === j ? value : v)), pose.x)[point] ?? []);
    return Math.hypot(x - (event.clientX - box.left), y - (event.clientY - box.top));
  };
  puppet.moveDrive(j, nearest(miss, pose.q[j] ?? 0, doc.told.q[j]?.unit === "rad" ? 0.6 : 0.3 * doc.told.size));
}

/** The last coordinate that moves a point of an open robot: a pendulum's for its tip, an arm's for its end. */
function mover(doc: RobotDoc, point: number): number | null {
  const { q } = doc.told.start, before = scenePoints(doc, q, [])[point] ?? [];
  for (let j = q.length - 1; j >= 0; j--) {
    const after = scenePoints(doc, q.map((v, k) => (k === j ? v + 0.7 : v)), [])[point] ?? [];
    if (before.some((v, k) => Math.abs(v - (after[k] ?? 0)) > 1e-9)) return j;
  }
  return null;
}

/** Where a function is least within a reach of a start: a coarse look, then halving. */
function nearest(miss: (value: number) => number, start: number, reach: number): number {
  let best = start, width = reach;
  while (width > 1e-4 * reach) {
    for (const step of [-1, -0.5, 0.5, 1]) if (miss(best + step * width) < miss(best)) best += step * width;
    width /= 2;
  }
  return best;
}
