import type { App } from "../../core/app";
import { el } from "../../core/dom";
import { figure, type Sheet } from "../../core/figure";
import { copy, pictured, save } from "../../core/taking";
import { button } from "../../core/widgets";
import type { FileRequest } from "../../messages";
import { csv, type Run } from "./run";

type Format = FileRequest["format"];
const FORMATS: [Format, string, string][] = [
  ["mp4", "MP4", "a film; it is simulated once more for it"],
  ["gif", "GIF", "a moving picture; it is simulated once more for it"],
  ["npz", "NPZ", "every number, for NumPy; it is simulated once more for it"],
  ["report", "Report", "one page with text, motion and figures; it is simulated once more for it"],
];

/** Buttons that take a run away: tables and figures from the numbers on the page, the rest made by the server. */
export function files(app: App, active: () => Run | null, sheets: () => Sheet[], python: () => Promise<string>): { element: HTMLElement; enable(on: boolean): void } {
  const made = FORMATS.filter(([format]) => format !== "mp4" || app.hello.value.video).map(([format, text, about]) => {
    const one = button(text, () => void take(format, one), "quiet", about);
    return one;
  });
  const name = (): string => (active()?.meta.title ?? "run").replace(/[^\w-]+/g, "-").slice(0, 60);
  const draw = (): string => figure(active()?.meta.title ?? "", sheets());
  const here = [
    button("CSV", () => save(`${name()}.csv`, csv(active()), "text/csv"), "quiet", "the numbers on the page, as a table"),
    button(
      "PNG",
      () =>
        void pictured(draw()).then(
          (blob) => save(`${name()}.png`, blob),
          (error: Error) => app.toast(error.message, "error"),
        ),
      "quiet",
      "the plots as a picture",
    ),
    button("SVG", () => save(`${name()}.svg`, draw(), "image/svg+xml"), "quiet", "the plots as shapes"),
  ];
  const buttons = [...made, ...here];
  for (const one of buttons) one.disabled = true;
  const take = async (format: Format, one: HTMLButtonElement): Promise<void> => {
    const run = active()?.meta.job;
    if (!run || one.getAttribute("aria-busy") === "true") return;
    one.setAttribute("aria-busy", "true");
    try {
      const { url, name: file } = await app.ask("file", { job: run, format });
      el("a", { href: url, download: file }).click();
    } catch (error) {
      app.toast((error as Error).message, "error");
    } finally {
      one.removeAttribute("aria-busy");
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
  const link = button(
    "Link",
    () => void copy(app.permanentLink()).then((done) => app.toast(done ? "The link is on the clipboard." : "The browser did not allow copying.")),
    "quiet",
    "copy a link to this screen",
  );
  const element = el("div", { class: "row files", role: "group", "aria-label": "take away" }, ...buttons, code, link);
  const enable = (on: boolean): void => {
    for (const one of buttons) one.disabled = !on;
  };
  return { element, enable };
}
