import type { App } from "../core/app";
import { afterPause, el, oncePerFrame, say } from "../core/dom";
import { hasDynamics } from "../core/live";
import { loose } from "../core/loose";
import { Mapping, QUANTITIES, type Quantity, quantityName } from "../core/mapping";
import { Puppet } from "../core/puppet";
import type { Stage, Window } from "../core/stage";
import { stagePng, stageSvg } from "../core/taking";
import { section, select, tick } from "../core/widgets";
import type { AtAnswer } from "../messages";
import { branchTools } from "./explore/branches";
import { Curves } from "./explore/curves";
import { Ghosts } from "./explore/ghosts";
import { driveHandle, tipHandle, turnHandle } from "./explore/handles";
import { hints } from "./explore/hints";
import { inspector } from "./explore/inspector";
import { jointSpace } from "./explore/jointspace";
import { Marks } from "./explore/marks";
import { hasPaths, PathTool } from "./explore/path";
import { Efforts, springs } from "./explore/touch";
import { Trace } from "./explore/trace";
import type { Ways } from "./explore/ways";
import "./explore/singular.css";

const SETTLED = 50; // [ms] without an answer: until then the models' numbers are shown in the frames that move the robot

/** Drag the robot; see every branch, the map, singular curves in both spaces, the models and what stops it; ways from S to E. */
export function mount(root: HTMLElement, app: App): () => void {
  const told = app.robot.value.told;
  const puppet = new Puppet(app);
  const stage = app.stage({ label: `${told.name}, drawn to scale; drag the tip or a drive` });
  const note = el("div", { class: "note-box", role: "status" });
  stage.corner.append(note);
  const robot = told.scene ? stage.linkage("robot") : null;
  const ghosts = new Ghosts(stage, puppet),
    marks = new Marks(stage, puppet);
  const path = hasPaths(told) ? new PathTool(app, stage, puppet) : null; // its squares lie under the robot's handles
  const handles = told.scene
    ? [
        ...told.scene.drives.map((drive, i) => driveHandle(stage, puppet, drive, i)),
        ...(told.x.length ? [tipHandle(stage, puppet)] : []),
        ...(told.scene.plate ? [turnHandle(stage, puppet)] : []),
      ]
    : [];
  const about = (): { working: string; orientation: number | null } => ({ working: puppet.pose.value.working, orientation: puppet.pose.value.x[2] ?? null });
  const mapping = new Mapping(app, stage, about);
  const trace = new Trace(stage, puppet);
  const curves = told.planar_map ? new Curves(app, stage, puppet) : null;
  const joints = jointSpace(app, stage, puppet, curves);
  const ways = told.planar_map ? waysOf(app, stage, puppet) : null;
  const free = told.closed && puppet.mover && hasDynamics(app.robot.value) ? loose(app, puppet) : null;
  const touch = free && new Efforts(stage, puppet, free),
    hand = free ? springs(stage, puppet, free) : () => undefined;
  const panel = inspector(app, { png: () => stagePng(stage, told.name), svg: () => stageSvg(stage, told.name) }, puppet, [
    ...(joints ? [section("Joint space", true, joints.element)] : []),
    ...(curves ? [section("Singular curves and aspects", true, curves.element, mapping.areas)] : []),
    ...(path ? [path.section] : []),
    ...(ways ? [ways.section] : []),
    ...(free ? [section("Let it move", false, free.element)] : []),
  ]);
  const modes = tools({ app, puppet, ghosts, marks, mapping, trace }, () => draw());
  root.append(el("div", { class: "workbench" }, modes.element, el("div", { class: "theatre" }, stage.element, path?.row), panel.element));

  const asked = app.setting<string>("working", ""); // of links to the screen that singularities once had
  const other = asked && puppet.others().find(({ kind, pose }) => kind === "working" && pose.working === asked);
  if (other) puppet.switchTo(other.pose);
  const first = told.closed && !told.linkage && puppet.mover?.complete ? hints(app, stage, puppet) : null;
  let mapped = "",
    known: AtAnswer | null = null;
  const know = (): void => {
    if (known === puppet.facts.value) return;
    known = puppet.facts.value;
    panel.facts();
  };
  const draw = oncePerFrame(() => {
    const pose = puppet.pose.value;
    robot?.show(puppet.points(pose), pose.x);
    if (told.scene) ghosts.draw();
    know();
    first?.see();
    marks.draw();
    path?.draw();
    if (!puppet.stop.value) curves?.draw();
    joints?.draw();
    trace.draw();
    touch?.draw();
    for (const handle of handles) handle();
    panel.pose();
    modes.show();
    say(note, puppet.stop.value?.why ?? "");
    note.hidden = puppet.stop.value === null;
    const key = `${pose.working} ${(pose.x[2] ?? 0).toFixed(3)}`;
    if (key !== mapped) {
      mapped = key;
      mapping.want();
    }
  });
  const settled = afterPause(SETTLED, draw);
  const ends = [
    puppet.pose.listen(draw),
    puppet.stop.listen(draw),
    puppet.found.listen(draw),
    puppet.facts.listen(settled),
    app.robot.listen(() => (panel.values(), draw())),
    stage.onView(draw),
  ];
  stage.fit(told.window as Window);
  mapping.choose(told.planar_map ? chosen(app) : "none");
  draw();
  panel.facts();
  return () => {
    settled.cancel();
    for (const end of ends) end();
    mapping.dispose();
    path?.dispose();
    joints?.dispose();
    curves?.dispose();
    ways?.dispose();
    panel.dispose();
    hand();
    free?.dispose();
    puppet.dispose();
    stage.dispose();
  };
}

