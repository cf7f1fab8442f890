/** A = U Σ Vᵀ of a small matrix given row-major: σ from the largest, columns of U and V as rows here. */
export interface Svd {
  sigma: number[];
  u: number[][];
  v: number[][];
}

const dot = (a: number[], b: number[]): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/** By Jacobi's rotations of columns, until they are orthogonal. */
export function svd(A: ArrayLike<number>, rows: number): Svd {
  const columns = A.length / rows;
  const a = Array.from({ length: columns }, (_, j) => Array.from({ length: rows }, (_, i) => A[i * columns + j] ?? 0));
  const v = Array.from({ length: columns }, (_, j) => Array.from({ length: columns }, (_, i) => (i === j ? 1 : 0)));
  for (let sweep = 0, turned = true; turned && sweep < 60; sweep++) {
    turned = false;
    for (let i = 0; i < columns; i++) {
      for (let j = i + 1; j < columns; j++) turned = rotate(a, v, i, j) || turned;
    }
  }
  const size = a.map((column) => Math.sqrt(dot(column, column)));
  const order = size.map((_, k) => k).sort((i, j) => (size[j] ?? 0) - (size[i] ?? 0));
  return {
    sigma: order.map((k) => size[k] ?? 0),
    u: order.map((k) => (a[k] ?? []).map((value) => value / (size[k] || 1))),
    v: order.map((k) => v[k] ?? []),
  };
}

/** Turn columns i and j so that they are orthogonal; whether they were not. */
function rotate(a: number[][], v: number[][], i: number, j: number): boolean {
  const [u = [], w = []] = [a[i], a[j]];
  const uu = dot(u, u),
    ww = dot(w, w),
    uw = dot(u, w);
  if (Math.abs(uw) <= 1e-16 * Math.sqrt(uu * ww)) return false;
  const zeta = (ww - uu) / (2 * uw);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  for (const rows of [a, v]) {
    const [p = [], q = []] = [rows[i], rows[j]];
    rows[i] = p.map((value, k) => c * (value - t * (q[k] ?? 0)));
    rows[j] = q.map((value, k) => c * (value + t * (p[k] ?? 0)));
  }
  return true;
}
