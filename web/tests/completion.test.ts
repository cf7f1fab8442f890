import assert from "node:assert/strict";
import { test } from "node:test";
import { namesOf, where } from "../src/screens/define/completion";
import { heads, keysAt, valuesAt } from "../src/screens/define/schema";

const texts = (offers: { text: string }[]): string[] => offers.map(({ text }) => text);

test("where a place is: its table, the key whose value is written, the keys that are there", () => {
  assert.deepEqual(where('schema = "x"\nna'), { path: [], key: null, there: ["schema"] });
  assert.deepEqual(where("[parameters]\nl = { value = 0.3, un"), { path: ["parameters", "l"], key: null, there: ["value"] });
  assert.deepEqual(where('[[bars]]\nlength = "l"\nbetween = ["A1", '), { path: ["bars"], key: "between", there: ["length", "between"] });
  assert.deepEqual(where("[drives.q1]\nslider = { at = [0, 0], along = [0, 1] }\nma"), { path: ["drives", "q1"], key: null, there: ["slider"] });
  assert.deepEqual(where('[points] # "a = {"\nC = { free = true }\n[drives.q1]\nslider = { at'), { path: ["drives", "q1", "slider"], key: null, there: [] });
  assert.equal(where("[points]\nC = { free = ").key, "free");
});

test("keys are those of the schema, without what is there", () => {
  assert.ok(texts(keysAt([], ["name"])).includes("output"));
  assert.ok(!texts(keysAt([], ["name"])).includes("name"));
  assert.deepEqual(texts(keysAt(["bars"], ["between", "name"])), ["length", "mass", "centre", "inertia", "points"]);
  assert.deepEqual(texts(keysAt(["drives", "q1", "slider"], [])), ["at", "along"]);
  assert.deepEqual(texts(keysAt(["parameters", "l"], ["value"])), ["unit", "source", "about"]);
  assert.deepEqual(keysAt(["nowhere", "at", "all"], []), []);
});

test("values are what the schema lists, names of the file, and units", () => {
  assert.deepEqual(texts(valuesAt(["schema"], [])), ['"closedchain.mechanism/1"']);
  assert.deepEqual(texts(valuesAt(["points", "C", "free"], ["C"])), ["true"]);
  assert.deepEqual(texts(valuesAt(["bars", "between"], ["A1", "C"])), ['"A1"', '"C"']);
  assert.ok(texts(valuesAt(["parameters", "l", "unit"], [])).includes('"mm"'));
  assert.deepEqual(valuesAt(["bars", "length"], ["A1"]), []);
});

test("tables begin with one bracket, lists with two", () => {
  const all = texts(heads());
  for (const head of ["[points]", "[[bars]]", "[drives]", "[parameters]", "[[springs]]", "[equations]"]) assert.ok(all.includes(head), head);
  assert.ok(!all.some((head) => head.includes("gravity")));
});

test("names of a file are those of its points, drives and plates", () => {
  const text =
    '[points]\nC = { free = true }\n[drives.q1]\nslider = { at = [0, 0] }\npoint = "A1"\n[plates.plate1]\nmass = 1\npoints = { P1 = [0, 0], P2 = [1, 0] }\n[parameters]\nl = { value = 1 }\n';
  assert.deepEqual(namesOf(text).sort(), ["A1", "C", "P1", "P2", "plate1", "q1"]);
});
