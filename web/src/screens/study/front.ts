import type { App } from "../../core/app";
import type { Job } from "../../core/connection";
import { el, put, say, svg } from "../../core/dom";
import { tell } from "../../core/numbers";
import type { Puppet } from "../../core/puppet";
import { button, progress, section, select, tick } from "../../core/widgets";
import type { AxisRow, DesignAnswer, DesignRow } from "../../messages";
import { Frame } from "./frame";
import { axisForm, MEASURES, standsIn } from "./measures";

const TRIED = 2000; // designs

/** The trade between two goals: designs of which none is better in both; each is a button that makes it the robot. */
export class Front {
  readonly element: HTMLElement;
  readonly form: HTMLElement[];
  private readonly frame = new Frame("designs between two goals");
  private readonly dots = svg("g", { class: "study-dots" });
  private readonly words = el("p", { class: "small soft", role: "status" });
  private readonly progress = progress();
  private readonly run = button("▶ Design", () => void this.go(), "primary");
  private readonly axes: ReturnType<typeof axisForm>[];
  private readonly goals: { name: string; largest: boolean }[];
  private answer: DesignAnswer | null = null;
  private chosen = -1;
  private job: Job<"design"> | null = null;
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly puppet: Puppet,
  ) {
    this.axes = [axisForm(app, "Vary", "vary 1", 0), axisForm(app, "and", "vary 2", 1)];
    this.goals = app.setting("goals", [
      { name: "workspace_area", largest: true },
      { name: "centre_conditioning", largest: true },
    ]);
    const goals = this.goals.map((goal, i) => {
      const keep = (): void =>
        app.keep(
          "goals",
          this.goals.map((one) => ({ ...one })),
        );
      const name = select({
        label: i ? "and" : "Goals",
        values: Object.keys(MEASURES),
        value: goal.name,
        text: (one) => MEASURES[one] ?? one,
        choose: (one) => ((goal.name = one), keep()),
      });
      return el("div", { class: "stack" }, name.element, tick("as large as can be", goal.largest, (on) => ((goal.largest = on), keep())).element);
    });
    this.form = [section("Design", true, ...goals, ...this.axes.map((one) => one.element), el("div", { class: "row" }, this.run), this.progress.element, this.words)];
    this.frame.inside.append(this.dots);
    this.element = this.frame.element;
    say(this.words, "Two goals and two parameters. Each point is a design that no other one beats in both; press one, and it is the robot.");
    this.ends = [this.frame.onSize(() => this.draw())];
  }

  dispose(): void {
    this.job?.cancel();
    this.frame.dispose();
    for (const end of this.ends) end();
  }

  private async go(): Promise<void> {
    const pick = (largest: boolean): string[] => this.goals.filter((goal) => goal.largest === largest).map(({ name }) => name);
    const body = {
      robot: this.app.state.value.robot,
      vary: this.axes.map((one) => one.axis()),
      maximise: pick(true),
      minimise: pick(false),
      evaluations: TRIED,
      ...standsIn(this.puppet),
    };
    const job = this.app.job("design", body, (part, note) => this.progress.told(part, note));
    this.job = job;
    this.run.disabled = true;
    this.progress.start(() => job.cancel());
    try {
      this.answer = await job.done;
      this.chosen = -1;
      this.draw();
    } catch (error) {
      say(this.words, (error as Error).message);
    } finally {
      this.job = null;
      this.run.disabled = false;
      this.progress.end();
    }
  }

  private take(row: DesignRow, i: number): void {
    const names = this.answer?.dimensions ?? [];
    this.chosen = i;
    this.app.change(Object.fromEntries(names.map((name, k) => [name, Number((row.values[k] ?? 0).toPrecision(6))])));
    this.draw();
  }

  draw(): void {
    const answer = this.answer;
    if (!answer) return this.frame.axes(axis("first goal", [0, 1]), axis("second goal", [0, 1]), () => "");
    const [a = "", b = ""] = answer.goals,
      [first, second] = [0, 1].map((k) =>
        axis(
          MEASURES[answer.goals[k] ?? ""] ?? "",
          answer.rows.map((row) => row.goals[k] ?? 0),
        ),
      );
    if (!first || !second) return;
    const held = document.activeElement?.getAttribute("data-design");
    this.dots.replaceChildren(...answer.rows.map((row, i) => this.dot(row, i, first, second)));
    if (held) this.dots.querySelector<SVGElement>(`[data-design="${held}"]`)?.focus();
    this.frame.axes(first, second, (name) => answer.units[[first.name, second.name].indexOf(name)] ?? "");
    const chosen = answer.rows[this.chosen];
    const told = chosen ? ` Chosen: ${answer.dimensions.map((name, k) => `${name} ${tell(chosen.values[k], 4)}`).join(", ")}.` : "";
    say(this.words, `${answer.rows.length} designs that none beats, of ${answer.evaluations} tried, by ${MEASURES[a] ?? a} and ${MEASURES[b] ?? b}.${told}`);
  }

  private dot(row: DesignRow, i: number, a: AxisRow, b: AxisRow): SVGElement {
    const share = (axis: AxisRow, v: number): number => (v - axis.low) / (axis.high - axis.low),
      [x, y] = this.frame.at(share(a, row.goals[0] ?? 0), share(b, row.goals[1] ?? 0));
    const label = `design ${i + 1}: ${a.name} ${tell(row.goals[0], 3)}, ${b.name} ${tell(row.goals[1], 3)}`;
    const made = svg(
      "g",
      { class: i === this.chosen ? "design chosen" : "design", tabindex: "0", role: "button", "aria-label": label, "data-design": i },
      svg("circle", { r: 12, class: "hit" }),
      svg("circle", { r: 5, class: "seen" }),
    );
    put(made, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    made.addEventListener("click", () => this.take(row, i));
    made.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), this.take(row, i)));
    return made;
  }
}

/** An axis around numbers, with some room. */
function axis(name: string, values: number[]): AxisRow {
  const low = Math.min(...values),
    high = Math.max(...values),
    more = 0.05 * (high - low) || 0.05 * Math.abs(high) || 0.5;
  return { name, low: low - more, high: high + more };
}
