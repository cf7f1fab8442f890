import type { RobotAnswer } from "../messages";
import { type App, type StudioApp, sameStructure } from "./app";
import { badge } from "./badge";
import { el, say } from "./dom";
import { ownRobots } from "./keeping";
import type { ScreenName } from "./link";
import { seat } from "./seat";
import { theme, toggleTheme } from "./theme";

export type Mount = (root: HTMLElement, app: App) => () => void;
export interface ScreenEntry {
  title: string;
  load(): Promise<{ mount: Mount }>;
  fits(told: RobotAnswer): boolean; // whether it shows this robot
  whom: string; // which robots it shows, said where it does not fit
}

/** The frame around the screens: robot, tabs, connection, theme; mounts one screen at a time. */
export function shell(root: HTMLElement, app: StudioApp, screens: Record<ScreenName, ScreenEntry>): void {
  const main = el("main", { id: "screen", tabindex: "-1" });
  const tabs = new Map<ScreenName, HTMLAnchorElement>();
  const nav = el("nav", { "aria-label": "screens" });
  for (const [name, entry] of Object.entries(screens) as [ScreenName, ScreenEntry][]) {
    const tab = el("a", { href: "#", onclick: (event: MouseEvent) => (event.preventDefault(), tab.getAttribute("aria-disabled") === "true" || app.go(name)) }, entry.title);
    tabs.set(name, tab);
    nav.append(tab);
  }
  const skip = el("a", { class: "skip", href: "#screen", onclick: (event: MouseEvent) => (event.preventDefault(), main.focus()) }, "Skip to the screen");
  const header = el(
    "header",
    { class: "bar" },
    el("h1", {}, el("span", { class: "mark", "aria-hidden": "true" }), "closedchain"),
    robotSelect(app),
    badge(app),
    nav,
    stepButtons(app),
    connectionLamp(app),
    themeButton(),
  );
  root.replaceChildren(skip, header, main, veil(app, main));
  mountScreens(app, screens, main, tabs);
}

const WRITE = "closedchain:write",
  OWN = "own:",
  FILE = "file:";

/** The list of robots: those that come with the package, one's own, and the workspace's files. */
function robotSelect(app: StudioApp): HTMLElement {
  const select = el("select", { id: "robot", "aria-label": "robot" });
  let files: string[] = [];
  const group = (label: string, rows: [string, string][]): HTMLElement | false =>
    rows.length > 0 && el("optgroup", { label }, ...rows.map(([value, text]) => el("option", { value }, text)));
  const fill = (): void => {
    const { ref, told } = app.robot.value;
    const names = app.hello.value.robots.flatMap((row) => [row.name, ...row.presets]);
    const groups = [
      group(
        "Yours",
        ownRobots.value.map(({ name }) => [OWN + name, `${name} (own)`]),
      ),
      group(
        "Workspace",
        files.map((name) => [FILE + name, name]),
      ),
      group(
        "Robots",
        names.map((name) => [name, name]),
      ),
      group("New", [[WRITE, "Write or build one…"]]),
    ];
    select.replaceChildren(...groups.filter((row) => row !== false));
    select.value = ref.toml ? OWN + told.name : (ref.source ?? "");
    select.title = told.about;
  };
  const choose = async (value: string): Promise<void> => {
    const own = ownRobots.value.find(({ name }) => OWN + name === value);
    try {
      if (value === WRITE) app.go("define");
      else if (own) await app.open({ source: null, toml: own.toml, values: {} });
      else if (value.startsWith(FILE)) await app.open({ source: null, toml: (await app.ask("read", { name: value.slice(FILE.length) })).text, values: {} });
      else await app.open({ source: value, toml: null, values: {} });
    } catch (error) {
      app.toast((error as Error).message, "error");
    }
    fill();
  };
  const list = async (): Promise<void> => {
    files = await app.ask("files", {}).then(
      ({ robots }) => robots,
      () => files,
    );
    fill();
  };
  select.addEventListener("change", () => void choose(select.value));
  app.robot.follow(fill);
  ownRobots.listen(fill);
  app.hello.follow(() => void list());
  app.files.listen(() => void list());
  return select;
}

/** Over the screen while another robot is on its way: what is seen is still the one before. */
function veil(app: StudioApp, main: HTMLElement): HTMLElement {
  const words = el("p", { role: "status" }),
    element = el("div", { class: "veil", hidden: true }, words);
  app.opening.listen((name) => {
    element.hidden = name === null;
    main.toggleAttribute("inert", name !== null);
    say(words, name === null ? "" : `Opening ${name}…`);
  });
  return element;
}

/** Take back and again what was done, whatever the screen. */
function stepButtons(app: StudioApp): HTMLElement {
  const made = (text: string, label: string, press: () => void): HTMLButtonElement =>
    el("button", { type: "button", class: "quiet", title: label, "aria-label": label, onclick: press }, text);
  const undo = made("↶", "Undo (Ctrl+Z)", () => app.undo()),
    redo = made("↷", "Redo (Ctrl+Shift+Z)", () => app.redo());
  app.steps.follow((can) => {
    undo.disabled = !can.undo;
    redo.disabled = !can.redo;
  });
  return el("span", { class: "steps", role: "group", "aria-label": "steps" }, undo, redo);
}

function connectionLamp(app: StudioApp): HTMLElement {
  const lamp = el("span", { class: "lamp", role: "status" });
  app.link.follow((link) => {
    lamp.dataset.link = link;
    say(lamp, link === "open" ? "connected" : link === "refused" ? "restarted: open its new address" : "reconnecting…");
  });
  return lamp;
}

function themeButton(): HTMLElement {
  const made = el("button", { type: "button", class: "quiet", onclick: toggleTheme });
  theme.follow((value) => {
    say(made, value === "dark" ? "☀" : "☾");
    made.setAttribute("aria-label", value === "dark" ? "Light colours" : "Dark colours");
    made.title = made.getAttribute("aria-label") ?? "";
  });
  return made;
}

function mountScreens(app: StudioApp, screens: Record<ScreenName, ScreenEntry>, main: HTMLElement, tabs: Map<ScreenName, HTMLAnchorElement>): void {
  let dispose: () => void = () => undefined;
  let turn = 0;
  const mount = async (): Promise<void> => {
    const mine = ++turn;
    const { told } = app.robot.value;
    const wanted = screens[app.state.value.screen].fits(told) ? app.state.value.screen : told.dimension === 3 ? "space" : "explore";
    if (wanted !== app.state.value.screen) {
      app.go(wanted); // comes back here
      return;
    }
    for (const [name, tab] of tabs) {
      const on = name === wanted;
      if (on) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
      const fits = screens[name].fits(told);
      if (fits) tab.removeAttribute("aria-disabled");
      else tab.setAttribute("aria-disabled", "true");
      tab.title = fits ? "" : screens[name].whom;
    }
    const loaded = await screens[wanted].load();
    if (mine !== turn) return;
    dispose();
    const root = el("div", { class: `screen ${wanted}` });
    main.replaceChildren(root);
    document.title = `${app.robot.value.told.name} · ${screens[wanted].title} · closedchain`;
    const { app: own, leave } = seat(app);
    const end = loaded.mount(root, own);
    dispose = () => (leave(), end());
  };
  app.state.listen((next, before) => next.screen !== before.screen && void mount());
  app.robot.listen((next, before) => !sameStructure(next.ref, before.ref) && void mount());
  app.travelled.listen(() => void mount());
  void mount();
}
