import { put, svg } from "./dom";
import { fixed } from "./numbers";
import type { Point, Stage } from "./stage";

const FINE = 0.1,
  COARSE = 5; // of a step, with Alt and with Shift

export interface Handle {
  group: SVGGElement;
  place(at: Point): void;
}

/** A round grip on the stage that takes focus: a slider for screen readers. */
export function handle(stage: Stage, kind: string, label: string, radius: number): Handle {
  const ring = svg("circle", { class: "ring", r: radius + 6 }),
    seen = svg("circle", { class: "seen", r: radius });
  const hit = svg("circle", { class: "hit", r: 20 });
  const group = svg("g", { class: `handle ${kind}`, tabindex: "0", role: "slider", "aria-label": label, "aria-valuenow": "0" }, ring, seen, hit);
  stage.layers.handles.append(group);
  const place = (at: Point): void => put(group, "transform", `translate(${at[0].toFixed(2)} ${at[1].toFixed(2)})`);
  return { group, place };
}

/** Follow a pointer from where it takes a handle; the grip keeps its distance to the handle's middle. */
export function drag(stage: Stage, group: SVGGElement, middle: () => ArrayLike<number>, move: (at: Point) => void): void {
  let grip: Point | null = null,
    box = { left: 0, top: 0 }; // of the drawing, read once: during a drag its layout may be dirty
  const at = (event: PointerEvent): Point => stage.toWorld([event.clientX - box.left, event.clientY - box.top]);
  group.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    group.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    box = stage.svg.getBoundingClientRect();
    const [x, y] = at(event),
      m = middle();
    grip = [(m[0] ?? 0) - x, (m[1] ?? 0) - y];
  });
  group.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [x, y] = at(event);
    move([x + grip[0], y + grip[1]]); // browsers tell it once per frame, before the frame is drawn
  });
  for (const kind of ["pointerup", "pointercancel"] as const) {
    group.addEventListener(kind, () => (grip = null));
  }
}

/** Arrow keys on a grip: Shift takes larger steps, Alt smaller ones. */
export function keys(group: SVGGElement, step: () => number, press: (dx: number, dy: number) => void): void {
  group.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], PageUp: [0, 10], PageDown: [0, -10] }[event.key];
    if (!way || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const size = step() * (event.shiftKey ? COARSE : event.altKey ? FINE : 1);
    press((way[0] ?? 0) * size, (way[1] ?? 0) * size);
  });
}

/** A place on the stage that can be dragged, moved by arrow keys and is spoken; `draw` puts it where it is. */
export function pointHandle(
  stage: Stage,
  options: { kind: string; label: string; letter: string; at(): ArrayLike<number>; move(to: Point): void; step(): number },
): { draw(): void; remove(): void } {
  const made = handle(stage, options.kind, options.label, 8);
  made.group.append(svg("text", { class: "letter", "text-anchor": "middle", dy: "4", "aria-hidden": "true" }, options.letter));
  drag(stage, made.group, options.at, options.move);
  keys(made.group, options.step, (dx, dy) => {
    const at = options.at();
    options.move([(at[0] ?? 0) + dx, (at[1] ?? 0) + dy]);
  });
  const draw = (): void => {
    const at = options.at();
    put(made.group, "aria-valuenow", (at[0] ?? 0).toFixed(4));
    put(made.group, "aria-valuetext", `x ${fixed(at[0], 3)} metres, y ${fixed(at[1], 3)} metres`);
    made.place(stage.toScreen(at));
  };
  return { draw, remove: () => made.group.remove() };
}
