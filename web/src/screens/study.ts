import type { App } from "../core/app";
import { el } from "../core/dom";
import { scenePoints } from "../core/motion";
import { Puppet } from "../core/puppet";
import { openSpace } from "../core/space/opening";
import type { Window } from "../core/stage";
import { section, segmented } from "../core/widgets";
import { Front } from "./study/front";
import { Sheet } from "./study/sheet";
import "./study/study.css";

/** One question asked of many robots: a map of a measure over two parameters, or the trade between two goals; a press takes a robot out of them. */
export function mount(root: HTMLElement, app: App): () => void {
  const puppet = new Puppet(app),
    place = el("div", { class: "study-plot" }),
    form = el("div", { class: "study-form" });
  const robot = preview(app, puppet);
  const parts = { sweep: new Sheet(app, puppet), design: new Front(app, puppet) };
  const show = (kind: keyof typeof parts): void => {
    place.replaceChildren(parts[kind].element);
    form.replaceChildren(...parts[kind].form);
    parts[kind].draw();
  };
  const kind = app.setting<string>("kind", "sweep") === "design" ? "design" : "sweep";
  const choice = segmented<keyof typeof parts>({
    label: "Ask",
    values: ["sweep", "design"],
    value: kind,
    text: (name) => (name === "sweep" ? "one measure, two parameters" : "two goals, what is traded"),
    choose: (name) => (app.keep("kind", name), show(name)),
  });
  const inspector = el("aside", { class: "inspector", "aria-label": "inspector" }, form, section("The robot", true, robot.element));
  root.append(el("div", { class: "workbench" }, el("div", { class: "tools" }, choice.element), place, inspector));
  show(kind);
  const redraw = (): void => {
    robot.draw();
    parts.sweep.draw();
    parts.design.draw();
  };
  const ends = [app.robot.listen(redraw), puppet.pose.listen(robot.draw)];
  return () => {
    for (const end of ends) end();
    parts.sweep.dispose();
    parts.design.dispose();
    robot.dispose();
    puppet.dispose();
  };
}

/** The robot that is open, small. */
function preview(app: App, puppet: Puppet): { element: HTMLElement; draw(): void; dispose(): void } {
  const { told } = app.robot.value;
  const points = (): number[][] => scenePoints(app.robot.value, puppet.pose.value.q, puppet.pose.value.x);
  if (told.dimension === 3 && told.scene) {
    const view = openSpace(app, told.scene),
      draw = (): void => view.body("robot", points());
    draw();
    return { element: el("div", { class: "study-robot" }, view.element), draw, dispose: () => view.dispose() };
  }
  const stage = app.stage({ label: `${told.name} with the values chosen` }),
    linkage = told.scene ? stage.linkage("robot") : null;
  const draw = (): void => linkage?.show(points(), puppet.pose.value.x);
  stage.fit(told.window as Window);
  const off = stage.onView(draw);
  draw();
  return { element: el("div", { class: "study-robot" }, stage.element), draw, dispose: () => (off(), stage.dispose()) };
}
