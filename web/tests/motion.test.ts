import assert from "node:assert/strict";
import { test } from "node:test";
import type { RobotDoc } from "../src/core/app";
import type { Kernels } from "../src/core/kernels";
import { Mover, type Pose } from "../src/core/motion";

/** x³ + a x + b = 0 with the drives (a, b): det A is 3x² + a, three poses within 4a³ + 27b² < 0, a cusp at the origin. */
const det = (a: number, x: number): number => 3 * x * x + a;

function poses(a: number, b: number): number[] {
  const inside = 4 * a ** 3 + 27 * b ** 2 < 0;
  if (inside) {
    const r = 2 * Math.sqrt(-a / 3),
      turn = Math.acos(Math.max(-1, Math.min(1, ((3 * b) / (2 * a)) * Math.sqrt(-3 / a))));
    return [0, 1, 2].map((k) => r * Math.cos((turn - 2 * Math.PI * k) / 3)); // Viète
  }
  const root = Math.sqrt(b ** 2 / 4 + a ** 3 / 27);
  return [Math.cbrt(-b / 2 + root) + Math.cbrt(-b / 2 - root)]; // Cardano
}

function mover(): Mover {
  const told = {
    q: [
      { name: "a", unit: "m" },
      { name: "b", unit: "m" },
    ],
    x: [{ name: "x", unit: "m" }],
    size: 1,
  };
  const kernels = {
    direct: ([a = 0, b = 0]: number[]) => ({ solutions: poses(a, b).map((x) => ({ mode: det(a, x) > 0 ? "+" : "-", x: [x], det: det(a, x), double: false })), misses: [] }),
    inverse: () => ({ solutions: [], misses: [] }),
    configuration: ([a = 0]: number[], [x = 0]: number[]) => ({ det: det(a, x) }),
  } as unknown as Kernels;
  return new Mover({ told, kernels, p: new Float64Array() } as unknown as RobotDoc, kernels);
}

const outer = (a: number, b: number, which: 1 | -1): Pose => ({
  q: [a, b],
  x: [poses(a, b).reduce((best, x) => (which * x > which * best ? x : best))],
  working: "",
  assembly: "",
});

test("once around a cusp the robot is in another pose with the same drives, and det A was never zero", () => {
  const one = mover(),
    radius = 0.3;
  let pose = outer(-radius, 0, 1),
    least = Infinity;
  const first = pose.x[0]!;
  for (let k = 1; k <= 60; k++) {
    const turn = Math.PI + (2 * Math.PI * k) / 60; // b < 0 first: with b > 0 the pose at x > 0 comes to its fold
    const moved = one.moveDrives(pose, [radius * Math.cos(turn), radius * Math.sin(turn)]);
    assert.equal(moved.why, null, `it stopped at ${turn}`);
    pose = moved.pose;
    least = Math.min(least, det(pose.q[0]!, pose.x[0]!));
  }
  assert.ok(Math.abs(pose.x[0]! + first) < 1e-9); // the other outer pose, by symmetry
  assert.ok(least > 0.1);
});

test("the other way round it waits at the fold, and does not leap", () => {
  const one = mover();
  let pose = outer(-0.3, 0, 1),
    stopped = false;
  for (let k = 1; k <= 30 && !stopped; k++) {
    const moved = one.moveDrives(pose, [-0.3, 0.01 * k]);
    assert.ok(Math.abs(moved.pose.x[0]! - pose.x[0]!) < 0.3);
    pose = moved.pose;
    stopped = moved.why !== null;
  }
  assert.ok(stopped);
  const fold = Math.sqrt((4 * 0.3 ** 3) / 27);
  assert.ok(Math.abs(pose.q[1]! - fold) < 1e-6, `it waits at b = ${pose.q[1]}, the fold is at ${fold}`);
  assert.ok(det(-0.3, pose.x[0]!) >= 0);
});
