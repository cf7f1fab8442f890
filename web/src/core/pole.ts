import type { RobotDoc } from "./app";

/** An open robot with what nothing drives upright, a thousandth beside it so that it can fall, or hanging. */
export function pole(doc: RobotDoc, upright: boolean): Float64Array {
  const driven = doc.kernels?.robot.driven ?? [];
  const at = (angle: number): Float64Array => Float64Array.from(doc.told.q, (_, i) => (driven.includes(i) ? 0 : angle));
  const still = new Float64Array(doc.told.q.length);
  const height = (angle: number): number => {
    const told = doc.kernels?.evaluate("energy", { q: at(angle), q_dot: still, p: doc.p }) as unknown as { potential: number };
    return told.potential;
  };
  const top = height(0) >= height(Math.PI) ? 0 : Math.PI;
  return upright ? at(top + 1e-3) : at(top === 0 ? Math.PI : 0);
}
