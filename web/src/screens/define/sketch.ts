import { svg } from "../../core/dom";
import type { Stage, Window } from "../../core/stage";
import type { SceneRow } from "../../messages";

const TURN = -0.65,
  TILT = 0.45; // [rad] from where a robot in space is seen

/** A still picture of a robot in space: its points seen obliquely; the 3-D screen turns it. */
export class SpaceSketch {
  private readonly group = svg("g", { class: "linkage robot" });
  private stop: () => void = () => undefined;

  constructor(private readonly stage: Stage) {}

  show(scene: SceneRow, points: number[][]): void {
    const flat = points.map(([x = 0, y = 0, z = 0]) => {
      const across = Math.cos(TURN) * x - Math.sin(TURN) * y,
        into = Math.sin(TURN) * x + Math.cos(TURN) * y;
      return [across, z * Math.cos(TILT) + into * Math.sin(TILT)];
    });
    const xs = flat.map((p) => p[0] ?? 0),
      ys = flat.map((p) => p[1] ?? 0);
    const room = 0.2 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), 1e-3);
    this.stage.fit([Math.min(...xs) - room, Math.max(...xs) + room, Math.min(...ys) - room, Math.max(...ys) + room] as Window);
    this.stage.layers.robot.append(this.group);
    const draw = (): void => {
      const lines = scene.parts.map((part) => {
        const closed = part.kind === "plate" || part.kind === "base";
        const d = this.stage.path(
          part.points.map((i) => flat[i] ?? [0, 0]),
          closed,
        );
        const kind = part.kind === "plate" ? "plate" : part.kind === "crank" ? "link crank" : "link bar";
        return svg("path", { class: part.kind === "base" ? "hatch" : kind, d, "stroke-width": part.kind === "crank" ? 8 : 5 });
      });
      this.group.replaceChildren(...lines);
    };
    this.stop = this.stage.onView(draw);
    draw();
  }

  clear(): void {
    this.stop();
    this.group.remove();
  }
}
