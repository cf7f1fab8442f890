import { el, oncePerFrame, say } from "../core/dom";
import { Puppet } from "../core/puppet";
import { SpaceGhosts } from "../core/space/ghosts";
import { gizmo } from "../core/space/gizmo";
import { lead, takeHold } from "../core/space/hand";
import { SpaceMarks } from "../core/space/marks";
import { openSpace } from "../core/space/opening";
import type { SpaceView } from "../core/space/view";
import { tick } from "../core/widgets";
import { readExercise, Task } from "./exercise";
import { embeddedRun, liveMotion } from "./motion";
import type { OfflineApp } from "./offline";
import { panel } from "./panel";
import { branchTools } from "./plane";

/** A robot of space: turned by the pointer, its points dragged, switched, let go. */
export function space(root: HTMLElement, app: OfflineApp): { puppet: Puppet; view: SpaceView } {
  const { told } = app.robot.value;
  const puppet = new Puppet(app);
  if (!told.scene) throw new Error("this robot has nothing to draw");
  const view = openSpace(app, told.scene);
  const note = el("div", { class: "note-box", role: "status" });
  view.corner.append(note);
  const ghosts = new SpaceGhosts(view, puppet),
    marks = told.closed ? new SpaceMarks(view, puppet) : null,
    handles = told.closed ? gizmo(view, puppet) : null;
  const tools = branchTools(app, puppet, () => draw());
  const played = embeddedRun(app, puppet, () => undefined);
  const asked = readExercise(location.hash, app.robot.value),
    task = asked && new Task(asked, puppet);
  if (task) view.marks.append(task.mark);
  const side = panel(app, puppet, ...(task ? [task.element] : []), ...(played ? [played] : []), liveMotion(app, puppet));
  const draw = oncePerFrame(() => {
    view.body("robot", puppet.points());
    ghosts.draw();
    tools.show();
    side.show();
    say(note, puppet.stop.value?.why ?? "");
    note.hidden = puppet.stop.value === null;
    task?.judge();
  });
  const shows = [
    puppet.mover?.complete && tick("Branches", true, (on) => ((ghosts.shown = on), draw())).element,
    marks && tick("Ellipsoids", true, (on) => ((marks.ellipses = on), draw())).element,
  ];
  root.append(
    el(
      "div",
      { class: "workbench" },
      el("div", { class: "tools" }, ...tools.elements, el("span", { class: "spacer" }), ...shows),
      el("div", { class: "space" }, view.element),
      side.element,
    ),
  );
  puppet.pose.listen(draw);
  puppet.stop.listen(draw);
  puppet.facts.listen(() => (side.show(), view.render()));
  app.robot.listen(draw);
  view.onView(() => (marks?.draw(), handles?.draw(), task?.draw((p) => view.toScreen(p))));
  takeHold(view, puppet, { free: () => true, begin: () => undefined, move: (point, to) => lead(view, puppet, point, to), end: () => undefined });
  draw();
  return { puppet, view };
}
