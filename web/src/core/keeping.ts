import { SCREENS, type StudioState } from "./link";
import { Store } from "./store";

/** A robot of one's own, as its file's text. */
export interface OwnRobot {
  name: string;
  toml: string;
}

const ROBOTS = "closedchain.robots",
  WORK = "closedchain.work";
const MOST = 30; // robots of one's own that are kept

/** What this browser keeps under a name; null where there is nothing that can be read. */
function recalled(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function keep(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // no room, or not allowed: it is kept while the page is open
  }
}

const isOwn = (row: unknown): row is OwnRobot => typeof (row as OwnRobot | null)?.name === "string" && typeof (row as OwnRobot).toml === "string";
const listed = (given: unknown): OwnRobot[] => (Array.isArray(given) ? given.filter(isOwn) : []);

/** The robots that were made or opened here as files, the latest first; other tabs have the same list. */
export const ownRobots = new Store<OwnRobot[]>(listed(recalled(ROBOTS)));
addEventListener("storage", (event) => event.key === ROBOTS && ownRobots.set(listed(recalled(ROBOTS))));

/** Keep a robot of one's own, in place of an earlier one of its name. */
export function keepRobot(robot: OwnRobot): void {
  if (ownRobots.value.some((row) => row.name === robot.name && row.toml === robot.toml)) return;
  ownRobots.set([robot, ...ownRobots.value.filter((row) => row.name !== robot.name)].slice(0, MOST));
  keep(ROBOTS, ownRobots.value);
}

export function forgetRobot(name: string): void {
  ownRobots.set(ownRobots.value.filter((row) => row.name !== name));
  keep(ROBOTS, ownRobots.value);
}

/** What was on the screen last, for a page that is opened without saying what to show. */
export const keepWork = (state: StudioState): boolean => keep(WORK, { ...state, views: {} });

/** The state that was kept, over a given one; what is not understood is left as it was. */
export function resumed(blank: StudioState): StudioState | null {
  const held = recalled(WORK) as Partial<StudioState> | null;
  const robot = held?.robot;
  if (!held || !robot || (typeof robot.source !== "string" && typeof robot.toml !== "string")) return null;
  const numbers = (row: unknown): number[] | null => (Array.isArray(row) && row.every(Number.isFinite) ? row : null);
  const settings = held.settings && typeof held.settings === "object" ? held.settings : {};
  return {
    ...blank,
    robot,
    q: numbers(held.q),
    x: numbers(held.x),
    settings,
    text: typeof held.text === "string" ? held.text : null,
    screen: SCREENS.find((name) => name === held.screen) ?? blank.screen,
  };
}
