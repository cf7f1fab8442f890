/** As much of the work as a first move can be read off. */
export interface Seen {
  q: readonly number[];
  x: readonly number[];
  working: string;
  assembly: string;
  values: string; // of the parameters that were changed
}

const same = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((v, i) => v === b[i]);
const apart = (a: readonly number[], b: readonly number[]): number => a.filter((v, i) => v !== b[i]).length;

interface Move {
  words: string;
  made(before: Seen, now: Seen, again: boolean): boolean; // again: the robot has stood like this before
}

const MOVES: readonly Move[] = [
  { words: "Drag the green tip.", made: (before, now, again) => !again && apart(before.x, now.x) > 0 && apart(before.q, now.q) > 1 },
  {
    words: "Press a grey ghost: the robot takes that branch.",
    made: (before, now, again) => !again && (before.working !== now.working || before.assembly !== now.assembly) && (same(before.x, now.x) || same(before.q, now.q)),
  },
  { words: "Drag an orange drive: it moves alone.", made: (before, now, again) => !again && apart(before.q, now.q) === 1 },
  { words: "Slide a parameter: the map follows.", made: (before, now, again) => !again && before.values !== now.values },
  { words: "Take it back: Ctrl+Z, or ↶ above.", made: (_, __, again) => again },
];

/** The first five moves, read off the state, in any order. */
export class FirstMoves {
  private readonly left: Set<Move>;
  private readonly stood = new Set<string>();
  private before: Seen;

  constructor(start: Seen, done: readonly number[] = []) {
    this.before = start;
    this.left = new Set(MOVES.filter((_, i) => !done.includes(i)));
    this.stood.add(JSON.stringify(start));
  }

  /** See the work as it is now; whether a move was made. */
  see(now: Seen): boolean {
    const key = JSON.stringify(now),
      last = JSON.stringify(this.before);
    if (key === last) return false;
    const again = this.stood.has(key);
    const made = [...this.left].filter((move) => move.made(this.before, now, again));
    for (const move of made) this.left.delete(move);
    this.stood.add(key);
    this.before = now;
    return made.length > 0;
  }

  /** The next one, and how many of five are made; null where all are. */
  next(): { words: string; made: number; of: number } | null {
    const [first] = this.left;
    return first ? { words: first.words, made: MOVES.length - this.left.size, of: MOVES.length } : null;
  }

  /** The numbers of those that are made. */
  done(): number[] {
    return MOVES.flatMap((move, i) => (this.left.has(move) ? [] : [i]));
  }
}
