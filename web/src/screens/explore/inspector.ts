import type { App } from "../../core/app";
import { el, say } from "../../core/dom";
import { notion } from "../../core/notions";
import { decimalsFor, fixed, length, letters, shown, tell } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import { copy, save } from "../../core/taking";
import { beside, button, matrix, numberField, readout, section, slider } from "../../core/widgets";
import type { Distance } from "../../messages";
import { type Swing, swing } from "./swing";

const NEAR = 0.08,
  CLOSE = 0.2; // margins shown as bad, as a warning

/** The drawing as files; in space it has no shapes to write down. */
export interface Pictures {
  png(): Promise<Blob>;
  svg?(): string;
}

/** The right side: numbers that can be typed, the models, parameters, what to take away. */
export function inspector(
  app: App,
  pictures: Pictures,
  puppet: Puppet,
  more: HTMLElement[] = [],
): { element: HTMLElement; pose(): void; facts(): void; values(): void; dispose(): void } {
  const swings: Swing[] = [],
    robot = puppet.doc.told.closed && !puppet.doc.told.linkage; // a linkage and an open robot have no A, no B and no branches
  const numbers = coordinates(app, puppet, swings);
  const safety = margins(puppet);
  const models = matrices(puppet);
  const values = parameters(app, swings);
  const passive = readout(puppet.doc.told.readouts.map((row) => letters(row.name)));
  const element = el(
    "aside",
    { class: "inspector", "aria-label": "inspector" },
    section("Where it stands", true, numbers.element),
    ...(robot ? [section("Singularities nearby", true, safety.element)] : []),
    ...more,
    ...(robot ? [section("Matrices", true, models.element)] : []),
    section("Parameters", true, values.element),
    ...(puppet.doc.told.readouts.length ? [section("Passive joints", false, passive.element)] : []),
    section("Take away", true, takeAway(app, pictures, puppet)),
  );
  return {
    element,
    pose: () => {
      numbers.show();
      if (robot) models.show();
    },
    values: values.show,
    dispose: () => swings.forEach((one) => one.stop()),
    facts: () => {
      safety.show();
      for (const row of puppet.facts.value?.readouts ?? []) {
        const { unit, factor } = shown(row.unit);
        passive.show(letters(row.name), `${tell(row.value * factor, 4)} ${unit}`);
      }
    },
  };
}

function coordinates(app: App, puppet: Puppet, swings: Swing[]): { element: HTMLElement; show(): void } {
  const { told } = puppet.doc;
  const places = (unit: string): number => (unit === "rad" ? 2 : decimalsFor(told.size));
  const outputs = told.x.map((row, i) =>
    numberField({
      label: letters(row.name),
      unit: row.unit,
      decimals: places(row.unit),
      commit: (value) => puppet.moveTip(puppet.pose.value.x.map((v, k) => (k === i ? value : v))),
    }),
  );
  const drives = told.q.map((row, i) => numberField({ label: letters(row.name), unit: row.unit, decimals: places(row.unit), commit: (value) => puppet.moveDrive(i, value) }));
  const reach = (unit: string): number => (unit === "rad" ? 0.7 : 0.3 * told.size);
  const moving = told.q.map((row, i) => {
    const now = (): number => puppet.pose.value.q[i] ?? 0;
    return swing(
      app,
      letters(row.name),
      () => [now() - reach(row.unit), now() + reach(row.unit)],
      now,
      (value) => puppet.moveDrive(i, value),
    );
  });
  swings.push(...moving);
  const element = el("div", { class: "pair" }, ...outputs.map((f) => f.element), ...drives.map((f, i) => beside(f.element, ...moving.slice(i, i + 1).map((one) => one.element))));
  return {
    element,
    show: () => {
      const { q, x } = puppet.pose.value;
      outputs.forEach((field, i) => field.show(x[i] ?? null));
      drives.forEach((field, i) => field.show(q[i] ?? null));
    },
  };
}

function margins(puppet: Puppet): { element: HTMLElement; show(): void } {
  const rows = readout(["conditioning 1/κ", "Type 2 (parallel)", "Type 1 (serial)", "margin to Type 1"]);
  const warning = el("p", { class: "small warn", "aria-live": "polite" });
  const key = el(
    "p",
    { class: "small soft ellipse-key", title: "true in shape, not in size" },
    el("span", { class: "swatch velocity" }),
    "velocity",
    el("span", { class: "swatch force" }),
    `force: ${puppet.doc.told.dimension === 3 ? "ellipsoids" : "ellipses"} of the tip`,
  );
  const state = (value: number): string => (value < NEAR ? "bad" : value < CLOSE ? "warn" : "good");
  const show = (): void => {
    const facts = puppet.facts.value;
    rows.show("conditioning 1/κ", facts ? fixed(facts.condition, 3) : "–", facts ? state(facts.condition) : "");
    const apart = puppet.square ? facts?.distances : undefined; // an output that is bound to a curve has no free ways
    rows.show("Type 2 (parallel)", away(apart?.type2), near(apart?.type2, puppet.doc.told.size));
    rows.show("Type 1 (serial)", away(apart?.type1), near(apart?.type1, puppet.doc.told.size));
    rows.show("margin to Type 1", facts ? fixed(facts.serial, 3) : "–", facts ? state(facts.serial) : "");
    say(warning, facts?.warnings.join(" ") ?? "");
  };
  const notions = el("p", { class: "small soft notions" }, "conditioning", notion("conditioning"), "Type 2", notion("Type 2"), "Type 1", notion("Type 1"));
  return { element: el("div", { class: "stack" }, rows.element, warning, key, notions), show };
}

