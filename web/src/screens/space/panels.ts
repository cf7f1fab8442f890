import type { RobotDoc } from "../../core/app";
import { fixed, shown, tell } from "../../core/numbers";
import { readout, slider, type Slider } from "../../core/widgets";
import type { Live } from "./live";

const VOLTS = 12; // [V] the ends of a voltage's slider

/** An angle within half a turn, to a tenth of a degree; a length to a tenth of a millimetre. */
function tidied(value: number, unit: string): number {
  const { factor } = shown(unit);
  if (unit !== "rad") return Math.round(value * 1e4) / 1e4;
  return Math.round(Math.atan2(Math.sin(value), Math.cos(value)) * factor * 10) / 10 / factor;
}

/** A slider for each input: the motor's voltage, or the drive's effort up to twice what holds the robot. */
export function inputSliders(doc: RobotDoc, live: Live, push: (k: number, value: number) => void): Slider[] {
  const voltage = doc.kernels?.robot.inputs === "voltage";
  const hold = live.holding(doc.p);
  return (doc.kernels?.robot.driven ?? []).map((i, k) => {
    const row = doc.told.q[i];
    const unit = voltage ? "V" : row?.unit === "m" ? "N" : "N m";
    const most = voltage ? VOLTS : Math.max(2 * Math.abs(hold?.[k] ?? 0), 1);
    const about = voltage ? "the motor's voltage" : "the drive's effort";
    return slider({ label: row?.name ?? "", unit, about, low: -most, high: most, value: 0, change: (value) => push(k, value) });
  });
}

/** A slider for each coordinate of q. */
export function poseSliders(doc: RobotDoc, live: Live, turn: (i: number, value: number) => void): Slider[] {
  return doc.told.q.map((row, i) => {
    const high = row.unit === "rad" ? Math.PI : doc.told.size;
    return slider({ label: row.name, unit: row.unit, low: -high, high, value: live.now.q[i] ?? 0, change: (value) => turn(i, value) });
  });
}

export interface Instant {
  t: number;
  q: ArrayLike<number>;
  x: ArrayLike<number>;
  q_dot: ArrayLike<number>;
  energy: number; // [J]
}

/** Time, rates, the output and the energy as text; the pose on its sliders. */
export function stateReadout(doc: RobotDoc, poses: Slider[]): { element: HTMLElement; show(now: Instant): void } {
  const { told } = doc;
  const made = readout(["time", ...told.q.map((c) => `${c.name} rate`), ...told.x.map((c) => c.name), "energy"]);
  const show = ({ t, q, x, q_dot, energy }: Instant): void => {
    made.show("time", `${fixed(t, 2)} s`);
    told.q.forEach((row, i) => {
      const { unit, factor } = shown(`${row.unit}/s`);
      poses[i]?.show(tidied(q[i] ?? 0, row.unit));
      made.show(`${row.name} rate`, `${fixed((q_dot[i] ?? 0) * factor, row.unit === "rad" ? 1 : 3)} ${unit}`);
    });
    told.x.forEach((row, i) => made.show(row.name, `${fixed((x[i] ?? 0) * shown(row.unit).factor, 4)} ${shown(row.unit).unit}`));
    made.show("energy", `${tell(energy, 4)} J`);
  };
  return { element: made.element, show };
}
