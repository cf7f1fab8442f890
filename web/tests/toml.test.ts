import assert from "node:assert/strict";
import { test } from "node:test";
import { BLANK, withKey, without, withPoint, withTable, withValue } from "../src/screens/define/toml";

const TWO = `name = "two" # mine
output = "C"

[points] # [m]
O = { fixed = [0, 0] }
C = { free = true, mass = "m" }

[drives.q1]
crank = { about = "O", radius = 0.1 }
point = "A1"

[[bars]]
between = ["A1", "C"]
length = "l" # long

[[bars]]
between = ["O", "C"]
length = 0.2
`;

test("a key of the file stands before the first table", () => {
  assert.equal(withKey(BLANK, "output", '"C"'), 'schema = "closedchain.mechanism/1"\nname = "mine"\noutput = "C"\n');
  assert.ok(withKey(TWO, "output", '"D"').includes('output = "D"\n\n[points]'));
});

test("points are added to their table, which is made where there is none", () => {
  assert.ok(withPoint(TWO, "D", "free = true").includes('mass = "m" }\nD = { free = true }\n\n[drives.q1]'));
  assert.ok(withPoint(BLANK, "D", "free = true").endsWith("\n[points]\nD = { free = true }\n"));
});

test("a value is changed where it stands, and comments stay", () => {
  const moved = withValue(withValue(withValue(TWO, "points.O", "fixed", "[1, 2]"), "bars[0]", "length", "0.3"), "drives.q1", "radius", "0.5");
  assert.ok(moved.includes("O = { fixed = [1, 2] }"));
  assert.ok(moved.includes('length = 0.3 # long\n\n[[bars]]\nbetween = ["O", "C"]\nlength = 0.2'));
  assert.ok(moved.includes('crank = { about = "O", radius = 0.5 }'));
  assert.ok(withValue(TWO, "points.C", "near", "[0, 1]").includes('C = { free = true, mass = "m", near = [0, 1] }'));
});

test("what is removed is gone with its lines, and nothing else is", () => {
  const less = without(without(without(TWO, "bars[0]"), "drives.q1"), "points.C");
  assert.ok(!less.includes("A1") && !less.includes("free") && less.includes("O = { fixed") && less.includes("length = 0.2"));
});

test("a table is added at the end", () => {
  assert.ok(withTable(TWO, "[[bars]]", 'between = ["A1", "O"]', "length = 1").endsWith('length = 0.2\n\n[[bars]]\nbetween = ["A1", "O"]\nlength = 1\n'));
});