/** How far a singularity is, in words: none met is not the same as not searched. */
function away(distance: Distance | undefined): string {
  if (!distance) return "–";
  if (!distance.searched) return "not searched";
  return distance.metres === null ? "none met" : distance.metres === 0 ? "here" : `in ${length(distance.metres)}`;
}

function near(distance: Distance | undefined, size: number): string {
  const metres = distance?.metres ?? Infinity;
  return metres < 0.03 * size ? "bad" : metres < 0.1 * size ? "warn" : "";
}

function matrices(puppet: Puppet): { element: HTMLElement; show(): void } {
  const A = matrix("A"),
    B = matrix("B"),
    J = matrix("J");
  const dets = readout(["det A", "det B"]);
  const show = (): void => {
    const made = puppet.mover?.matrices(puppet.pose.value) ?? null;
    const nx = puppet.doc.told.x.length;
    A.show(made?.A ?? null, nx);
    B.show(made?.B ?? null, nx);
    J.show(made?.J ?? null, nx);
    dets.show("det A", tell(made?.detA, 4));
    dets.show("det B", tell(made?.detB, 4));
  };
  return {
    element: el("div", { class: "stack" }, A.element, B.element, J.element, dets.element, el("p", { class: "small soft notions" }, "these matrices", notion("matrices"))),
    show,
  };
}

function parameters(app: App, swings: Swing[]): { element: HTMLElement; show(): void } {
  const made = app.robot.value.told.parameters.map((row) => ({
    name: row.name,
    slider: slider({ label: row.name, unit: row.unit, about: row.about, low: row.low, high: row.high, value: row.value, change: (value) => app.change({ [row.name]: value }) }),
  }));
  const held = (name: string): number => app.robot.value.told.parameters.find((row) => row.name === name)?.value ?? 0;
  const moving = app.robot.value.told.parameters.map((row) =>
    swing(
      app,
      row.name,
      () => [row.low, row.high],
      () => held(row.name),
      (value) => app.change({ [row.name]: Number(value.toPrecision(4)) }),
    ),
  );
  swings.push(...moving);
  const reset = button("Reset", () => {
    const { source, toml } = app.state.value.robot;
    void app.open({ source, toml, values: {} }, app.state.value);
  });
  const show = (): void => {
    for (const { name, slider: one } of made) one.show(held(name));
  };
  return {
    element: el(
      "div",
      { class: "stack" },
      ...made.map((one, i) => beside(one.slider.element, ...moving.slice(i, i + 1).map((swung) => swung.element))),
      el("div", { class: "row" }, reset),
    ),
    show,
  };
}

function takeAway(app: App, pictures: Pictures, puppet: Puppet): HTMLElement {
  const name = (): string => app.robot.value.told.name;
  const tell_ = (done: boolean, what: string): void => app.toast(done ? `${what} is on the clipboard.` : `The browser refused the clipboard.`, done ? "info" : "error");
  const python = async (): Promise<void> => {
    try {
      const state = { ...puppet.pose.value, ...app.state.value.settings.explore };
      const { code } = await app.ask("python", { robot: app.state.value.robot, screen: "explore", state });
      tell_(await copy(code), "The Python script");
    } catch (error) {
      app.toast((error as Error).message, "error");
    }
  };
  const picture = async (): Promise<void> => {
    try {
      save(`${name()}.png`, await pictures.png());
    } catch (error) {
      app.toast((error as Error).message, "error");
    }
  };
  return el(
    "div",
    { class: "row" },
    button("Copy Python", () => void python(), "plain", "a script that repeats what is on the screen"),
    button("Copy link", () => void copy(app.permanentLink()).then((done) => tell_(done, "The link")), "plain", "the address of this state"),
    button("PNG", () => void picture()),
    pictures.svg && button("SVG", () => save(`${name()}.svg`, pictures.svg?.() ?? "", "image/svg+xml")),
    button("TOML", () => save(`${name()}.toml`, app.robot.value.told.toml, "application/toml")),
  );
}
