/** How far a point lies from the segment between two others, and not from its line. */
function off(p: ArrayLike<number>, a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [px = 0, py = 0] = [p[0], p[1]],
    [ax = 0, ay = 0] = [a[0], a[1]];
  const dx = (b[0] ?? 0) - ax,
    dy = (b[1] ?? 0) - ay;
  const s = Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(px - ax - s * dx, py - ay - s * dy);
}

interface Piece {
  from: number;
  to: number;
  at: number; // the point between that lies farthest off
  far: number;
}

function piece<P extends ArrayLike<number>>(points: readonly P[], from: number, to: number): Piece {
  const made: Piece = { from, to, at: from, far: 0 };
  for (let i = from + 1; i < to; i++) {
    const far = off(points[i] as P, points[from] as P, points[to] as P);
    if (far > made.far) [made.at, made.far] = [i, far];
  }
  return made;
}

/** Douglas and Peucker's choice of points, farthest first: within `tolerance` of the curve, or as many as `most`. */
export function simplified<P extends ArrayLike<number>>(points: readonly P[], most: number, tolerance: number): P[] {
  if (points.length < 3) return [...points];
  const pieces = [piece(points, 0, points.length - 1)];
  while (pieces.length < most - 1) {
    const worst = pieces.reduce((a, b) => (b.far > a.far ? b : a));
    if (worst.far <= tolerance) break;
    pieces.splice(pieces.indexOf(worst), 1, piece(points, worst.from, worst.at), piece(points, worst.at, worst.to));
  }
  return [points[0] as P, ...pieces.map(({ to }) => points[to] as P)];
}
