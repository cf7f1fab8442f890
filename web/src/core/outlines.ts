/** Where a line of the grid from a node inside to one outside leaves the region, as a part of its length, and whether a value passes its level there. */
export type Leaving = (inside: number, outside: number) => { part: number; level: boolean };

/** A closed line around a region or a hole of it. */
export interface Outline {
  points: number[]; // x0, y0, x1, y1, … in cells of the grid
  level: boolean[]; // of each point: whether it lies where the value passes its level, not at the end of the reach or of the grid
}

type Node2 = readonly [number, number]; // column, row, counted with the ring
const SIDES = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const; // of a cell: below, right, above, left [column, row of its middle, doubled]

/** The outlines of a region of a grid: marching squares, with the crossing on each line where `leaving` puts it.
 *  What reaches the grid's edge is closed along it. Outlines go anticlockwise around the region, clockwise around its holes. */
export function outlines(rows: number, columns: number, within: (node: number) => boolean, leaving: Leaving): Outline[] {
  const width = columns + 2,
    height = rows + 2; // a ring of nodes outside
  const inside = new Uint8Array(width * height);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) inside[(r + 1) * width + c + 1] = within(r * columns + c) ? 1 : 0;
  const next = new Map<number, number>(); // from the line of the grid that an outline crosses to the one it crosses next
  const line = (c: number, r: number, side: number): number => {
    const [dx, dy] = SIDES[side] ?? [0, 0];
    return (2 * r + 1 + dy) * (2 * width + 1) + 2 * c + 1 + dx;
  };
  for (let r = 0; r + 1 < height; r++) {
    for (let c = 0; c + 1 < width; c++) {
      const i = r * width + c;
      const kind = (inside[i] ?? 0) | ((inside[i + 1] ?? 0) << 1) | ((inside[i + width + 1] ?? 0) << 2) | ((inside[i + width] ?? 0) << 3);
      for (const [from, to] of CASES[kind] ?? []) next.set(line(c, r, from), line(c, r, to));
    }
  }
  const crossing = (key: number): [number, number, boolean] => {
    const y = Math.floor(key / (2 * width + 1)),
      x = key % (2 * width + 1);
    const [a, b]: [Node2, Node2] =
      x % 2
        ? [
            [(x - 1) / 2, y / 2],
            [(x + 1) / 2, y / 2],
          ]
        : [
            [x / 2, (y - 1) / 2],
            [x / 2, (y + 1) / 2],
          ];
    const [first, second] = inside[a[1] * width + a[0]] ? [a, b] : [b, a];
    const beyond = second[0] < 1 || second[1] < 1 || second[0] > columns || second[1] > rows;
    const node = (p: Node2): number => (p[1] - 1) * columns + p[0] - 1;
    const { part, level } = beyond ? { part: 0, level: false } : leaving(node(first), node(second));
    return [first[0] - 1 + part * (second[0] - first[0]), first[1] - 1 + part * (second[1] - first[1]), level];
  };
  const made: Outline[] = [];
  while (next.size) {
    const start = next.keys().next().value as number,
      loop: Outline = { points: [], level: [] };
    for (let at: number | undefined = start; at !== undefined; ) {
      const [x, y, level] = crossing(at);
      loop.points.push(x, y);
      loop.level.push(level);
      const after = next.get(at);
      next.delete(at);
      at = after === start ? undefined : after;
    }
    if (loop.level.length > 2) made.push(loop);
  }
  return made;
}

/** By which corners of a cell are inside (1 lower left, 2 lower right, 4 upper right, 8 upper left): from which side to which an outline runs, the region on its left. */
const CASES: Record<number, [number, number][]> = {
  1: [[0, 3]],
  2: [[1, 0]],
  3: [[1, 3]],
  4: [[2, 1]],
  5: [
    [0, 3],
    [2, 1],
  ],
  6: [[2, 0]],
  7: [[2, 3]],
  8: [[3, 2]],
  9: [[0, 2]],
  10: [
    [1, 0],
    [3, 2],
  ],
  11: [[1, 2]],
  12: [[3, 1]],
  13: [[0, 1]],
  14: [[3, 0]],
};

/** Where the reach ends between a node of slack ≥ 0 and one of slack < 0; 1: not on this line. */
const end = (slack: ArrayLike<number>, a: number, b: number): number => ((slack[b] ?? -1) < 0 ? (slack[a] ?? 0) / ((slack[a] ?? 0) - (slack[b] ?? -1)) : 1);

/** Leaves where a value passes a level, or where the reach ends before. */
export function passing(values: ArrayLike<number>, slack: ArrayLike<number>, level: number): Leaving {
  return (a, b) => {
    const reach = end(slack, a, b),
      high = values[a] ?? NaN,
      low = values[b] ?? NaN;
    const part = Number.isFinite(low) && low < level ? (high - level) / (high - low) : 1;
    return { part: Math.min(reach, part), level: part < reach };
  };
}

/** Leaves where a value changes its sign, or where the reach ends before. */
export function turning(values: ArrayLike<number>, slack: ArrayLike<number>): Leaving {
  return (a, b) => {
    const reach = end(slack, a, b),
      here = values[a] ?? NaN,
      there = values[b] ?? NaN;
    const part = here * there < 0 ? here / (here - there) : 1;
    return { part: reach === 1 && part === 1 ? 0.5 : Math.min(reach, part), level: part < reach };
  };
}
