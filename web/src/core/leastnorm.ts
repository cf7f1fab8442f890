const RANK = 1e-9; // of a row's length: with less left by the rows before it, a row is implied by them

/** The shortest step, and the rows that make it: the others are implied by these, or contradict them. */
export interface Shortest {
  step: number[];
  taken: number[];
}

/**
 * The shortest step that solves rows · step = right. Rows are taken by what the ones before leave of them, the most first, and `firm` ones
 * before the others (Gram and Schmidt, on the rows and on what is right of them); `rank` tells which are implied. A row with damping is met
 * in part, and weighs as much as it is long: it has a coordinate of its own, √damping, that the step does not show. Null where numbers
 * overflow.
 */
export function leastNorm(rows: number[][], right: number[], damping: number[], firm: number, rank = RANK): Shortest | null {
  const n = rows[0]?.length ?? 0,
    long = rows.map((row, i) => (damping[i] ? 1 : Math.hypot(...row) || 1));
  const left = rows.map((row, i) => [...row.map((v) => v / (long[i] ?? 1)), ...rows.map((_, k) => (i === k ? Math.sqrt(damping[i] ?? 0) : 0))]);
  const asked = right.map((v, i) => v / (long[i] ?? 1)),
    step = new Array<number>(n).fill(0),
    taken: number[] = [];
  const take = (waiting: number[]): void => {
    while (waiting.length) {
      const best = waiting.reduce((a, b) => (length(left[b]) > length(left[a]) ? b : a)),
        rest = length(left[best]);
      if (!(rest > rank)) return;
      const unit = (left[best] ?? []).map((v) => v / rest),
        much = (asked[best] ?? 0) / rest;
      taken.push(best);
      waiting = waiting.filter((i) => i !== best);
      step.forEach((v, j) => (step[j] = v + much * (unit[j] ?? 0)));
      rows.forEach((_, i) => {
        if (taken.includes(i)) return;
        const row = left[i] ?? [],
          along = dot(row, unit);
        row.forEach((v, j) => (row[j] = v - along * (unit[j] ?? 0)));
        asked[i] = (asked[i] ?? 0) - along * much;
      });
    }
  };
  const all = rows.map((_, i) => i);
  take(all.slice(0, firm));
  take(all.slice(firm));
  return step.every(Number.isFinite) ? { step, taken } : null;
}

const dot = (a: number[], b: number[]): number => a.reduce((sum, v, i) => sum + v * (b[i] ?? 0), 0);
const length = (row: number[] = []): number => Math.hypot(...row);

/** Gauss's elimination with pivots. */
export function solved(matrix: number[][], right: number[]): number[] {
  const a = matrix.map((row, i) => [...row, right[i] ?? 0]),
    n = a.length;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i]?.[k] ?? 0) > Math.abs(a[pivot]?.[k] ?? 0)) pivot = i;
    [a[k], a[pivot]] = [a[pivot] ?? [], a[k] ?? []];
    for (let i = k + 1; i < n; i++) {
      const factor = (a[i]?.[k] ?? 0) / (a[k]?.[k] ?? 1);
      for (let j = k; j <= n; j++) (a[i] as number[])[j] = (a[i]?.[j] ?? 0) - factor * (a[k]?.[j] ?? 0);
    }
  }
  const made = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) made[i] = ((a[i]?.[n] ?? 0) - made.reduce((sum, v, j) => (j > i ? sum + v * (a[i]?.[j] ?? 0) : sum), 0)) / (a[i]?.[i] ?? 1);
  return made;
}
