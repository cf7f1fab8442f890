import { put, say, svg } from "../../core/dom";
import type { Puppet } from "../../core/puppet";
import type { Point, Stage } from "../../core/stage";
import type { AtAnswer, Ellipse } from "../../messages";

const LONGEST = 110,
  MEAN = 46; // [px] of an ellipse's half axes

/** What is shown at the tip: ellipses of velocity and force, the free motion near Type 2, the target out of reach. */
export class Marks {
  ellipses = true;
  private readonly velocity = svg("path", { class: "mark velocity" });
  private readonly force = svg("path", { class: "mark force" });
  private readonly free = svg("path", { class: "mark free" });
  private readonly word = svg("text", { class: "stage-label" });
  private readonly target = svg("path", { class: "mark target" });
  private readonly rope = svg("path", { class: "mark reach" });

  constructor(
    private readonly stage: Stage,
    private readonly puppet: Puppet,
  ) {
    stage.layers.marks.append(this.velocity, this.force, this.rope, this.target, this.free, this.word);
  }

  draw(): void {
    const facts = this.puppet.facts.value;
    const at = this.stage.toScreen(this.puppet.pose.value.x);
    const planar = this.puppet.doc.told.x.length >= 2;
    const on = this.ellipses && facts !== null && planar;
    put(this.velocity, "d", on ? ellipse(at, facts.velocity_ellipse) : "");
    put(this.force, "d", on ? ellipse(at, facts.force_ellipse) : "");
    this.drawFree(at, planar ? facts : null);
    this.drawTarget(at);
  }

  private drawFree(at: Point, facts: AtAnswer | null): void {
    const motion = facts?.free_motion;
    const [vx = 0, vy = 0, turn = 0] = motion ?? [];
    const size = Math.hypot(vx, vy),
      spin = Math.abs(turn) * this.puppet.doc.told.size;
    if (size > 0.15 * spin) {
      const u: Point = [vx / size, -vy / size];
      put(this.free, "d", arrow(at, u, 74) + arrow(at, [-u[0], -u[1]], 74));
      this.say("free to move", [at[0] + 80 * u[0], at[1] + 80 * u[1]]);
    } else if (spin > 0) {
      const r = 50;
      put(this.free, "d", `M${at[0] + r} ${at[1]}A${r} ${r} 0 1 0 ${at[0]} ${at[1] + r}m-9 -6l9 6l-8 8`);
      this.say("free to turn", [at[0] + 40, at[1] - 40]);
    } else {
      put(this.free, "d", "");
      say(this.word, "");
    }
  }

  private say(text: string, at: Point): void {
    say(this.word, text);
    put(this.word, "x", (at[0] + 8).toFixed(1));
    put(this.word, "y", (at[1] - 8).toFixed(1));
  }

  private drawTarget(at: Point): void {
    const target = this.puppet.stop.value?.target;
    if (!target || target.length < 2) {
      put(this.target, "d", "");
      put(this.rope, "d", "");
      return;
    }
    const [x, y] = this.stage.toScreen(target);
    put(this.target, "d", `M${x - 7} ${y - 7}l14 14m0 -14l-14 14`);
    put(this.rope, "d", `M${at[0]} ${at[1]}L${x} ${y}`);
  }
}

function arrow(from: Point, u: Point, long: number): string {
  const tip: Point = [from[0] + long * u[0], from[1] + long * u[1]],
    v: Point = [-u[1], u[0]];
  const wing = (side: number): string => `${(tip[0] - 11 * u[0] + side * 7 * v[0]).toFixed(1)} ${(tip[1] - 11 * u[1] + side * 7 * v[1]).toFixed(1)}`;
  const start = `${(from[0] + 16 * u[0]).toFixed(1)} ${(from[1] + 16 * u[1]).toFixed(1)}`;
  return `M${start}L${tip[0].toFixed(1)} ${tip[1].toFixed(1)}M${wing(1)}L${tip[0].toFixed(1)} ${tip[1].toFixed(1)}L${wing(-1)}`;
}

/** The ellipse's first two axes in the plane; its size is set so that its shape is seen, its ratio is true. */
function ellipse(at: Point, given: Ellipse | null): string {
  if (!given || given.axes.length < 2) return "";
  const radii = given.radii.slice(0, 2).map((r) => r ?? Infinity);
  const [a = 1, b = 1] = radii;
  const mean = Math.sqrt(Math.max(a, 1e-12) * Math.max(b, 1e-12));
  const scale = Number.isFinite(mean) ? MEAN / mean : MEAN / Math.min(a, b);
  const long = [a, b].map((r) => Math.min(LONGEST, Math.max(1.5, r * scale)));
  const axis = given.axes[0] ?? [1, 0];
  const turn = (-Math.atan2(axis[1] ?? 0, axis[0] ?? 1) * 180) / Math.PI;
  const u: Point = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)],
    r = long[0] ?? 1;
  const from: Point = [at[0] - r * u[0], at[1] - r * u[1]],
    to: Point = [at[0] + r * u[0], at[1] + r * u[1]];
  const arc = (p: Point): string => `A${r.toFixed(2)} ${(long[1] ?? 1).toFixed(2)} ${turn.toFixed(2)} 0 1 ${p[0].toFixed(2)} ${p[1].toFixed(2)}`;
  return `M${from[0].toFixed(2)} ${from[1].toFixed(2)}${arc(to)}${arc(from)}Z`;
}
