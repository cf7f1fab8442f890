/** Segments [x0, y0, x1, y1, …] in cells of the grid where bilinear values pass `level`: marching squares. */
export function contour(values: ArrayLike<number>, rows: number, columns: number, level: number): number[] {
  const out: number[] = [];
  for (let r = 0; r + 1 < rows; r++) {
    for (let c = 0; c + 1 < columns; c++) {
      const i = r * columns + c;
      const a = (values[i] ?? NaN) - level, b = (values[i + 1] ?? NaN) - level;
      const d = (values[i + columns] ?? NaN) - level, e = (values[i + columns + 1] ?? NaN) - level;
      if (Number.isNaN(a + b + d + e)) continue;
      const kind = (a > 0 ? 1 : 0) | (b > 0 ? 2 : 0) | (e > 0 ? 4 : 0) | (d > 0 ? 8 : 0);
      if (kind === 0 || kind === 15) continue;
      const low: [number, number] = [c + a / (a - b), r], high: [number, number] = [c + d / (d - e), r + 1];
      const left: [number, number] = [c, r + a / (a - d)], right: [number, number] = [c + 1, r + b / (b - e)];
      const add = (p: [number, number], q: [number, number]): number => out.push(p[0], p[1], q[0], q[1]);
      if (kind === 1 || kind === 14) add(left, low);
      else if (kind === 2 || kind === 13) add(low, right);
      else if (kind === 4 || kind === 11) add(right, high);
      else if (kind === 8 || kind === 7) add(high, left);
      else if (kind === 3 || kind === 12) add(left, right);
      else if (kind === 6 || kind === 9) add(low, high);
      else if (kind === 5) (add(left, high), add(low, right));
      else (add(left, low), add(right, high));
    }
  }
  return out;
}
