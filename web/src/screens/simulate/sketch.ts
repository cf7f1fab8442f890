import { svg } from "../../core/dom";
import { tell } from "../../core/numbers";
import type { Stage } from "../../core/stage";
import type { Tables } from "./recipe";
import { drawn, type Grip, grips, type Tool, wayOf } from "./trajectory";

const APART = 14; // [px] between the points of a curve that is drawn
const SMALLEST = 6; // [px] a drag that is shorter draws nothing

export interface Sketch {
  /** The trajectory to show, and whether its places can be dragged. */
  show(trajectory: Tables | null, rest: number[]): void;
  tool(tool: Tool | null): void;
  /** Whether the way itself is drawn; a run draws the reference that it really followed. */
  way(on: boolean): void;
  dispose(): void;
}

export interface SketchOptions {
  apart?: number; // [px] between the points of a curve that is drawn
  thin?(points: number[][]): number[][]; // which of them are kept
  grips?(trajectory: Tables | null): Grip[]; // the places that can be dragged
  way?(trajectory: Tables | null): number[][] | null; // the line that is drawn
}

/** The trajectory on the stage: its way, places to drag, and drawing a new one, by a drag or between two clicks. */
export function sketch(stage: Stage, changed: (trajectory: Tables) => void, finished: () => void, options: SketchOptions = {}): Sketch {
  const { apart = APART, thin = thinned, grips: gripsOf = grips, way: line = wayOf } = options;
  const way = svg("path", { class: "mark line" });
  const drawing = svg("path", { class: "mark path" });
  const holds = svg("g", { class: "grips" });
  stage.layers.marks.append(way, drawing);
  stage.layers.handles.append(holds);
  let now: Tables | null = null,
    rest: number[] = [],
    active: Tool | null = null;
  let points: number[][] = [],
    pointer: number | null = null,
    clicked: number[] | null = null;

  const place = (): void => {
    way.setAttribute("d", stage.path(line(now) ?? []));
    [...holds.children].forEach((node, i) => {
      const grip = gripsOf(now)[i];
      if (grip)
        node.setAttribute(
          "transform",
          `translate(${stage
            .toScreen(grip.at)
            .map((v) => v.toFixed(1))
            .join(" ")})`,
        );
    });
  };
  const build = (): void => {
    const wanted = gripsOf(now);
    if (holds.childElementCount !== wanted.length) holds.replaceChildren(...wanted.map((_, i) => handle(i)));
    wanted.forEach((grip, i) => holds.children[i]?.setAttribute("aria-label", spoken(grip)));
    place();
  };
  const spoken = (grip: Grip): string =>
    `trajectory, ${grip.name}: ${grip.at
      .slice(0, 2)
      .map((v) => tell(v, 3))
      .join(", ")} m; arrow keys move it`;
  const move = (i: number, to: number[]): void => {
    const grip = gripsOf(now)[i];
    if (!grip) return;
    now = grip.move(to);
    build();
  };
  const handle = (i: number): SVGGElement => {
    const node = svg(
      "g",
      { class: "handle grip", tabindex: "0", role: "button" },
      svg("circle", { class: "hit", r: 18 }),
      svg("circle", { class: "ring", r: 12 }),
      svg("rect", { class: "seen", x: -6, y: -6, width: 12, height: 12, rx: 3 }),
    );
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      event.stopPropagation();
      node.focus();
      node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", (event) => node.hasPointerCapture(event.pointerId) && move(i, stage.at(event)));
    node.addEventListener("pointerup", () => now && changed(now));
    node.addEventListener("keydown", (event) => {
      const step = (event.shiftKey ? 20 : 4) / stage.pixelsPerMetre;
      const by: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      const [dx, dy] = by[event.key] ?? [0, 0];
      const at = gripsOf(now)[i]?.at;
      if ((!dx && !dy) || !at) return;
      event.preventDefault();
      move(i, [(at[0] ?? 0) + dx, (at[1] ?? 0) + dy]);
      if (now) changed(now);
    });
    return node;
  };

  const listeners: [keyof SVGElementEventMap, (event: PointerEvent) => void][] = [
    [
      "pointerdown",
      (event) => {
        if (!active || event.defaultPrevented || event.button !== 0) return;
        event.stopImmediatePropagation();
        pointer = event.pointerId;
        points = clicked ? [clicked, stage.at(event)] : [stage.at(event)];
        stage.svg.setPointerCapture(event.pointerId);
      },
    ],
    [
      "pointermove",
      (event) => {
        if (!active || (pointer !== event.pointerId && !clicked)) return;
        if (clicked) points = [clicked];
        const at = stage.at(event),
          last = points[points.length - 1] ?? at;
        const far = Math.hypot(at[0] - (last[0] ?? 0), at[1] - (last[1] ?? 0)) * stage.pixelsPerMetre;
        if (active === "points") far > apart && points.push(at);
        else points = [points[0] ?? at, at];
        const made = drawn(active, points, rest, now);
        drawing.setAttribute("d", stage.path(wayOf(made) ?? []));
      },
    ],
    [
      "pointerup",
      (event) => {
        if (pointer !== event.pointerId || !active) return;
        pointer = null;
        drawing.setAttribute("d", "");
        const first = points[0] ?? [0, 0],
          last = points[points.length - 1] ?? first;
        const long = points.length > 2 || Math.hypot((last[0] ?? 0) - (first[0] ?? 0), (last[1] ?? 0) - (first[1] ?? 0)) * stage.pixelsPerMetre > SMALLEST;
        if (!long && !clicked && active !== "points") {
          clicked = first; // the second click ends it
          return;
        }
        clicked = null;
        const made = long ? drawn(active, active === "points" ? thin(points) : points, rest, now) : null;
        if (made) changed(made);
        finished();
      },
    ],
  ];
  for (const [kind, listener] of listeners) stage.svg.addEventListener(kind, listener as EventListener, { capture: true });
  const off = stage.onView(place);
  return {
    show: (trajectory, held) => {
      now = trajectory;
      rest = held;
      build();
    },
    tool: (tool) => {
      active = tool;
      clicked = pointer = null;
      drawing.setAttribute("d", "");
      stage.element.classList.toggle("drawing", tool !== null);
    },
    way: (on) => way.setAttribute("visibility", on ? "visible" : "hidden"),
    dispose: () => {
      off();
      for (const [kind, listener] of listeners) stage.svg.removeEventListener(kind, listener as EventListener, { capture: true });
    },
  };
}

const MOST = 24; // points of a curve

function thinned(points: number[][]): number[][] {
  if (points.length <= MOST) return points;
  return Array.from({ length: MOST }, (_, k) => points[Math.round((k * (points.length - 1)) / (MOST - 1))] ?? []);
}
