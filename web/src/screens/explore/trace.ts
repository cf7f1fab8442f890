import { put, svg } from "../../core/dom";
import type { Puppet } from "../../core/puppet";
import type { Stage } from "../../core/stage";
import { select } from "../../core/widgets";

const MOST = 4000; // places of a trace
const NONE = "";

/** The way of a point that is chosen, as far as the robot has gone since. */
export class Trace {
  readonly element: HTMLElement;
  private point = NONE;
  private places: number[][] = [];
  private readonly line = svg("path", { class: "mark trace-of" });

  constructor(
    private readonly stage: Stage,
    private readonly puppet: Puppet,
  ) {
    stage.layers.under.append(this.line);
    const names = puppet.doc.told.scene?.names ?? [];
    this.element = select({ label: "Trace", values: [NONE, ...names], value: NONE, text: (name) => name || "none", choose: (name) => this.choose(name) }).element;
  }

  private choose(name: string): void {
    [this.point, this.places] = [name, []];
    this.draw();
  }

  /** For every frame: where the point is now. */
  draw(): void {
    const i = this.puppet.doc.told.scene?.names.indexOf(this.point) ?? -1,
      at = this.puppet.points()[i],
      last = this.places.at(-1);
    if (i >= 0 && at && (!last || Math.hypot((at[0] ?? 0) - (last[0] ?? 0), (at[1] ?? 0) - (last[1] ?? 0)) * this.stage.pixelsPerMetre > 0.5))
      this.places = [...this.places, at].slice(-MOST);
    put(this.line, "d", this.places.length > 1 ? this.stage.path(this.places) : "");
  }
}
