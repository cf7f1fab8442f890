import type { App } from "../core/app";
import { afterPause, el, oncePerFrame, say } from "../core/dom";
import { Mapping, QUANTITIES, quantityName, type Quantity } from "../core/mapping";
import { signs } from "../core/numbers";
import { Puppet } from "../core/puppet";
import type { Window } from "../core/stage";
import { segmented, select, tick } from "../core/widgets";
import type { AtAnswer } from "../messages";
import { driveHandle, tipHandle, turnHandle } from "./explore/handles";
import { Ghosts } from "./explore/ghosts";
import { inspector } from "./explore/inspector";
import { Marks } from "./explore/marks";
import { hasPaths, PathTool } from "./explore/path";

const SETTLED = 50; // [ms] without an answer: until then the models' numbers are shown in the frames that move the robot

/** Drag the robot; see every branch, the map, the models and what stops it. */
export function mount(root: HTMLElement, app: App): () => void {
  const told = app.robot.value.told;
  const puppet = new Puppet(app);
  const stage = app.stage({ label: `${told.name}, drawn to scale; drag the tip or a drive` });
  const note = el("div", { class: "note-box", role: "status" });
  stage.corner.append(note);
  const robot = told.scene ? stage.linkage("robot") : null;
  const ghosts = new Ghosts(stage, puppet), marks = new Marks(stage, puppet);
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
  const panel = inspector(app, stage, puppet, path ? [path.section] : []);
  const modes = tools(app, puppet, ghosts, marks, mapping, () => draw());
  root.append(el("div", { class: "workbench" }, modes.element, el("div", { class: "theatre" }, stage.element, path?.row), panel.element));

  let mapped = "", known: AtAnswer | null = null;
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
    marks.draw();
    path?.draw();
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
    puppet.dispose();
    stage.dispose();
  };
}

const chosen = (app: App): Quantity => QUANTITIES.find((q) => q === app.setting<string>("map", "condition")) ?? "condition";

/** Above the stage: branches by name, the map, what is shown. */
function tools(app: App, puppet: Puppet, ghosts: Ghosts, marks: Marks, mapping: Mapping, draw: () => void): { element: HTMLElement; show(): void } {
  const told = app.robot.value.told;
  const find = (kind: "working" | "assembly", name: string): void => {
    const found = puppet.others().find((o) => o.kind === kind && o.pose[kind] === name);
    if (found) puppet.switchTo(found.pose);
    else draw(); // the button goes back
  };
  const working = segmented({ label: "Working", values: told.working, value: null, text: signs, title: (name) => `working mode ${name}: the side to which each leg bends`, choose: (name) => find("working", name) });
  const assembly = segmented({ label: "Assembly", values: told.assembly, value: null, text: signs, title: (name) => `assembly mode ${name}: another pose with the same drives`, choose: (name) => find("assembly", name) });
  const map = select({ label: "Map", values: told.planar_map ? QUANTITIES : (["none"] as const), value: told.planar_map ? chosen(app) : "none", text: quantityName, choose: (quantity) => (app.keep("map", quantity), mapping.choose(quantity)) });
  ghosts.shown = app.setting("ghosts", true);
  marks.ellipses = app.setting("ellipses", true);
  const others = tick("Branches", ghosts.shown, (on) => (app.keep("ghosts", on), (ghosts.shown = on), draw()));
  const ellipses = tick("Ellipses", marks.ellipses, (on) => (app.keep("ellipses", on), (marks.ellipses = on), draw()));
  const looks = told.linkage ? [el("span", { class: "soft" }, "A linkage: its drives need not decide where it is, so there are no branches and no maps.")] : [told.planar_map && map.element, others.element, ellipses.element];
  const parts = [told.working.length > 0 && working.element, told.assembly.length > 0 && assembly.element, el("span", { class: "spacer" }), ...looks];
  return {
    element: el("div", { class: "tools" }, ...parts),
    show: () => {
      const pose = puppet.pose.value, all = puppet.others();
      working.offer(told.working, (name) => name === pose.working || all.some((o) => o.kind === "working" && o.pose.working === name));
      working.show(pose.working);
      const names = [...new Set([pose.assembly, ...all.filter((o) => o.kind === "assembly").map((o) => o.pose.assembly)])].filter(Boolean);
      assembly.offer([...new Set([...(names.some((n) => n.length > 1) ? [] : told.assembly), ...names])].sort(), (name) => names.includes(name));
      assembly.show(pose.assembly);
    },
  };
}
