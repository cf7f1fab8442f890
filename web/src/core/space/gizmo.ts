import { put, svg } from "../dom";
import { keys } from "../handles";
import { fixed, shown } from "../numbers";
import type { Puppet } from "../puppet";
import type { Vector } from "./eye";
import type { SpaceView } from "./view";

const LONG = 62,
  RADIUS = 46,
  AROUND = 40; // [px] of an arrow, of a ring; sides of a ring
const LETTERS = ["x", "y", "z"];

/** How one coordinate of the output moves its body: shifted along, or turned about, a direction. */
interface Way {
  turns: boolean;
  along: Vector;
}

/** Arrows and rings at the output: one for each of its coordinates, dragged, or moved by arrow keys, and spoken. */
export function gizmo(view: SpaceView, puppet: Puppet): { draw(): void } {
  const { told } = puppet.doc;
  const made = told.x.map((row, i) => handle(view, puppet, i, row.name)).filter((one) => one !== null);
  return { draw: () => made.forEach((draw) => draw()) };
}

/** Where the output is: its own place, or the middle of the body that turns. */
export function centreOf(puppet: Puppet): number[] {
  const { told } = puppet.doc,
    { x } = puppet.pose.value,
    scene = told.scene,
    points = puppet.points();
  if (scene && scene.tip !== null) return points[scene.tip] ?? [0, 0, 0];
  const own = ["x", "y", "z"].map((name) => told.x.findIndex((row) => row.name === name && row.unit === "m"));
  if (own.every((i) => i >= 0)) return own.map((i) => x[i] ?? 0);
  const moving = puppet.movable(),
    all = moving.map((i) => points[i] ?? []);
  return [0, 1, 2].map((k) => all.reduce((sum, p) => sum + (p[k] ?? 0), 0) / Math.max(all.length, 1));
}

/** How coordinate i moves the output, by the kernel of its twist (velocity first, then turning); of a point, along its axis. */
function wayOf(puppet: Puppet, i: number): Way | null {
  const { doc } = puppet,
    { kernels, told } = doc,
    { q, x } = puppet.pose.value;
  const rate = (j: number): number => (j === i ? 1 : 0);
  if (kernels && "twist" in kernels.kernels) {
    const twist = Array.from(kernels.evaluate("twist", { q, x, q_dot: q.map(() => 0), x_dot: x.map((_, j) => rate(j)), p: doc.p }).twist ?? []);
    const turn = twist.slice(3),
      shift = twist.slice(0, 3),
      turns = told.x[i]?.unit === "rad";
    const along = turns ? turn : shift,
      size = Math.hypot(...along);
    return size > 1e-9 ? { turns, along: along.map((v) => v / size) as Vector } : null;
  }
  const axis = LETTERS.indexOf(told.x[i]?.name ?? "");
  return axis >= 0 && told.x[i]?.unit === "m" ? { turns: false, along: [0, 1, 2].map((k) => (k === axis ? 1 : 0)) as Vector } : null;
}

function handle(view: SpaceView, puppet: Puppet, i: number, name: string): (() => void) | null {
  const first = wayOf(puppet, i),
    { told } = puppet.doc,
    row = told.x[i];
  if (!first || !row) return null;
  const axis = svg("path", { class: "axis" }),
    wide = svg("path", { class: "wide" }),
    letter = svg("text", { "text-anchor": "middle", "aria-hidden": "true" }, name);
  const letterOf = ["x", "y", "z"][first.along.map(Math.abs).indexOf(Math.max(...first.along.map(Math.abs)))] ?? "x";
  const group = svg("g", { class: `handle ${letterOf}`, tabindex: "0", role: "slider", "aria-label": `${name} of the output`, "aria-valuenow": "0" }, axis, wide, letter);
  view.handles.append(group);
  const now = (): number => puppet.pose.value.x[i] ?? 0;
  const set = (value: number): void => puppet.moveTip(puppet.pose.value.x.map((v, k) => (k === i ? value : v)));
  let grip: { value: number; at: [number, number] } | null = null;
  group.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    group.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    grip = { value: now(), at: view.at(event) };
  });
  group.addEventListener("pointermove", (event) => {
    const way = grip && wayOf(puppet, i);
    if (grip && way) set(grip.value + (way.turns ? turned(view, puppet, way, grip.at, view.at(event)) : slid(view, puppet, way, grip.at, view.at(event))));
  });
  for (const kind of ["pointerup", "pointercancel"] as const) group.addEventListener(kind, () => (grip = null));
  keys(
    group,
    () => (row.unit === "rad" ? Math.PI / 180 : told.size / 100),
    (dx, dy) => set(now() + dx + dy),
  );
  return () => {
    const { unit, factor } = shown(row.unit),
      way = wayOf(puppet, i) ?? first;
    put(group, "aria-valuenow", now().toFixed(4));
    put(group, "aria-valuetext", `${name} ${fixed(now() * factor, unit === "m" ? 4 : 2)} ${unit}`);
    const [d, x, y] = way.turns ? ring(view, puppet, way) : arrow(view, puppet, way);
    put(axis, "d", d);
    put(wide, "d", d);
    put(letter, "x", x.toFixed(1));
    put(letter, "y", y.toFixed(1));
  };
}

