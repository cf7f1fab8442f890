import type { App } from "../../core/app";
import { el } from "../../core/dom";
import { copy } from "../../core/taking";
import { button } from "../../core/widgets";
import type { FileRequest } from "../../messages";

type Format = FileRequest["format"];
const FORMATS: [Format, string, string][] = [
  ["mp4", "MP4", "a film"],
  ["gif", "GIF", "a moving picture"],
  ["npz", "NPZ", "every number, for NumPy"],
  ["csv", "CSV", "every number, as a table"],
  ["png", "PNG", "a figure of the tracking"],
  ["svg", "SVG", "a figure of the tracking, to scale"],
  ["report", "Report", "one page with text, motion and figures"],
];

/** Buttons that take a run away: each makes the file and saves it. */
export function files(app: App, job: () => string | null, python: () => Promise<string>): { element: HTMLElement; enable(on: boolean): void } {
  const buttons = FORMATS.map(([format, text, about]) => {
    const made = button(text, () => void take(format, made), "quiet", about);
    made.disabled = true;
    return made;
  });
  const take = async (format: Format, made: HTMLButtonElement): Promise<void> => {
    const run = job();
    if (!run || made.getAttribute("aria-busy") === "true") return;
    made.setAttribute("aria-busy", "true");
    try {
      const { url, name } = await app.ask("file", { job: run, format });
      el("a", { href: url, download: name }).click();
    } catch (error) {
      app.toast((error as Error).message, "error");
    } finally {
      made.removeAttribute("aria-busy");
    }
  };
  const code = button("Python", () => void give(), "quiet", "copy as a Python script");
  const give = async (): Promise<void> => {
    try {
      const text = await python();
      app.toast((await copy(text)) ? "Copied as Python." : "The browser did not allow copying.");
    } catch (error) {
      app.toast((error as Error).message, "error");
    }
  };
  const link = button("Link", () => void copy(app.permanentLink()).then((done) => app.toast(done ? "The link is on the clipboard." : "The browser did not allow copying.")), "quiet", "copy a link to this screen");
  const element = el("div", { class: "row files", role: "group", "aria-label": "take away" }, ...buttons, code, link);
  const enable = (on: boolean): void => {
    for (const made of buttons) made.disabled = !on;
  };
  return { element, enable };
}
