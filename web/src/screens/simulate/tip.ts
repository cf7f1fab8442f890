import type { RobotDoc } from "../../core/app";

/** The output's place, in the plane or in space: the scene's tip, or the first coordinates of x. */
export function tipOf(doc: RobotDoc, points: ArrayLike<ArrayLike<number>>, x: ArrayLike<number>): number[] {
  const tip = doc.told.scene?.tip ?? null;
  return tip === null ? Array.from(x).slice(0, doc.told.dimension) : Array.from(points[tip] ?? []);
}
