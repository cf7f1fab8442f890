import { put, say, svg } from "../../core/dom";
import type { Linkage } from "../../core/linkage";
import { signs } from "../../core/numbers";
import type { Other, Puppet } from "../../core/puppet";
import type { Stage } from "../../core/stage";

interface Ghost {
  linkage: Linkage;
  label: SVGTextElement;
  other: Other | null;
}

/** Every other branch as a ghost: a click, or Enter, switches to it. */
export class Ghosts {
  shown = true;
  private readonly pool: Ghost[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly puppet: Puppet,
  ) {}

  draw(): void {
    const others = this.shown ? this.puppet.others() : [];
    while (this.pool.length < others.length) this.pool.push(this.make());
    const taken: [number, number][] = [];
    this.pool.forEach((ghost, i) => this.place(ghost, others[i] ?? null, taken));
  }

  private make(): Ghost {
    const linkage = this.stage.linkage("ghost");
    const label = svg("text", { class: "stage-label", "aria-hidden": "true" });
    this.stage.layers.ghosts.append(label);
    const ghost: Ghost = { linkage, label, other: null };
    const take = (): void => {
      if (ghost.other) this.puppet.switchTo(ghost.other.pose);
    };
    linkage.group.setAttribute("role", "button");
    linkage.group.addEventListener("pointerdown", (event) => event.preventDefault()); // no panning from here
    linkage.group.addEventListener("click", take);
    linkage.group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      take();
    });
    return ghost;
  }

  private place(ghost: Ghost, other: Other | null, taken: [number, number][]): void {
    ghost.other = other;
    if (!other) {
      ghost.linkage.hide();
      ghost.linkage.group.removeAttribute("tabindex");
      say(ghost.label, "");
      return;
    }
    const name = other.kind === "working" ? `working mode ${other.pose.working}` : `assembly mode ${other.pose.assembly}`;
    ghost.linkage.show(other.points, other.pose.x);
    put(ghost.linkage.group, "tabindex", "0");
    put(ghost.linkage.group, "aria-label", `switch to ${name}`);
    const at = this.stage.toScreen(this.where(other));
    for (let k = 0; k < taken.length; k++) if (taken.some(([x, y]) => Math.abs(x - at[0]) < 40 && Math.abs(y - at[1]) < 15)) at[1] += 16; // labels stand clear
    taken.push(at);
    say(ghost.label, signs(other.kind === "working" ? other.pose.working : other.pose.assembly));
    ghost.linkage.group.classList.toggle("assembly", other.kind === "assembly");
    put(ghost.label, "x", (at[0] + 8).toFixed(1));
    put(ghost.label, "y", (at[1] - 8).toFixed(1));
  }

  /** Beside the joint that differs most from the robot's own. */
  private where(other: Other): number[] {
    const own = this.puppet.points();
    let far = 0,
      best = other.points[0] ?? [0, 0];
    other.points.forEach((p, i) => {
      const d = Math.hypot((p[0] ?? 0) - (own[i]?.[0] ?? 0), (p[1] ?? 0) - (own[i]?.[1] ?? 0));
      if (d > far) [far, best] = [d, p];
    });
    return best;
  }
}
