import "./storage"; // first: the theme remembers
import { el, say } from "../core/dom";
import type { Kernels } from "../core/kernels";
import { theme, toggleTheme } from "../core/theme";
import "../style/base.css";
import "../style/widgets.css";
import "../style/stage.css";
import "../style/screens.css";
import "./explorable.css";
import { embed } from "./embedding";
import { OfflineApp } from "./offline";
import { plane } from "./plane";
import { space } from "./space";
import type { Told } from "./told";

declare const closedchainKernels: Kernels; // the script before this one

function themeButton(): HTMLElement {
  const made = el("button", { type: "button", class: "quiet", onclick: toggleTheme });
  theme.follow((value) => {
    say(made, value === "dark" ? "☀" : "☾");
    made.setAttribute("aria-label", value === "dark" ? "Light colours" : "Dark colours");
    made.title = made.getAttribute("aria-label") ?? "";
  });
  return made;
}

function begin(): void {
  const told = JSON.parse(document.getElementById("told")?.textContent ?? "{}") as Told;
  const app = new OfflineApp(told, closedchainKernels);
  const root = document.getElementById("app") as HTMLElement;
  const main = el("main", { id: "screen", tabindex: "-1" });
  const { name, about } = app.robot.value.told;
  const made = el("span", { class: "soft small made" }, `closedchain ${told.version}`);
  root.replaceChildren(el("header", { class: "bar explorable" }, el("h1", {}, name), el("p", { class: "soft about", title: about }, about), made, themeButton()), main);
  const parts = told.dimension === 3 ? space(main, app) : plane(main, app);
  embed(app, parts.puppet);
  Object.assign(window, { explorable: { app, ...parts } }); // for the console and for tests
}

begin();
