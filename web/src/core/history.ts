import type { ScreenName, StudioState } from "./link";

/** One place of the state that was changed: settings.explore.path, say. */
export interface Patch {
  at: readonly string[];
  before: unknown;
  after: unknown;
}

/** What one move of the hand changed, and on which screen. */
export interface Step {
  screen: ScreenName;
  patches: Patch[];
  gesture: number;
  when: number; // [ms]
}

const SOON = 400; // [ms] after which what changes is no consequence of the same move
const MOST = 200; // steps that are remembered

/** The places of the state in which two differ: of what can be undone. */
export function differences(before: StudioState, after: StudioState): Patch[] {
  const made: Patch[] = [];
  const add = (at: string[], a: unknown, b: unknown): void => {
    if (JSON.stringify(a) !== JSON.stringify(b)) made.push({ at, before: a, after: b });
  };
  add(["robot"], before.robot, after.robot);
  add(["text"], before.text, after.text);
  if (before.q !== null && before.x !== null) for (const name of ["q", "x"] as const) add([name], before[name], after[name]); // the first place is not a move
  const screens = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]) as Set<ScreenName>;
  for (const screen of screens) {
    const [a, b] = [before.settings[screen] ?? {}, after.settings[screen] ?? {}];
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) add(["settings", screen, name], a[name], b[name]);
  }
  return made;
}

/** The state with patches laid on it, forwards or backwards. */
export function patched(state: StudioState, patches: Patch[], back: boolean): StudioState {
  const made: StudioState = { ...state, settings: { ...state.settings } };
  for (const {
    at: [first = "", screen = "", name = ""],
    before,
    after,
  } of patches) {
    const value = back ? before : after;
    if (first === "settings") made.settings[screen as ScreenName] = { ...made.settings[screen as ScreenName], [name]: value };
    else Object.assign(made, { [first]: value });
  }
  return made;
}

/** Steps that can be taken back and again. A drag, a key that is held, and what follows from a click are one step each. */
export class History {
  private done: Step[] = [];
  private undone: Step[] = [];
  private gesture = 0;
  private key = { name: "", when: 0 };
  private moving = 0; // things that move by themselves

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly changed: () => void = () => undefined,
  ) {}

  /** A pointer was pressed, or a key: what changes from now on is another step. A key pressed again at once goes on with its step. */
  begin(key = ""): void {
    if (this.moving) return;
    const again = key !== "" && key === this.key.name && this.now() - this.key.when < 2 * SOON;
    this.key = { name: key, when: this.now() };
    if (!again) this.gesture++;
  }

  /** Something moves by itself until the answer is called: one step, whatever is pressed meanwhile, so that the press that ends it takes no part for itself. */
  lasting(): () => void {
    this.begin();
    this.moving++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.moving--;
      this.begin();
    };
  }

  /** Remember a change of the state; `held` while the pointer is down. */
  record(before: StudioState, after: StudioState, held = false): void {
    const patches = differences(before, after);
    if (!patches.length) return;
    const last = this.done.at(-1),
      when = this.now();
    this.undone = [];
    if (last && last.gesture === this.gesture && (held || this.moving || when - last.when < 2 * SOON)) {
      last.patches = joined(last.patches, patches);
      last.when = when;
    } else this.done = [...this.done, { screen: after.screen, patches, gesture: this.gesture, when }].slice(-MOST);
    this.changed();
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  undo(state: StudioState): StudioState | null {
    const step = this.done.pop();
    if (!step) return null;
    this.undone.push(step);
    return this.moved(state, step, true);
  }

  redo(state: StudioState): StudioState | null {
    const step = this.undone.pop();
    if (!step) return null;
    this.done.push(step);
    return this.moved(state, step, false);
  }

  private moved(state: StudioState, step: Step, back: boolean): StudioState {
    this.gesture++;
    this.changed();
    return { ...patched(state, step.patches, back), screen: step.screen };
  }
}

/** The patches of two changes as one: from before the first to after the last. */
function joined(first: Patch[], second: Patch[]): Patch[] {
  const made = new Map(first.map((patch) => [patch.at.join("."), patch]));
  for (const patch of second) {
    const key = patch.at.join(".");
    made.set(key, { ...patch, before: made.has(key) ? made.get(key)?.before : patch.before });
  }
  return [...made.values()];
}
