import type { App } from "../core/app";
import { afterPause, el, oncePerFrame } from "../core/dom";
import { scenePoints } from "../core/motion";
import { signs } from "../core/numbers";
import { Puppet } from "../core/puppet";
import { Runner } from "../core/running";
import type { Window } from "../core/stage";
import { section, segmented, tick } from "../core/widgets";
import "../style/singularities.css";
import { handOver } from "./simulate/handover";
import { Curves } from "./singularities/curves";
import { Ends } from "./singularities/ends";
import { Journey } from "./singularities/journey";
import { Line } from "./singularities/line";
import { crossing, planning } from "./singularities/planning";

/** Loci and aspects over the stage; det along a line; plan around singularities, or cross one. */
export function mount(root: HTMLElement, app: App): () => void {
  const { told } = app.robot.value;
  const puppet = new Puppet(app),
    stage = app.stage({ label: `${told.name}: singular curves, drawn to scale` });
  let mode = told.working.find((m) => m === app.setting<string>("working", "")) ?? (puppet.pose.value.working || told.working[0] || "");
  const working = (): string => mode;
  let moving: { q: number[]; x: number[] } | null = null;
  const ends = new Ends(app, stage, puppet);
  const robot = told.scene ? stage.linkage("robot") : null;
  const curves = new Curves(app, stage, () => ({ working: mode, orientation: told.x.length > 2 ? (ends.way.value.start[2] ?? 0) : null }));
  const line = new Line(app, stage, ends, working);
  const runner = new Runner(app),
    journey = new Journey(
      stage,
      (trajectory) => handOver(app, trajectory),
      (at) => {
        moving = at;
        draw();
      },
    );
  const given = { app, stage, ends, runner, journey, working };
  const plan = planning(given),
    cross = crossing({ ...given, goal: () => "" });

  const modes = segmented({
    label: "Working",
    values: told.working,
    value: mode,
    text: signs,
    choose: (name) => ((mode = name), app.keep("working", name), curves.want(), line.want()),
  });
  const loci = tick("Singular curves", (curves.loci = app.setting("loci", true)), (on) => ((curves.loci = on), app.keep("loci", on), curves.want()));
  const aspects = tick("Aspects", (curves.aspects = app.setting("aspects", true)), (on) => ((curves.aspects = on), app.keep("aspects", on), curves.want()));
  const drawing = tick("Draw the line", false, (on) => ((ends.drawing = on), stage.element.classList.toggle("drawing", on)));
  const tools = el(
    "div",
    { class: "tools" },
    told.working.length > 0 && modes.element,
    loci.element,
    aspects.element,
    drawing.element,
    el("span", { class: "spacer" }),
    runner.element,
    journey.element,
  );
  const panel = el(
    "aside",
    { class: "inspector", "aria-label": "inspector" },
    section("Curves and aspects", true, curves.element),
    section("A line from S to E", true, ends.element, line.element),
    section("Plan a path", true, plan.element),
    section("Cross a singularity", true, cross.element),
  );
  root.append(el("div", { class: "workbench" }, tools, stage.element, panel));

  const draw = oncePerFrame(() => {
    const { q, x } = moving ?? puppet.pose.value;
    robot?.show(scenePoints(app.robot.value, q, x), x);
    ends.draw();
    line.draw();
    plan.draw();
    journey.draw();
  });
  let turned = ends.way.value.start[2];
  const aimed = afterPause(30, () => line.want());
  const stops = [
    ends.way.listen((way) => {
      draw();
      aimed();
      if (way.start[2] !== turned) {
        turned = way.start[2];
        curves.want();
      }
    }),
    stage.onView(draw),
    puppet.pose.listen(draw),
    app.link.listen((link) => link === "open" && line.want()),
    app.robot.listen(() => line.want()),
  ];
  stage.fit(told.window as Window);
  line.want();
  draw();
  return () => {
    for (const stop of stops) stop();
    runner.cancel();
    aimed.cancel();
    for (const part of [curves, line, journey, cross, puppet, stage]) part.dispose();
  };
}
