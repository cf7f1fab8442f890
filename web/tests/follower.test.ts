import assert from "node:assert/strict";
import { test } from "node:test";
import type { RobotDoc } from "../src/core/app";
import { Follower } from "../src/core/follower";
import type { Kernels } from "../src/core/kernels";
import { leastNorm } from "../src/core/leastnorm";

const near = (a: number[], b: number[], by: number): void => a.forEach((v, i) => assert.ok(Math.abs(v - b[i]!) < by, `${a} is not ${b}`));

test("the shortest step meets what is asked and nothing besides", () => {
  const made = leastNorm([[3, 4, 0]], [10], [0], 0)!;
  near(made.step, [1.2, 1.6, 0], 1e-15); // along the row, 10/5 long
});

test("a row that others imply is left to them, to the last digit", () => {
  const rows = [
    [1, 0, 0],
    [0, 1, 0],
    [1, 1, 1e-15],
  ];
  const made = leastNorm(rows, [1, 2, 3 + 1e-12], [0, 0, 0], 3)!;
  assert.equal(made.taken.length, 2);
  assert.ok(Math.hypot(...made.step) < 2.3); // √5; the third row as it is asks for a step of 1000 along z
});

test("firm rows come before those that contradict them, and a damped row is met in part", () => {
  near(
    leastNorm(
      [
        [1, 1],
        [1, 1],
      ],
      [2, 9],
      [0, 0],
      1,
    )!.step,
    [1, 1],
    1e-14,
  );
  near(leastNorm([[1, 0]], [1], [1], 0)!.step, [0.5, 0], 1e-15); // 1/(1 + damping)
});

/** Three parallel cranks of length 1 on feet at 0, 1 and 3, their ends on one straight bar: of the six closures that say so, two suffice. */
const FEET = [0, 1, 3];
const PAIRS = [
  [0, 1],
  [1, 2],
  [0, 2],
] as const;

function cranks(start: number[]): Follower {
  const ends = (x: number[]): number[][] => x.map((a, i) => [FEET[i]! + Math.cos(a), Math.sin(a)]);
  const evaluate = (name: string, given: Record<string, ArrayLike<number> | number>): Record<string, Float64Array> => {
    const x = Array.from(given.x as ArrayLike<number>);
    if (name === "points") return { points: Float64Array.from(ends(x).flat()) };
    const phi = PAIRS.flatMap(([i, k]) => [0, 1].map((axis) => ends(x)[k]![axis]! - ends(x)[i]![axis]! - (axis ? 0 : FEET[k]! - FEET[i]!)));
    const A = PAIRS.flatMap(([i, k]) => [0, 1].map((axis) => x.map((a, j) => (j === k ? 1 : j === i ? -1 : 0) * (axis ? Math.cos(a) : -Math.sin(a))))).flat();
    return { phi: Float64Array.from(phi), gap: Float64Array.from(phi), A: Float64Array.from(A), B: new Float64Array() };
  };
  const told = {
    q: [],
    x: start.map((_, i) => ({ name: `a${i}`, unit: "rad" })),
    size: 1,
    dimension: 2,
    linkage: true,
    closed: true,
    start: { q: [], x: start },
    scene: { names: ["A", "B", "C"], constants: [] },
  };
  const kernels = { kernels: { closures: {} }, evaluate } as unknown as Kernels;
  return new Follower({ told, kernels, p: new Float64Array() } as unknown as RobotDoc, kernels);
}

for (const angle of [1, Math.PI / 2, 0.3]) {
  test(`an overconstrained linkage is led by a point, from ${angle.toFixed(2)} rad`, () => {
    const x = [angle, angle, angle],
      mover = cranks(x),
      pose = { q: [], x, working: "", assembly: "" };
    const wish = angle + 0.2,
      to = [FEET[2]! + Math.cos(wish), Math.sin(wish), 0];
    const moved = mover.lead(pose, 2, to, [[1, 0, 0]]);
    near(moved.pose.x, [wish, wish, wish], 1e-9);
  });
}

test("a point in hand comes as near as the linkage lets it: onto its own circle, towards the pointer", () => {
  const x = [1, 1, 1],
    pose = { q: [], x, working: "", assembly: "" };
  const made = cranks(x).lead(
    pose,
    0,
    [2 * Math.cos(0.8), 2 * Math.sin(0.8), 0],
    [
      [1, 0, 0],
      [0, 1, 0],
    ],
  ).pose.x;
  near(made, [0.8, 0.8, 0.8], 1e-3);
  assert.ok(Math.max(...made) - Math.min(...made) < 1e-10); // and every loop is closed
});

test("it settles where a parameter has opened the loops by a little", () => {
  const made = cranks([1, 1, 1]).settle({ q: [], x: [1.02, 1, 0.99], working: "", assembly: "" })!;
  assert.ok(Math.max(...made.x) - Math.min(...made.x) < 1e-10);
});
