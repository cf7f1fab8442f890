import type { App } from "../core/app";
import { Latest } from "../core/connection";
import { afterPause, el, say } from "../core/dom";
import { Linkage } from "../core/linkage";
import { SpaceView } from "../core/space/view";
import { Stage, type Window } from "../core/stage";
import { save } from "../core/taking";
import { button, section, tick } from "../core/widgets";
import type { DefineAnswer, RobotAnswer } from "../messages";
import "../style/define.css";
import { Builder, EMPTY } from "./define/builder";
import { Editor } from "./define/editor";
import { equationSections } from "./define/equations";

/** A mechanism file as text ↔ its drawing ↔ its equations. */
export function mount(root: HTMLElement, app: App): () => void {
  const own = app.state.value.robot.toml ?? app.robot.value.told.toml;
  const first = app.state.value.text ?? own;
  const stage = new Stage(app, { label: "the mechanism, drawn to scale" });
  const inSpace = el("div", { class: "space" });
  const picture = new Picture(stage, inSpace);
  stage.fit(EMPTY);
  const status = el("p", { class: "status", role: "status" });
  const mistakes = el("ul", { id: "mistakes", class: "mistakes" });
  const formulas = el("div", { class: "formulas" });
  let wantEquations = app.setting("equations", false);
  let framed = false; // the stage shows the robot; what is built later does not move the view
  const waiting = el("p", { class: "small soft", role: "status" });

  const asking = new Latest<string, DefineAnswer>(
    (toml) => app.ask("define", { toml }),
    (answer, toml) => take(answer, toml),
    (error) => say(status, error.message),
  );
  const deriving = new Latest<string, DefineAnswer>(
    (toml) => app.ask("define", { toml, equations: true }),
    (answer, toml) => toml === editor.text && wantEquations && showEquations(answer),
    (error) => say(waiting, error.message),
  );
  const derive = afterPause(700, () => app.link.value === "open" && deriving.want(editor.text)); // a robot that stands still is worth its formulas
  const check = (): void => {
    say(status, "Checking…");
    if (app.link.value === "open") asking.want(editor.text);
  };
  const later = afterPause(350, check);
  const editor = new Editor(first, (text) => (app.write(text === own ? null : text), later()));
  const write = (text: string): void => (editor.write(text), app.write(text === own ? null : text), check());
  const open = button("Open in the studio", () => void app.open({ source: null, toml: editor.text, values: {} }).then(() => app.go("explore")), "primary");

  const showEquations = (answer: DefineAnswer | null): void => {
    say(waiting, "");
    formulas.replaceChildren(...equationSections(answer?.equations ?? []));
    right.classList.toggle("with-equations", formulas.childElementCount > 0);
  };
  const builder = new Builder(
    app,
    stage,
    () => editor.text,
    (text) => write(text),
  );
  const take = (answer: DefineAnswer, toml: string): void => {
    editor.mark(answer.errors);
    builder.show(answer, toml);
    const one = (line: number, column: number, message: string): HTMLElement =>
      el(
        "li",
        {},
        button(`line ${line}, column ${column}`, () => editor.goTo(line, column), "quiet"),
        ` ${message}`,
      );
    mistakes.replaceChildren(...(answer.errors.length ? answer.errors.map((e) => one(e.line, e.column, e.message)) : [el("li", { class: "soft small" }, "No mistakes.")]));
    open.disabled = !answer.valid;
    if (!answer.robot) {
      say(status, `${answer.errors.length} ${answer.errors.length === 1 ? "mistake" : "mistakes"}; the drawing shows the last good text.`);
      status.className = "status bad";
      return;
    }
    status.className = "status good";
    say(status, summary(answer.robot));
    if (answer.robot.dimension === 3 || !answer.sketch) picture.show(answer.robot);
    else picture.clear();
    right.classList.toggle("in-space", answer.robot.dimension === 3);
    if (!framed) stage.fit(around(answer.robot.start.points, answer.robot.window as Window));
    framed = true;
    if (!wantEquations) return;
    say(waiting, formulas.childElementCount ? "These are of the text before; the new ones are being derived…" : "Deriving…");
    derive();
  };

  const equations = tick("Equations (the first time takes some seconds)", wantEquations, (on) => {
    wantEquations = on;
    app.keep("equations", on);
    if (on) check();
    else showEquations(null);
  });
  const file = el("input", { type: "file", accept: ".toml", class: "unseen", id: "file", onchange: () => void file.files?.[0]?.text().then(write) });
  const saving = async (replace: boolean): Promise<void> => {
    const name = `${nameOf(editor.text)}.toml`;
    try {
      const { written } = await app.ask("save", { name, text: editor.text, replace });
      if (!written && !replace) return confirm(`${name} is in the workspace already. Replace it?`) ? await saving(true) : undefined;
      app.toast(`${name} is in the workspace folder ${app.hello.value.workspace}.`);
      app.saved();
    } catch (error) {
      app.toast((error as Error).message, "error");
    }
  };
  const keep = button("Save", () => void saving(false), "plain", `write it into the workspace folder, ${app.hello.value.workspace}`);
  const tools = el(
    "div",
    { class: "tools" },
    open,
    button("Load a file", () => file.click()),
    file,
    button("Save TOML", () => save("mechanism.toml", editor.text, "application/toml")),
    keep,
    button("Revert", () => write(own)),
    status,
  );
  file.setAttribute("aria-label", "mechanism file");
  const left = el("div", { class: "writing" }, editor.element, mistakes);
  const right = el(
    "div",
    { class: "reading" },
    el("div", { class: "building-stage" }, builder.tools, stage.element, inSpace, builder.form),
    el("div", { class: "below" }, section("Equations", true, equations.element, waiting, formulas)),
  );
  root.append(el("div", { class: "defining" }, tools, left, right));
  const end = app.link.listen((link) => link === "open" && check());
  check();
  return () => {
    end();
    later.cancel();
    derive.cancel();
    picture.clear();
    editor.dispose();
    builder.dispose();
    stage.dispose();
  };
}

