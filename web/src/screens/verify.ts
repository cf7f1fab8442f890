import type { App } from "../core/app";
import type { Job } from "../core/connection";
import { el, say } from "../core/dom";
import { tell } from "../core/numbers";
import { copy } from "../core/taking";
import { digest, remember } from "../core/verified";
import { button, numberField, progress, section, tick } from "../core/widgets";
import type { VerifyAnswer, VerifyRow } from "../messages";
import { MotionChoice } from "./verify/motion";
import { level, lines, relative, share, WAYS, worst } from "./verify/rows";
import "./verify/verify.css";

const TITLES: Record<string, string> = { mujoco: "MuJoCo", pinocchio: "Pinocchio" };

/** A robot against independent engines, quantity by quantity; each engine's columns fill when it has answered. */
export function mount(root: HTMLElement, app: App): () => void {
  const screen = new Verify(root, app);
  return () => screen.dispose();
}

class Verify {
  private answers = new Map<string, VerifyAnswer>();
  private waiting = new Map<string, Job<"verify">>();
  private chosen: Set<string>;
  private over = false;
  private readonly body = el("div", { class: "verify-table table", tabindex: "0", role: "region", "aria-label": "comparison" });
  private readonly verdict = el("p", { class: "verdict", role: "status" });
  private readonly notes = el("div", { class: "inside" });
  private readonly progress = progress();
  private readonly start = button("Verify", () => void this.go(), "primary");
  private states: number;
  private readonly motion: MotionChoice;
  private readonly end: () => void;

  constructor(
    root: HTMLElement,
    private readonly app: App,
  ) {
    const engines = app.hello.value.engines;
    this.chosen = new Set(engines);
    this.states = app.setting("states", 60);
    const ticks = engines.map((name) => tick(TITLES[name] ?? name, true, (on) => (on ? this.chosen.add(name) : this.chosen.delete(name))).element);
    const count = numberField({
      label: "random states",
      value: this.states,
      min: 1,
      max: 2000,
      commit: (value) => ((this.states = Math.round(value)), app.keep("states", this.states), count.show(this.states)),
    });
    this.motion = new MotionChoice(app);
    const tools = el(
      "div",
      { class: "tools" },
      ...ticks,
      count.element,
      this.motion.choice,
      this.start,
      this.progress.element,
      el("span", { class: "spacer" }),
      button("Copy Python", () => void this.python(), "quiet"),
    );
    const words = section(
      "What is compared",
      true,
      el(
        "p",
        { class: "small" },
        "Every quantity that our equations give, at random states and along motions, with what an independent engine says. The limit is what rounding, conditioning or the engine's own accuracy explain; each cell's tooltip says how it was made.",
      ),
      el("p", { class: "small soft" }, "A bar as long as its cell is at the limit; empty is a million times below it."),
    );
    const inspector = el("aside", { class: "inspector" }, this.verdict, this.motion.element, words, section("Notes", true, this.notes));
    root.append(el("div", { class: "workbench" }, tools, this.body, inspector));
    this.end = app.robot.listen(() => (this.motion.show(), this.clear()));
    this.draw();
  }

  dispose(): void {
    this.over = true;
    this.end();
    for (const job of this.waiting.values()) job.cancel();
  }

  /** Another value of a parameter: what was compared no longer holds. */
  private clear(): void {
    if (this.answers.size === 0) return;
    this.answers.clear();
    this.draw();
  }

  private async go(): Promise<void> {
    this.answers.clear();
    this.start.disabled = true;
    this.draw();
    this.progress.start(() => this.waiting.forEach((job) => job.cancel()));
    const doc = this.app.robot.value,
      states = this.states,
      motion = this.motion.request();
    const of = digest(doc, this.app.hello.value.version);
    const one = async (engine: string): Promise<void> => {
      const job = this.app.job("verify", { robot: doc.ref, engine, states, ...motion }, (part, note) => this.progress.told(part, note || (TITLES[engine] ?? engine)));
      this.waiting.set(engine, job);
      this.draw();
      try {
        const answer = await job.done;
        if (motion.motion === "all") this.keep(of, engine, states, answer);
        const same = digest(this.app.robot.value, this.app.hello.value.version) === of;
        if (!this.over && same) this.answers.set(engine, answer);
      } catch (error) {
        if (!this.over) this.app.toast(`${TITLES[engine] ?? engine}: ${(error as Error).message}`, "error");
      } finally {
        this.waiting.delete(engine);
        if (!this.over) this.draw();
      }
    };
    await Promise.all([...this.chosen].map(one));
    this.start.disabled = false;
    this.progress.end();
  }

