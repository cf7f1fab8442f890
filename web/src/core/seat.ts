import { sameStructure, type App, type StudioApp } from "./app";
import { Stage } from "./stage";
import { Store } from "./store";

/** The app as one screen has it: its robot takes other values, but never becomes another one, however late an answer or a frame comes. */
export function seat(studio: StudioApp): { app: App; leave(): void } {
  const robot = new Store(studio.robot.value);
  const leave = studio.robot.listen((next) => sameStructure(next.ref, robot.value.ref) && robot.set(next));
  const app: App = {
    hello: studio.hello,
    state: studio.state,
    robot,
    link: studio.link,
    ask: (op, body) => studio.ask(op, body),
    job: (op, body, told) => studio.job(op, body, told),
    open: (ref, place) => studio.open(ref, place),
    change: (values) => studio.change(values),
    go: (screen) => studio.go(screen),
    setting: (name, otherwise) => studio.setting(name, otherwise),
    keep: (name, value) => studio.keep(name, value),
    stage: (options) => new Stage(app, options),
    permanentLink: () => studio.permanentLink(),
    toast: (message, kind) => studio.toast(message, kind),
  };
  return { app, leave };
}
