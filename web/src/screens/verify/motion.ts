import type { App } from "../../core/app";
import { el } from "../../core/dom";
import { standing, workingAt } from "../../core/standing";
import { numberField, section, select } from "../../core/widgets";
import type { VerifyRequest } from "../../messages";
import { byFormula, formula, formulaKinds, type Of } from "../simulate/formulas";

const NAMED = { all: "all motions", oscillation: "oscillation", trajectory: "trajectory", random: "random states" };
const LONGEST = 60; // [s] that the server takes

/** Formulas of one's own, and how long they last. */
interface Own {
  formula: Record<string, string>;
  duration: number;
}
type Asked = Required<Pick<VerifyRequest, "motion" | "duration" | "working">>;

/** Along which motion robot and engines are compared: the usual ones, or formulas of the drives or of the output. */
export class MotionChoice {
  readonly choice: HTMLElement;
  readonly element = el("div", { class: "own-motion" });
  private readonly menu: ReturnType<typeof select<string>>;

  constructor(private readonly app: App) {
    const texts: Record<string, string> = { ...NAMED, ...Object.fromEntries(this.kinds().map(({ of, name }) => [of, name.toLowerCase()])) };
    this.menu = select({ label: "Motion", values: Object.keys(texts), value: this.name, text: (v) => texts[v] ?? v, choose: (v) => this.choose(v) });
    this.choice = this.menu.element;
    this.show();
  }

  private kinds(): ReturnType<typeof formulaKinds> {
    const { told } = this.app.robot.value;
    return told.linkage ? [] : formulaKinds(this.app.robot.value);
  }

  private get name(): string {
    const held = this.app.setting("motion", "all");
    return held in NAMED || this.kinds().some(({ of }) => String(of) === held) ? held : "all";
  }

  /** The formulas that are compared along, where the motion is one's own: as typed, or from where the robot stands. */
  private get own(): Own | null {
    if (this.name in NAMED) return null;
    const held = this.app.setting<Partial<Own>>("formulas", {}),
      names = this.app.robot.value.told[this.name as Of].map(({ name }) => name);
    const whole = names.every((name) => typeof held.formula?.[name] === "string");
    return whole && held.formula ? { formula: held.formula, duration: held.duration ?? 3 } : { formula: byFormula(this.app, this.name as Of, 3).formula, duration: 3 };
  }

  /** What the server is asked for; the output's formulas in the working mode that the robot stands in. */
  request(): Asked {
    const { own, name } = this;
    if (!own) return { motion: name, duration: 3, working: null };
    const texts = Object.entries(own.formula).map(([key, text]) => `${key} = ${text}`);
    return { motion: texts.join("; "), duration: own.duration, working: (name === "x" && workingAt(this.app, standing(this.app))) || null };
  }

  private choose(name: string): void {
    this.app.keep("motion", name);
    this.app.keep("formulas", this.own ?? {});
    this.show();
  }

  private keep(own: Own): void {
    this.app.keep("formulas", own);
  }

  show(): void {
    const { own } = this;
    this.menu.show(this.name);
    this.element.hidden = own === null;
    if (!own) return this.element.replaceChildren();
    const rows = Object.entries(own.formula).map(([key, text]) =>
      formula(key, text, (typed) => this.keep({ ...(this.own ?? own), formula: { ...(this.own ?? own).formula, [key]: typed } })),
    );
    const lasting = numberField({
      label: "duration",
      unit: "s",
      value: own.duration,
      min: 1e-3,
      max: LONGEST,
      commit: (duration) => this.keep({ ...(this.own ?? own), duration }),
    });
    const words = this.name === "x" ? "The output as formulas of t, in SI, in the working mode that the robot stands in." : "Each drive as a formula of t, in SI.";
    this.element.replaceChildren(section("Motion by formula", true, el("p", { class: "small soft" }, words), ...rows, lasting.element));
  }
}
