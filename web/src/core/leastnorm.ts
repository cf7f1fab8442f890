const TINY = 1e-13; // of a row of length 1: rows that others imply are left to them

/** The shortest step that solves rows · step = right, each row made 1 long first; a row with damping is met in part. Null where numbers overflow. */
export function leastNorm(rows: number[][], right: number[], damping: number[]): number[] | null {
  const long = rows.map((row) => Math.hypot(...row) || 1);
  const J = rows.map((row, i) => row.map((v) => v / (long[i] ?? 1)));
  const y = solved(J.map((a, i) => J.map((b, k) => dot(a, b) + (i === k ? TINY + (damping[i] ?? 0) : 0))), right.map((v, i) => v / (long[i] ?? 1)));
  const step = (rows[0] ?? []).map((_, j) => J.reduce((sum, row, i) => sum + (row[j] ?? 0) * (y[i] ?? 0), 0));
  return step.every(Number.isFinite) ? step : null;
}

const dot = (a: number[], b: number[]): number => a.reduce((sum, v, i) => sum + v * (b[i] ?? 0), 0);

/** Gauss's elimination with pivots. */
export function solved(matrix: number[][], right: number[]): number[] {
  const a = matrix.map((row, i) => [...row, right[i] ?? 0]), n = a.length;
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
