import type { App } from "../../core/app";
import { standing, workingAt } from "../../core/standing";
import { hasOwnMotion, ownMotion, read, type Tables } from "./recipe";
import { OWN } from "./scenarios";
import type { Draft } from "./setup";

/** The scenario that is being changed: where it comes from, what it says, what was changed in it. */
export class Script {
  name = OWN;
  about = "";
  origin = "";
  draft: Draft = { base: {}, changes: {}, plant: "exact" };
  private text: string | null = null; // of a workspace file

  constructor(private readonly app: App) {}

  /** Read a scenario by its name or its file's; the answer is the robot that it is for, null: any. */
  async load(name: string, changes: Tables): Promise<string | null> {
    let text: string | null = null,
      base: Tables,
      robot: string | null = null;
    let [about, origin] = ["A motion of your own: draw a trajectory, choose a controller.", ""];
    if (name === OWN) {
      const { told } = this.app.robot.value;
      if (!hasOwnMotion(this.app.robot.value)) throw new Error(`${told.name} has no scenario: write one into a file of the workspace.`);
      const here = standing(this.app);
      base = ownMotion(this.app.robot.value, here.q, here.x, workingAt(this.app, here));
    } else {
      if (name.endsWith(".toml")) text = (await this.app.ask("read", { name })).text;
      const told = await this.app.ask("scenario", { source: text ?? name });
      if (!("controller" in told.tables)) throw new Error(`${name} is no scenario: it names no controller.`);
      ({ about, origin } = told);
      [base, robot] = [told.tables, told.robot];
    }
    [this.name, this.text, this.about, this.origin] = [name, text, about, origin];
    this.draft = { ...this.draft, base, changes };
    return robot;
  }

  /** The one trajectory; null where there is none, or several. */
  get trajectory(): Tables | null {
    const given = read(this.draft.base, this.draft.changes, "trajectory");
    return given && !Array.isArray(given) ? (given as Tables) : null;
  }

  /** What the server is asked to run. */
  request(): { scenario: string | Record<string, unknown>; settings: Tables } {
    const settings = Object.fromEntries(Object.entries(this.draft.changes).filter(([, value]) => value !== undefined));
    return { scenario: this.name === OWN ? this.draft.base : (this.text ?? this.name), settings };
  }

  /** The same as a Python script. */
  async python(): Promise<string> {
    const state = { ...this.request(), plant: this.draft.plant };
    return (await this.app.ask("python", { robot: this.app.state.value.robot, screen: "simulate", state })).code;
  }
}
