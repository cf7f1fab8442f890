import type { RobotRef, SimulateMeta } from "../messages";
import type { NamedArray } from "./frames";
import { Store } from "./store";

export type Tables = Record<string, unknown>;

/** A run that was simulated, as it is kept: what was asked for, and every number of the answer. */
export interface KeptRun {
  id: string;
  when: number; // [ms] since 1970
  robot: RobotRef;
  scenario: string; // its name
  recipe: Record<string, string>; // every value of the scenario, by its place
  meta: SimulateMeta;
  arrays: Record<string, NamedArray>;
  shown: boolean;
}

const BASE = "closedchain",
  TABLE = "runs";
const MOST = 24; // runs that are kept
const NAMED = 3; // differences that a name tells

/** Every value of nested tables as a text, by its place: "controller.kp". */
export function flattened(tables: Tables, place = ""): Record<string, string> {
  const made: Record<string, string> = {};
  for (const [key, value] of Object.entries(tables)) {
    const at = place ? `${place}.${key}` : key;
    if (value === undefined || value === null) continue;
    if (typeof value === "object" && !Array.isArray(value)) Object.assign(made, flattened(value as Tables, at));
    else made[at] = Array.isArray(value) ? JSON.stringify(value) : String(value);
  }
  return made;
}

const SECONDS = new Set(["interval", "duration"]),
  QUIET = new Set(["about", "origin", "schema"]);

/** A value as a name tells it: 0.005 of an interval is 5 ms; a table or a long list is only "another". */
function told(place: string, value: string | undefined): string {
  const name = place.replace(/^(controller|plant|parameters)\./, "").replace(/^trajectory\..*$/, "trajectory");
  if (value === undefined) return `no ${name}`;
  const number = Number(value);
  if (SECONDS.has(name) && Number.isFinite(number)) return `${name} ${Number((number * (number < 0.1 ? 1e3 : 1)).toPrecision(4))} ${number < 0.1 ? "ms" : "s"}`;
  if (name === "trajectory" || value.length > 24) return `another ${name}`;
  return name === "kind" ? value : `${name} ${value}`;
}

/** Each run's name: what differs among them; where nothing does, the scenario and a number. */
export function runNames(runs: KeptRun[]): string[] {
  const places = [...new Set(runs.flatMap((run) => Object.keys(run.recipe)))].filter((place) => !QUIET.has(place));
  const differing = places.filter((place) => new Set(runs.map((run) => run.recipe[place])).size > 1);
  const scenarios = new Set(runs.map((run) => run.scenario)).size > 1;
  const seen = new Map<string, number>();
  return runs.map((run) => {
    const parts = [
      ...new Set([...(scenarios ? [run.scenario] : []), ...(scenarios && differing.length > 4 ? [] : differing.map((place) => told(place, run.recipe[place])))]),
    ].slice(0, NAMED);
    const name = parts.join(", ") || run.scenario,
      count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} (${count})` : name;
  });
}

/** The runs of all robots, kept in this browser; screens show those of the robot that is open. */
export class Runs {
  readonly list = new Store<KeptRun[]>([]);
  private base: Promise<IDBDatabase> | null = null;

  /** What was kept before the page was loaded. */
  async recall(): Promise<void> {
    const rows = await this.table("readonly", (table) => table.getAll() as IDBRequest<KeptRun[]>);
    const known = new Set(this.list.value.map((run) => run.id));
    const older = (rows ?? []).filter((run) => !known.has(run.id) && run.arrays?.t && run.meta).sort((a, b) => a.when - b.when);
    if (older.length) this.list.set([...older, ...this.list.value]);
  }

  of(robot: RobotRef): KeptRun[] {
    return this.list.value.filter((run) => run.robot.source === robot.source && run.robot.toml === robot.toml);
  }

  add(run: KeptRun): void {
    const all = [...this.list.value, run];
    for (const old of all.slice(0, Math.max(0, all.length - MOST))) this.forget(old.id);
    this.list.set(all.slice(-MOST));
    this.write(run);
  }

  show(id: string, shown: boolean): void {
    this.list.set(this.list.value.map((run) => (run.id === id ? { ...run, shown } : run)));
    const now = this.list.value.find((run) => run.id === id);
    if (now) this.write(now);
  }

  remove(id: string): void {
    this.list.set(this.list.value.filter((run) => run.id !== id));
    this.forget(id);
  }

  private write(run: KeptRun): void {
    const whole = Object.fromEntries(Object.entries(run.arrays).map(([name, { shape, data }]) => [name, { shape, data: data.slice() }])); // not the whole message
    void this.table("readwrite", (table) => table.put({ ...run, arrays: whole }));
  }

  private forget(id: string): void {
    void this.table("readwrite", (table) => table.delete(id));
  }

  private open(): Promise<IDBDatabase> {
    this.base ??= new Promise((resolve, reject) => {
      const asked = indexedDB.open(BASE, 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE, { keyPath: "id" });
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
    return this.base;
  }

  /** One question to the browser's table; null where it has none: runs are then kept while the page is open. */
  private async table<T>(mode: IDBTransactionMode, ask: (table: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
    try {
      const base = await this.open();
      return await new Promise<T>((resolve, reject) => {
        const asked = ask(base.transaction(TABLE, mode).objectStore(TABLE));
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
      });
    } catch {
      return null;
    }
  }
}
