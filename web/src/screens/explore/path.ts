import type { App } from "../../core/app";
import { Latest } from "../../core/connection";
import { afterPause, el, say } from "../../core/dom";
import type { Puppet } from "../../core/puppet";
import type { Stage } from "../../core/stage";
import { button, section, segmented } from "../../core/widgets";
import type { PathAnswer, PathRequest, RobotAnswer } from "../../messages";
import { handOver } from "../simulate/handover";
import { hasOwnMotion, type Tables, tidy } from "../simulate/recipe";
import { type Sketch, sketch } from "../simulate/sketch";
import { Drawing, findings, list, searched, verdict } from "./findings";
import { pathNumbers } from "./numbers";
import { few, kept, type Path, pathOf, type Shape, shapeOf, trajectoryOf } from "./way";
import "./path.css";

const TITLES: Record<Shape | "off", string> = {
  off: "move the view",
  points: "press on the stage, drag, release",
  line: "drag on the stage, or click its two ends",
  circle: "drag from the centre to the rim, or click both",
};
const NOTHING = "Draw a path on the stage, or choose line or circle and type its numbers beside it.";

/** Whether paths can be drawn for a robot: its output moves in the plane, with as many drives. */
export const hasPaths = (told: RobotAnswer): boolean => told.planar_map && told.dimension === 2 && told.working.length > 0 && told.q.length === told.x.length;

/** A path of the output over the stage: drawn or typed, checked by the server in the robot's working mode. */
export class PathTool {
  readonly row: HTMLElement; // under the stage
  readonly section: HTMLElement; // beside it
  private path: Path | null;
  private tool: Shape | null = null;
  private known: { key: string; answer: PathAnswer } | null = null;
  private problem = "";
  private mode = "";
  private drawn = ""; // of what, in which view
  private readonly view: () => string;
  private readonly drawing: Drawing;
  private readonly sketch: Sketch;
  private readonly words = el("p", { class: "path-verdict", role: "status" });
  private readonly items = el("ol", { class: "small met-list" });
  private readonly about = el("p", { class: "small soft" });
  private readonly numbers: ReturnType<typeof pathNumbers>;
  private readonly choice: ReturnType<typeof segmented<Shape | "off">>;
  private readonly run = button("Simulate this path", () => this.simulate(), "plain", "opens Simulate with this path as its trajectory");
  private readonly clear = button("Clear", () => this.put(null), "quiet", "takes the path away");
  private readonly asking: Latest<PathRequest, PathAnswer>;
  private readonly settle = afterPause(60, () => this.ask());
  private readonly ends: (() => void)[];

  constructor(
    private readonly app: App,
    stage: Stage,
    private readonly puppet: Puppet,
  ) {
    const { told } = app.robot.value;
    this.path = pathOf(app.setting<Tables>("path", {}));
    this.drawing = new Drawing(stage);
    this.view = () => stage.window.join();
    this.sketch = sketch(
      stage,
      (made) => this.put(pathOf(made)),
      () => this.choose(null),
      { apart: 3, thin: (points) => kept(points, stage.pixelsPerMetre).map((p) => p.map(tidy)), grips: few },
    );
    this.sketch.way(false);
    this.numbers = pathNumbers(told.size, (path) => this.put(path));
    this.choice = segmented<Shape | "off">({
      label: "Path",
      values: ["off", "points", "line", "circle"],
      value: "off",
      text: (v) => (v === "off" ? "view" : v === "points" ? "✎ draw" : v),
      title: (v) => TITLES[v],
      choose: (v) => this.choose(v === "off" ? null : v),
    });
    this.row = el("div", { class: "path-row", role: "group", "aria-label": "path" }, this.choice.element, this.words, hasOwnMotion(app.robot.value) && this.run, this.clear);
    this.section = section("Path", true, this.items, this.about, this.numbers.element);
    this.asking = new Latest(
      (body) => app.ask("path", body),
      (answer, body) => this.take(answer, body),
      (error, body) => this.refuse(error, body),
    );
    this.ends = [app.robot.listen(() => this.settle()), app.link.listen(() => (this.settle(), this.show()))];
    this.show();
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.settle.cancel();
    this.asking.drop();
    this.sketch.dispose();
  }