  /** For the badge beside the robot's name. */
  private keep(of: string, engine: string, states: number, { rows, engines }: VerifyAnswer): void {
    const found = worst(rows);
    if (!found) return;
    const title = engines.find((full) => full.toLowerCase().startsWith(engine))?.split(" ")[0] ?? TITLES[engine] ?? engine;
    const part = Math.min(share(found), Number.MAX_VALUE); // a difference that is not a number is beyond every limit
    remember(of, engine, {
      engine: title,
      compared: rows.length,
      broken: rows.filter((row) => !row.ok).length,
      relative: relative(rows),
      quantity: found.quantity,
      share: part,
      states,
    });
  }

  private async python(): Promise<void> {
    try {
      const { code } = await this.app.ask("python", {
        robot: this.app.state.value.robot,
        screen: "verify",
        state: { engines: [...this.chosen], states: this.states, ...this.motion.request() },
      });
      this.app.toast((await copy(code)) ? "Copied as Python." : "The browser did not allow copying.");
    } catch (error) {
      this.app.toast((error as Error).message, "error");
    }
  }

  // The table ----------------------------------------------------------------------------------

  private draw(): void {
    const engines = [...new Set([...this.answers.keys(), ...this.waiting.keys()])].sort();
    const rows = [...this.answers.values()].flatMap((answer) => answer.rows);
    this.tellVerdict(rows);
    this.tellNotes();
    if (!engines.length) {
      this.body.replaceChildren(el("p", { class: "empty" }, `${this.app.robot.value.told.name} has not been compared here yet. Press Verify: it takes some seconds.`));
      return;
    }
    const heads = engines.flatMap((name) => [
      el("th", { scope: "col" }, this.engineTitle(name)),
      el("th", { scope: "col" }, "limit"),
      el("th", { scope: "col" }, el("span", { class: "unseen" }, `${name} within the limit`)),
    ]);
    const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "largest difference"), el("th", { scope: "col" }, "unit"), ...heads));
    const groups = [...lines(rows)]
      .sort(([a], [b]) => order(a) - order(b))
      .map(([way, within]) => {
        const [title, about] = WAYS[way] ?? [way, ""];
        const top = el("tr", { class: "way" }, el("th", { scope: "rowgroup", colspan: 2 + 3 * engines.length, title: about }, title));
        return el(
          "tbody",
          {},
          top,
          ...within.map((line) =>
            el("tr", {}, el("th", { scope: "row" }, line.quantity), el("td", { class: "soft" }, line.unit), ...engines.flatMap((name) => this.cells(name, line.engines.get(name)))),
          ),
        );
      });
    this.body.replaceChildren(el("table", {}, el("caption", { class: "unseen" }, "largest differences by quantity and engine"), head, ...groups));
  }

  private engineTitle(name: string): string {
    const told = this.answers.get(name)?.engines.find((full) => full.toLowerCase().startsWith(name));
    return told ?? `${TITLES[name] ?? name}${this.waiting.has(name) ? " …" : ""}`;
  }

  private cells(engine: string, row: VerifyRow | undefined): HTMLElement[] {
    if (!row) return [el("td", { class: "soft" }, this.waiting.has(engine) ? "…" : ""), el("td"), el("td")];
    const bar = el("span", { class: row.ok ? "bar-level" : "bar-level over-limit", "aria-hidden": "true" });
    bar.style.width = `${(100 * level(row)).toFixed(0)}%`;
    const about = `${row.motion}: ${row.why}`;
    return [
      el("td", { class: "level", title: about }, el("span", {}, tell(row.max, 2)), bar),
      el("td", { class: "soft", title: about }, tell(row.limit, 2)),
      el("td", { class: row.ok ? "good" : "bad" }, row.ok ? "✓" : `✗ ${tell(share(row), 2)}×`),
    ];
  }

  private tellVerdict(rows: VerifyRow[]): void {
    const found = worst(rows);
    const failed = rows.filter((row) => !row.ok).length;
    this.verdict.className = `verdict ${!found ? "" : failed ? "bad" : "good"}`;
    if (!found) say(this.verdict, this.waiting.size ? "Comparing…" : "Not compared yet.");
    else if (failed) say(this.verdict, `✗ ${failed} of ${rows.length} comparisons are beyond their limit.`);
    else say(this.verdict, `✓ All ${rows.length} comparisons are within their limits${this.waiting.size ? ", so far" : ""}.`);
  }

  private tellNotes(): void {
    const all = [...this.answers.values()];
    const said = [...new Set(all.flatMap((answer) => [...answer.causes, ...answer.absent, ...answer.notes]))];
    this.notes.replaceChildren(...(said.length ? said : ["Nothing yet."]).map((text) => el("p", { class: "small" }, text)));
  }
}

const order = (way: string): number => {
  const at = Object.keys(WAYS).indexOf(way);
  return at < 0 ? 99 : at;
};