const chosen = (app: App): Quantity => QUANTITIES.find((q) => q === app.setting<string>("map", "condition")) ?? "condition";

/** The ways from S to E, in a section that is fetched when it is first opened; closed, S, E and obstacles are off the stage. */
function waysOf(app: App, stage: Stage, puppet: Puppet): { section: HTMLElement; dispose(): void } {
  const place = el("div"),
    made = section("From S to E: examine, plan, cross", app.setting("ways", false), place);
  let ways: Ways | null = null,
    over = false;
  const follow = async (): Promise<void> => {
    const { Ways: Made } = await import("./explore/ways");
    if (over || made.open === (ways !== null)) return;
    ways?.dispose();
    ways = made.open ? new Made(app, stage, puppet) : null;
    place.replaceChildren(...(ways ? [ways.element] : []));
  };
  made.addEventListener("toggle", () => {
    if (made.open !== app.setting("ways", false)) app.keep("ways", made.open);
    void follow();
  });
  if (made.open) void follow();
  return { section: made, dispose: () => ((over = true), ways?.dispose()) };
}

interface Shown {
  app: App;
  puppet: Puppet;
  ghosts: Ghosts;
  marks: Marks;
  mapping: Mapping;
  trace: Trace;
}

/** Above the stage: branches by name, the map, what is shown. */
function tools({ app, puppet, ghosts, marks, mapping, trace }: Shown, draw: () => void): { element: HTMLElement; show(): void } {
  const told = app.robot.value.told;
  const branches = branchTools(app, puppet, draw);
  const map = select({
    label: "Map",
    values: told.planar_map ? QUANTITIES : (["none"] as const),
    value: told.planar_map ? chosen(app) : "none",
    text: quantityName,
    choose: (quantity) => (app.keep("map", quantity), mapping.choose(quantity)),
  });
  ghosts.shown = app.setting("ghosts", true);
  marks.ellipses = app.setting("ellipses", true);
  const others = tick("Branches", ghosts.shown, (on) => (app.keep("ghosts", on), (ghosts.shown = on), draw()));
  const ellipses = tick("Ellipses", marks.ellipses, (on) => (app.keep("ellipses", on), (marks.ellipses = on), draw()));
  const looks = told.linkage
    ? [el("span", { class: "soft" }, "A linkage: its drives need not decide where it is, so there are no branches and no maps."), trace.element]
    : [trace.element, told.planar_map && map.element, others.element, ellipses.element];
  return { element: el("div", { class: "tools" }, ...branches.elements, el("span", { class: "spacer" }), ...looks), show: branches.show };
}
