import { el, oncePerFrame, say } from "../core/dom";
import { Puppet } from "../core/puppet";
import type { Stage, Window } from "../core/stage";
import { branchPictures } from "../core/thumbnails";
import { segmented, select, tick } from "../core/widgets";
import { Ghosts } from "../screens/explore/ghosts";
import { driveHandle, tipHandle, turnHandle } from "../screens/explore/handles";
import { Marks } from "../screens/explore/marks";
import { readExercise, Task } from "./exercise";
import { LocalMap, NAMES, QUANTITIES, type Quantity } from "./map";
import { embeddedRun, liveMotion } from "./motion";
import type { OfflineApp } from "./offline";
import { panel } from "./panel";

/** A robot of the plane: drawn to scale over its map, dragged, switched, let go. */
export function plane(root: HTMLElement, app: OfflineApp): { puppet: Puppet; stage: Stage; map: LocalMap } {
  const { told } = app.robot.value;
  const puppet = new Puppet(app);
  const stage = app.stage({ label: `${told.name}, drawn to scale${told.closed ? "; drag the tip or a drive" : ""}` });
  const note = el("div", { class: "note-box", role: "status" });
  stage.corner.append(note);
  const robot = stage.linkage("robot"),
    ghosts = new Ghosts(stage, puppet),
    marks = new Marks(stage, puppet);
  const drives = puppet.mover ? (told.scene?.drives ?? []) : [];
  const handles = [
    ...drives.map((drive, i) => driveHandle(stage, puppet, drive, i)),
    ...(puppet.mover ? [tipHandle(stage, puppet)] : []),
    ...(puppet.mover && told.scene?.plate ? [turnHandle(stage, puppet)] : []),
  ];
  const map = new LocalMap(
    app.told,
    stage,
    () => app.robot.value,
    () => ({ working: puppet.pose.value.working, third: puppet.pose.value.x[2] ?? 0 }),
  );
  const tools = branchTools(app, puppet, () => draw());
  const played = embeddedRun(app, puppet, () => undefined);
  const asked = readExercise(location.hash, app.robot.value),
    task = asked && new Task(asked, puppet);
  if (task) stage.layers.marks.append(task.mark);
  const side = panel(app, puppet, ...(task ? [task.element] : []), ...(played ? [played] : []), liveMotion(app, puppet));
  const draw = oncePerFrame(() => {
    const pose = puppet.pose.value;
    robot.show(puppet.points(pose), pose.x);
    if (puppet.mover) ghosts.draw();
    marks.draw();
    for (const handle of handles) handle();
    tools.show();
    side.show();
    say(note, puppet.stop.value?.why ?? "");
    note.hidden = puppet.stop.value === null;
    map.want();
    task?.judge();
    task?.draw((p) => stage.toScreen(p));
  });
  const chosen = QUANTITIES.find((name) => name === app.setting<string>("map", "condition")) ?? "condition";
  const shows = [
    told.planar_map &&
      select({ label: "Map", values: QUANTITIES, value: chosen, text: (name: Quantity) => NAMES[name], choose: (name) => (app.keep("map", name), map.choose(name)) }).element,
    puppet.mover?.complete && tick("Branches", true, (on) => ((ghosts.shown = on), draw())).element,
    told.closed && tick("Ellipses", true, (on) => ((marks.ellipses = on), draw())).element,
  ].filter((part): part is HTMLElement => part instanceof HTMLElement);
  root.append(
    el("div", { class: "workbench" }, el("div", { class: "tools" }, ...tools.elements, el("span", { class: "spacer" }), ...shows, map.busy), stage.element, side.element),
  );
  puppet.pose.listen(draw);
  puppet.stop.listen(draw);
  puppet.facts.listen(() => (side.show(), marks.draw()));
  app.robot.listen(draw);
  stage.onView(draw);
  stage.fit(told.window as Window);
  if (told.planar_map) map.choose(chosen);
  draw();
  return { puppet, stage, map };
}

/** Buttons of every branch by its name. */
export function branchTools(app: OfflineApp, puppet: Puppet, redraw: () => void): { elements: HTMLElement[]; show(): void } {
  if (!puppet.mover?.complete) return { elements: [], show: () => undefined };
  const pretty = (name: string): string => name.replaceAll("-", "−");
  const find = (kind: "working" | "assembly", name: string): void => {
    const found = puppet.others().find((o) => o.kind === kind && o.pose[kind] === name);
    if (found) puppet.switchTo(found.pose);
    else redraw(); // the button goes back
  };
  const pictures = branchPictures(puppet);
  const working = segmented({
    label: "Working",
    values: [],
    value: null,
    text: pretty,
    picture: (name) => pictures.of("working", name),
    title: (name) => `working mode ${name}: the side to which each leg bends`,
    choose: (name) => find("working", name),
  });
  const assembly = segmented({
    label: "Assembly",
    values: [],
    value: null,
    text: pretty,
    picture: (name) => pictures.of("assembly", name),
    title: (name) => `assembly mode ${name}: another pose with the same drives`,
    choose: (name) => find("assembly", name),
  });
  const legs = app.kernels.robot.legs.filter((leg) => leg.sign !== 0).length;
  const modes = Array.from({ length: 2 ** legs }, (_, k) => Array.from({ length: legs }, (_, i) => ((k >> (legs - 1 - i)) & 1 ? "-" : "+")).join("") || "+");
  const show = (): void => {
    const pose = puppet.pose.value,
      others = puppet.others();
    const names = [...new Set([pose.assembly, ...others.filter((o) => o.kind === "assembly").map((o) => o.pose.assembly)])].filter(Boolean);
    working.offer(modes, (name) => name === pose.working || others.some((o) => o.kind === "working" && o.pose.working === name));
    working.show(pose.working);
    assembly.offer(names.sort());
    assembly.show(pose.assembly);
    pictures.show();
  };
  return { elements: [...(legs ? [working.element] : []), assembly.element], show };
}