  /** For every frame: where the view, the branch or a plate's angle has changed, draw it and ask again. */
  draw(): void {
    const { working } = this.puppet.pose.value;
    if (working && !working.includes("0")) this.mode = working;
    if (!this.path) return;
    const key = this.key(),
      now = `${key} ${this.view()}`;
    if (now === this.drawn) return;
    this.drawn = now;
    if (key !== this.known?.key) this.settle();
    this.show();
  }

  private put(path: Path | null): void {
    this.path = path;
    this.problem = "";
    this.app.keep("path", path ?? undefined);
    this.settle();
    this.show();
  }

  private choose(tool: Shape | null): void {
    this.tool = tool;
    this.sketch.tool(tool);
    this.choice.show(tool ?? "off");
    this.show();
  }

  // The check ----------------------------------------------------------------------------------

  private request(): PathRequest | null {
    const path = this.path;
    if (!path || !this.mode) return null;
    const rest = this.puppet.pose.value.x.slice(2); // a plate keeps its angle
    const common = { robot: this.app.robot.value.ref, working: this.mode };
    if (path.kind === "circle") return { ...common, circle: { centre: [...path.centre, ...rest], radius: path.radius, angle: path.angle } };
    return { ...common, corners: (path.kind === "quintic" ? [path.from, path.to] : path.through).map((p) => [...p, ...rest]) };
  }

  private key(): string {
    return JSON.stringify(this.request());
  }

  private ask(): void {
    const body = this.request();
    if (body && this.app.link.value === "open" && JSON.stringify(body) !== this.known?.key) this.asking.want(body);
  }

  private take(answer: PathAnswer, body: PathRequest): void {
    this.known = { key: JSON.stringify(body), answer };
    this.problem = "";
    this.show();
  }

  private refuse(error: Error, body: PathRequest): void {
    if (this.app.link.value !== "open" || JSON.stringify(body) !== this.key()) return;
    this.problem = error.message;
    this.show();
  }

  // What is shown ------------------------------------------------------------------------------

  private show(): void {
    const answer = this.path && this.known?.key === this.key() ? this.known.answer : null;
    const found = answer ? findings(answer, this.app.robot.value.told.size) : [];
    this.drawing.draw(this.path, answer, found);
    this.sketch.show(this.path, [0, 0]);
    this.tell(answer);
    if (this.items.dataset.of !== (answer ? this.known?.key : "")) {
      this.items.dataset.of = answer ? this.known?.key : "";
      this.items.replaceChildren(...list(found));
    }
    say(this.about, this.path && answer ? searched(this.path, answer) : this.path ? "" : NOTHING);
    const shape = this.tool ?? (this.path ? shapeOf(this.path) : "line");
    this.numbers.show(shape, this.path && shapeOf(this.path) === shape ? this.path : this.usual(shape));
    this.run.disabled = this.clear.disabled = this.path === null;
  }

  private tell(answer: PathAnswer | null): void {
    const said = this.path && answer ? verdict(answer) : null;
    const waiting = !this.path
      ? ""
      : this.problem
        ? `Not checked: ${this.problem}`
        : this.app.link.value === "open"
          ? "Checking…"
          : "Not checked: there is no connection to the server.";
    say(this.words, said?.words ?? waiting);
    this.words.className = `path-verdict ${said?.state ?? ""}`;
    this.words.title = said?.words ?? waiting;
  }

  /** A path to begin with, at the tip. */
  private usual(shape: Shape): Path {
    const [x = 0, y = 0] = this.puppet.pose.value.x.map(tidy),
      size = this.app.robot.value.told.size;
    if (shape === "circle") return { kind: "circle", centre: [x, y], radius: tidy(size / 5), angle: 0 };
    if (shape === "line") return { kind: "quintic", from: [x, y], to: [tidy(x + size / 3), y] };
    return {
      kind: "spline",
      through: [
        [x, y],
        [tidy(x + size / 4), y],
        [tidy(x + size / 4), tidy(y + size / 4)],
      ],
    };
  }

  private simulate(): void {
    const made = this.path && trajectoryOf(this.path, this.puppet.pose.value.x, this.mode);
    if (made) handOver(this.app, made);
  }
}
