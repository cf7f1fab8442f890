import assert from "node:assert/strict";
import { test } from "node:test";
import { FirstMoves, type Seen } from "../src/core/firstmoves";

const start: Seen = { q: [0, 1], x: [0.1, 0.2], working: "++", assembly: "+", values: "{}" };

test("each move is read off the state, in any order, and told once", () => {
  const moves = new FirstMoves(start);
  assert.equal(moves.next()?.made, 0);
  assert.equal(moves.see({ ...start, values: '{"l":1}', q: [0.5, 1.5] }), true); // a parameter
  assert.deepEqual(moves.done(), [3]);
  const dragged = { ...start, values: '{"l":1}', q: [0.2, 0.9], x: [0.2, 0.2] };
  assert.equal(moves.see(dragged), true);
  assert.equal(moves.see({ ...dragged, x: [0.3, 0.2], q: [0.3, 0.8] }), false); // again the tip
  assert.equal(moves.see(dragged), true); // back
  assert.equal(moves.see({ ...dragged, working: "+-", q: [0.2, -0.9] }), true); // another branch, and one drive alone
  assert.equal(moves.next(), null);
});

test("what this browser has seen made is not asked for again; nothing is no move", () => {
  const moves = new FirstMoves(start, [0, 1, 2, 3]);
  assert.match(moves.next()?.words ?? "", /Ctrl\+Z/);
  assert.equal(moves.see({ ...start }), false);
});
