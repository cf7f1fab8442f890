import type { RobotDoc } from "../../core/app";
import { solvesItself } from "../../core/kernels";

export type Tables = Record<string, unknown>;
export type Value = number | string | boolean | (number | string)[];

/** A field of a controller: what is written when nothing is, and what it means. */
export interface Field {
  key: string;
  value: Value;
  about: string;
  choices?: readonly string[];
}

export interface Kind {
  fields: Field[];
  follows: boolean; // a trajectory
  fits(doc: RobotDoc): boolean;
}

const field = (key: string, value: Value, about: string, choices?: readonly string[]): Field => ({ key, value, about, choices });
const closed = (doc: RobotDoc): boolean => doc.told.closed && !doc.told.linkage;
const always = (): boolean => true;
const gains = (kp: number, kd: number): Field[] => [field("kp", kp, "gain of the position's error"), field("kd", kd, "gain of the velocity's error")];

/** Every controller that a scenario can name, with its fields. */
export const CONTROLLERS: Record<string, Kind> = {
  "computed-torque": { fields: [...gains(100, 20), field("acceleration", 1, "part of the wanted acceleration that is fed forward")], follows: true, fits: closed },
  "output-computed-torque": { fields: gains(100, 20), follows: true, fits: closed },
  kinematic: { fields: [field("gain", 1, "gain λ of the output's error [1/s]"), field("lead", 0, "intervals by which the reference is read ahead")], follows: true, fits: closed },
  pd: {
    fields: [...gains(1000, 60), field("gravity", false, "adds what holds the weight"), field("feedforward", false, "adds what the model says of the reference")],
    follows: true,
    fits: closed,
  },
  feedforward: { fields: [field("output", "tau", "efforts or velocities", ["tau", "velocity"])], follows: true, fits: closed },
  "crossing-pd": { fields: gains(1000, 60), follows: true, fits: closed },
  "crossing-feedforward": { fields: [], follows: true, fits: closed },
  "crossing-computed-torque": {
    fields: [...gains(100, 20), field("stiffness", 1000, "gain of the drives near the singularity"), field("damping", 60, "its damping")],
    follows: true,
    fits: closed,
  },
  constant: {
    fields: [field("value", 0, "the same for every drive, or one for each: 1, -1"), field("output", "tau", "what is held", ["tau", "voltage", "velocity"])],
    follows: false,
    fits: (doc) => driven(doc) > 0,
  },
  formula: {
    fields: [
      field("formula", "0", "command over time for every drive: 5*sin(2*pi*t); in SI, with the robot's parameters by name"),
      field("output", "tau", "what it is", ["tau", "voltage", "velocity"]),
    ],
    follows: false,
    fits: (doc) => driven(doc) > 0,
  },
  oscillate: {
    fields: [field("effort", 0.01, "pushed with, until the drive is beyond its reach"), field("reach", 0.01, "where the effort turns")],
    follows: false,
    fits: (doc) => closed(doc) && driven(doc) === 2,
  },
  regulator: {
    fields: [field("state_cost", 1, "cost of the state, one number or one for each"), field("input_cost", 1, "cost of the input")],
    follows: false,
    fits: (doc) => driven(doc) > 0,
  },
  "swing-up": {
    fields: [
      field("pump", 60, "how hard energy is pumped in"),
      field("most", 60, "largest acceleration of the arm"),
      field("input_cost", 1, "cost of the input when it is caught"),
    ],
    follows: false,
    fits: (doc) => doc.told.name === "furuta",
  },
  none: { fields: [], follows: false, fits: always },
};

const driven = (doc: RobotDoc): number => doc.kernels?.robot.driven.length ?? doc.told.q.filter((row) => row.driven).length;

/** A controller's table with every field that it had, and the defaults of another kind. */
export function controllerOf(kind: string, before: Tables, doc: RobotDoc): Tables {
  const made: Tables = { kind };
  for (const { key, value, choices } of CONTROLLERS[kind]?.fields ?? []) {
    if (kind === before.kind) made[key] = before[key] ?? value;
    else if (key === "output" && choices?.includes("voltage") && doc.told.motors.length) made[key] = "voltage";
    else if (typeof value !== "boolean") made[key] = value;
  }
  if (kind === "regulator" && kind !== before.kind) made.q = doc.told.start.q;
  return made;
}

