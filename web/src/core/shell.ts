import type { RobotAnswer } from "../messages";
import { sameStructure, type App, type StudioApp } from "./app";
import { badge } from "./badge";
import { el, say } from "./dom";
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
  const header = el("header", { class: "bar" }, el("h1", {}, el("span", { class: "mark", "aria-hidden": "true" }), "closedchain"), robotSelect(app), badge(app), nav, connectionLamp(app), themeButton());
  root.replaceChildren(skip, header, main);
  mountScreens(app, screens, main, tabs);
}

function robotSelect(app: StudioApp): HTMLElement {
  const select = el("select", { id: "robot", "aria-label": "robot" });
  const fill = (): void => {
    const { ref, told } = app.robot.value;
    const names = app.hello.value.robots.flatMap((row) => [row.name, ...row.presets]);
    const own = !ref.source || !names.includes(ref.source);
    select.replaceChildren(
      ...names.map((name) => el("option", { value: name }, name)),
      ...(own ? [el("option", { value: "" }, `${told.name} (own)`)] : []),
    );
    select.value = own ? "" : (ref.source ?? "");
    select.title = told.about;
  };
  select.addEventListener("change", () => void app.open({ source: select.value, toml: null, values: {} }).then(fill));
  app.robot.follow(fill);
  app.opening.listen((busy) => select.toggleAttribute("aria-busy", busy));
  return select;
}

function connectionLamp(app: StudioApp): HTMLElement {
  const lamp = el("span", { class: "lamp", role: "status" });
  app.link.follow((link) => {
    lamp.dataset["link"] = link;
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
  void mount();
}
