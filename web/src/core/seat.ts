import { type App, type StudioApp, sameStructure } from "./app";
import type { View } from "./link";
import { Stage } from "./stage";
import { Store } from "./store";

/** The app as one screen has it: its robot takes other values, but never becomes another one, however late an answer or a frame comes. */
export function seat(studio: StudioApp): { app: App; leave(): void } {
  const robot = new Store(studio.robot.value);
  const leave = studio.robot.listen((next) => sameStructure(next.ref, robot.value.ref) && robot.set(next));
  const { screen } = studio.state.value;
  const view = {
    get value() {
      return studio.state.value.views[screen] ?? null;
    },
    set: (next: View | null) => studio.look(screen, next),
  };
  const app: App = {
    view,
    hello: studio.hello,
    state: studio.state,
    robot,
    link: studio.link,
    runs: studio.runs,
    ask: (op, body) => studio.ask(op, body),
    job: (op, body, told) => studio.job(op, body, told),
    open: (ref, place) => studio.open(ref, place),
    change: (values) => studio.change(values),
    go: (screen) => studio.go(screen),
    setting: (name, otherwise) => studio.setting(name, otherwise),
    keep: (name, value) => studio.keep(name, value),
    lasting: () => studio.lasting(),
    stage: (options) => new Stage(app, options),
    write: (text) => studio.write(text),
    saved: () => studio.saved(),
    permanentLink: () => studio.permanentLink(),
    toast: (message, kind) => studio.toast(message, kind),
  };
  return { app, leave };
}
