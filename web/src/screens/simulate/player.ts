import { el, put, say } from "../../core/dom";
import { fixed } from "../../core/numbers";
import { reducedMotion } from "../../core/theme";
import { button } from "../../core/widgets";
import { icon } from "./icons";

export interface Player {
  element: HTMLElement;
  readonly at: number;
  readonly playing: boolean;
  /** A motion of so many seconds; it begins to play where motion is welcome. */
  load(duration: number, begin?: boolean): void;
  /** Go to an instant; `quiet` leaves playing as it is. */
  seek(at: number, quiet?: boolean): void;
  play(): void;
  pause(): void;
  dispose(): void;
}

const SPEEDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4];
const SHORTEST = 1.5; // [s] that a motion takes on the screen, unless another speed is chosen
const STEPS = 1000; // of the slider

/** Play, pause, scrub and speed; `moved` hears every instant that is shown. */
export function player(moved: (at: number) => void): Player {
  let duration = 0,
    at = 0,
    speed = 1,
    frame = 0,
    before = 0,
    playing = false;
  const toggle = button("", () => (playing ? pause() : play()), "primary");
  const first = named(
    button("", () => seek(0), "quiet"),
    "To the beginning",
  );
  const last = named(
    button("", () => seek(duration), "quiet"),
    "To the end",
  );
  first.append(icon("first"));
  last.append(icon("last"));
  const bar = el("input", { type: "range", min: 0, max: STEPS, step: 1, value: 0, "aria-label": "time", class: "time" });
  const clock = el("output", { class: "clock", "aria-live": "off" }, "0.00 s");
  const rate = el("select", { "aria-label": "speed" }, ...SPEEDS.map((s) => el("option", { value: s }, s < 0.1 ? `1/${Math.round(1 / s)}×` : `${s}×`)));
  rate.value = "1";
  rate.addEventListener("change", () => (speed = Number(rate.value)));
  bar.addEventListener("input", () => seek((duration * Number(bar.value)) / STEPS));
  const element = el("div", { class: "player", role: "group", "aria-label": "playback" }, first, toggle, last, rate, bar, clock);

  const show = (): void => {
    const step = String(duration ? Math.round((at / duration) * STEPS) : 0);
    if (bar.value !== step) bar.value = step;
    put(bar, "aria-valuetext", `${fixed(at, 2)} of ${fixed(duration, 2)} seconds`);
    const digits = duration < 0.2 ? 4 : duration < 2 ? 3 : 2;
    say(clock, `${fixed(at, digits)} / ${fixed(duration, digits)} s`);
    if (toggle.getAttribute("aria-label") !== (playing ? "Pause" : "Play")) toggle.replaceChildren(icon(playing ? "pause" : "play"));
    named(toggle, playing ? "Pause" : "Play");
  };
  const tick = (now: number): void => {
    if (!playing) return;
    at = Math.min(duration, at + ((now - before) / 1000) * speed);
    before = now;
    if (at >= duration) playing = false;
    else frame = requestAnimationFrame(tick);
    show();
    moved(at);
  };
  const play = (): void => {
    if (!duration || playing) return;
    if (at >= duration) at = 0;
    playing = true;
    before = performance.now();
    frame = requestAnimationFrame(tick);
    show();
  };
  const pause = (): void => {
    playing = false;
    cancelAnimationFrame(frame);
    show();
  };
  const seek = (to: number, quiet = false): void => {
    if (!quiet) pause();
    at = Math.min(duration, Math.max(0, to));
    show();
    moved(at);
  };
  const enable = (on: boolean): void => {
    for (const control of [first, toggle, last, rate, bar]) control.disabled = !on;
  };
  enable(false);
  show();
  return {
    element,
    get at() {
      return at;
    },
    get playing() {
      return playing;
    },
    load: (length, begin = true) => {
      pause();
      duration = length;
      if (length > 0 && length < 0.2 * SHORTEST) {
        speed = [...SPEEDS].reverse().find((s) => length / s >= SHORTEST) ?? SPEEDS[0] ?? 1; // a run of milliseconds can be watched
        rate.value = String(speed);
      }
      enable(length > 0);
      seek(0);
      if (begin && !reducedMotion()) play();
    },
    seek,
    play,
    pause,
    dispose: pause,
  };
}

function named(element: HTMLButtonElement, label: string): HTMLButtonElement {
  if (element.getAttribute("aria-label") !== label) {
    element.setAttribute("aria-label", label);
    element.title = label;
  }
  return element;
}
