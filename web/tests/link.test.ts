import assert from "node:assert/strict";
import { test } from "node:test";
import { forAnother, readLink, type StudioState, writeLink } from "../src/core/link";

const blank: StudioState = { screen: "explore", robot: { source: "biglide", toml: null, values: {} }, q: null, x: null, settings: {}, text: null, views: {} };

test("a link tells the state that wrote it", () => {
  const state: StudioState = { ...blank, robot: { source: "fivebar", toml: null, values: { l: 0.25 } }, q: [0.5, -1], x: [0.1, 0.2], settings: { explore: { map: "det_A" } } };
  assert.deepEqual(readLink(writeLink(state), blank), state);
});

test("a link to the screen that singularities once had opens Explore with aspects, the way and its obstacles", () => {
  const way = { start: [0, -0.05], end: [0, 0.08] },
    set = encodeURIComponent(JSON.stringify({ way, obstacles: [[0, 0.1]], working: "+-" }));
  const made = readLink(`#screen=singularities&robot=fivebar&set=${set}`, blank);
  assert.equal(made.screen, "explore");
  assert.deepEqual(made.settings.explore, { map: "aspects", ways: true, way, obstacles: [[0, 0.1]], working: "+-" });
  assert.equal(readLink("#screen=singularities&robot=fivebar", blank).settings.explore?.map, "aspects");
});

test("a damaged link opens the screen with its own settings, an unknown screen the one before", () => {
  assert.deepEqual(readLink("screen=simulate&set={", blank).settings, {});
  assert.equal(readLink("screen=nowhere", blank).screen, "explore");
});

test("places mean nothing to another robot, tastes do", () => {
  assert.deepEqual(forAnother({ explore: { map: "reach", path: {}, way: {}, obstacles: [[0, 0]] } }), { explore: { map: "reach" } });
});
