import type { App } from "../../core/app";
import { button } from "../../core/widgets";

const PERIOD = 4; // [s] there and back

export interface Swing {
  element: HTMLButtonElement;
  stop(): void;
}

/** A ▶ that moves a value to and fro between two ends, from where it is, until it is pressed again. */
export function swing(app: App, label: string, ends: () => [number, number], now: () => number, move: (value: number) => void): Swing {
  let frame = 0,
    over = (): void => undefined;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    frame = 0;
    over();
    show();
  };
  const start = (): void => {
    const [low, high] = ends(),
      middle = (low + high) / 2,
      reach = (high - low) / 2 || 1;
    const phase = Math.asin(Math.max(-1, Math.min(1, (now() - middle) / reach)));
    let begun = 0;
    over = app.lasting();
    const tick = (time: number): void => {
      begun ||= time;
      move(middle + reach * Math.sin(phase + (2 * Math.PI * (time - begun)) / 1000 / PERIOD));
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    show();
  };
  const element = button("▶", () => (frame ? stop() : start()), "quiet");
  const show = (): void => {
    element.textContent = frame ? "❚❚" : "▶";
    element.setAttribute("aria-label", frame ? `stop ${label}` : `move ${label} to and fro`);
    element.title = element.getAttribute("aria-label") ?? "";
  };
  element.classList.add("swing");
  show();
  return { element, stop };
}
