import type { RobotRef } from "../messages";

export const SCREENS = ["explore", "simulate", "verify", "define", "lab", "space", "study"] as const;
export type ScreenName = (typeof SCREENS)[number];

/** One's work: which screen, which robot, where it stands, each screen's settings; the address tells these. Besides, what is written and seen. */
export interface StudioState {
  screen: ScreenName;
  robot: RobotRef;
  q: number[] | null;
  x: number[] | null;
  settings: Partial<Record<ScreenName, Record<string, unknown>>>;
  text: string | null; // of Define, where it is not that of the robot
  views: Partial<Record<ScreenName, View>>; // what a stage shows, where it was moved
}

/** The middle of a stage [m], and its scale [px/m]. */
export type View = [number, number, number];

const OF_A_ROBOT: Partial<Record<string, string[]>> = {
  explore: ["path", "way", "obstacles", "held"],
  simulate: ["changes"],
  study: ["first", "second", "vary 1", "vary 2"],
};

/** Settings without places and paths, which mean nothing to another robot. */
export function forAnother(settings: StudioState["settings"]): StudioState["settings"] {
  const kept = (screen: string, held: Record<string, unknown>) => Object.entries(held).filter(([name]) => !OF_A_ROBOT[screen]?.includes(name));
  return Object.fromEntries(Object.entries(settings).map(([screen, held]) => [screen, Object.fromEntries(kept(screen, held))]));
}

const numbers = (values: number[]): string => values.map((v) => String(Number(v.toPrecision(9)))).join(",");
const parsed = (text: string | null): number[] | null => {
  const values = text ? text.split(",").map(Number) : [];
  return values.length && values.every(Number.isFinite) ? values : null;
};

/** The state as a URL fragment, without the token. */
export function writeLink(state: StudioState): string {
  const out = new URLSearchParams();
  out.set("screen", state.screen);
  if (state.robot.source) out.set("robot", state.robot.source);
  if (state.robot.toml) out.set("toml", state.robot.toml);
  for (const [name, value] of Object.entries(state.robot.values ?? {})) out.set(`p.${name}`, String(value));
  if (state.q) out.set("q", numbers(state.q));
  if (state.x?.length) out.set("x", numbers(state.x));
  const settings = state.settings[state.screen];
  if (settings && Object.keys(settings).length) out.set("set", JSON.stringify(settings));
  return out.toString();
}

const SINGULARITIES = "singularities"; // once a screen of its own: its links open Explore with aspects and the way from S to E

/** The state that a fragment tells, over a given one; what it does not understand is left as it was. */
export function readLink(fragment: string, before: StudioState): StudioState {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const asked = given.get("screen"),
    screen = asked === SINGULARITIES ? "explore" : (SCREENS.find((s) => s === asked) ?? before.screen);
  const values: Record<string, number> = {};
  for (const [key, value] of given) {
    if (key.startsWith("p.") && Number.isFinite(Number(value))) values[key.slice(2)] = Number(value);
  }
  const named = given.has("robot") || given.has("toml");
  const robot = named ? { source: given.get("robot"), toml: given.get("toml"), values } : before.robot;
  const settings = { ...before.settings };
  try {
    const own: unknown = JSON.parse(given.get("set") ?? "null");
    const held = own && typeof own === "object" && !Array.isArray(own) ? (own as Record<string, unknown>) : null;
    if (asked === SINGULARITIES) settings.explore = { ...settings.explore, map: held?.aspects === false ? "none" : "aspects", ways: true, ...held };
    else if (held) settings[screen] = held;
  } catch {
    // a damaged link opens with the screen's own settings
  }
  return { ...before, screen, robot, q: named ? parsed(given.get("q")) : before.q, x: named ? parsed(given.get("x")) : before.x, settings };
}
