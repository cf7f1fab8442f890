import type { App } from "../../core/app";
import { el, say } from "../../core/dom";
import { decimalsFor, fixed, length, letters, shown, tell } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import { copy, save, stagePng, stageSvg } from "../../core/taking";
import type { Stage } from "../../core/stage";
import { button, matrix, numberField, readout, section, slider } from "../../core/widgets";

const NEAR = 0.08, CLOSE = 0.2; // margins shown as bad, as a warning

/** The right side: numbers that can be typed, the models, parameters, what to take away. */
export function inspector(app: App, stage: Stage, puppet: Puppet, more: HTMLElement[] = []): { element: HTMLElement; pose(): void; facts(): void; values(): void } {
  const numbers = coordinates(puppet);
  const safety = margins(puppet);
  const models = matrices(puppet);
  const values = parameters(app);
  const passive = readout(puppet.doc.told.readouts.map((row) => letters(row.name)));
  const element = el(
    "aside",
    { class: "inspector", "aria-label": "inspector" },
    section("Where it stands", true, numbers.element),
    ...(puppet.doc.told.linkage ? [] : [section("Singularities nearby", true, safety.element)]),
    ...more,
    ...(puppet.doc.told.linkage ? [] : [section("Matrices", true, models.element)]),
    section("Parameters", true, values.element),
    ...(puppet.doc.told.readouts.length ? [section("Passive joints", false, passive.element)] : []),
    section("Take away", true, takeAway(app, stage, puppet)),
  );
  return {
    element,
    pose: () => {
      numbers.show();
      models.show();
    },
    values: values.show,
    facts: () => {
      safety.show();
      for (const row of puppet.facts.value?.readouts ?? []) {
        const { unit, factor } = shown(row.unit);
        passive.show(letters(row.name), `${tell(row.value * factor, 4)} ${unit}`);
      }
    },
  };
}

function coordinates(puppet: Puppet): { element: HTMLElement; show(): void } {
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
  const drives = told.q.map((row, i) =>
    numberField({ label: letters(row.name), unit: row.unit, decimals: places(row.unit), commit: (value) => puppet.moveDrive(i, value) }),
  );
  const element = el("div", { class: "pair" }, ...outputs.map((f) => f.element), ...drives.map((f) => f.element));
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
    "force: ellipses of the tip",
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
  return { element: el("div", { class: "stack" }, rows.element, warning, key), show };
}

const away = (metres: number | null | undefined): string => (metres === undefined ? "–" : metres === null ? "none met" : `in ${length(metres)}`);
const near = (metres: number | null | undefined, size: number): string =>
  metres === null || metres === undefined ? "" : metres < 0.03 * size ? "bad" : metres < 0.1 * size ? "warn" : "";

function matrices(puppet: Puppet): { element: HTMLElement; show(): void } {
  const A = matrix("A"), B = matrix("B"), J = matrix("J");
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
  return { element: el("div", { class: "stack" }, A.element, B.element, J.element, dets.element), show };
}

function parameters(app: App): { element: HTMLElement; show(): void } {
  const made = app.robot.value.told.parameters.map((row) => ({
    name: row.name,
    slider: slider({ label: row.name, unit: row.unit, about: row.about, low: row.low, high: row.high, value: row.value, change: (value) => app.change({ [row.name]: value }) }),
  }));
  const reset = button("Reset", () => {
    const { source, toml } = app.state.value.robot;
    void app.open({ source, toml, values: {} }, app.state.value);
  });
  const show = (): void => {
    for (const { name, slider: one } of made) one.show(app.robot.value.told.parameters.find((r) => r.name === name)?.value ?? 0);
  };
  return { element: el("div", { class: "stack" }, ...made.map((one) => one.slider.element), el("div", { class: "row" }, reset)), show };
}

function takeAway(app: App, stage: Stage, puppet: Puppet): HTMLElement {
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
      save(`${name()}.png`, await stagePng(stage, name()));
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
    button("SVG", () => save(`${name()}.svg`, stageSvg(stage, name()), "image/svg+xml")),
    button("TOML", () => save(`${name()}.toml`, app.robot.value.told.toml, "application/toml")),
  );
}
