import { put, svg } from "../../core/dom";
import { atRest, Live } from "../../core/live";
import type { Loose } from "../../core/loose";
import { tell } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import type { Stage } from "../../core/stage";

const NEAR = 24; // [px] from a point where the hand takes hold of it
const LONG = 46,
  HIGH = 7; // [px] of an effort's bar

/** While the robot moves by itself, the pointer pulls any of its points by a spring; the answer ends that. */
export function springs(stage: Stage, puppet: Puppet, free: Loose): () => void {
  const rope = svg("path", { class: "mark rope" });
  stage.layers.marks.append(rope);
  let held: number | null = null;
  const far = (i: number, [x, y]: number[]): number => {
    const [u, v] = stage.toScreen(puppet.points()[i] ?? []);
    return Math.hypot(u - (x ?? 0), v - (y ?? 0));
  };
  const pull = (event: PointerEvent): void => {
    if (held === null) return;
    const to = stage.at(event);
    free.pull(held, to);
    put(rope, "d", stage.path([puppet.points()[held] ?? to, to]));
  };
  const listeners: Record<string, (event: PointerEvent) => void> = {
    pointerdown: (event) => {
      if (!free.running || event.button !== 0) return;
      const box = stage.svg.getBoundingClientRect(),
        at = [event.clientX - box.left, event.clientY - box.top];
      held =
        puppet
          .movable()
          .filter((i) => far(i, at) < NEAR)
          .sort((a, b) => far(a, at) - far(b, at))[0] ?? null;
      if (held === null) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      stage.svg.setPointerCapture(event.pointerId);
      pull(event);
    },
    pointermove: (event) => {
      if (held === null) return;
      event.stopImmediatePropagation();
      pull(event);
    },
    pointerup: () => {
      if (held === null) return;
      held = null;
      free.pull(null, []);
      put(rope, "d", "");
    },
  };
  for (const [kind, listener] of Object.entries(listeners)) stage.svg.addEventListener(kind, listener as EventListener, { capture: true });
  return () => {
    for (const [kind, listener] of Object.entries(listeners)) stage.svg.removeEventListener(kind, listener as EventListener, { capture: true });
  };
}

/** A bar at each motor: the effort that the sliders hold while the robot moves, else the one that carries its weight here. */
export class Efforts {
  private readonly bars: { group: SVGGElement; fill: SVGRectElement; word: SVGTextElement }[];

  constructor(
    private readonly stage: Stage,
    private readonly puppet: Puppet,
    private readonly free: Loose,
  ) {
    const { told } = puppet.doc;
    this.bars = (told.scene?.drives ?? []).map(() => {
      const fill = svg("rect", { class: "effort", height: HIGH, rx: 2 }),
        word = svg("text", { class: "stage-label", y: HIGH + 12, "text-anchor": "middle" });
      const group = svg("g", { class: "effort-bar", "aria-hidden": "true" }, svg("rect", { class: "frame", x: -LONG / 2, width: LONG, height: HIGH, rx: 2 }), fill, word);
      stage.layers.marks.append(group);
      return { group, fill, word };
    });
  }

  draw(): void {
    const { doc } = this.puppet,
      { q, x } = this.puppet.pose.value,
      { told, kernels } = doc;
    const efforts = this.free.running ? this.free.efforts : new Live(doc, atRest(q, x)).holding(doc.p),
      most = this.free.most;
    const volts = kernels?.robot.inputs === "voltage",
      driven = kernels?.robot.driven ?? [];
    told.scene?.drives.forEach((drive, i) => {
      const bar = this.bars[i],
        k = driven.indexOf(told.q.findIndex((row) => row.name === drive.name)),
        effort = k < 0 ? 0 : (efforts?.[k] ?? NaN);
      if (!bar) return;
      const at = this.stage.toScreen(this.puppet.points()[drive.base ?? drive.point] ?? []),
        part = Math.max(-1, Math.min(1, effort / (most[k] || 1)));
      put(bar.group, "transform", `translate(${at[0].toFixed(1)} ${(at[1] + 26).toFixed(1)})`);
      put(bar.group, "visibility", Math.abs(effort) > 1e-12 || this.free.running ? "visible" : "hidden");
      put(bar.fill, "x", String(part < 0 ? (part * LONG) / 2 : 0));
      put(bar.fill, "width", (Math.abs(part || 0) * (LONG / 2)).toFixed(1));
      put(bar.fill, "class", Math.abs(effort) <= (most[k] || 1) ? "effort" : "effort over"); // also where it has no bound
      const unit = volts ? "V" : told.q[driven[k] ?? 0]?.unit === "rad" ? "N m" : "N";
      const text = Number.isFinite(effort) ? `${tell(effort, 2)} ${unit}` : "no bound";
      if (bar.word.textContent !== text) bar.word.textContent = text;
    });
  }
}