/** The robot's name in a text, as a file's name. */
const nameOf = (text: string): string => /^\s*name\s*=\s*"([A-Za-z][\w-]*)"/m.exec(text)?.[1] ?? "mechanism";

/** What a text describes, in a line. */
function summary({ name, q, x, working }: RobotAnswer): string {
  const count = (n: number, one: string): string | false => n > 0 && `${n} ${one}${n === 1 ? "" : "s"}`;
  const driven = q.filter((row) => row.driven).length;
  const parts = [count(driven, "drive"), count(q.length - driven, "passive joint"), count(x.length, "output"), count(working.length, "working mode")];
  return `${name}: ${parts.filter(Boolean).join(", ") || "nothing that moves"}.`;
}

/** The robot of the last good text, in the plane or in space. */
class Picture {
  private linkage: Linkage | null = null;
  private view: SpaceView | null = null;
  private drawn = ""; // what the view draws, so that a text that changes numbers keeps the eye where it is

  constructor(
    private readonly stage: Stage,
    private readonly place: HTMLElement,
  ) {}

  show(robot: RobotAnswer): void {
    const { scene, start, window, dimension } = robot,
      points = start.points;
    if (dimension === 3) return this.inSpace(robot);
    this.clear();
    if (!scene) return;
    this.linkage = new Linkage(this.stage, scene, "robot", () => undefined);
    this.stage.fit(around(points, window as Window));
    const linkage = this.linkage;
    linkage.show(points, start.x);
    this.stop = this.stage.onView(() => linkage.again());
  }

  private inSpace({ name, scene, start, size, closed }: RobotAnswer): void {
    const drawn = JSON.stringify(scene?.parts);
    if (drawn !== this.drawn) this.clear();
    if (!scene) return;
    this.drawn = drawn;
    if (!this.view) {
      this.view = new SpaceView(`${name} in space`, scene, size, !closed);
      this.place.replaceChildren(this.view.element);
      const bound = (pick: (...v: number[]) => number): number[] => [0, 1, 2].map((k) => pick(...start.points.map((p) => p[k] ?? 0)));
      this.view.frame(bound(Math.min), bound(Math.max));
    }
    this.view.body("robot", start.points);
  }

  private stop: () => void = () => undefined;

  clear(): void {
    this.stop();
    this.linkage?.remove();
    this.linkage = null;
    this.view?.dispose();
    this.view?.element.remove();
    this.view = null;
    this.drawn = "";
  }
}

/** A window about the robot itself, not its whole reach. */
function around(points: number[][], otherwise: Window): Window {
  const xs = points.map((p) => p[0] ?? 0),
    ys = points.map((p) => p[1] ?? 0);
  const low = [Math.min(...xs), Math.min(...ys)] as const,
    high = [Math.max(...xs), Math.max(...ys)] as const;
  const room = 0.3 * Math.max(high[0] - low[0], high[1] - low[1]);
  return room > 0 ? [low[0] - room, high[0] + room, low[1] - room, high[1] + room] : otherwise;
}
