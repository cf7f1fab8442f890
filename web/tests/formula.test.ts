import assert from "node:assert/strict";
import { test } from "node:test";
import { formulaOf } from "../src/core/formula";

const known = new Set(["t", "l1"]);
const at = (text: string, t = 0.3): number | undefined => formulaOf(text, known)?.({ t, l1: 0.2 });

test("a formula is read with Python's precedence", () => {
  assert.equal(at("2 + 3*4 - 5/2"), 11.5);
  assert.equal(at("-2**2"), -4);
  assert.equal(at("2**3**2"), 512);
  assert.equal(at("2**-1"), 0.5);
  assert.equal(at("1 - 2 - 3"), -4);
  assert.equal(at("8/4/2"), 1);
  assert.equal(at("-(1e-3 + .5)"), -0.501);
});

test("it knows t, pi, deg, parameters and functions", () => {
  assert.equal(at("0.1*sin(2*pi*t)"), 0.1 * Math.sin(2 * Math.PI * 0.3));
  assert.equal(at("l1*cos(90*deg)"), 0.2 * Math.cos(90 * (Math.PI / 180)));
  assert.equal(at("atan2(1, -1)"), (3 * Math.PI) / 4);
});

test("what is no arithmetic of known names is refused, and nothing is run", () => {
  for (const text of ["", "t +", "sin", "sin t", "sin(t, t)", "u", "constructor(1)", "t.x", "t[0]", "1 2", "2t", "(t", "t)", "1e5000x", "alert(1)", "t; t", "t = 1", "‘t’"])
    assert.equal(formulaOf(text, known), null, text);
});
