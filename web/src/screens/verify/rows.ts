import type { VerifyRow } from "../../messages";

/** One line of the table: a quantity in one way of comparing, with each engine's row. */
export interface Line {
  quantity: string;
  unit: string;
  engines: Map<string, VerifyRow>;
}

/** In which order the ways stand, and what they are. */
export const WAYS: Record<string, [string, string]> = {
  pieces: [
    "Our equations, from the engine's own pieces",
    "The engine gives positions, Jacobians, masses and biases of the open tree; closing the loops exactly gives every quantity.",
  ],
  solver: ["Against the engine's own constraint solver", "MuJoCo's loops are soft: what its softness explains is taken off in the lines that say so."],
  driven: ["Against the engine driven in time", "The same efforts, integrated by the engine; the limit is what halving its step changes."],
};

/** Lines by way, quantities in the order in which they came. */
export function lines(rows: VerifyRow[]): Map<string, Line[]> {
  const made = new Map<string, Line[]>();
  for (const row of rows) {
    const within = made.get(row.way) ?? [];
    made.set(row.way, within);
    let line = within.find((known) => known.quantity === row.quantity);
    if (!line) within.push((line = { quantity: row.quantity, unit: row.unit, engines: new Map() }));
    const before = line.engines.get(row.engine);
    if (!before || share(row) > share(before)) line.engines.set(row.engine, row);
  }
  return made;
}

/** How much of the limit a difference takes; more than 1 is too much. */
export const share = (row: VerifyRow): number => (row.max === null ? Infinity : row.limit > 0 ? row.max / row.limit : row.max > 0 ? Infinity : 0);

const DECADES = 6;

/** 0 … 1 on a scale of decades: 1 at the limit, 0 a million times below it. */
export const level = (row: VerifyRow): number => Math.max(0.02, Math.min(1, 1 + Math.log10(Math.max(share(row), 1e-30)) / DECADES));

/** The largest difference relative to its limit, of all rows. */
export function worst(rows: VerifyRow[]): VerifyRow | null {
  return rows.reduce<VerifyRow | null>((a, b) => (a === null || share(b) > share(a) ? b : a), null);
}

/** The largest difference by the size of its quantity, at equal states; null where no quantity has a size. */
export function relative(rows: VerifyRow[]): number | null {
  const sizes = rows.filter((row) => row.way === "pieces" && row.size > 0 && row.max !== null).map((row) => (row.max ?? 0) / row.size);
  return sizes.length ? Math.max(...sizes) : null;
}