const away = (at: number[], along: Vector, by: number): number[] => at.map((v, k) => v + by * (along[k] ?? 0));

/** [m] that a pixel is at the output. */
const metres = (view: SpaceView, at: number[]): number => 1 / view.eye.pixels(view.eye.seen(at)[2]);

function arrow(view: SpaceView, puppet: Puppet, { along }: Way): [string, number, number] {
  const at = centreOf(puppet),
    each = metres(view, at),
    [x, y] = view.toScreen(away(at, along, 12 * each)),
    [u, v] = view.toScreen(away(at, along, LONG * each));
  const long = Math.hypot(u - x, v - y) || 1,
    dx = (u - x) / long,
    dy = (v - y) / long,
    wing = Math.min(8, long / 3);
  const side = (s: number): string => `${(u - wing * dx + s * wing * 0.7 * dy).toFixed(1)} ${(v - wing * dy - s * wing * 0.7 * dx).toFixed(1)}`;
  return [`M${x.toFixed(1)} ${y.toFixed(1)}L${u.toFixed(1)} ${v.toFixed(1)}M${side(1)}L${u.toFixed(1)} ${v.toFixed(1)}L${side(-1)}`, u + 12 * dx, v + 12 * dy + 4];
}

function ring(view: SpaceView, puppet: Puppet, { along }: Way): [string, number, number] {
  const at = centreOf(puppet),
    each = metres(view, at),
    [a, b] = across(along);
  const places = Array.from({ length: AROUND }, (_, k) =>
    view.toScreen(away(away(at, a, RADIUS * each * Math.cos((2 * Math.PI * k) / AROUND)), b, RADIUS * each * Math.sin((2 * Math.PI * k) / AROUND))),
  );
  const to = along.map(Math.abs).indexOf(Math.max(...along.map(Math.abs))),
    side = [
      [-1, 0.4],
      [1, 0.4],
      [0, 1],
    ][to] ?? [0, 1]; // names stand apart: left, right, below
  const far = (p: [number, number]): number => p[0] * (side[0] ?? 0) + p[1] * (side[1] ?? 0),
    end = places.reduce((best, p) => (far(p) > far(best) ? p : best));
  return [`M${places.map((p) => p.map((v) => v.toFixed(1)).join(" ")).join("L")}Z`, end[0] + 18 * (side[0] ?? 0), end[1] + 13 * (side[1] ?? 0)];
}

/** Two directions across one. */
function across(n: Vector): [Vector, Vector] {
  const other: Vector = Math.abs(n[2]) < 0.8 ? [0, 0, 1] : [1, 0, 0],
    a = cross(n, other),
    size = Math.hypot(...a);
  const unit = a.map((v) => v / size) as Vector;
  return [unit, cross(n, unit)];
}

const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** How far a pointer went along an arrow [m]. */
function slid(view: SpaceView, puppet: Puppet, { along }: Way, from: [number, number], to: [number, number]): number {
  const at = centreOf(puppet),
    each = metres(view, at),
    [x, y] = view.toScreen(at),
    [u, v] = view.toScreen(away(at, along, LONG * each));
  const dx = u - x,
    dy = v - y,
    square = Math.max(dx * dx + dy * dy, 100); // an arrow towards the eye is moved slowly
  return (((to[0] - from[0]) * dx + (to[1] - from[1]) * dy) / square) * LONG * each;
}

/** How far a pointer went around a ring [rad]. */
function turned(view: SpaceView, puppet: Puppet, { along }: Way, from: [number, number], to: [number, number]): number {
  const [x, y] = view.toScreen(centreOf(puppet)),
    towards = along.reduce((sum, v, k) => sum + v * (view.eye.axes()[2][k] ?? 0), 0);
  const angle = ([u, v]: [number, number]): number => Math.atan2(-(v - y), u - x);
  const by = angle(to) - angle(from);
  return Math.atan2(Math.sin(by), Math.cos(by)) * (towards < 0 ? -1 : 1);
}
