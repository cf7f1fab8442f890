import assert from "node:assert/strict";
import { test } from "node:test";
import { type Outline, outlines, passing, turning } from "../src/core/outlines";

const SIDE = 61,
  MIDDLE = 30;
const grid = (f: (x: number, y: number) => number): Float64Array => Float64Array.from({ length: SIDE * SIDE }, (_, i) => f((i % SIDE) - MIDDLE, Math.floor(i / SIDE) - MIDDLE));
const everywhere = grid(() => 1);

/** Shoelace: positive where it runs anticlockwise. */
function area({ points }: Outline): number {
  let sum = 0;
  for (let i = 0; i < points.length; i += 2) {
    const j = (i + 2) % points.length;
    sum += (points[i]! * points[j + 1]! - points[j]! * points[i + 1]!) / 2;
  }
  return sum;
}

test("a disc's outline has its area, to the chords of its cells", () => {
  const values = grid((x, y) => 400 - x * x - y * y);
  const [one, ...others] = outlines(SIDE, SIDE, (i) => values[i]! >= 0, passing(values, everywhere, 0));
  assert.equal(others.length, 0);
  assert.ok(Math.abs(area(one!) / (Math.PI * 400) - 1) < 2e-3); // a chord of one cell: 1/(6·20²) of the area, some times
  assert.ok(one!.level.every(Boolean));
});

test("a ring is an outline and a hole that runs the other way", () => {
  const values = grid((x, y) => Math.hypot(x, y));
  const found = outlines(
    SIDE,
    SIDE,
    (i) => values[i]! >= 10 && values[i]! < 20,
    () => ({ part: 0.5, level: true }),
  );
  assert.deepEqual(found.map((loop) => Math.sign(area(loop))).sort(), [-1, 1]);
});

test("a region that fills the grid is closed along its edge, which is no level", () => {
  const [one] = outlines(
    SIDE,
    SIDE,
    () => true,
    () => ({ part: 0, level: true }),
  );
  assert.equal(area(one!), (SIDE - 1) ** 2);
  assert.ok(one!.level.every((on) => !on));
});

test("where the reach ends the outline follows the slack, not the cells", () => {
  const slack = grid((x) => 12.3 - x),
    values = grid((x) => (x <= 12.3 ? 5 : NaN));
  const [one] = outlines(SIDE, SIDE, (i) => slack[i]! >= 0, passing(values, slack, 1));
  assert.ok(Math.abs(Math.max(...one!.points.filter((_, k) => k % 2 === 0)) - (MIDDLE + 12.3)) < 1e-12);
  assert.ok(one!.level.every((on) => !on));
});

test("areas of two signs meet where the value is zero", () => {
  const values = grid((x) => x - 0.25),
    labels = values.map((v) => (v > 0 ? 0 : 1));
  const right = outlines(SIDE, SIDE, (i) => labels[i] === 0, turning(values, everywhere))[0]!;
  assert.ok(Math.abs(Math.min(...right.points.filter((_, k) => k % 2 === 0)) - (MIDDLE + 0.25)) < 1e-12);
});
