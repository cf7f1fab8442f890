import type { Puppet } from "../puppet";
import type { SpaceView } from "./view";

/** Every other branch as a ghost: a press on it switches to it. */
export class SpaceGhosts {
  shown = true;

  constructor(
    private readonly view: SpaceView,
    private readonly puppet: Puppet,
  ) {
    view.onGhost((name) => {
      const other = this.puppet.others()[Number(name.slice("branch ".length))];
      if (other) this.puppet.switchTo(other.pose);
    });
  }

  draw(): void {
    const others = this.shown ? this.puppet.others() : [];
    others.forEach((other, k) => this.view.body(`branch ${k}`, other.points, other.kind === "working" ? "ghost" : "assembly"));
    for (const role of ["ghost", "assembly"] as const)
      this.view.only(
        role,
        others.flatMap((other, k) => ((other.kind === "working") === (role === "ghost") ? [`branch ${k}`] : [])),
      );
  }
}
