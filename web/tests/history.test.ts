import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../src/core/history";
import type { StudioState } from "../src/core/link";

const blank: StudioState = { screen: "explore", robot: { source: "biglide", toml: null, values: {} }, q: [0, 0], x: [0, 0.3], settings: {}, text: null, views: {} };
const at = (x: number): StudioState => ({ ...blank, x: [x, 0.3] });

function started(): { history: History; wait(ms: number): void } {
  let now = 0;
  return { history: new History(() => now), wait: (ms) => (now += ms) };
}

test("a drag of many moves is one step, however long it takes", () => {
  const { history, wait } = started();
  history.begin();
  for (let k = 0; k < 20; k++) {
    history.record(at(k), at(k + 1), true);
    wait(1000);
  }
  assert.deepEqual(history.undo(at(20))?.x, [0, 0.3]);
  assert.equal(history.canUndo, false);
  assert.deepEqual(history.redo(at(0))?.x, [20, 0.3]);
});

test("two presses of the pointer are two steps, a key that is pressed again at once is one", () => {
  const { history, wait } = started();
  history.begin();
  history.record(at(0), at(1));
  history.begin();
  history.record(at(1), at(2));
  for (const k of [2, 3, 4]) {
    history.begin("ArrowUp");
    history.record(at(k), at(k + 1));
    wait(100);
  }
  assert.deepEqual(
    [1, 2, 3].map((k) => history.undo(at(6 - k))?.x?.[0]),
    [2, 1, 0],
  );
});

test("a new change forgets what could be done again", () => {
  const { history } = started();
  history.begin();
  history.record(at(0), at(1));
  history.undo(at(1));
  assert.equal(history.canRedo, true);
  history.begin();
  history.record(at(0), at(2));
  assert.equal(history.canRedo, false);
});

test("where the robot stands first, what is looked at and which screen are no steps", () => {
  const { history } = started();
  history.record({ ...blank, q: null, x: null }, at(1));
  history.record(at(1), { ...at(1), views: { explore: [0, 0, 100] } });
  history.record(at(1), { ...at(1), screen: "define" });
  assert.equal(history.canUndo, false);
});

test("a setting is put back on its screen and the others are left alone", () => {
  const { history } = started();
  const before: StudioState = { ...blank, screen: "study", settings: { explore: { map: "reach" }, study: { obstacles: [[0, 0]] } } };
  const after: StudioState = { ...before, settings: { ...before.settings, study: { obstacles: [[1, 0]] } } };
  history.begin();
  history.record(before, after);
  const back = history.undo({ ...after, screen: "verify", settings: { ...after.settings, explore: { map: "det_A" } } });
  assert.deepEqual(back?.settings, { explore: { map: "det_A" }, study: { obstacles: [[0, 0]] } });
  assert.equal(back?.screen, "study");
});

test("what moves by itself is one step, with the presses while it moves and the one that ends it", () => {
  const { history, wait } = started();
  history.begin();
  history.record(at(0), at(1));
  history.begin(); // ▶
  const over = history.lasting();
  for (let k = 1; k < 9; k++) {
    history.record(at(k), at(k + 1));
    wait(1000); // a slow browser
  }
  history.begin(); // ❚❚ is pressed, and not yet let go
  history.record(at(9), at(10));
  over();
  over();
  history.record(at(10), at(11));
  assert.deepEqual(
    [11, 10, 1].map((k) => history.undo(at(k))?.x?.[0]),
    [10, 1, 0],
  );
});