/** Whether a motion can be made for this robot here: its branches are known to the kernels, or it has none. */
export const hasOwnMotion = (doc: RobotDoc): boolean => !doc.told.closed || solvesItself(doc.kernels);

/** A motion for a robot that has no scenario: a short line from where it begins, of the output where all of it can be chosen. */
export function ownMotion(doc: RobotDoc, q: number[], x: number[], working: string): Tables {
  const plain = { robot: doc.ref.source ?? doc.told.name, interval: 0.005 };
  if (!doc.told.closed) {
    const output = doc.told.motors.length ? "voltage" : "tau";
    return { ...plain, duration: 4, start: { q }, controller: driven(doc) ? { kind: "constant", value: 0, output } : { kind: "none" } };
  }
  const controller = { kind: "computed-torque", kp: 100, kd: 20 };
  if (q.length < x.length) {
    const to = q.map((v, i) => tidy(v + (doc.told.q[i]?.unit === "rad" ? 0.4 : 0.1 * doc.told.size)));
    return { ...plain, start: { q }, trajectory: { kind: "quintic", space: "joint", from: q, to, duration: 2 }, controller };
  }
  const trajectory: Tables = { kind: "quintic", from: x, to: reachable(doc, x, working), duration: 2 };
  if (working) trajectory.working = working;
  return { ...plain, trajectory, controller };
}

export const tidy = (value: number): number => Number(value.toPrecision(5));

/** The end of the longest of some short lines from x on which the working mode goes on, with room to spare. */
export function reachable(doc: RobotDoc, x: number[], working: string): number[] {
  const there = (to: number[]): boolean => (doc.kernels?.inverse(to, doc.p).solutions ?? []).some((s) => !working || s.mode === working);
  const end = (long: number, angle: number): number[] => x.map((v, i) => (i > 1 ? v : tidy(v + long * (i ? Math.sin(angle) : Math.cos(angle)))));
  for (const share of [0.15, 0.08, 0.04, 0.02]) {
    for (let k = 0; k < 8; k++) {
      const angle = 0.5 + (k * Math.PI) / 4;
      const tries = [0.25, 0.5, 0.75, 1, 1.25].map((part) => end(part * share * doc.told.size, angle));
      if (tries.every(there)) return tries[3] ?? x;
    }
  }
  return x;
}

/** What a scenario says at a place, after the changes: "interval", "plant.payload"; changed tables are whole. */
export function read(base: Tables, changes: Tables, place: string): unknown {
  if (place in changes) return changes[place];
  let at: unknown = base;
  for (const key of place.split(".")) at = at && typeof at === "object" && !Array.isArray(at) ? (at as Tables)[key] : undefined;
  return at;
}

/** What was typed: a number, numbers between commas, a yes or no, or a text with its unit. */
export function parse(text: string): Value {
  const plain = text.trim().replaceAll("−", "-");
  if (plain.includes(",")) return plain.split(",").map((part) => parse(part) as number | string);
  return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : plain;
}

/** A value as it is typed. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join(", ");
  if (typeof value === "number") return String(Number(value.toPrecision(8)));
  return value === undefined || value === null ? "" : String(value);
}

/** A quantity in SI where it is a number or an angle in degrees; null for other texts. */
export function amount(value: unknown): number | null {
  if (typeof value === "number") return value;
  const found = typeof value === "string" ? /^\s*(-?[\d.]+(?:e-?\d+)?)\s*(deg|mm|cm|m|rad|s|ms)?\s*$/i.exec(value) : null;
  if (!found) return null;
  const unit: Record<string, number> = { deg: Math.PI / 180, mm: 1e-3, cm: 1e-2, ms: 1e-3 };
  return Number(found[1]) * (unit[found[2] ?? ""] ?? 1);
}

/** Numbers of a list of quantities; null where one is no number. */
export function amounts(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null;
  const made = value.map(amount);
  return made.every((v): v is number => v !== null) ? made : null;
}
